"""The kernel loses packets as the relay does, in a network namespace of the test's own."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from fbftl.messages.channel import packet_loss_rate
from scipy.stats import binom

RATE, BLOCK, COUNT = 0.1, 64, 400
ONE_WAY = 1 - (1 - RATE) ** 0.5
"""Share that the kernel drops: a block passes the loopback twice, to the relay and from it."""

CROSSING = f"""
import json
import numpy as np
from fbftl.messages.codec import encode
from fbftl_deploy.relay import cross
messages = [encode(np.full(32, number, dtype=np.float32)) for number in range({COUNT})]
crossing = cross(messages, {BLOCK}, lambda: False)
whole = [m for m in range({COUNT}) if crossing.messages[m] is not None]
assert all(crossing.messages[m] == messages[m] for m in whole)
print(json.dumps([crossing.blocks.tolist(), crossing.arrived.tolist()]))
"""
"""Messages of three blocks over a relay that drops nothing: whatever is lost, the kernel lost."""

Inside = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def inside() -> Iterator[Inside]:
    """Runs a command in a namespace whose only interface is a loopback of its own."""
    if shutil.which("ip") is None or shutil.which("tc") is None:
        pytest.skip("ip and tc are not installed (package iproute2)")
    name = f"fbftl-{uuid.uuid4().hex[:8]}"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True)
    if made.returncode:
        pytest.skip(f"no network namespace can be made here: {made.stderr.strip()}")

    def run(*command: str, **more: object) -> subprocess.CompletedProcess[str]:
        words = ["ip", "netns", "exec", name, *command]
        return subprocess.run(words, capture_output=True, text=True, **more)  # type: ignore[call-overload]

    try:
        run("ip", "link", "set", "lo", "up", check=True)
        yield run
    finally:
        subprocess.run(["ip", "netns", "del", name], check=True)


def crossed(inside: Inside, root: Path) -> tuple[np.ndarray, np.ndarray]:
    """Return the blocks of each message, and which messages arrived, in the namespace."""
    paths = os.pathsep.join(str(root / folder) for folder in ("scripts", "deploy"))
    environment = os.environ | {"PYTHONPATH": paths}
    done = inside(sys.executable, "-c", CROSSING, env=environment, check=True)
    blocks, arrived = json.loads(done.stdout)
    return np.array(blocks), np.array(arrived)


def test_a_namespace_that_drops_nothing_lets_all_messages_through(inside, root):
    blocks, arrived = crossed(inside, root)
    assert (blocks == 3).all()
    assert arrived.all()


def test_packets_lost_by_the_kernel_are_as_many_as_the_channel_model_says(inside, root):
    loss = f"{100 * ONE_WAY:.4f}%"
    dropping = inside("tc", "qdisc", "add", "dev", "lo", "root", "netem", "loss", loss)
    if dropping.returncode:
        pytest.skip(f"this kernel has no netem: {dropping.stderr.strip()}")
    _, arrived = crossed(inside, root)
    # The kernel's losses have no seed: an interval that a right channel leaves once in 10,000 runs.
    low, high = binom.interval(0.9999, COUNT, packet_loss_rate(RATE, 3, 0))
    assert low <= np.count_nonzero(~arrived) <= high
