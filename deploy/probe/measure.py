"""What Flower adds to one upload, from 100 bytes to 10 MB, and to every second of waiting.

    PYTHONPATH=scripts:deploy .venv-deploy/bin/python deploy/probe/measure.py FOLDER

One client on the loopback, behind the counting proxy. FOLDER gets `tables/transport.csv`, a row
for each size, and `figures/transport.svg`: the transport's share of what goes up, by size and by
seconds waited, with the size from which the payload is nine tenths of it.
"""

import csv
import json
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from fbftl.ground.files import replacing
from fbftl_deploy.accounts import POLLING
from fbftl_deploy.federation import Federation, Ports
from fbftl_deploy.proxy import Proxy, Traffic

SIZES = [
    100,
    100,
    300,
    1000,
    3000,
    10_000,
    30_000,
    100_000,
    300_000,
    1_000_000,
    3_000_000,
    10_000_000,
]
"""Bytes of uploads; the first brings the app to the node, and is not counted."""

WAITED = (0, 10, 60, 600)
"""Seconds of waiting that the figure shows."""

FIRST_PORT = 44100
APP = Path(__file__).parent
SETTLING_SECONDS = 2.0
IDLE_SECONDS = 30.0
PATIENCE_SECONDS = 300.0


@dataclass(frozen=True)
class Upload:
    """One upload.

    size: bytes of the payload.
    up, down: bytes that passed for it, those of polling left out.
    """

    size: int
    up: int
    down: int

    @property
    def added(self) -> int:
        """Bytes that the transport adds to the upload itself."""
        return self.up - self.size


def carried(traffic: Traffic) -> int:
    """Return the bytes that have passed so far, those of polling left out."""
    polling = sum(number for (call, _), number in traffic.calls.items() if call in POLLING)
    return traffic.total - polling


def measured(folder: Path) -> tuple[list[Upload], float]:
    """Return an upload of each size, and the bytes a second that polling sends up."""
    ports = Ports.planned(FIRST_PORT, [0])
    ports.require_free()
    (folder / "sizes.json").write_text(json.dumps(SIZES), encoding="utf-8")
    with (
        Federation(folder, ports, exact=False, app=APP) as federation,
        Proxy(ports.proxies, ports.superlink) as proxy,
    ):
        federation.start_fork_server([])
        federation.start_superlink()
        federation.start_node(0, folder)
        federation.run(folder)
        uploads = [_upload(folder, proxy, number, size) for number, size in enumerate(SIZES)]
        before = proxy.up[0].total
        time.sleep(IDLE_SECONDS)
        return uploads[1:], (proxy.up[0].total - before) / IDLE_SECONDS


def _upload(folder: Path, proxy: Proxy, number: int, size: int) -> Upload:
    before = carried(proxy.up[0]), carried(proxy.down[0])
    (folder / f"go-{number}").touch()
    end = time.monotonic() + PATIENCE_SECONDS
    while not (folder / f"arrived-{number}").exists():
        if time.monotonic() > end:
            raise TimeoutError(f"an upload of {size} bytes does not arrive")
        time.sleep(0.2)
    time.sleep(SETTLING_SECONDS)
    return Upload(size, carried(proxy.up[0]) - before[0], carried(proxy.down[0]) - before[1])


def nine_tenths(uploads: Sequence[Upload], waiting: float) -> float:
    """Return the size from which the payload is nine tenths of what goes up.

    Args:
        uploads: measured, ascending by size.
        waiting: bytes that polling adds.
    """
    sizes = np.geomspace(uploads[0].size, uploads[-1].size, 10_000)
    added = np.interp(sizes, [u.size for u in uploads], [u.added for u in uploads]) + waiting
    enough = np.flatnonzero(sizes >= 9 * added)
    return float(sizes[enough[0]]) if len(enough) else float("inf")


def draw(uploads: Sequence[Upload], per_second: float, path: Path) -> Mapping[int, float]:
    """Draw the transport's share; return the sizes of nine tenths by seconds waited."""
    from fbftl.findings.style import use_style

    use_style()
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(5, 4), layout="constrained")
    limits = {}
    for seconds in WAITED:
        added = np.array([upload.added for upload in uploads]) + per_second * seconds
        sizes = np.array([upload.size for upload in uploads])
        limits[seconds] = nine_tenths(uploads, per_second * seconds)
        label = f"{seconds} s waited: nine tenths payload from {limits[seconds] / 1000:,.0f} kB"
        axes.plot(sizes, added / (sizes + added), marker="o", clip_on=False, label=label)
    axes.axhline(0.1, color="0.5", linestyle=":", linewidth=1)
    axes.set_xscale("log")
    axes.set_ylim(0, 1)
    axes.set_xlabel("Bytes of an upload")
    axes.set_ylabel("Transport's share of bytes up")
    figure.legend(loc="outside upper center", ncols=1)
    figure.savefig(path, metadata={"Date": None})
    return limits


def main(folder: Path) -> None:
    """Measure, and write table and figure."""
    with tempfile.TemporaryDirectory(prefix="fbftl-probe-") as run:
        uploads, per_second = measured(Path(run))
    table, figure = folder / "tables" / "transport.csv", folder / "figures" / "transport.svg"
    with replacing(table) as part, part.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["size", "up", "down", "added", "polling_per_second"])
        writer.writerows([u.size, u.up, u.down, u.added, round(per_second, 1)] for u in uploads)
    with replacing(figure) as part:
        limits = draw(uploads, per_second, part)
    for seconds, size in limits.items():
        print(f"{seconds:4d} s waited: payload is nine tenths from {size:,.0f} bytes")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
