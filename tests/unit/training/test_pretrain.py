import copy
import dataclasses
import json

import numpy as np
import pytest
import torch
from fbftl.data.letters import render_letters
from fbftl.data.preprocess import Preprocessing, measured, preprocess
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.models.networks import vgg
from fbftl.models.source.manifest import build, load_source, write_source
from fbftl.training.pretrain import Pretraining, accuracy, one_cycle, pretrain, pretrain_source

SOURCE = {
    "kind": "pretrain",
    "task": "letters",
    "network": {"name": "vgg", "channels": [[8], [16]], "fc": [64], "dropout": 0.1},
    "samples": 1500,
    "epochs": 5,
    "batch_size": 50,
    "learning_rate": 0.05,
    "weight_decay": 0.0005,
    "seed": 0,
}
IMAGE = (8, 8, 1)


@pytest.fixture(scope="module")
def source_model():
    return pretrain_source(SOURCE, IMAGE, None)


def test_letters_are_learnt(source_model):
    chance = 1 / 52
    assert source_model.accuracy > 10 * chance
    images, labels = render_letters(500, IMAGE, seed=99)
    assert accuracy(source_model.model, images, labels, source_model.preprocessing) > 10 * chance
    untrained = build(source_model.architecture, seed=5)
    assert accuracy(untrained.eval(), images, labels, source_model.preprocessing) < 5 * chance


def test_equal_sources_give_equal_files(tmp_path):
    for name in ("a", "b"):
        made = pretrain_source(SOURCE | {"samples": 200, "epochs": 1}, IMAGE, None)
        write_source(tmp_path / f"{name}.safetensors", tmp_path / f"{name}.json", made)
    for suffix in ("safetensors", "json"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()


def test_written_source_comes_back(source_model, tmp_path):
    write_source(tmp_path / "s.safetensors", tmp_path / "s.json", source_model)
    manifest = json.loads((tmp_path / "s.json").read_text())
    model = load_source(tmp_path / "s.safetensors", manifest)
    assert not model.training
    inputs = torch.randn(3, 1, 8, 8)
    assert torch.equal(model(inputs), source_model.model(inputs))
    assert manifest["accuracy"] == source_model.accuracy
    assert manifest["origin"] == SOURCE
    assert Preprocessing.of(manifest["preprocessing"]) == source_model.preprocessing
    assert manifest["parameters"] == sum(value.numel() for value in model.parameters())
    assert {"torch", "pillow", "matplotlib"} == manifest["versions"].keys()


def two_classes():
    """Return dark and bright images."""
    rng = np.random.default_rng(0)
    labels = np.arange(200) % 2
    images = rng.integers(0, 100, (200, 4, 4, 1)) + 150 * labels[:, None, None, None]
    return images.astype(np.uint8), labels


def test_training_equals_the_classes_of_torch():
    images, labels = two_classes()
    plan = dataclasses.replace(Pretraining(), epochs=3, batch_size=40, learning_rate=0.01)
    model = vgg((4, 4, 1), [[4]], [8], 2)
    theirs = copy.deepcopy(model).train()
    pretrain(model, images, labels, measured(images), plan)
    optimizer = torch.optim.SGD(
        theirs.parameters(), lr=1.0, momentum=0.9, weight_decay=5e-4, nesterov=True
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.01, total_steps=15)
    order = stream(plan.seed, "pretrain")
    with torch.random.fork_rng():
        torch.manual_seed(int(order.integers(2**63)))
        for _ in range(3):
            for rows in torch.from_numpy(order.permutation(200)).split(40):
                inputs = preprocess(torch.from_numpy(images)[rows], measured(images))
                loss = torch.nn.functional.cross_entropy(
                    theirs(inputs), torch.from_numpy(labels)[rows]
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
    for mine, other in zip(model.parameters(), theirs.parameters(), strict=True):
        assert torch.equal(mine, other)


@pytest.mark.parametrize("steps", [1, 2, 3, 4, 10, 97])
def test_the_schedule_is_that_of_torch(steps):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0, momentum=0.9)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 0.3, total_steps=steps)
    for step in range(steps):
        group = optimizer.param_groups[0]
        assert one_cycle(step, steps, 0.3) == (group["lr"], group["momentum"])
        optimizer.step()
        if step < steps - 1:
            schedule.step()


def test_fewer_samples_than_a_batch_are_refused():
    images, labels = two_classes()
    with pytest.raises(UserError, match="200 samples, less than one batch"):
        pretrain(
            vgg((4, 4, 1), [[4]], [8], 2), images, labels, measured(images), Pretraining(5, 201)
        )


def test_divergence_is_said():
    images, labels = two_classes()
    plan = dataclasses.replace(Pretraining(), batch_size=20, learning_rate=1e6)
    with pytest.raises(UserError, match="diverged at source"):
        pretrain(vgg((4, 4, 1), [[4]], [8], 2), images, labels, measured(images), plan)


def test_a_data_set_can_be_the_source_task():
    data = {"kind": "digits", "classes": [0, 1, 2, 3, 4]}
    source = {**SOURCE, "task": {"data": data}, "samples": 500, "epochs": 4}
    source_model = pretrain_source(source, (8, 8, 1), None)
    assert source_model.architecture["classes"] == 5
    assert source_model.accuracy > 0.8
