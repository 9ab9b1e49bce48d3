"""What a setting releases of the clients' rows, in one fixed spelling, and the seeds of its noise.

Two releases of the same rows compose as accountants say only if their noise is independent. So a
stream of noise is keyed by the repetition's seed and the release: by all that decides what is
released before it is coded, and by nothing that acts afterwards. Settings that differ in link,
compression or training alone are one release of uploads, draw the same noise, and are counted once.
Where clients send in rounds, training decides what they send, so that the whole job is the release.
"""

import json
from collections.abc import Mapping
from dataclasses import MISSING, asdict, fields
from hashlib import sha256
from typing import Any

import numpy as np

from fbftl.ground.ring import FRACTION_BITS
from fbftl.study.job import Job, KnownAxes

BYTES = 16
"""Bytes of a spelling's digest that enter a seed: two of a study's releases never share them."""

KEYED_AS = {
    "noise_draw": "noise",
    "initial_weights": "start",
    "resampled_per_round": "drawn",
    "client_weighting": "weighting",
    "descent_steps": "steps",
    "descent_momentum": "momentum",
    "neighbour_relation": "neighbours",
    "disturbed_normalisation": "norms",
    "vote_candidates": "sources",
    "vote_round": "selection_round",
    "cka_estimator": "similarity",
    "distillation_weight": "distillation",
    "adaptation_epochs": "adaptation",
    "coral_weight": "alignment",
    "alignment_weight": "alignment",
    "aligned_dimensions": "dimensions",
    "selection_reading": "reading",
    "laplace_sensitivity": "sensitivity",
    "mask_shape": "mask",
    "minority_participation": "participation",
    "purchase_rule": "choice",
    "purchase_allocation": "allocation",
    "count_sampling": "sampling",
    "label_source": "labels",
    "purchase_purpose": "purpose",
    "open_data": "open",
    "source_models": "sources",
    "adversarial_game": "game",
    "teacher_weight": "distilled",
}
"""Axes and keys whose noise streams are keyed by another name, so that their numbers stay."""

LINK = ("plr", "blr", "burst", "retransmissions", "loss")


def noise_seed(job: Job, seed: int, *covered: np.ndarray) -> int:
    """Return the seed of the noise on one release, for `ground.randomness.stream`.

    Args:
        job: the setting with its training values.
        seed: the repetition's seed.
        covered: whole numbers that say whose rows the release covers, where it is no sample's own:
            clients, or the client and the number of each sample.
    """
    content = spelled(_decided(job)).encode()
    for numbers in covered:
        content += sha256(np.ascontiguousarray(numbers, dtype=np.int64).tobytes()).digest()
    return seed << 8 * BYTES | int.from_bytes(sha256(content).digest()[:BYTES], "big")


def spelled(facts: Mapping[str, Any]) -> str:
    """Return facts in the one spelling: JSON with sorted keys and without spaces."""
    return json.dumps(facts, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _decided(job: Job) -> dict[str, Any]:
    """Return what decides a release before it is coded."""
    setting = job.setting
    if setting.method == "fbftl":
        return _of_features(job)
    if setting.method == "one_shot":
        return _of_features(job) if setting.message == "features" else _of_statistics(job)
    if setting.mechanism == "counts" and setting.label_source == "bought":
        noise = _noise(job) | _summed(setting)
        counted = {"rate": setting.count_sampling, "clusters": setting.centroids}
        return {"kind": "counts", "public": job.block.get("public"), **noise, **counted}
    return {
        "kind": "rounds",
        "setting": _keyed(setting.deviations),
        "clients": dict(job.clients),
        "training": _deviating(job.training),
        "privacy": _deviating(job.privacy),
        "block": _keyed(_block(job)),
    }


def _block(job: Job) -> dict[str, Any]:
    """Return a job's block, in which a pre-trained network has the momentum that it once named.

    It changed nothing of the network and is no longer a setting; without it noise would be another.
    """
    block = dict(job.block)
    source = block.get("source") or {}
    model = source.get("model")
    if isinstance(model, Mapping) and "image" in model and model.get("kind") == "pretrain":
        block["source"] = {**source, "model": {"momentum": 0.9, **model}}
    return block


def _keyed(value: Any) -> Any:
    """Return a value of builtin types whose keys, at every depth, are named as in `KEYED_AS`."""
    if isinstance(value, Mapping):
        return {KEYED_AS.get(key, key): _keyed(inner) for key, inner in value.items()}
    return value


def _of_features(job: Job) -> dict[str, Any]:
    """Return what decides messages of one sample's features each."""
    return _of_uploads(job) | {"kind": "features", "redrawn": job.setting.noise_draw == "redrawn"}


def _of_statistics(job: Job) -> dict[str, Any]:
    """Return what decides messages of what a client's features come to."""
    setting = job.setting
    return _of_uploads(job) | {
        "kind": "statistics",
        "message": setting.message,
        "projection": setting.projection,
        **_summed(setting),
    }


def _of_uploads(job: Job) -> dict[str, Any]:
    """Return what decides messages that are sent once, whatever they are."""
    setting = job.setting
    return _noise(job) | {
        "clip": job.privacy.feature_clip,
        "label_epsilon": setting.label_epsilon,
        "cut": setting.cut,
        "source": _block(job).get("source"),
    }


def _summed(setting: KnownAxes) -> dict[str, Any]:
    """Return whether a secure sum is released, and its bits behind the point.

    The dealer's noise comes after messages are rounded, so that sums with other bits behind the
    point are other releases, each with noise of its own.
    """
    if setting.aggregation == "open":
        return {"summed": False}
    point = setting.fraction_bits
    return {"summed": True} | ({} if point == FRACTION_BITS else {"fraction_bits": point})


def _noise(job: Job) -> dict[str, Any]:
    """Return how much noise was asked for; what epsilon comes to is the same for the same delta."""
    setting = job.setting
    calibrated = setting.sigma is None and setting.epsilon is not None
    delta = job.privacy.delta if calibrated else None
    return {
        "mechanism": setting.mechanism,
        "sigma": setting.sigma,
        "epsilon": setting.epsilon if calibrated else None,
        "delta": delta,
    }


def _deviating(values: Any) -> dict[str, Any]:
    """Return the fields of a dataclass that say something: those apart from their defaults."""
    defaults = {field.name: field.default for field in fields(values)}
    return {
        name: value
        for name, value in asdict(values).items()
        if defaults[name] is MISSING or value != defaults[name]
    }
