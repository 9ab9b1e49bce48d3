"""Measure ECOS at a cloud's size: 60,000 rows of 1,280 numbers are clustered, counted and picked.

python tests/benchmarks/outsourcing.py
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.methods.ecos.coverage import capped, clustered, nearest, picked, scaled

ROWS, WIDTH, CENTROIDS, PURCHASE, OWN, CLASSES = 60_000, 1280, 100, 3000, 2000, 50


def main() -> None:
    """Print the time and the memory that it takes."""
    rng = np.random.default_rng(0)
    centres = 2 * rng.standard_normal((CLASSES, WIDTH), dtype=np.float32)
    values = rng.standard_normal((ROWS, WIDTH), dtype=np.float32)
    values += centres[rng.integers(CLASSES, size=ROWS)]
    start = time.monotonic()
    clusters = clustered(values, CENTROIDS, seed=0)
    clustered_at = time.monotonic()
    counts = np.bincount(nearest(values[:OWN], clusters.centroids), minlength=CENTROIDS)
    shares = capped(scaled(counts, 1), clusters.sizes, PURCHASE)
    rows = picked(values, clusters, shares, diverse=True, seed=0)
    end = time.monotonic()
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{CENTROIDS} clusters of {ROWS:,} x {WIDTH:,}: {clustered_at - start:.1f} s, ", end="")
    print(
        f"{len(rows):,} rows picked: {end - clustered_at:.1f} s, "
        f"together {end - start:.1f} s (60), "
    )
    print(f"{most:.2f} GB at most, the rows among them (2)")


if __name__ == "__main__":
    main()
