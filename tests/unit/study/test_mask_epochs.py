"""Epochs of the study of the reshuffled mask: as many updates as the full data get."""

import numpy as np
import pytest
from fbftl.study.config import resolve
from fbftl.study.full_studies import read_of_size
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import read_yaml
from fbftl.training.batches import reshuffled


def share_with_samples(plr: float, batch: int) -> float:
    """Return the share of steps in which a sample arrives."""
    return 1 - plr**batch


@pytest.fixture(scope="module")
def study(root, schema):
    config = read_yaml(root / "config.yaml") | {"size": "full", "system": "fbftl"}
    systems = read_systems(root)
    return resolve(config, schema, systems, read_of_size(root, config, systems))


def test_epochs_make_up_for_steps_without_samples(study):
    """To half a percent of what the full data get, at every loss rate of all samples."""
    whole = study.task("cifar10-imagenet-mask-full")["training"]["epochs"]
    updates = {
        setting.plr: training["epochs"] * share_with_samples(setting.plr, training["batch"])
        for task in study.tasks
        for setting in study.settings[task].get("mask", {}).values()
        if setting.loss == "reshuffled" and setting.fraction == 1
        for training in [study.task(task)["training"]]
    }
    assert updates == pytest.approx({0.9: whole, 0.99: whole}, rel=5e-3)


def test_the_share_is_that_of_the_schedule():
    """Positions are lost once for all passes, so that a seed's share is a draw around the mean."""
    rows, seeds = [np.arange(64 * 100)] * 20, range(20)
    (epoch,) = reshuffled(rows, 0.99, 64, 100, 1, seeds)
    with_samples = (epoch.weights.sum(axis=2) > 0).mean()
    assert with_samples == pytest.approx(share_with_samples(0.99, 64), abs=0.03)
