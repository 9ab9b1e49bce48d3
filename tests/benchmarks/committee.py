"""Measure a sum by a committee: seconds of all parties, and the bytes of a client and of members.

Run from the project's root:

    OMP_NUM_THREADS=1 python tests/benchmarks/committee.py

1,000 clients send 100,000 numbers each to a committee of five, of whom three are needed and there.
Seconds are of one core, of which nobody else's work takes any (CPU time); clients, members and
server run one after another. The sum is compared with the open one.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.cost.secure_sums import by_rounding, replicated
from fbftl.exchange.committee import CommitteeMasks
from fbftl.exchange.post import Post
from fbftl.exchange.secure_sum import SecureSum
from fbftl.ground.ring import WORD_BITS, Ring
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.privacy.masking import fixed_point
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.privacy.replicated import Committee
from fbftl.study.settings import Setting

CLIENTS, NUMBERS, MEMBERS, THRESHOLD = 1000, 100_000, 5, 3


class Values:
    """A vector of each client, drawn where it is asked for: all of them take 800 MB."""

    def __getitem__(self, position: int) -> np.ndarray:
        return np.random.default_rng(position).standard_normal(NUMBERS)


def summed(plr: float, ring: Ring) -> tuple[float, np.ndarray, np.ndarray, Ledger]:
    """Return CPU seconds of a sum, the sum, which messages arrived, and the ledger."""
    ledger = Ledger(method="benchmark")
    post = Post(ledger, link_of(Setting(plr=plr), 512), 0, no_mechanism())
    masks = CommitteeMasks(Committee(MEMBERS, THRESHOLD), b"s" * 32, present=(0, 2, 4))
    start = time.process_time()
    result = SecureSum(post, ring, masks).of(Values(), np.arange(CLIENTS))
    return time.process_time() - start, result.total, result.receipt.arrives, ledger


def main() -> None:
    """Print seconds, bytes and whether the sum is right."""
    ring = Ring(40)
    for plr in (0.0, 0.1):
        start = time.perf_counter()
        seconds, total, arrives, ledger = summed(plr, ring)
        wall = time.perf_counter() - start
        steps = sum(fixed_point(Values()[int(one)], ring) for one in np.flatnonzero(arrives))
        equal = np.array_equal(total, steps / 2.0**ring.fraction_bits)
        print(f"{int(arrives.sum()):,} of {CLIENTS:,} clients x {NUMBERS:,} numbers: ", end="")
        print(
            f"{seconds:.1f} s of one core ({wall:.0f} s beside what else ran; 60 of two cores), ",
            end="",
        )
        print(f"equal to the open sum: {equal}")
        table = ledger.table().to_pandas()
        up = table[table["direction"] == "up"].groupby("client")["bits"].sum().iloc[0] / 8
        vector = ring.message_bytes(NUMBERS)
        print(f"a client sends {up:,.0f} bytes, {up - vector:,.0f} beside its vector (2,000)")
        answers = table.loc[table["part"] == "answer", "bits"].sum() / 8
        print(f"members answer with {answers:,.0f} bytes")
    for bits in (40, WORD_BITS):
        ours = replicated(NUMBERS, bits, MEMBERS, THRESHOLD)
        theirs = by_rounding(NUMBERS, bits, CLIENTS, MEMBERS, THRESHOLD)
        print(f"in closed form at {bits} bits: a client {ours.client:,} bytes, by LWR ", end="")
        print(f"{theirs.client:,}; members {ours.answers:,}, by LWR {theirs.answers:,}")


if __name__ == "__main__":
    main()
