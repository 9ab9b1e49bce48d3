from pathlib import Path

import pandas as pd
import plot_fbftl
import pytest
from drawn import unrendered
from unit.findings.made_up import of_seeds

FIG8 = Path(__file__).parents[3] / "published" / "fbftl" / "fig8.csv"


def figure(folder, *losses):
    """Return the figure of runs, each a packet loss rate, the meaning of a loss and an accuracy."""
    runs = [
        row
        for plr, loss, accuracy in losses
        for row in of_seeds(
            {"method": "fbftl", "fraction": 1.0, "plr": plr, "loss": loss},
            test_accuracy=[accuracy],
        )
    ]
    pd.DataFrame(runs).to_csv(folder / "runs.csv", index=False)
    svg = str(folder / "figure.svg")
    return unrendered(plot_fbftl.scarcity, str(folder / "runs.csv"), str(FIG8), svg, {})


def test_the_paper_s_points_stand_in_a_panel_of_their_own(tmp_path):
    losses = [(0.0, "persistent", 0.9), (0.9, "persistent", 0.45), (0.9, "reshuffled", 0.8)]
    measured, paper = figure(tmp_path, *losses).axes
    assert measured.get_title(loc="left") == "Lost for good"
    (line,) = measured.get_lines()
    assert list(line.get_ydata()) == pytest.approx([90, 45])
    (line,) = paper.get_lines()
    assert line.get_ydata()[0] == pytest.approx(86.51)
    assert max(line.get_xdata()) == pytest.approx(0.9)
