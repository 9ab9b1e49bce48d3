"""Measure one-shot uploads: accumulation of statistics, solving, masking, lengths of messages.

Run from the project's root:

    OMP_NUM_THREADS=1 python tests/benchmarks/uploads.py

Times are CPU seconds of the fastest of several repetitions, on one core.
"""

import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.messages.codec import Compression
from fbftl.messages.statistics import Statistics, length
from fbftl.methods.one_shot.mixtures import Fitting
from fbftl.methods.one_shot.summary_messages import MeansMessage, MixturesMessage, StatisticsMessage
from fbftl.privacy.masking import NUMBER_BYTES, Dealer, masked
from fbftl.training.closed_form import lda, ridge

CLASSES, WIDTH, ROWS = 10, 1280, 50_000
WIDE = 4096
RATIOS = [0.01, 1e-6, 1e-5, 1e-4, 1e-3, 0.1, 1.0]
CLIENT = 8


def cpu_seconds(function: Callable[[], object], repetitions: int = 3) -> float:
    """Return the CPU time of the fastest call."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def samples(rows: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return features and labels."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((rows, width), dtype=np.float32)
    return values, rng.integers(CLASSES, size=rows)


def accumulation(values: np.ndarray, labels: np.ndarray) -> None:
    """Print the time to accumulate statistics over that of the bare product."""
    accumulated = cpu_seconds(lambda: Statistics.of(values, labels, CLASSES))
    bare = cpu_seconds(lambda: values.T @ values)
    print(f"accumulate {len(values):,} x {values.shape[1]:,}: {accumulated:.2f} s, ", end="")
    print(f"{accumulated / bare:.2f} x a bare float32 product (1.2)")


def solving(values: np.ndarray, labels: np.ndarray) -> None:
    """Print the time to solve heads, for one candidate by Cholesky and for several by spectrum."""
    half = len(values) // 2
    statistics = Statistics.of(values[half:], labels[half:], CLASSES)
    held_out = Statistics.of(values[:half], labels[:half], CLASSES)
    for name, solver in (("ridge", ridge), ("lda", lda)):
        single = cpu_seconds(lambda solver=solver: solver(statistics, [0.05]))
        several = cpu_seconds(lambda solver=solver: solver(statistics, RATIOS, held_out), 1)
        print(f"solve {name} in d = {statistics.width:,}: {single:.2f} s (1), ", end="")
        print(f"{several:.2f} s with {len(RATIOS)} candidates chosen from")


def masking() -> None:
    """Print how fast one client masks."""
    values, key = np.random.default_rng(0).standard_normal(2**21), Dealer.of_study(0).key(0)
    seconds = cpu_seconds(lambda: masked(values, key, 1))
    print(f"mask: {NUMBER_BYTES * len(values) / seconds / 1e6:.0f} MB/s (100)")


def lengths(values: np.ndarray, labels: np.ndarray) -> None:
    """Print encoded lengths over the closed form of their numbers, headers left out."""
    chunk, of = values[:CLIENT], labels[:CLIENT]
    messages = {
        "statistics": StatisticsMessage(CLASSES, WIDTH),
        "means": MeansMessage(CLASSES, WIDTH),
        "mixtures": MixturesMessage(CLASSES, WIDTH, (1,), Fitting(1e-3), 1, 0),
    }
    for name, message in messages.items():
        for bits in (32, 8):
            summary = message.summary(0, chunk, of)
            sent = 8 * len(summary.message(Compression(bits)))
            numbers = bits * message.shape(0, chunk, of).numbers
            print(f"{name} at {bits} bits: {sent / numbers - 1:+.2%} of the closed form (2 %)")


def main() -> None:
    """Print all of it."""
    values, labels = samples(ROWS, WIDTH)
    accumulation(values, labels)
    solving(values, labels)
    masking()
    lengths(values, labels)
    print(f"one client's statistics at d = {WIDTH:,}: {4e-6 * length(CLASSES, WIDTH):.1f} MB")
    wide, of = samples(2 * WIDE, WIDE)
    ridge(Statistics.of(wide, of, CLASSES), RATIOS[:1])
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"d = {WIDE:,}: {most:.1f} GB at most (8)")


if __name__ == "__main__":
    main()
