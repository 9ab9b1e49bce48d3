"""Sentences of EPPFL and FedFeat+ about what adversaries get, and under whose noise gains are."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from fbftl.papers.eppfl.claims import EPPFL, VANILLA2, dpfl
from fbftl.papers.fedfeat import claims as fedfeat
from fbftl.papers.quantities import Runs
from unit.papers.claimed import judgements

HOLDS, CONTRARY = "holds", "the contrary holds"

SEEDS = np.arange(3)

AttackedSetting = tuple[dict[str, Any], dict[str, float]]
"""Its axes, and what was measured of it."""


def table(*settings: AttackedSetting, task: str = "toy-full") -> Runs:
    """Return runs whose measures differ a little between seeds."""
    rows = [
        {
            "task": task,
            "setting": "+".join(
                value if axis == "method" else f"{axis}={value}" for axis, value in axes.items()
            ),
            "seed": seed,
            "diverged": False,
        }
        | axes
        | {name: value + 1e-4 * seed for name, value in measures.items()}
        for axes, measures in settings
        for seed in SEEDS
    ]
    return Runs(pd.DataFrame(rows))


@pytest.mark.parametrize(
    ("psnr", "protected", "expected"),
    [(20.0, 0.9, (CONTRARY, HOLDS)), (10.1, 0.7, (HOLDS, CONTRARY)), (10.9, 0.9, (HOLDS, HOLDS))],
)
def test_a_loose_epsilon_is_safe_where_nothing_is_drawn_and_little_lost(psnr, protected, expected):
    noised = {"psnr": psnr, "psnr_blind": 10.0, "protected_accuracy": protected}
    runs = table((VANILLA2, {"protected_accuracy": 0.9}), (dpfl(10), noised))
    found = judgements("eppfl", runs)
    assert (found["eppfl-11", "pictures"], found["eppfl-11", "accuracy"]) == expected


@pytest.mark.parametrize(("half", "expected"), [(12.0, HOLDS), (14.0, CONTRARY)])
def test_fewer_activations_are_safer_where_less_is_drawn(half, expected):
    runs = table((dpfl(5), {"psnr": 13.0}), (EPPFL, {"psnr": half}))
    assert judgements("eppfl", runs)["eppfl-12", "psnr_noised"] == expected


@pytest.mark.parametrize(("auc", "expected"), [(0.52, HOLDS), (0.6, CONTRARY)])
def test_members_are_hidden_where_the_average_tells_no_more_than_its_beginning(auc, expected):
    runs = table((EPPFL, {"membership": auc, "membership_blind": 0.52}))
    assert judgements("eppfl", runs)["eppfl-23", "eppfl"] == expected


@pytest.mark.parametrize(("auc", "expected"), [(0.5, HOLDS), (0.9, CONTRARY)])
def test_features_hide_members_where_distances_guess(auc, expected):
    noised = fedfeat._noised_by(2.0, "shards")
    runs = table((noised, {"membership": auc, "membership_blind": 0.5}))
    assert judgements("fedfeat", runs)["fedfeat-25", "membership_2"] == expected


@pytest.mark.parametrize(("task", "epsilon"), [("digits-full", 2.0), ("mnist-full", 1.5)])
def test_gains_of_tables_are_under_their_noise(task, epsilon):
    gains = {("iid", 2.0): 0.01, ("iid", 1.5): 0.04, ("shards", 2.0): 0.05, ("shards", 1.5): 0.02}
    settings = [
        (fedfeat._noised_by(noise, partition), {"test_accuracy": 0.8 + gain})
        for (partition, noise), gain in gains.items()
    ]
    plain = [
        (of(partition), {"test_accuracy": 0.8})
        for partition in fedfeat.PARTITIONS
        for of in (lambda p: fedfeat._setting("fedavg", p), fedfeat._retrained)
    ]
    found = judgements("fedfeat", table(*settings, *plain, task=task))
    assert found["fedfeat-17", "cnn"] == (HOLDS if epsilon == 2.0 else CONTRARY)
    assert (("fedfeat-01", "iid_released") in found) == (task == "digits-full")


def test_both_metrics_of_lost_privacy_are_of_shards():
    settings = [
        (
            fedfeat._noised_by(epsilon, partition),
            {"mutual_information": information, "kl_divergence": 0.1},
        )
        for partition, values in {"iid": (0.02, 0.01), "shards": (0.01, 0.02)}.items()
        for epsilon, information in zip((0.5, 2.0), values, strict=True)
    ]
    found = judgements("fedfeat", table(*settings))
    assert found["fedfeat-22", "mutual_information"] == HOLDS
    assert found["fedfeat-21", "mutual_information"] == CONTRARY
    assert found["fedfeat-22", "kl_divergence"] != HOLDS
