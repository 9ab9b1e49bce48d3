"""A diverged seed counts as nothing in every mean, and is counted."""

from dataclasses import asdict

import pandas as pd
import pytest
from fbftl.findings.runs import per_seed
from fbftl.findings.seeds import counted, mean_and_spread
from fbftl.ground.errors import UserError
from fbftl.training.curves import MEASURES
from unit.papers.test_effects import runs


@pytest.fixture
def broken() -> pd.DataFrame:
    """Three seeds, of which the last diverged after an epoch that had 0.97."""
    return runs(({}, [0.98, 0.96, None]))


def test_a_diverged_seed_is_0_whatever_its_epoch_had(broken: pd.DataFrame) -> None:
    (row,) = mean_and_spread(broken, ["method"]).to_dict("records")
    assert row["accuracy"] == pytest.approx((0.98 + 0.96) / 3)
    assert row["accuracy_converged"] == pytest.approx(0.97)
    assert (row["seeds"], row["diverged"]) == (3, 1)


def test_every_score_and_every_reader_counts_it_so(broken: pd.DataFrame) -> None:
    assert list(per_seed(broken, {"method": "fbftl"})) == [0.98, 0.96, 0.0]
    assert list(per_seed(broken, {"method": "fbftl"}, "test_accuracy_best"))[2] == 0
    assert list(broken["rouge1"]) == [50, 50, 0]
    assert list(broken["seen"]) == [4, 4, 4]


def test_what_was_not_measured_is_not_made_up() -> None:
    declared = {"validation_accuracy": asdict(MEASURES["validation_accuracy"])}
    lost = {"diverged": True, "validation_accuracy": None}
    assert counted(lost, declared) == {"validation_accuracy": None}
    assert counted(lost | {"validation_accuracy": 0.5}, declared) == {"validation_accuracy": 0.0}


def test_a_mean_is_of_one_setting():
    """Two sizes of clients at one skew are two rows, or none."""
    runs = pd.DataFrame(
        {
            "setting": ["fedavg+alpha=1.0", "fedavg+alpha=1.0+clients=9"], "seed": [0, 0],
            "alpha": [1.0, 1.0], "clients": [None, 9], "test_accuracy": [0.5, 0.7],
            "diverged": [0, 0],
        }
    )  # fmt: skip
    with pytest.raises(UserError, match=r"clients=9 would be one row.* none of alpha"):
        mean_and_spread(runs, ["alpha"])
    assert mean_and_spread(runs, ["alpha", "clients"])["accuracy"].tolist() == [0.7, 0.5]
