"""Public samples: where they come from, how they are seen, and that none of them is the task's."""

import json
from itertools import product

import choose_public
import h5py
import numpy as np
import partition_clients
import pytest
from fbftl.data import public
from fbftl.data.clients import ClientFile
from fbftl.data.datasets import load
from fbftl.data.public import public_samples
from fbftl.ground.errors import UserError

LETTERS = {"kind": "pretrain", "task": "letters", "image": [8, 8, 1], "seed": 0}
DIGITS = {"kind": "digits", "test_fraction": 0.2, "classes": None, "limit": None, "seed": 0}
ONE = {"samples": 40, "data": None, "split": "test", "domains": None}
CLIENTS = {"partition": "iid", "samples_per_client": 8, "clients": None, "seed": 0}


def block(*sources):
    """Return a block `public` of some sources."""
    return {"sources": [ONE | entry for entry in sources]}


@pytest.mark.parametrize("split", ["train", "test"])
def test_a_data_set_gives_samples_of_the_split_that_is_named(split):
    images, labels = public_samples(LETTERS, ONE | {"data": DIGITS, "split": split}, None)
    samples = getattr(load(DIGITS, None), split)
    samples_of_split = {
        (image.tobytes(), int(label))
        for image, label in zip(samples.inputs[0 : len(samples)], samples.labels, strict=True)
    }
    assert len(images) == 40
    pairs = zip(images, labels, strict=True)
    assert all((image.tobytes(), int(label)) in samples_of_split for image, label in pairs)
    assert len(np.unique(labels)) > 5


def test_a_loaded_source_needs_a_public_data_set():
    with pytest.raises(UserError, match=r"public\.sources names no data"):
        public.check_public({"kind": "load"}, block({}), None)
    public.check_public({"kind": "load"}, block({"data": DIGITS}), None)


@pytest.fixture
def private(tmp_path):
    """A client file of some digits, and what the other digits are."""
    clients = tmp_path / "clients.h5"
    data = DIGITS | {"portion": [0, 0.2]}
    partition_clients.main("fbftl.data.images", clients, data, CLIENTS, None, 0)
    return clients, {"split": "train", "samples": 1000, "data": DIGITS | {"portion": [0.2, 0.4]}}


def test_a_tenth_of_each_source_is_held_out_and_none_is_the_tasks(private, tmp_path):
    clients, others = private
    choose_public.main(clients, tmp_path / "public.h5", LETTERS, block({}, others), None)
    private_images = {image.tobytes() for image in choose_public.target_images(clients)}
    with ClientFile(tmp_path / "public.h5") as file:
        assert file.client_ids("train") == file.client_ids("test") == ["00", "01"]
        parts = [file.column(split, "pixels") for split in ("train", "test")]
        counts = [file.samples_per_client(split) for split in ("train", "test")]
        assert file.domains("train") is None
    np.testing.assert_array_equal(counts[1], (counts[0] + counts[1]) // 10)
    assert not private_images & {image.tobytes() for part in parts for image in part}


def test_every_sample_is_seen_in_each_domain_of_its_source(private, tmp_path):
    clients, others = private
    turned = others | {"domains": ["inverted", ["mirrored", "flipped"]]}
    choose_public.main(clients, tmp_path / "public.h5", LETTERS, block({}, turned), None)
    images, labels = public_samples(LETTERS, ONE | others, None)
    with h5py.File(tmp_path / "public.h5") as raw:
        assert json.loads(raw.attrs["domains"]) == ["plain", "inverted", "mirrored+flipped"]
    with ClientFile(tmp_path / "public.h5") as file:
        pixels, domain = file.column("train", "pixels"), file.domains("train")
        public_labels = file.column("train", "label")
    kept = len(images) - len(images) // 10
    np.testing.assert_array_equal(np.bincount(domain), [36, kept, kept])
    np.testing.assert_array_equal(pixels[domain == 1], 255 - images[:kept])
    np.testing.assert_array_equal(pixels[domain == 2], images[:kept, ::-1, ::-1])
    np.testing.assert_array_equal(public_labels[domain == 2], labels[:kept])


@pytest.mark.parametrize(("domains", "seen"), product([None, ["inverted"]], [None, ["rotated"]]))
def test_a_source_that_shares_samples_is_refused_however_they_are_seen(tmp_path, domains, seen):
    clients, out = tmp_path / "clients.h5", tmp_path / "public.h5"
    spec = CLIENTS | {"domains": domains}
    partition_clients.main("fbftl.data.images", clients, DIGITS, spec, None, 0)
    sold = block({}, {"data": DIGITS, "domains": seen})
    with pytest.raises(UserError, match=r"sources\.1: 40 of its 40 samples are the task's own"):
        choose_public.main(clients, out, LETTERS, sold, None, DIGITS if domains else None)
    assert not out.exists()


@pytest.mark.parametrize("unseen", [None, DIGITS])
def test_an_adversary_may_know_test_images_that_nobody_sells(tmp_path, unseen):
    clients, out = tmp_path / "clients.h5", tmp_path / "public.h5"
    partition_clients.main("fbftl.data.images", clients, DIGITS, CLIENTS, None, 0)
    tests = {"sources": [ONE | {"data": DIGITS, "split": "test"}]}
    with pytest.raises(UserError, match="are the task's own"):
        choose_public.main(clients, out, LETTERS, tests, None, unseen)
    choose_public.main(clients, out, LETTERS, tests, None, unseen, ["train"])
    training = {"sources": [ONE | {"data": DIGITS, "split": "train"}]}
    with pytest.raises(UserError, match="are the task's own"):
        choose_public.main(clients, out, LETTERS, training, None, unseen, ["train"])


def test_labels_that_the_task_has_not_are_refused():
    task = {"data": DIGITS, "source": LETTERS}
    public.check_classes("own", task | {"public": block({"data": DIGITS})}, None)
    with pytest.raises(UserError, match=r"sources\.0 has letters and the task 10 classes"):
        public.check_classes("own", task | {"public": block({})}, None)
    few = {"data": DIGITS | {"classes": [3, 5]}}
    with pytest.raises(UserError, match=r"sources\.1 has 2 classes and the task 10"):
        public.check_classes("own", task | {"public": block({"data": DIGITS}, few)}, None)
