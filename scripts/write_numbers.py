"""Write a task's single numbers for prose, for LaTeX and for programs."""

from collections.abc import Sequence

import pandas as pd
from fbftl.findings.numbers import latex, of_runs, of_uplink
from fbftl.findings.runs import all_runs, read_tidy
from fbftl.ground.files import write_json, write_text
from fbftl.ground.logs import run_job


def main(experiments: Sequence[str], methods: str | None, json: str, tex: str) -> None:
    """Write the numbers.

    Args:
        experiments: tidy tables of all experiments of the task.
        methods: the task's table of methods, if there is one.
        json: where the exact numbers go, by name.
        tex: where the LaTeX definitions go.
    """
    runs = all_runs(map(read_tidy, experiments))
    numbers = list(of_runs(runs))
    if methods is not None:
        table = pd.read_csv(methods)
        uplink = dict(zip(table["method"], table["uplink_ledger"], strict=True))
        numbers += of_uplink(runs["task"].iloc[0], uplink)
    write_json(json, {number.name: number.value for number in numbers})
    write_text(tex, latex(numbers))


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            list(job.input.experiments),
            job.input.get("methods"),
            job.output.json,
            job.output.tex,
        ),
    )
