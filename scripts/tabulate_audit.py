"""The audit: every place where the published record disagrees with itself, both values computed."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from fbftl.findings import published
from fbftl.findings.tables import write_table
from fbftl.ground.logs import run_job
from fbftl.papers.audit import COLUMNS, Evidence, table
from fbftl.papers.fbftl.audit_counts import COUNTS
from fbftl.papers.fbftl.audit_privacy import PRIVACY
from fbftl.papers.fbftl.audit_runs import RUNS
from fbftl.papers.fbftl.dialogues import mean_tokens
from fbftl.papers.fedfeat.audit import FEATURE_AVERAGING

FINDINGS = (*COUNTS, *RUNS, *PRIVACY, *FEATURE_AVERAGING)


def main(
    tables: Mapping[str, str | Path],
    output: str | Path,
    dialogues: str | Path | None = None,
) -> None:
    """Write the table as csv, Markdown and LaTeX.

    Args:
        tables: files of `published/` by name: setup, script, table3, table4, table5, fig8, fig9,
            fig11, fig12, notebook_noise, paper004.
        output: path of the csv.
        dialogues: SAMSum's training dialogues as JSON lines, for A8.
    """
    evidence = Evidence(
        {
            name: pd.read_csv(path) if name == "fig11" else published.read(path)
            for name, path in tables.items()
        },
        None if dialogues is None else mean_tokens(dialogues),
    )
    write_table(output, table(FINDINGS, evidence), COLUMNS)


if __name__ == "__main__":
    run_job(
        snakemake,
        lambda job: main(
            {name: path for name, path in job.input.items() if name not in ("code", "dialogues")},
            job.output.csv,
            job.input.get("dialogues"),
        ),
    )
