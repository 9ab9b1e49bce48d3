from pathlib import Path

import pandas as pd
import plot_scarcity
import pytest
from fbftl.findings.published import read
from fbftl.findings.style import use_style

FIG8 = Path(__file__).parents[3] / "published" / "fbftl" / "fig8.csv"


@pytest.mark.parametrize("losses", [["persistent"], ["persistent", "reshuffled"]])
def test_the_paper_s_points_stand_in_a_panel_of_their_own(losses):
    rows = [
        {"fraction": 1.0, "plr": plr, "loss": loss, "accuracy": 0.9 - plr / 2, "spread": 0.01}
        for loss in losses
        for plr in ((0.0, 0.9) if loss == "persistent" else (0.9,))
    ]
    use_style()
    figure = plot_scarcity.draw(pd.DataFrame(rows).assign(diverged=0), read(FIG8))
    measured, paper = figure.axes
    assert measured.get_title(loc="left") == "Lost for good"
    (line,) = measured.get_lines()
    assert list(line.get_ydata()) == pytest.approx([90, 45])
    (line,) = paper.get_lines()
    assert line.get_ydata()[0] == pytest.approx(86.51)
    assert min(line.get_xdata()) == pytest.approx(1 - 0.9)


def test_what_only_the_script_loses_is_what_the_figure_says():
    rows = [(0.0, "persistent", 0.81), (0.9, "reshuffled", 0.8), (0.99, "reshuffled", 0.6)]
    table = pd.DataFrame(rows, columns=["plr", "loss", "accuracy"])
    table = table.assign(fraction=1.0, spread=0.01, seeds=3, diverged=0)
    story = plot_scarcity.story(table)
    assert "60.0% at a packet loss rate of 0.99" in story.title
    assert "a panel for the public script's reshuffling, and for the points" in story.seen
    use_style()
    measured, _ = plot_scarcity.draw(table, read(FIG8)).axes
    (line,) = measured.get_lines()
    assert list(line.get_ydata()) == pytest.approx([81, 80, 60])


def test_one_loss_rate_of_all_clients_is_set_beside_the_fewest_clients():
    rows = [(1.0, 0.0, "persistent", 0.8), (0.001, 0.5, "reshuffled", 0.46)]
    table = pd.DataFrame(rows, columns=["fraction", "plr", "loss", "accuracy"])
    title = plot_scarcity.story(table.assign(spread=0.01, seeds=3, diverged=0)).title
    assert "80.0% with all clients without loss" in title
    assert "46.0% with 0.1% of the clients at a packet loss rate of 0.5" in title
