"""Attacks on the frameworks' messages: what is certain is found, what is not stays a guess."""

from functools import partial
from typing import Any

import attack_frameworks
import attack_seeds
import numpy as np
import pandas as pd
import pytest
import torch
from fbftl.attacks import sent_models
from fbftl.attacks.attained import Attained, labels_recovered
from fbftl.attacks.of_method.fedvote import expected
from fbftl.attacks.of_method.secure_ftl import labels_of_factors, labels_of_gradient
from fbftl.attacks.sent_models import Watching, membership_in_weights
from fbftl.methods.fedavg.run import initial_learner
from fbftl.methods.secure_ftl.run import Parties, Party
from fbftl.study.methods import axes_by_method
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import Inputs, client_samples
from unit.methods.framework_toys import MLP, cohort_of, job_of, params_of


def test_an_attack_that_guesses_worse_than_blind_fails():
    assert Attained("membership", "server", "AUC", [0.3, 0.31, 0.32], 0.5).fails
    assert not Attained("membership", "server", "AUC", [0.3, 0.5, 0.6], 0.5).fails
    assert Attained("inversion", "client", "mean squared error", [2.0, 2.1], 1.0, lower=True).fails
    assert not Attained("inversion", "client", "mean squared error", [0.1] * 2, 1.0, True).fails


def test_shares_of_labels_by_hand():
    labels, rows = np.array([0, 1, 0, 0, 1]), [np.array([0, 1, 2, 3]), np.array([4])]
    attained = labels_recovered(labels, rows, [np.array([2, 2]), np.array([0, 1])], classes=2)
    assert (attained.values, attained.blind) == ([0.75, 1.0], (0.75 + 0.0) / 2)


# --- Secure FTL -------------------------------------------------------------------------------


def parties(gamma: float) -> Parties:
    draws = np.random.default_rng(0)
    a = Party(draws.normal(size=(60, 9)), draws.normal(size=(9, 4)) / 3)
    b = Party(draws.normal(size=(20, 8)), draws.normal(size=(8, 4)) / 3)
    return Parties(a, b, np.where(draws.random(60) < 0.5, -1, 1), gamma)


@pytest.mark.parametrize(
    ("read", "gamma", "least"),
    [
        (labels_of_factors, 0.0, 20),
        (labels_of_factors, 0.01, 20),
        (labels_of_gradient, 0.0, 20),
        (labels_of_gradient, 0.001, 18),  # what gamma adds is not of the form that it takes apart
    ],
)
def test_the_party_without_labels_learns_those_of_common_samples(read, gamma, least):
    both = parties(gamma)
    alike = int((read(both) == both.labels[:20]).sum())
    assert max(alike, 20 - alike) >= least


# --- votes ------------------------------------------------------------------------------------


def test_labels_are_guessed_from_those_that_voted_alike():
    balanced = np.array([2, 2, 2])
    assert expected(np.array([[8, 0, 0], [4, 4, 0]]), balanced).tolist() == [4, 2, 0]
    assert expected(np.zeros((0, 3), dtype=int), balanced).tolist() == [2, 2, 2]


# --- mean logits ------------------------------------------------------------------------------


def test_images_are_made_of_what_clients_told_of_their_labels(frameworks):
    cohort = cohort_of(frameworks, "fd", distillation_weight=1.0, partition="shards")
    client_data = cohort.client_data
    public = open_samples(client_data, "target")
    before = [weights.clone() for weights in cohort.models.weights]
    first, second = (sent_models.images_of_mean_logits(cohort, public) for _ in range(2))
    assert first == second
    assert all(map(torch.equal, before, cohort.models.weights))

    def of_means(rows: np.ndarray) -> float:
        sent = client_data.samples.at(rows)
        means = [public.inputs[public.labels == label].mean(0) for label in sent.labels]
        return float((sent.inputs - torch.stack(means)).square().mean())

    assert first.blind == pytest.approx(np.mean([*map(of_means, cohort.rows)]), rel=1e-5)


# --- weights ----------------------------------------------------------------------------------


def test_a_client_that_learns_its_samples_by_heart_is_found(frameworks):
    job = job_of("fedavg", {"network": MLP | {"fc": [64]}}, local_epochs=60)
    client_data = client_samples(job, frameworks)
    watching = Watching(partial(initial_learner, client_data))
    watching.run_first_seed(job, client_data)
    of_client, of_average = membership_in_weights(watching, client_data)
    assert sorted(watching.clients) == [0, 1, 2, 3]
    assert np.mean(of_client.values) > 0.6
    assert np.mean(of_client.values) > np.mean(of_average.values)
    shares = np.array([len(watching.rows[client]) for client in watching.clients], dtype=np.float32)
    average = torch.from_numpy(shares / shares.sum()) @ watching.weights
    torch.testing.assert_close(watching.learner.weights(), average)


# --- all of them ------------------------------------------------------------------------------

SETTINGS = [
    {"method": "fedavg"},
    {"method": "fedvote", "vote_candidates": "all", "vote_round": 2},
    {"method": "fedhealth", "public_data": "target"},
    {"method": "fedmd", "transfer_epochs": 1},
    {"method": "fd", "distillation_weight": 1.0, "partition": "shards"},
    {"method": "fd", "seed_samples": 5},
    {"method": "secure_ftl", "common_samples": 20},
    {"method": "secure_ftl", "common_samples": 20, "protection": "beaver"},
]


def jobs_of(settings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the toy's jobs, of two seeds each."""
    blocks = {"fedmd": {"architectures": [MLP]}}
    return [
        params_of(block=blocks.get(each["method"]), **each) | {"seeds": [0, 1]} for each in settings
    ]


def files_of(inputs: Inputs) -> dict[str, str]:
    """Return the paths of the toy's files by name."""
    names = ("manifest", "clients", "weights", "source", "open_data", "source_models")
    return {name: str(getattr(inputs, name)) for name in names}


def test_attacks_by_seed_are_those_of_the_seed_alone(frameworks, tmp_path):
    settings, axes = [SETTINGS[0], SETTINGS[1], SETTINGS[4], SETTINGS[7]], axes_by_method()
    both, second = jobs_of(settings), [job | {"seeds": [1]} for job in jobs_of(settings)]
    tables = []
    for name, jobs in {"both": both, "second": second}.items():
        csv = tmp_path / f"{name}.csv"
        attack_seeds.main(files_of(frameworks), str(csv), jobs, axes, "cpu", 1)
        tables.append(pd.read_csv(csv))
    assert tables[0]["seed"].tolist() == [0, 1] * 4
    of_second = tables[0][tables[0]["seed"] == 1].reset_index(drop=True)
    pd.testing.assert_frame_equal(of_second, tables[1])
    by_method = tables[1].set_index(tables[1]["setting"].str.partition("+")[0])
    assert by_method["membership"].notna().to_dict() == {
        "fedavg": True, "fedvote": True, "fd": True, "secure_ftl": False,
    }  # fmt: skip
    assert by_method["membership_of_average"].notna().to_dict() == {
        "fedavg": True, "fedvote": True, "fd": False, "secure_ftl": False,
    }  # fmt: skip
    assert by_method.loc["fd", "label_recovery"] == 1.0
    assert by_method["reconstruction"].notna().tolist() == [False, False, True, False]


def test_every_framework_has_an_attack_beside_its_blind_guess(frameworks, tmp_path):
    csv = tmp_path / "attacks.csv"
    jobs = jobs_of(SETTINGS)
    attack_frameworks.main(files_of(frameworks), jobs, axes_by_method(), "cpu", 1).write(csv)
    table = pd.read_csv(csv, keep_default_na=False)
    assert list(dict.fromkeys(table["method"])) == [
        "fedavg", "fedvote", "fedhealth", "fedmd", "fd", "secure_ftl",
    ]  # fmt: skip
    settings = table.drop_duplicates("setting").set_index("setting")
    assert len(settings) == len(SETTINGS)
    of_fd = settings.loc["fd+distillation_weight=1.0+partition=shards"]
    assert (of_fd["attack"], float(of_fd["value"])) == ("label recovery", 1.0)
    assert float(of_fd["blind"]) < 0.5
    assert table["blind"].astype(float).notna().all()
    logits = table[(table["method"] == "fd") & (table["attack"] == "membership")]
    assert (logits["value"].astype(float) > 0.6).all()  # two labels at each client
    partner = table[table["method"] == "secure_ftl"]
    assert (partner["value"].astype(float) > partner["blind"].astype(float)).all()
