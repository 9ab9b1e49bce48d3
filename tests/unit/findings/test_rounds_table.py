"""What rounds send until they are as accurate as FbFTL: by hand, and of toy runs."""

import math

import numpy as np
import pandas as pd
import plot_rounds
import pytest
import tabulate_rounds
from drawn import unrendered
from fbftl.findings.exchanged import Exchanged, points_at, sent_until
from fbftl.ground.errors import UserError
from fbftl.study.job import known_axes
from fbftl.study.methods import axes_by_method, rows
from unit.training.tasks.toy_task import LOCAL, train

MEASURES = {"test_accuracy": {"diverged": 0.0}}
AXES = {"bits": 32, "keep": 1.0, "start": "random", "client_rate": None}


def exchanged(method: str, curves: list[list[float]], up: list[int], **seed: float) -> Exchanged:
    """Return a run whose seeds have such curves and have sent so much by each point, from 0 on."""
    repetitions = [
        {
            "seed": number, "clients": 2, "epoch": len(curve), "test_accuracy": curve[-1],
            "diverged": False, "validation_accuracy": 0.5,
            "series": {"test_accuracy": curve, "validation_accuracy": [0.5] * len(curve)}, **seed,
        }
        for number, curve in enumerate(curves)
    ]  # fmt: skip
    index = pd.MultiIndex.from_product(
        [range(len(curves)), ("up", "down"), range(len(up))], names=["seed", "direction", "epoch"]
    )
    totals = pd.DataFrame({"bits": np.tile(up, 2 * len(curves))}, index=index)
    setting = known_axes({"method": method}, AXES)
    return Exchanged("toy", setting, repetitions, totals, {"clients_per_round": 2}, MEASURES)


FBFTL = exchanged("fbftl", [[0.5, 0.8], [0.9, 0.6]], [100, 100, 100])
"""As accurate as 0.8 and 0.6 at its last epochs."""


def test_a_seed_counts_until_its_first_point_as_accurate_as_fbftl_on_the_same_seed():
    run = exchanged("fedavg_head", [[0.1, 0.8, 0.7], [0.6, 0.5, 0.9]], [10, 20, 40, 80])
    assert points_at(run, FBFTL, 0.0) == [2, 1]
    assert sent_until(run, "up", [2, 1]).tolist() == [40, 20]
    row = tabulate_rounds.row_of(run, FBFTL, AXES)
    assert row["equal_times"] == pytest.approx(math.sqrt(0.4 * 0.2))
    assert (row["equal_reached"], row["equal_rounds"]) == (2, 1.5)


def test_a_start_that_is_as_accurate_takes_no_round():
    run = exchanged("fedavg_head", [[0.1, 0.1]] * 2, [10, 20, 40], start_accuracy=0.795)
    assert points_at(run, FBFTL, 0.01) == [0, 0]
    assert tabulate_rounds.row_of(run, FBFTL, AXES)["near_times"] == pytest.approx(0.1)


def test_a_seed_that_never_gets_there_leaves_a_bound_alone():
    run = exchanged("fedavg_head", [[0.1, 0.1], [0.7, 0.7]], [0, 20, 40])
    row = tabulate_rounds.row_of(run, FBFTL, AXES)
    assert math.isnan(row["equal_times"])
    assert row["equal_at_least"] == pytest.approx(math.sqrt(0.4 * 0.2))


def test_table_and_figure_of_toy_runs(files, tmp_path):
    local = LOCAL | {"validation": 0.1, "selection": "validation"}
    made = {
        "fbftl": train(files, tmp_path, "fbftl"),
        "ftl_c": train(files, tmp_path, "ftl_c"),
        "fedavg_head": train(
            files, tmp_path, "fedavg_head", axes={"start": "zero", "bits": 8}, **local
        ),
    }
    runs, ledgers = zip(*made.values(), strict=True)
    known = axes_by_method()["fedavg_head"]
    names = ("local_epochs", "client_rate", "bits", "keep", "start")
    axes = {name: known[name] for name in names}
    table = tabulate_rounds.rounds(runs, ledgers, axes, rows(made)).frame.set_index("method")
    assert table.loc["fbftl", "equal_times"] == table.loc["fbftl", "near_times"] == 1
    assert table.loc["fedavg_head", "name"] == "FedAvg on the head"
    assert table["equal_at_least"].gt(0).all()
    unrendered(plot_rounds.rounds, runs, ledgers, tmp_path / "rounds.svg", axes, rows(made))
    assert {*pd.read_csv(tmp_path / "rounds.csv")["name"]} == {*table["name"]}
    with pytest.raises(UserError, match="compared with FbFTL"):
        tabulate_rounds.rounds(runs[1:], ledgers[1:], axes, rows(made))
