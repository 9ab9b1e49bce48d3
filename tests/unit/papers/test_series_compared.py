"""Series that sentences compare: read beside the tidy tables, and rounds to one accuracy."""

import pandas as pd
import pytest
from fbftl.findings.runs import FOLLOWED, write_tidy
from fbftl.papers.quantities import Runs, runs_by_task
from fbftl.papers.thesis.claims_splitmix import SENTENCES, rounds_to

MIXED = "splitmix+network=mlp+rescaled_init=True+width=0.125"
NESTED = "sheterofl+network=mlp+width=0.125"


def curve(*rows: list[float]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=range(1, 1 + len(rows[0])))


def test_rounds_are_counted_to_the_highest_accuracy_that_all_reach():
    fast, slow = curve([0.2, 0.6, 0.5], [0.56, 0.6, 0.9]), curve([0.1, 0.3, 0.57], [0.2, 0.7, 0.7])
    first, second = rounds_to(fast, slow)  # 55 %: 57 % is the most that every seed reaches
    assert list(first.values) == [2, 1]
    assert list(second.values) == [3, 2]


@pytest.fixture
def runs(tmp_path):
    """Two settings with two seeds each, their accuracies by round and by domain."""
    axes = {"network": "mlp", "width": 0.125}
    table, rows = [], []
    for setting, method, rescaled, by_round, by_domain in (
        (MIXED, "splitmix", True, [0.3, 0.8], [0.7, 0.9]),
        (NESTED, "sheterofl", False, [0.1, 0.8], [0.5, 1.0]),
    ):
        for seed in (0, 1):
            named = {"task": "toy", "setting": setting, "method": method}
            table.append(
                named | axes | {"rescaled_init": rescaled, "seed": seed, "diverged": False}
            )
            series = (
                ("test_accuracy", "epoch", by_round),
                ("domain_accuracy_x1", "domain", by_domain),
            )
            rows += [
                ("toy", setting, seed, name, by, step, value)
                for name, by, values in series
                for step, value in enumerate(values, 1)
            ]
    write_tidy(tmp_path / "widths.csv", pd.DataFrame(table))
    write_tidy(tmp_path / "widths.series.csv", pd.DataFrame(rows, columns=FOLLOWED[:-1]))
    series = [tmp_path / "widths.series.csv"]
    return runs_by_task([tmp_path / "widths.csv"], [], series=series)["toy"]


def test_sides_are_read_off_the_series(runs):
    sooner = [list(side.values) for side in SENTENCES["c4-05"]["sheterofl"](runs)]
    assert sooner == [[2, 2], [2, 2]]
    spread = [side.values[0] for side in SENTENCES["c4-10"]["spread"](runs)]
    assert spread == pytest.approx([10, 25])
    second = [side.values[1] for side in SENTENCES["c4-11"]["domain_2_1"](runs)]
    assert second == pytest.approx([100, 90])


def test_comparable_to_a_whole_network_is_said_where_domains_differ():
    axes = {"network": "mlp", "width": 0.125, "rescaled_init": True}
    mixed = {"setting": MIXED, "method": "splitmix", **axes, "accuracy_x1": 0.9}
    whole = {"setting": "fedavg+network=mlp", "method": "fedavg", "network": "mlp"}
    rows = [mixed, whole | {"test_accuracy": 0.8, "rescaled_init": False}]
    table = pd.DataFrame(rows).assign(task="digits-network-full", seed=0, diverged=False)
    for domains, compared in ((1, 0), (2, 1)):
        steps = range(1, domains + 1)
        series = pd.DataFrame({"setting": MIXED, "seed": 0, "step": steps, "value": 0.9})
        series["series"] = "domain_accuracy_x1"
        sides = SENTENCES["c4-07"]["fedavg"](Runs(table, series=series))
        assert [len(side.values) for side in sides] == [compared] * 2
