"""Uploads of millions of clients on two cores: sent, read, added up, solved.

    python tests/benchmarks/ten_million.py [CLIENTS ...]

Each client uploads 8 samples of 256 numbers with their labels in one message of 4 bits per number,
which the project's codec makes and reads. Two processes take stretches of clients in turn; nothing
is kept of a message but its length. Processor seconds are those of both processes. Without numbers
of clients 100,000 and 1,000,000 are measured, in two minutes of two cores; 10,000,000 take seven
more. Slopes are between the numbers that one call names, so that it is to name several.
"""

import os
import resource
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import pairwise

os.environ.update(dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS"), "1"))

import numpy as np
from ratios import SCRIPTS, Row, print_table

sys.path.insert(0, str(SCRIPTS))

from fbftl.training.closed_form import LinearHead, ridge
from summed_uploads import DrawnClients, UploadSum, sum_uploads

DECADES = (100_000, 1_000_000)
CLIENTS = DrawnClients()
BITS = 4
PROCESSES = 2
STRETCH = 12_500
RATIO = 1e-4
REACH_S = 3600
"""Seconds on the clock that no number of clients may take here: an hour on two cores."""


@dataclass(frozen=True)
class Measured:
    """A sum, and what it took.

    cpu_s: processor seconds of all processes.
    wall_s: from start to end.
    peak_mib: memory of the largest process.
    """

    upload_sum: UploadSum
    cpu_s: float
    wall_s: float
    peak_mib: float


def sum_stretch(span: tuple[int, int]) -> tuple[UploadSum, float, float]:
    """Return the sum of a stretch of clients, its processor seconds and this process's peak."""
    started = time.process_time()
    total = sum_uploads(CLIENTS, BITS, *span)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return total, time.process_time() - started, peak


def summed(pool: ProcessPoolExecutor, first: int, last: int) -> Measured:
    """Return the sum of clients first to last - 1, added up as stretches come in."""
    started, joined = time.perf_counter(), time.process_time()
    shards = max(PROCESSES, (last - first) // STRETCH)
    ends = [first + (last - first) * shard // shards for shard in range(shards + 1)]
    total, seconds, peak = None, 0.0, 0.0
    for part, cpu_s, peak_mib in pool.map(sum_stretch, pairwise(ends)):
        total = part if total is None else total + part
        seconds, peak = seconds + cpu_s, max(peak, peak_mib)
    seconds += time.process_time() - joined
    return Measured(total, seconds, time.perf_counter() - started, peak)


def solved(uploads: UploadSum) -> LinearHead:
    """Return the head of all uploads."""
    return ridge(uploads.statistics, [RATIO]).head


def accuracy(head: LinearHead, clients: int) -> float:
    """Return the accuracy on samples of clients that were never summed."""
    values, labels = next(CLIENTS.blocks(10 * clients + 10**6, 10 * clients + 10**6 + 128))
    return head.accuracy(values.reshape(-1, CLIENTS.width), labels.reshape(-1))


def rows_of(pool: ProcessPoolExecutor, clients: int) -> Iterator[Row]:
    """Measure so many clients."""
    whole = summed(pool, 0, clients)
    started = time.process_time()
    head = solved(whole.upload_sum)
    solving = time.process_time() - started
    name = f"{clients:,} clients"
    yield Row(f"{name}: microseconds of a core per upload", whole.cpu_s / clients * 1e6)
    yield Row(f"{name}: processor seconds", whole.cpu_s)
    yield Row(f"{name}: seconds on the clock", whole.wall_s, ("<=", REACH_S))
    yield Row(f"{name}: MiB of the largest process", whole.peak_mib, ("<=", 2048))
    yield Row(f"{name}: GB sent", whole.upload_sum.bits / 8e9)
    yield Row(f"{name}: accuracy", accuracy(head, clients), note=f"solved in {solving:.2f} s")


def rows(decades: tuple[int, ...]) -> Iterator[Row]:
    """Measure and yield all rows, then slopes between decades."""
    seconds: dict[int, float] = {}
    with ProcessPoolExecutor(PROCESSES) as pool:
        list(pool.map(sum_stretch, [(0, 256)] * PROCESSES))  # modules are imported
        for clients in decades:
            for row in rows_of(pool, clients):
                print(f"  {row.name}  {row.value:.6g}  {row.note}", flush=True)
                if row.name.endswith("processor seconds"):
                    seconds[clients] = row.value
                yield row
    for few, many in pairwise(decades):
        slope = (seconds[many] / many) / (seconds[few] / few)
        yield Row(f"time per upload, {many:,} over {few:,}", slope, ("<=", 1.1))


if __name__ == "__main__":
    np.seterr(all="raise", under="ignore")
    print_table(rows(tuple(map(int, sys.argv[1:])) or DECADES))
