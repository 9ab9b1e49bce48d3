"""Public samples: where they come from, and that none of them is a client's."""

import choose_public
import numpy as np
import partition_clients
import pytest
from fbftl.data.clients import ClientFile
from fbftl.data.public import check_public, public_data, public_samples, strangers
from fbftl.ground.errors import UserError

LETTERS = {"kind": "pretrain", "task": "letters", "image": [8, 8, 1], "seed": 0}
DIGITS = {"kind": "digits", "test_fraction": 0.2, "classes": None, "limit": None, "seed": 0}
PUBLIC = {"samples": 40, "data": None}
CLIENTS = {"partition": "iid", "samples_per_client": 8, "clients": None, "seed": 0}


def test_letters_are_fresh():
    images, labels = public_samples(LETTERS, PUBLIC, None)
    again, _ = public_samples(LETTERS, PUBLIC, None)
    assert images.shape == (40, 8, 8, 1)
    assert images.dtype == np.uint8
    assert labels.shape == (40,)
    np.testing.assert_array_equal(images, again)
    from fbftl.data.letters import render_letters

    trained, _ = render_letters(40, (8, 8, 1), 0)
    assert len(strangers(images, trained)) == 40


def test_a_source_task_that_is_a_data_set_gives_its_test_samples():
    source = {"kind": "pretrain", "task": {"data": DIGITS}}
    images, labels = public_samples(source, PUBLIC, None)
    from fbftl.data.datasets import load

    test = load(DIGITS, None).test
    known = {
        (image.tobytes(), int(label))
        for image, label in zip(test.inputs[0 : len(test)], test.labels, strict=True)
    }
    assert len(images) == 40
    found = zip(images, labels, strict=True)
    assert all((image.tobytes(), int(label)) in known for image, label in found)
    assert len(np.unique(labels)) > 5


def test_a_named_data_set_comes_first():
    assert public_data(LETTERS, PUBLIC | {"data": DIGITS}) == DIGITS
    assert public_data(LETTERS, PUBLIC) is None


def test_a_loaded_source_needs_a_public_data_set():
    with pytest.raises(UserError, match=r"privacy\.public\.data is null"):
        check_public({"kind": "load"}, PUBLIC, None)
    check_public({"kind": "load"}, PUBLIC | {"data": DIGITS}, None)


def test_samples_of_the_clients_are_left_out():
    images = np.arange(30, dtype=np.uint8).reshape(30, 1, 1, 1)
    np.testing.assert_array_equal(strangers(images, images[::2]), np.arange(1, 30, 2))
    with pytest.raises(UserError, match="of 30 public samples 0 are not the clients' own"):
        strangers(images, images)


def test_the_file_has_one_client_and_no_sample_of_the_target(tmp_path):
    clients, out = tmp_path / "clients.h5", tmp_path / "public.h5"
    partition_clients.main(
        "fbftl.data.images",
        clients,
        DIGITS | {"limit": {"train": 80, "test": 20}},
        CLIENTS,
        None,
        0,
    )
    public = PUBLIC | {"data": DIGITS | {"seed": 1}, "samples": 1000}
    choose_public.main(clients, out, LETTERS, public, None)
    private = {image.tobytes() for image in choose_public.target_images(clients)}
    with ClientFile(out) as file:
        assert file.client_ids("train") == file.client_ids("test") == [choose_public.NAME]
        parts = [file.column(split, "pixels") for split in ("train", "test")]
    assert len(parts[1]) == (len(parts[0]) + len(parts[1])) // 10
    assert not private & {image.tobytes() for part in parts for image in part}


def test_a_target_that_holds_all_public_samples_is_refused(tmp_path):
    clients, out = tmp_path / "clients.h5", tmp_path / "public.h5"
    partition_clients.main("fbftl.data.images", clients, DIGITS, CLIENTS, None, 0)
    with pytest.raises(UserError, match="are not the clients' own"):
        choose_public.main(clients, out, LETTERS, PUBLIC | {"data": DIGITS}, None)
    assert not out.exists()
