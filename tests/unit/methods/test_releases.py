"""Noise of releases: streams that different ones never share, and one release always has."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from fbftl.exchange.sending import sending
from fbftl.ground.files import read_json
from fbftl.messages.payload import Vectors
from fbftl.privacy.release import noise_seed
from fbftl.study import methods
from fbftl.study.config import resolve
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import read_yaml
from method_toys import job
from unit.methods.ecos.test_ecos import buying
from unit.random_settings import NEEDED, NO_WARNINGS, answered

pytestmark = NO_WARNINGS
STATISTICS = {"message": "statistics"}
MORE: dict[tuple[str, str], list[dict[str, Any]]] = {
    ("one_shot", "gaussian"): [STATISTICS, STATISTICS | {"aggregation": "masked"}],
    ("ecos", "counts"): [{}, {"aggregation": "masked"}],
    ("eppfl", "laplace"): [{"laplace_sensitivity": "clip"}],
    ("fedfeat", "gaussian"): [{"feature_clip": 1.0}],
}
"""What else is said of a setting so that a mechanism has its noise in every place that it may."""
RELEASES = [
    {"method": record.name, "mechanism": mechanism} | NEEDED.get(record.name, {}) | more
    for record in methods.RECORDS
    for mechanism in record.mechanisms
    if mechanism != "none"
    for more in MORE.get((record.name, mechanism), [{}])
]
RELEASES += [
    {"method": record.name} | NEEDED.get(record.name, {})
    for record in methods.RECORDS
    if record.knows("label_epsilon")
]
COUNT_NOISE = crc32(b"count noise")
"""A concern that is drawn from without a mechanism too, and then counts for nothing."""
Streams = set[tuple[int, ...]]
"""What random streams are keyed by: a seed, the digest of a concern, and further numbers."""


@pytest.fixture
def drawn(task_files: dict, monkeypatch: pytest.MonkeyPatch):
    """Trains a setting; returns the streams that it drew from."""
    drawn_from: list[Iterable[int]] = []
    sequence = np.random.SeedSequence

    def watched(entropy: Iterable[int]) -> np.random.SeedSequence:
        drawn_from.append(entropy)
        return sequence(entropy)

    monkeypatch.setattr(np.random, "SeedSequence", watched)

    def train(axes: dict[str, Any]) -> Streams:
        drawn_from.clear()
        answer = answered(axes, task_files)
        assert not answer.refused, answer.sentence
        return {tuple(map(int, entropy)) for entropy in drawn_from}

    return train


@pytest.mark.parametrize("setting", RELEASES, ids=lambda axes: "-".join(map(str, axes.values())))
def test_two_releases_share_no_stream_of_noise(setting, drawn):
    mechanism = setting.get("mechanism")
    by_sigma = {"relative": "sigma", "dp_fedavg": "sigma"}  # an epsilon of rounds takes seconds
    strength = by_sigma.get(mechanism, "epsilon") if mechanism else "label_epsilon"
    method = setting["method"]
    clean = drawn({"method": method} | NEEDED.get(method, {}))
    usual = {(seed, concern) for seed, concern, *_ in clean if concern != COUNT_NOISE}
    weak, strong = (
        {stream for stream in drawn(setting | {strength: amount}) if stream[:2] not in usual}
        for amount in (1.0, 2.0)
    )
    assert weak
    assert strong
    assert not weak & strong


@pytest.mark.parametrize("noise", ["vote_noise", "confidence_noise"])
def test_answers_to_label_queries_under_other_noise_are_a_release_of_their_own(noise):
    """Labels are the most votes under noise, of which no equation can be solved for the votes."""
    queries = [
        {"label_source": "clients", "queries": {noise: deviation}} for deviation in (4.0, 8.0)
    ]
    first, second = (noise_seed(buying(**query), 0) for query in queries)
    assert first != second


ROWS, WIDTH, CLASSES = 200, 16, 3
VALUES = np.random.default_rng(0).normal(size=(ROWS, WIDTH)).astype(np.float32)
LABELS = np.arange(ROWS) % CLASSES
GAUSSIAN = {"mechanism": "gaussian", "sigma": 2.0}
SUMS = GAUSSIAN | {"method": "one_shot", "message": "statistics", "head": "lda"}


def sent(setting, **training):
    """Return what the clients send under a setting, for one seed."""
    payload = Vectors(VALUES, LABELS, np.arange(ROWS), CLASSES)
    return sending(job(setting, **training), payload, None).released(0)


@pytest.mark.parametrize(
    "other", [{"plr": 0.3}, {"bits": 4}, {"keep": 0.5}, {"blr": 0.1, "burst": 4.0}]
)
def test_link_and_compression_change_no_release(other):
    first, second = sent(GAUSSIAN), sent(GAUSSIAN | other)
    np.testing.assert_array_equal(first.values, second.values)


def test_training_changes_no_release_of_uploads():
    first, second = (
        sent(GAUSSIAN | {"label_epsilon": 1.0}),
        sent(GAUSSIAN | {"label_epsilon": 1.0}, learning_rate=0.01, epochs=9),
    )
    np.testing.assert_array_equal(first.values, second.values)
    np.testing.assert_array_equal(first.labels, second.labels)


@pytest.mark.parametrize(
    "other", [{"sigma": 2.5}, {"label_epsilon": 1.0}, {"cut": "x"}, {"mechanism": "relative"}]
)
def test_whatever_decides_an_upload_makes_a_release_of_its_own(other):
    assert noise_seed(job(GAUSSIAN), 0) != noise_seed(job(GAUSSIAN | other), 0)


def test_clip_norm_and_source_are_part_of_a_release():
    job_ = job(GAUSSIAN)
    clipped = replace(job_, privacy=replace(job_.privacy, feature_clip={"norm": 4.0}))
    seeded = replace(job_, block=job_.block | {"source": {"model": {"seed": 1}}})
    assert len({noise_seed(each, 0) for each in (job_, clipped, seeded)}) == 3


def test_a_task_has_no_part_in_a_release():
    job_ = job(GAUSSIAN)
    assert noise_seed(job_, 0) == noise_seed(replace(job_, task="another"), 0)
    assert noise_seed(job_, 0) != noise_seed(job_, 1)


def test_a_sum_is_noised_by_whom_it_covers():
    masked = job(SUMS | {"aggregation": "masked"})
    some, others = np.array([0, 1, 2]), np.array([0, 1, 3])
    assert noise_seed(masked, 0, some) != noise_seed(masked, 0, others)
    lossy = job(SUMS | {"aggregation": "masked", "plr": 0.2})
    assert noise_seed(masked, 0, some) == noise_seed(lossy, 0, some)


def test_training_by_rounds_is_part_of_what_rounds_release():
    setting = {"method": "ftl_c", "mechanism": "dp_fedavg", "sigma": 2.0}
    assert noise_seed(job(setting), 0) == noise_seed(job(setting), 0)
    assert noise_seed(job(setting), 0) != noise_seed(job(setting, learning_rate=0.2), 0)


def test_noise_is_that_of_the_kept_default_study(root):
    """A key of the configuration that goes or gets another name draws no other noise."""
    study = resolve(read_yaml(root / "config.yaml"), read_systems(root))
    axes = axes_by_method()
    kept = read_json(root / "docs" / "results" / "digits" / "recipes.json", "recipes")["runs"]
    noised = {name: of for name, of in kept["digits"].items() if "mechanism=" in name}
    assert len(noised) > 10
    for name, recipe in noised.items():
        then = from_params({**recipe["job"], "task": "digits", "seeds": [0]}, axes)
        now = from_params(study.job("digits", name), axes)
        assert noise_seed(now, 0) == noise_seed(then, 0), name
