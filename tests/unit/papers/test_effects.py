"""The measured effects: every habit beside the run that differs in nothing else."""

from dataclasses import asdict

import pandas as pd
import pytest
from fbftl.findings.runs import all_runs, per_seed, tidy
from fbftl.findings.wording import axes_of
from fbftl.papers.fbftl.effects import effects
from fbftl.study.settings import DEFAULTS, from_axes
from fbftl.training.curves import MEASURES

DECLARED = {
    name: asdict(MEASURES[name])
    for name in ("test_accuracy", "test_accuracy_best", "rouge1", "seen")
}


def runs(*settings: tuple[dict, list[float | None]], best: float = 0.01) -> pd.DataFrame:
    """Return the tidy table of made-up runs, axes and accuracies each.

    None is a seed that diverged after an epoch that had 0.97.
    """
    of_settings = [(from_axes(axes), accuracies) for axes, accuracies in settings]
    documents = [
        {
            "task": "toy",
            "name": setting.name,
            "setting": setting.deviations(),
            "measures": DECLARED,
            "repetitions": [
                {"seed": seed, "diverged": accuracy is None}
                | {
                    "test_accuracy": accuracy or 0.97,
                    "test_accuracy_best": (accuracy or 0.97) + best,
                }
                | {"rouge1": 50.0, "seen": 4}
                for seed, accuracy in enumerate(accuracies)
            ],
        }
        for setting, accuracies in of_settings
    ]
    deviating = {axis for document in documents for axis in document["setting"]} - {"method"}
    return tidy(documents, {axis: d for axis, d in DEFAULTS.items() if axis in deviating})


LOSSY = {"plr": 0.9, "loss": "reshuffled"}


def test_a_habit_is_paired_with_its_correction():
    table = effects(
        runs((LOSSY, [0.9, 0.92, 0.91]), ({"plr": 0.9}, [0.8, 0.8, 0.8]), ({"plr": 0.5}, [1, 1]))
    )
    configured = table[table["selection"] == "as configured"].iloc[0]
    assert configured["id"] == "A2"
    assert configured["setting"] == "fbftl+plr=0.9+loss=reshuffled"
    assert configured["released"] == pytest.approx(91)
    assert configured["corrected"] == pytest.approx(80)
    assert configured["difference"] == pytest.approx(11)
    assert configured["difference_spread"] == pytest.approx(1)
    assert configured["seeds"] == 3
    assert configured["effect"] == "raises"
    assert list(table["selection"]) == ["as configured", "on the test set"]


def test_without_its_partner_a_habit_has_no_row():
    assert effects(runs((LOSSY, [0.9, 0.92]))).empty


@pytest.mark.parametrize(
    ("habit", "corrected", "id"),
    [
        (
            {"mechanism": "relative", "sigma": 0.1, "noise_draw": "redrawn"},
            {"mechanism": "relative", "sigma": 0.1},
            "A3",
        ),
        ({"method": "released", "cut": "drop"}, {}, "A4"),
    ],
)
def test_noise_and_dropout(habit, corrected, id):
    table = effects(runs((habit, [0.9, 0.9]), (corrected, [0.8, 0.8])))
    assert table["id"].iloc[0] == id
    assert table["difference"].iloc[0] == pytest.approx(10)


def test_picking_the_epoch_on_the_test_set():
    table = effects(runs(({}, [0.9, 0.8]), best=0.02)).set_index("id")
    assert table.loc["A14", "difference"] == pytest.approx(2)
    assert table.loc["A14", "setting"] == "fbftl"


def test_axes_come_back_from_a_name():
    axes = [{}, LOSSY, {"mechanism": "relative", "sigma": 0.1}, {"method": "fl", "bits": 8}]
    for setting in map(from_axes, axes):
        assert axes_of(setting.name) == {n: str(v) for n, v in setting.deviations().items()}
    assert axes_of("dpsgd+sigma=1e+16+epsilon=2") == {
        "method": "dpsgd", "sigma": "1e+16", "epsilon": "2",
    }  # fmt: skip
    assert per_seed(runs(({}, [0.5])), "fbftl+plr=0.3").empty


def test_shared_settings_count_once():
    single, both = runs(({}, [0.5, 0.6])), runs(({}, [0.5, 0.6]), ({"plr": 0.5}, [0.1, 0.2]))
    assert len(all_runs([single, both])) == 4
    assert list(per_seed(all_runs([both, single]), "fbftl")) == [0.5, 0.6]
