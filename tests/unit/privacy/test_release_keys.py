"""Noise of a training keeps its key whatever its axes are called now."""

from hashlib import sha256

from fbftl.privacy.release import BYTES, noise_seed, spelled
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method


def test_noise_of_training_stays_keyed_by_first_names():
    setting = {"method": "private_gd", "mechanism": "dp_gd", "sigma": 3.0}
    training = {
        "epochs": 3, "batch": 8, "clients_per_round": 5, "learning_rate": 0.1, "momentum": 0.5,
        "weight_decay": 0.0, "validation": 0.0, "selection": "last",
    }  # fmt: skip
    facts = {
        "kind": "rounds", "clients": {"clients": 4}, "training": training,
        "privacy": {"gradient_clip": 1.0}, "block": {"head": []},
    }  # fmt: skip
    now = {"descent_steps": 5, "descent_momentum": 0.9, "neighbour_relation": "replaced"}
    first = {"steps": 5, "momentum": 0.9, "neighbours": "replaced"}
    params = facts | {"task": "toy", "kind": "images", "seeds": [0], "setting": setting | now}
    expected = spelled(facts | {"setting": setting | first})
    digest = sha256(expected.encode()).digest()[:BYTES]
    assert noise_seed(from_params(params, axes_by_method()), 0) == int.from_bytes(digest, "big")
