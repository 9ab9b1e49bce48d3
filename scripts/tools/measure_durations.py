"""Write how long a job of each kind takes, from finished studies, for the time left of others.

    PYTHONPATH=scripts python scripts/tools/measure_durations.py [folder ...]

The table is `scripts/fbftl/ground/durations.csv`. For maintainers, after a run of a whole study; no
rule runs it. Each folder is one in which a study was run, as Snakemake notes every finished job.
The first that has a kind of job says how long it takes; seconds of further folders are brought to
the speed of those before them, by the kinds that both have.
"""

import csv
import io
import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import mean

from fbftl.findings.origins import NOTES, notes
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_text
from fbftl.ground.job_kinds import JobKind
from fbftl.ground.pace import SHIPPED

Seconds = Mapping[JobKind, Sequence[float]]
"""How long each job took, by its kind."""


def main(folders: Iterable[Path], table: Path = SHIPPED) -> None:
    """Write the table: kind, jobs, mean seconds.

    Raises:
        UserError: if no job was noted in any of the folders.
    """
    seconds: dict[JobKind, list[float]] = {}
    for folder in folders:
        measured = noted_seconds(folder)
        slower = slowness(measured, seconds)
        for kind in measured.keys() - seconds.keys():
            seconds[kind] = [took / slower for took in measured[kind]]
    if not seconds:
        raise UserError("no job has finished in these folders; name one in which a study was run")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow([*JobKind._fields, "jobs", "seconds"])
    rows.writerows(
        [*kind, len(took), f"{mean(took):.3g}"] for kind, took in sorted(seconds.items())
    )
    write_text(table, text.getvalue())


def noted_seconds(folder: Path) -> dict[JobKind, list[float]]:
    """Return how long the jobs of a folder took; one that wrote several files counts once."""
    jobs: dict[tuple[str, ...], tuple[JobKind, float]] = {}
    for path, noted in notes(folder / NOTES):
        if None not in (noted["rule"], noted["starttime"], noted["endtime"]):
            took = noted["endtime"] - noted["starttime"]
            jobs.setdefault((noted["rule"], *noted["log"]), (JobKind.of(noted["rule"], path), took))
    seconds = defaultdict(list)
    for kind, took in jobs.values():
        seconds[kind].append(took)
    return seconds


def slowness(measured: Seconds, before: Seconds) -> float:
    """Return how many times as long jobs took as before, 1 where none are of the same kind."""
    shared = measured.keys() & before.keys()
    here, there = (sum(mean(of[kind]) for kind in shared) for of in (measured, before))
    return here / there if here and there else 1.0


if __name__ == "__main__":
    try:
        main([Path(word) for word in sys.argv[1:]] or [Path()])
    except UserError as error:
        sys.exit(str(error))
