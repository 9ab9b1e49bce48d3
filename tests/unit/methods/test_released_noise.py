"""Noise of two releases of the same rows: never shared by different ones, always by one release."""

from dataclasses import replace

import numpy as np
import pytest
from fbftl.exchange.sending import sending
from fbftl.ground.files import read_json
from fbftl.messages.payload import Vectors
from fbftl.privacy.release import noise_seed
from fbftl.study.config import resolve
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import read_yaml
from method_toys import job

ROWS, WIDTH, CLASSES = 200, 16, 3
VALUES = np.random.default_rng(0).normal(size=(ROWS, WIDTH)).astype(np.float32)
LABELS = np.arange(ROWS) % CLASSES
GAUSSIAN = {"mechanism": "gaussian", "sigma": 2.0}
STATISTICS = GAUSSIAN | {"method": "one_shot", "message": "statistics", "head": "lda"}


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
    masked = job(STATISTICS | {"aggregation": "masked"})
    some, others = np.array([0, 1, 2]), np.array([0, 1, 3])
    assert noise_seed(masked, 0, some) != noise_seed(masked, 0, others)
    lossy = job(STATISTICS | {"aggregation": "masked", "plr": 0.2})
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
