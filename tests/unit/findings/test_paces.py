"""How soon a curve reaches an accuracy: between its points, and never."""

import pandas as pd
import pytest
import tabulate_survey
from fbftl.findings.runs import FOLLOWED, write_tidy
from fbftl.papers.measures import accuracy, column
from fbftl.papers.quantities import runs_by_task
from tabulate_survey import epochs_to


@pytest.mark.parametrize(
    ("target", "epochs"), [(0.25, 0.5), (0.5, 1.0), (0.6, 1.5), (0.7, 2.0), (0.8, 4.0)]
)
def test_a_curve_is_read_between_its_points(target, epochs):
    assert epochs_to([0.5, 0.7, 0.6], target) == pytest.approx(epochs)


def test_paces_stand_beside_the_runs_that_they_are_of(tmp_path):
    """From curves to what claims compare, by the files of the workflow."""
    curves = [
        ("t", "fl", seed, name, "epoch", step, value)
        for seed, last in ((0, 0.8), (1, 0.7))
        for name in ("loss", "test_accuracy")
        for step, value in ((2, last), (1, 0.5))
    ]
    series, csv, runs = (tmp_path / f"{name}.csv" for name in ("series", "paces", "dpsgd"))
    write_tidy(series, pd.DataFrame(curves, columns=FOLLOWED[:-1]))
    tabulate_survey.paces(str(series)).write(csv)
    of_runs = {"task": "t", "setting": "fl", "method": "fl", "seed": [0, 1], "diverged": False}
    write_tidy(runs, pd.DataFrame(of_runs | {"test_accuracy": [0.8, 0.7]}))
    (found,) = runs_by_task([runs], [], beside=[csv]).values()
    paces = column(found, "epochs_to_75", "fl")
    assert paces.to_dict() == {0: pytest.approx(1 + 0.25 / 0.3), 1: 3.0}
    assert accuracy(found, "fl").tolist() == [80.0, 70.0]
