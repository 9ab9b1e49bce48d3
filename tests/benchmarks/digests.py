"""What the digests of models on the way cost, in runs of a finished default study.

Run: python tests/benchmarks/digests.py FOLDER [RUN ...]

FOLDER is one in which the study ran. Each named run of its digits is trained again, twice, and the
second time counts; its run file must come out as it is there.
"""

import ast
import base64
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from ratios import SCRIPTS, Row, print_table

sys.path.insert(0, str(SCRIPTS))
sys.path.insert(0, str(SCRIPTS / "stages"))

from fbftl.models import digest

RUNS = ("fbftl", "fl", "sfl", "ftl_c", "ftl_f", "released+cut=drop_fc1")
SPENT = [0.0]
BARE = digest.digest


def timed(numbers):
    """Return the digest, and add up what it takes."""
    started = time.perf_counter()
    value = BARE(numbers)
    SPENT[0] += time.perf_counter() - started
    return value


FILES = {
    "manifest": "features.json", "network": "network.json", "features": "features.zarr",
    "clients": "clients.h5", "weights": "source.safetensors", "source": "source.json",
}  # fmt: skip


def rows(folder: str, *names: str) -> Iterator[Row]:
    """Train runs again and yield the share of the time that digests take."""
    digest.digest = timed  # before anything imports it by name
    import train_setting
    from fbftl.ground.room import RAM
    from fbftl.study.methods import axes_by_method

    os.chdir(folder)
    task = Path("results/digits")
    files = {name: str(task / file) for name, file in FILES.items()}
    for name in names or RUNS:
        run = task / "runs" / f"{name}.json"
        note = Path(".snakemake/metadata", base64.b64encode(str(run).encode()).decode())
        noted = json.loads(note.read_bytes())["params"]
        params = next(text for text in noted if text.startswith("[{"))
        with tempfile.TemporaryDirectory() as scratch:
            parts = (f"{scratch}/run.{suffix}" for suffix in ("json", "parquet", "meta.json"))
            outputs = [train_setting.Outputs(*parts)]
            for _ in range(2):
                SPENT[0], started = 0.0, time.perf_counter()
                jobs, axes = ast.literal_eval(params), axes_by_method()
                train_setting.main(files, "", outputs, jobs, axes, "cpu", RAM, 1)
                took = time.perf_counter() - started
            assert Path(outputs[0].run).read_bytes() == run.read_bytes()
        yield Row(f"digests, % of {name}", 100 * SPENT[0] / took, ("<=", 2), f"{took:.2f} s")


if __name__ == "__main__":
    print_table(rows(*sys.argv[1:]))
