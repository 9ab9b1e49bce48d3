"""Say in one line how far the study in a folder is: jobs done, and the time left.

    ./run progress [folder]

Read from what a call writes: the log and the plan of the one that holds the folder or held it last,
and those of earlier ones, which say how long jobs take here.
"""

import sys
import time
from collections import defaultdict
from pathlib import Path

from fbftl.features.store.lock import is_locked
from fbftl.ground.errors import UserError
from fbftl.ground.job_kinds import JobKind, plan_beside, read_plan
from fbftl.ground.pace import Durations, Pace, read_durations
from fbftl.ground.run_log import RunLog

RUNNING = Path(".snakemake", "running")
"""Folder that a call holds while it makes results, with the name of its log in `log`."""


def main(folder: Path) -> str:
    """Return the line.

    Raises:
        UserError: if nothing was ever run there.
    """
    paths = sorted((folder / ".snakemake" / "log").glob("*.snakemake.log"))
    logs = {
        path: RunLog.of(path.read_text("utf-8", errors="replace"), read_plan(plan_beside(path)))
        for path in paths
    }
    planned = [path for path, log in logs.items() if log.has_plan]
    if not planned:
        raise UserError(f"{folder} has no run to report; name a folder in which a study runs")
    path = next((path for path in planned if path.name == holder(folder)), planned[-1])
    measured: dict[JobKind, list[float]] = defaultdict(list)
    for log in logs.values():
        for kind, seconds in log.seconds.items():
            measured[kind] += seconds
    pace = Pace.of(logs[path], Durations(read_durations(), measured), time.time())
    if logs[path].unfinished and not is_locked(folder / RUNNING):
        return f"{pace.done}; the run has ended before the rest, call it again to go on"
    return pace.sentence


def holder(folder: Path) -> str:
    """Return the name of the log of the call that holds a folder or held it last, or nothing.

    Dry runs, and calls that were refused while another held the folder, leave logs too.
    """
    named = folder / RUNNING / "log"
    return named.read_text(encoding="utf-8").strip() if named.is_file() else ""


if __name__ == "__main__":
    try:
        print(main(Path(*sys.argv[1:2])))
    except UserError as error:
        sys.exit(str(error))
