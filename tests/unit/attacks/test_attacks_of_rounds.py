"""Attacks on what EPPFL's and FedFeat+'s clients send: one seed for findings, all for sentences."""

from pathlib import Path
from typing import Any

import attack_eppfl
import attack_eppfl_seeds
import attack_noised_features
import attack_noised_seeds
import choose_public
import numpy as np
import pandas as pd
import pytest
import torch
from fbftl.attacks.eppfl import told_apart
from fbftl.findings.tables import read_table
from fbftl.study.methods import axes_by_method
from fbftl.training.samples import LabelledInputs
from torch import nn
from unit.training.tasks.toy_task import CLIENTS, make_task, params

LETTERS = {"kind": "pretrain", "task": "letters", "image": [8, 8, 1], "seed": 0}
SOURCE = {"samples": 300, "data": None, "split": "test", "domains": None}
EQUAL = CLIENTS | {"clients": 31, "samples_per_client": None}
"""Clients with four samples each."""

LOCAL = {"rounds": 2, "local_batch": 4, "clients_per_round": 31, "momentum": 0.0}
LOCAL |= {"validation": 0.0, "selection": "last"}
CNN = {
    "kind": "cnn", "channels": [[4], [3]], "kernel": 3, "padding": "same", "pool": 2, "fc": [6],
    "norm": "none", "dropout": 0.0, "pool_dropout": 0.0, "cut": "relu1_1",
}  # fmt: skip
NOISE = {"mechanism": "laplace", "laplace_sensitivity": "channel_maximum"}

OF_EPPFL: list[dict[str, Any]] = [
    {},
    {"keep_activations": 0.25, "keep_gradients": 0.25},
    NOISE | {"epsilon": 0.05},
]
"""Everything sent, a quarter, and under noise that leaves nothing."""

OF_FEDFEAT: list[dict[str, Any]] = [
    {"mechanism": "feature_gaussian", "epsilon": 1e6},
    {"mechanism": "feature_gaussian", "epsilon": 0.5},
]
"""Hardly any noise, and far more than features have."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A toy task with public samples."""
    folder = tmp_path_factory.mktemp("attacks_of_rounds")
    paths = make_task(folder, EQUAL) | {"public": str(folder / "public.h5")}
    choose_public.main(paths["clients"], paths["public"], LETTERS, {"sources": [SOURCE]}, None)
    names = ("manifest", "features", "clients", "weights", "source", "public")
    return {name: paths[name] for name in names}


def jobs(method: str, settings: list[dict[str, Any]], seeds: list[int]) -> list[dict[str, Any]]:
    """Return the toy's jobs of some settings."""
    network, named = CNN | {"cut": CUT[method]}, {"method": method, "network": "cnn"}
    privacy = {"delta": 1e-5}
    return [params(named | each, network, seeds, EQUAL, privacy, **LOCAL) for each in settings]


CUT = {"eppfl": "relu1_1", "fedfeat": "pool2"}
BY_SEED = {"eppfl": attack_eppfl_seeds, "fedfeat": attack_noised_seeds}
OF_ONE = {"eppfl": attack_eppfl, "fedfeat": attack_noised_features}
SETTINGS = {"eppfl": OF_EPPFL, "fedfeat": OF_FEDFEAT}


@pytest.fixture(scope="module")
def both(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the attacks find in two seeds, by method."""
    folder = tmp_path_factory.mktemp("both")
    return {name: by_seed(files, folder / f"{name}.csv", name, [0, 1]) for name in SETTINGS}


def by_seed(
    files: dict[str, str], csv: Path, method: str, seeds: list[int], first: int = 0
) -> pd.DataFrame:
    """Return what the attacks by seed find on the toy's settings, from one of them on."""
    of_settings = jobs(method, SETTINGS[method][first:], seeds)
    BY_SEED[method].main(files, str(csv), of_settings, axes_by_method(), "cpu", 1)
    return pd.read_csv(csv)


@pytest.mark.parametrize("method", SETTINGS)
def test_a_seed_s_attacks_are_those_of_the_seed_alone_and_the_first_is_in_findings(
    files, both, tmp_path, method
):
    table = both[method]
    assert table["seed"].tolist() == [0, 1] * len(SETTINGS[method])
    second = by_seed(files, tmp_path / "second.csv", method, [1], first=-1)
    pd.testing.assert_frame_equal(table[-1:].reset_index(drop=True), second)
    csv, of_settings = tmp_path / "findings.csv", jobs(method, SETTINGS[method], [0, 1])
    OF_ONE[method].main(files, str(csv), of_settings, axes_by_method(), "cpu", 1)
    findings, first = read_table(csv), table[table["seed"] == 0]
    for measure, column in {"PSNR (dB)": "psnr", "SSIM": "ssim"}.items():
        rows = findings[findings["measure"] == measure]
        np.testing.assert_allclose(rows["value"], first[column], rtol=1e-12)
        np.testing.assert_allclose(rows["blind"], first[f"{column}_blind"], rtol=1e-12)


def test_an_edge_server_draws_less_of_fewer_activations_and_nothing_under_noise(both):
    table = both["eppfl"].query("seed == 0")
    everything, quarter, noised = table["psnr"]
    blind = table["psnr_blind"].unique().item()
    assert everything > quarter > blind
    assert noised < blind + 0.5


def test_a_server_draws_what_it_is_sent_and_nothing_under_noise(both):
    table = both["fedfeat"].query("seed == 0")
    for psnr, blind, drawn in zip(table["psnr"], table["psnr_blind"], (True, False), strict=True):
        assert (psnr > blind + 0.5) == drawn
    found, hidden = table["membership"]
    assert found > 0.9
    assert abs(hidden - 0.5) < 0.1


def samples(inputs: np.ndarray, labels: np.ndarray) -> LabelledInputs:
    """Return samples as training reads them."""
    return LabelledInputs(torch.from_numpy(inputs).float(), torch.from_numpy(labels))


def test_a_part_that_separates_what_it_was_trained_on_gives_its_members_away():
    draws = np.random.default_rng(0)
    labels = draws.integers(0, 3, 300)
    classes, noise = np.eye(3)[labels], draws.normal(size=(300, 3))
    near, far = classes + 0.2 * noise, classes + 2.0 * noise
    known, others = samples(near[:30], labels[:30]), samples(far[200:], labels[200:])
    alike, apart = (samples(of[30:200], labels[30:200]) for of in (far, near))
    assert told_apart(nn.Identity(), 3, known, apart, others) > 0.6
    assert abs(told_apart(nn.Identity(), 3, known, alike, others) - 0.5) < 0.1
