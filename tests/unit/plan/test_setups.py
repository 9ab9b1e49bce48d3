"""Setups: what decides whether a measured number compares with a printed one."""

import pytest
import yaml
from fbftl.findings.published import DIFFERENCES, differs
from fbftl.plan.entries import setup_of
from fbftl.study.config import resolve
from fbftl.study.systems import read_systems


def block(root, study: str, task: str) -> dict:
    """Return a task's block of the configuration, a study laid over it."""
    config = yaml.safe_load((root / "config.yaml").read_text())
    over = yaml.safe_load((root / "studies" / study).read_text()) if study else {}
    for key, value in over.items():
        config[key] = config[key] | value if isinstance(config[key], dict) else value
    return resolve(config, read_systems(root)).task(task)


def setup(root, study: str, task: str) -> dict[str, str]:
    return setup_of(block(root, study, task))


@pytest.fixture(scope="module")
def cifar10(root) -> dict[str, str]:
    return setup(root, "cifar10-vgg16.yaml", "cifar10-vgg16")


def test_the_papers_own_studies_compare(root, cifar10):
    setups = root / "published" / "setups.csv"
    samsum = setup(root, "samsum-flan-t5.yaml", "samsum-flan-t5")
    assert differs(cifar10, setups, "cifar10") == differs(samsum, setups, "samsum") == ""


@pytest.mark.parametrize(("key", "words"), DIFFERENCES.items())
def test_each_part_alone_makes_the_difference(root, cifar10, key, words):
    other = cifar10 | {key: "something else"}
    assert differs(other, root / "published" / "setups.csv", "cifar10") == words


def test_own_weights_are_another_backbone(root):
    random_weights = block(root, "cifar10-vgg16.yaml", "cifar10-vgg16")
    random_weights["source"] |= {"weights": "random"}
    setups = root / "published" / "setups.csv"
    assert differs(setup_of(random_weights), setups, "cifar10") == "another backbone"
