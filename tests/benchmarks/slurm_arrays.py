"""Short settings on a Slurm of one node: one job each, in a job array, or many in one job.

Run: python tests/benchmarks/slurm_arrays.py

From finished features to the run files of 16 settings that train for a second each. It needs root
and Debian's packages of Slurm (docs/cluster.md).
"""

import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import yaml
from project import Project
from ratios import ROOT, Row, print_table

sys.path.insert(0, str(ROOT / "tests" / "workflow"))

from slurm import Slurm, missing

SETTINGS = 16
SUBMIT = (
    "--workflow-profile=profiles/slurm", "--slurm-no-account", "--slurm-status-command=squeue",
    "--slurm-init-seconds-before-status-checks=3", "--seconds-between-status-checks=3",
    "--latency-wait=10",
)  # fmt: skip
WAYS = {
    "a Slurm job each": {"groups": ["collect=tables"]},
    "one array": {"groups": ["collect=tables"], "slurm-array-jobs": "train"},
    "32 to a job, as in the profile": {},
}
"""What replaces entries of the profile."""


def study() -> dict:
    """Return a study of so many short settings."""
    rates = [round(number / SETTINGS, 4) for number in range(SETTINGS)]
    return {
        "seeds": [0],
        "study": {"tasks": ["digits"], "experiments": ["sweep"]},
        "experiments": {"sweep": {"grids": [{"plr": rates}]}},
    }


def rows() -> Iterator[Row]:
    """Measure and yield the rows."""
    if (reason := missing()) is not None:
        sys.exit(f"no Slurm can be started here: {reason}")
    with tempfile.TemporaryDirectory() as folder, Slurm(Path(folder, "node")) as node:
        os.environ.update(node.environment)
        project = Project(Path(folder, "project"))
        project.snakemake(study(), "features", "results/digits/network.json")
        path = project.folder / "profiles" / "slurm" / "profile.yaml"
        profile = yaml.safe_load(path.read_text(encoding="utf-8"))
        for way, changes in WAYS.items():
            path.write_text(yaml.safe_dump(profile | changes), encoding="utf-8")
            project.remove("digits/runs")
            before, started = len(node.restarts()), time.perf_counter()
            project.snakemake(study(), "runs", *SUBMIT)
            took, jobs = time.perf_counter() - started, len(node.restarts()) - before
            yield Row(f"Slurm, {way}: seconds per setting", took / SETTINGS, note=f"{jobs} jobs")


if __name__ == "__main__":
    print_table(rows())
