"""The audit: every place where the published record disagrees with itself, both values computed."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from fbftl import published
from fbftl.audit.counts import COUNTS
from fbftl.audit.feature_averaging import FEATURE_AVERAGING
from fbftl.audit.privacy import PRIVACY
from fbftl.audit.row import COLUMNS, Effect, Evidence, table
from fbftl.audit.runs import RUNS
from fbftl.comparison import Measured
from fbftl.paper.dialogues import mean_tokens
from fbftl.tables import write_table

FINDINGS = (*COUNTS, *RUNS, *PRIVACY, *FEATURE_AVERAGING)


def main(
    tables: Mapping[str, str | Path],
    output: str | Path,
    dialogues: str | Path | None = None,
    effects: str | Path | None = None,
) -> None:
    """Write the table as csv, Markdown and LaTeX.

    Args:
        tables: files of `published/` by name: setup, script, table3, table4, table5, fig8, fig9,
            fig11, fig12, notebook_noise, paper004.
        output: path of the csv.
        dialogues: SAMSum's training dialogues as JSON lines, for A8.
        effects: what runs measured of A2, A3, A4 and A14, a csv with the columns id, task,
            released_mean, released_spread, corrected_mean, corrected_spread, seeds, unit.
    """
    evidence = Evidence(
        {
            name: pd.read_csv(path) if name == "fig11" else published.read(path)
            for name, path in tables.items()
        },
        None if dialogues is None else mean_tokens(dialogues),
        {} if effects is None else read_effects(effects),
    )
    write_table(output, table(FINDINGS, evidence), COLUMNS)


def read_effects(path: str | Path) -> dict[str, Effect]:
    """Return the measured effects of a csv by audit row."""
    return {
        row.id: Effect(
            row.task,
            Measured(row.released_mean, row.released_spread, row.seeds),
            Measured(row.corrected_mean, row.corrected_spread, row.seeds),
            row.unit,
        )
        for row in pd.read_csv(path).itertuples()
    }
