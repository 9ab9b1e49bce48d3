"""Say in one line how far the study in a folder is: jobs done, and the time left.

    ./run progress [folder]

Read from what Snakemake writes: the log of the call that holds the folder or held it last, and how
long every job so far took.
"""

import sys
import time
from collections import defaultdict
from pathlib import Path

from fbftl.features.store.lock import is_locked
from fbftl.findings.origins import NOTES, notes
from fbftl.ground.errors import UserError
from fbftl.ground.pace import Pace

RUNNING = Path(".snakemake", "running")
"""Folder that a call holds while it makes results, with the name of its log in `log`."""

STAMP = "%Y-%m-%dT%H%M%S"
"""How Snakemake names the log of a call: after the moment at which it began."""


def main(folder: Path) -> str:
    """Return the line.

    Raises:
        UserError: if nothing was ever run there.
    """
    logs = sorted((folder / ".snakemake" / "log").glob("*.snakemake.log"))
    paces = [Pace.read(log.read_text(encoding="utf-8", errors="replace")) for log in logs]
    planned = [(log, pace) for log, pace in zip(logs, paces, strict=True) if pace.planned]
    if not planned:
        raise UserError(f"{folder} has no run to report; name a folder in which a study runs")
    log, pace = next(
        (candidate for candidate in planned if candidate[0].name == holder(folder)), planned[-1]
    )
    began = time.mktime(time.strptime(log.name.partition(".")[0], STAMP))
    took, seen = defaultdict(list), set()
    for _, noted in notes(folder / NOTES):
        job = (noted["rule"], noted["starttime"], noted["endtime"])
        if job not in seen and None not in job:
            seen.add(job)
            took[noted["rule"]].append(noted["endtime"] - noted["starttime"])
    return pace.line(took, time.time() - began, running=is_locked(folder / RUNNING))


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
