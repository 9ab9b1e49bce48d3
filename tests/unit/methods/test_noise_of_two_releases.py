"""Two releases of the same rows draw their noise from streams that have nothing in common.

Were the noise of both the same, what is clean would follow from any two of them: two equations
clean + a n and clean + b n in two unknowns.
"""

from collections.abc import Iterable
from typing import Any
from zlib import crc32

import numpy as np
import pytest
from fbftl.privacy.release import noise_seed
from fbftl.study import methods
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
