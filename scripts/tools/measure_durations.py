"""Write how long a job of each rule takes, from finished studies, for the time left of others.

    PYTHONPATH=scripts python scripts/tools/measure_durations.py [folder ...]

The table is `scripts/fbftl/ground/durations.csv`. For maintainers, after a run of a whole study; no
rule runs it. Each folder is one in which a study was run. What Snakemake notes of every finished
job covers all rules; benchmarks cover those that train, extract and attack.
"""

import csv
import io
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from statistics import mean

from fbftl.findings.origins import NOTES, notes
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_text
from fbftl.ground.pace import SHIPPED, family


def main(folders: Iterable[Path], table: Path = SHIPPED) -> None:
    """Write the table: rule, jobs, mean seconds.

    Raises:
        UserError: if no job was noted in any of the folders.
    """
    seconds = defaultdict(list)
    for folder in folders:
        jobs = {}
        for _, noted in notes(folder / NOTES):
            if None not in (noted["rule"], noted["starttime"], noted["endtime"]):
                job = (noted["rule"], *noted["log"])
                jobs[job] = noted["endtime"] - noted["starttime"]
        for (rule, *_), took in jobs.items():
            seconds[family(rule)].append(took)
    if not seconds:
        raise UserError("no job has finished in these folders; name one in which a study was run")
    text = io.StringIO()
    rows = csv.writer(text, lineterminator="\n")
    rows.writerow(["rule", "jobs", "seconds"])
    rows.writerows([rule, len(took), f"{mean(took):.3g}"] for rule, took in sorted(seconds.items()))
    write_text(table, text.getvalue())


if __name__ == "__main__":
    try:
        main([Path(word) for word in sys.argv[1:]] or [Path()])
    except UserError as error:
        sys.exit(str(error))
