"""The table of fairness says what fell beside the runs without an adversary, and nothing else."""

import numpy as np
import pandas as pd
import pytest
import tabulate_thesis
from unit.findings.made_up import of_seeds

AXES = dict.fromkeys((*tabulate_thesis.FAIRNESS_AT, *tabulate_thesis.NOISE, *tabulate_thesis.GAME))


def runs(delta_eo: float, probe: float, accuracy: float = 0.9) -> pd.DataFrame:
    """Return five seeds without an adversary, and five with one that measures these."""
    drift, rows = 0.001 * np.array([0, 1, 2, 0, 1]), []
    for adversary, values in (("none", (0.2, 0.8, 0.9)), ("plain", (delta_eo, probe, accuracy))):
        odds, read, right = (value + drift for value in values)
        rows += of_seeds(
            AXES | {"method": "fade", "adversary": adversary},
            delta_eo=odds, probe=read, balanced_accuracy=right, accuracy_by_chance=[0.75] * 5,
        )  # fmt: skip
    return pd.DataFrame(rows)


@pytest.mark.parametrize(
    ("measured", "finding"),
    [
        ((0.1, 0.6), "ΔEO and probe fell"),
        ((0.1, 0.85), "ΔEO fell"),
        ((0.25, 0.6), "probe fell"),
        ((0.2, 0.8), "neither is seen to fall"),
        ((0.0, 0.5, 0.74), "the task is at chance"),
    ],
)
def test_what_fell_is_told_apart(measured, finding):
    table = tabulate_thesis.fairness_rows(runs(*measured)).set_index("adversary")
    assert table.loc["plain", "finding"] == finding
    assert table.loc["none", "finding"] == ""
