"""What a fan-out of short settings costs, by how many of them share a process.

Run: python tests/benchmarks/fanout.py

The default study's digits with 48 packet loss rates, one seed each, about a second of training:
`snakemake runs` on two cores from finished features to the run files, starts included.
"""

import tempfile
from collections.abc import Iterator

from project import Project
from ratios import Row, print_table

SETTINGS = 48
PER_PROCESS = (1, 4, "auto", 24)
"""Under auto as many as a study has by default."""


def study(per_process: int | str) -> dict:
    """Return the study with so many settings per process."""
    rates = [round(number / SETTINGS, 3) for number in range(SETTINGS)]
    return {
        "settings_per_process": per_process,
        "seeds": [0],
        "study": {"tasks": ["digits"], "experiments": ["sweep"]},
        "experiments": {"sweep": {"grids": [{"plr": rates}]}},
    }


def rows() -> Iterator[Row]:
    """Measure and yield the rows."""
    with tempfile.TemporaryDirectory() as folder:
        project = Project(folder)
        project.snakemake(study(1), "features", "results/digits/network.json")
        took = {}
        for per_process in PER_PROCESS:
            project.remove("digits/runs")
            took[per_process] = project.snakemake(study(per_process), "runs").seconds
    for per_process, seconds in took.items():
        yield Row(
            f"fan-out: seconds per setting of {SETTINGS}, {per_process} per process",
            seconds / SETTINGS, note=f"{took[1] / seconds:.1f} times as fast as 1 per process",
        )  # fmt: skip


if __name__ == "__main__":
    print_table(rows())
