"""Two releases of the same rows under every mechanism are solved for the noise, in vain.

Were the noise of both the same, what is clean would follow from any two of them: two equations
clean + a n and clean + b n in two unknowns.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch
from fbftl.exchange.post import Receipt
from fbftl.exchange.protection import protection_by_rounds
from fbftl.exchange.sending import sending
from fbftl.features.extract import extract
from fbftl.features.store.provenance import Provenance
from fbftl.features.store.target import Target
from fbftl.ground.randomness import stream
from fbftl.messages.statistics import Statistics
from fbftl.messages.vectors import Vectors
from fbftl.methods.by_name import train
from fbftl.methods.eppfl import rounds as eppfl_rounds
from fbftl.methods.fade.groups import grouped_clients
from fbftl.methods.fade.rounds import debiasing
from fbftl.methods.fedfeat import retraining
from fbftl.methods.one_shot.run import send_all_seeds
from fbftl.methods.private_gd import run as private_gd_run
from fbftl.methods.private_gd.heads import PrivateHeads, private_heads
from fbftl.privacy.noise import clip_rows
from fbftl.privacy.statistics import clipped
from fbftl.study.job import Job
from fbftl.study.methods import axes_by_method, record
from fbftl.study.release import noise_seed
from fbftl.tasks.task import Inputs, client_features
from fbftl.training.batches import Round
from fbftl.training.feature_network import FeatureRequest
from fbftl.training.local_updates import LocalUpdate, MiniBatch
from unit.methods.ecos.test_ecos import Sold, buying
from unit.methods.eppfl import test_eppfl
from unit.methods.fade import fade_toys
from unit.methods.fedfeat.test_retraining import job as fedfeat_job
from unit.methods.method_toys import ONE_SHOT, Blobs, job, toy_inputs
from unit.methods.private_gd.test_private_gd import private_job
from unit.tasks.toy_vectors import make_vectors

WEAK, STRONG = 1.0, 2.0
"""Noise of the two releases; epsilons are its inverse."""


@dataclass(frozen=True)
class Releases:
    """What is released twice, and what it is without noise; all of one shape."""

    clean: np.ndarray
    weak: np.ndarray
    strong: np.ndarray


def solved(releases: Releases) -> np.ndarray:
    """Return what is clean if both have the same noise, once and twice as much of it."""
    return (STRONG * releases.weak - WEAK * releases.strong) / (STRONG - WEAK)


def of_each(release: Callable[[float], np.ndarray], clean: np.ndarray) -> Releases:
    """Return what is released under weak and under strong noise, and what is clean."""
    return Releases(clean, release(WEAK), release(STRONG))


# --- uploads ----------------------------------------------------------------------------------

ROWS, WIDTH, CLASSES = 200, 16, 3
VALUES = np.random.default_rng(0).normal(size=(ROWS, WIDTH)).astype(np.float32)
LABELS = np.arange(ROWS) % CLASSES


def features(mechanism: str, _: Path) -> Releases:
    def release(sigma: float) -> np.ndarray:
        payload = Vectors(VALUES, LABELS, np.arange(ROWS), CLASSES)
        return (
            sending(job({"mechanism": mechanism, "sigma": sigma}), payload, None).released(0).values
        )

    return of_each(release, clip_rows(VALUES, 3.0) if mechanism == "gaussian" else VALUES)


def statistics(aggregation: str, folder: Path) -> Releases:
    inputs = toy_inputs(folder)

    def released(**axes: Any) -> Job:
        setting = {"method": "one_shot", "message": "statistics", "head": "lda"}
        setting |= {"aggregation": aggregation} | axes
        return job(setting, {"one_shot": ONE_SHOT}, validation=0.0)

    client_data = client_features(released(), inputs)

    def release(sigma: float) -> np.ndarray:
        received = send_all_seeds(released(mechanism="gaussian", sigma=sigma), client_data)
        return received.learned[0].training.numbers()

    values = clipped(client_data.payload.values, 3.0)
    return of_each(release, Statistics.of(values, client_data.payload.labels, 3).numbers())


# --- rounds -----------------------------------------------------------------------------------

ROUND = Round(0, np.arange(4), np.arange(32).reshape(4, 8), np.ones((4, 8), dtype=bool))


def updates(mechanism: str, _: Path) -> Releases:
    """What clients send under the relative mechanism, the average of DP-FedAvg's server."""
    rows = [np.arange(8 * u, 8 * u + 8) for u in range(30)]
    sent = np.random.default_rng(1).normal(size=(4, 300)).astype(np.float32) / 100

    def release(sigma: float) -> np.ndarray:
        setting = {"method": "fl", "mechanism": mechanism, "sigma": sigma}
        protection = protection_by_rounds(job(setting), rows, 0, [])
        if mechanism == "relative":
            return protection.releasing(ROUND, sent).values
        return protection.averaging(ROUND, Receipt(ROUND.clients, 1, np.ones(4, bool), sent))

    # Four of thirty clients with eight samples each are expected in a round.
    return of_each(release, sent if mechanism == "relative" else sent.sum(axis=0) / 32)


def updates_of_users(_: str, folder: Path) -> Releases:
    """FADE's users noise their updates, each its own."""
    files = make_vectors(folder)
    before, moved = torch.zeros(300), torch.full((2, 300), 1e-3)

    def release(sigma: float) -> np.ndarray:
        job_ = fade_toys.job(fade_toys.PLAIN | {"mechanism": "update_gaussian", "sigma": sigma})
        client_data = grouped_clients(job_, fade_toys.inputs(files))
        server = debiasing([job_], client_data).trials[0].server
        return server.sent(1, np.arange(2), before, moved).numpy()

    return of_each(release, moved.numpy())


def passed_features(mechanism: str, _: Path) -> Releases:
    """FedFeat+'s noise on what passes the boundary in a client's local update."""
    repetition = SimpleNamespace(clients=[np.arange(4)] * 16, seed=0)

    def request_of(_: Any, __: Any, of: partial) -> FeatureRequest:
        return of.keywords["request"]

    def release(noise: float) -> np.ndarray:
        budget = {"sigma": noise} if mechanism == "gaussian" else {"epsilon": 1 / noise}
        clip = {"feature_clip": 1.0} if mechanism == "gaussian" else {}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(retraining, "local_network", request_of)
            network = retraining.feature_network(
                fedfeat_job({"mechanism": mechanism} | budget | clip), SimpleNamespace()
            )
            request = network(repetition)
        return request.noise.draw((40, 10), stream(request.noised_by, "feature_noise", 1, 0))

    return of_each(release, np.zeros((40, 10)))


class CrossedError(Exception):
    """A mini-batch has crossed the boundary, and no more is wanted."""


def passed_activations(_: str, __: Path) -> Releases:
    """EPPFL's Laplace noise on what a client sends to its edge."""
    values = torch.rand(20, 3, 4, 4, generator=torch.Generator().manual_seed(0))
    mini_batch = MiniBatch(LocalUpdate(0, 1, 0, np.arange(20)), 1, True, np.arange(20))
    repetition, crossed = SimpleNamespace(seed=0), []

    def one_batch(
        job: Job, client_data: Any, initial_learner: Callable, *_: Any, **__: Any
    ) -> None:
        crossed.append(initial_learner(repetition).boundary(values, mini_batch).numpy())
        raise CrossedError

    def release(noise: float) -> np.ndarray:
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(eppfl_rounds, "run_rounds", one_batch)
            patched.setattr(eppfl_rounds, "local_network", lambda _, __, hooks: hooks)
            job_ = test_eppfl.job({"mechanism": "laplace", "epsilon": 1 / noise})
            with pytest.raises(CrossedError):
                eppfl_rounds.train_with_edges(job_, SimpleNamespace())
        return crossed.pop()

    return of_each(release, values.numpy())


# --- a trusted server, and counts -------------------------------------------------------------


def with_public(folder: Path, blobs: Blobs) -> Inputs:
    """Return the toy task's inputs, with public features."""
    provenance = Provenance(source="0" * 64, cut="x", preprocessing={}, data="2" * 64)
    target = Target(folder / "public.zarr", provenance)
    extract(blobs, lambda arrays: {"x": arrays["x"]}, [target], batch=64)
    return replace(toy_inputs(folder), public_manifest=folder / "public.json")


def one_step(_: str, folder: Path) -> Releases:
    """The weights after one step of private gradient descent, which are linear in the noise."""
    inputs, heads = with_public(folder, Blobs()), []

    def watched(*arguments: Any) -> PrivateHeads:
        trained = private_heads(*arguments)
        heads.append(
            torch.cat([w[0].detach().flatten() for w in trained.head.parameters()]).numpy()
        )
        return trained

    def release(sigma: float | None) -> np.ndarray:
        noise = {} if sigma is None else {"mechanism": "dp_gd", "sigma": sigma}
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(private_gd_run, "private_heads", watched)
            train([private_job({"method": "private_gd", "descent_steps": 1} | noise)], inputs)
        return heads.pop()

    return of_each(release, release(None))


def counts(aggregation: str, folder: Path) -> Releases:
    """ECOS's counts of rows in each of many clusters, all rows counted."""
    inputs = with_public(folder, Sold())

    def release(sigma: float | None) -> np.ndarray:
        noise = {} if sigma is None else {"mechanism": "counts", "sigma": sigma}
        (outcome,) = train([buying(aggregation=aggregation, centroids=100, **noise)], inputs)
        return np.array(outcome.repetitions[0]["series"]["scores"])

    return of_each(release, release(None))


CASES: dict[str, tuple[Callable[[str, Path], Releases], str]] = {
    "features, gaussian": (features, "gaussian"),
    "features, relative": (features, "relative"),
    "statistics of each client, gaussian": (statistics, "open"),
    "sum of statistics, gaussian": (statistics, "masked"),
    "updates, relative": (updates, "relative"),
    "average, dp_fedavg": (updates, "dp_fedavg"),
    "updates, update_gaussian": (updates_of_users, ""),
    "features in every pass, feature_gaussian": (passed_features, "feature_gaussian"),
    "features in every pass, feature_laplace": (passed_features, "feature_laplace"),
    "features in every pass, gaussian": (passed_features, "gaussian"),
    "activations, laplace": (passed_activations, ""),
    "gradient, dp_gd": (one_step, ""),
    "counts of each client, counts": (counts, "open"),
    "sum of counts, counts": (counts, "masked"),
}
"""What is released under which mechanism, and how a test has it released."""


@pytest.mark.parametrize("case", CASES)
def test_two_releases_have_noises_of_their_own_and_do_not_give_what_is_clean(case, tmp_path):
    release, how = CASES[case]
    releases = release(how, tmp_path)
    noises = [(noised - releases.clean).ravel() for noised in (releases.weak, releases.strong)]
    assert abs(np.corrcoef(noises)[0, 1]) < 4 / noises[0].size ** 0.5
    # Noise that both share is solved for to rounding errors; here as much is left as there was.
    left = np.abs(solved(releases) - releases.clean).mean()
    assert left > np.abs(noises[0]).mean() > 0


def test_every_mechanism_is_released_twice():
    offered = {word for name in axes_by_method() for word in record(name).mechanisms}
    assert offered - {"none"} == {case.rpartition(", ")[2] for case in CASES}


@pytest.mark.parametrize("noise", ["vote_noise", "confidence_noise"])
def test_answers_to_label_queries_under_other_noise_are_a_release_of_their_own(noise):
    """Labels are the most votes under noise, of which no equation can be solved for the votes."""
    queries = [
        {"label_source": "clients", "queries": {noise: deviation}} for deviation in (4.0, 8.0)
    ]
    first, second = (noise_seed(buying(**query), 0) for query in queries)
    assert first != second
