"""Domains: what each does to pixels, and who sees which samples."""

import json
from pathlib import Path

import h5py
import numpy as np
import partition_clients
import pytest
from fbftl.data.clients import SERVER, ClientFile
from fbftl.data.datasets import load
from fbftl.data.domains import STEPS, Origin, Seen, assigned_domains, moved, tinted
from fbftl.ground.errors import UserError
from fbftl.study.clients import domains_in
from hypothesis import given
from hypothesis import strategies as st

DATA = {"kind": "digits", "limit": {"train": 203, "test": 50}}
FOUR = ["plain", "inverted", "rotated", ["mirrored", "noisy"]]
CLIENTS = {"partition": "iid", "samples_per_client": None, "clients": 10, "seed": 3}


def images(*shape: int) -> np.ndarray:
    """Return random images."""
    return np.random.default_rng(0).integers(0, 256, shape, dtype=np.uint8)


def origin(count: int, client: int = 0, seed: int = 0) -> Origin:
    """Return the origin of a client's first training samples."""
    return Origin("train", np.arange(count), client, seed)


def clients_of(folder: Path, name: str = "clients.h5", **changes) -> Path:
    """Write and return a client file of a few digits in domains."""
    path = folder / name
    partition_clients.main("fbftl.data.images", path, DATA, CLIENTS | changes, None, 3)
    return path


@pytest.mark.parametrize("shape", [(3, 8, 8, 1), (2, 6, 9, 3)])
@pytest.mark.parametrize("step", STEPS)
def test_every_domain_keeps_shape_and_type_and_the_original(step, shape):
    given_images = images(*shape)
    before = given_images.copy()
    seen = STEPS[step](given_images, origin(shape[0]))
    assert seen.shape == shape
    assert seen.dtype == np.uint8
    np.testing.assert_array_equal(given_images, before)
    assert (step == "plain") == np.array_equal(seen, given_images)


@pytest.mark.parametrize("channels", [1, 3])
def test_exact_domains(channels):
    plain = images(3, 7, 7, channels)
    see = {name: step(plain, origin(3)) for name, step in STEPS.items()}
    np.testing.assert_array_equal(see["inverted"].astype(int) + plain, 255)
    np.testing.assert_array_equal(see["rotated"], np.rot90(plain, axes=(1, 2)))
    np.testing.assert_array_equal(see["mirrored"], np.flip(plain, 2))
    np.testing.assert_array_equal(see["flipped"], np.flip(plain, 1))


@given(st.integers(-3, 3), st.integers(-3, 3))
def test_a_shift_by_whole_pixels_moves_pixels_and_repeats_edges(down, right):
    plain = images(2, 6, 8, 1)
    rows, columns = np.clip(np.arange(6) - down, 0, 5), np.clip(np.arange(8) - right, 0, 7)
    np.testing.assert_array_equal(moved(plain, 0, down, right), plain[:, rows][:, :, columns])


def test_a_grey_tint_is_the_luminance_of_the_coloured_one():
    grey = images(4, 8, 8, 1)
    coloured = tinted(np.repeat(grey, 3, axis=3), origin(4)) @ np.array([0.299, 0.587, 0.114])
    np.testing.assert_allclose(tinted(grey, origin(4))[..., 0], coloured, atol=1.01)


def test_noise_depends_on_the_sample_and_shifts_on_the_client():
    plain = np.repeat(images(1, 8, 8, 1), 2, axis=0)
    noisy, shifted = STEPS["noisy"], STEPS["shifted"]
    first, second = noisy(plain, origin(2))
    assert not np.array_equal(first, second)
    np.testing.assert_array_equal(noisy(plain, origin(2, client=5)), [first, second])
    np.testing.assert_array_equal(noisy(plain[1:], origin(2)[1:]), [second])
    first, second = shifted(plain, origin(2))
    np.testing.assert_array_equal(first, second)
    assert not np.array_equal(shifted(plain, origin(2, client=1))[0], first)
    assert not np.array_equal(shifted(plain, origin(2, seed=1))[0], first)


def test_lists_are_applied_in_turn_and_slices_are_parts_of_the_whole():
    plain, domain = images(6, 8, 8, 1), np.array([0, 1, 0, 1, 1, 0])
    domains = domains_in(["plain", ["shifted", "inverted"]])
    seen = Seen(plain, domains, domain, origin(6, client=2))
    assert seen.shape == plain.shape
    assert seen.dtype == plain.dtype
    whole = seen[0:6]
    np.testing.assert_array_equal(whole[domain == 0], plain[domain == 0])
    here = origin(6, client=2)[np.flatnonzero(domain)]
    np.testing.assert_array_equal(
        whole[domain == 1], 255 - STEPS["shifted"](plain[domain == 1], here)
    )
    np.testing.assert_array_equal(np.concatenate([seen[0:2], seen[2:6]]), whole)


@given(st.integers(4, 300), st.integers(1, 4), st.integers(0, 9))
def test_domains_share_samples_equally(samples, domains, seed):
    counts = np.bincount(assigned_domains(samples, domains, seed, "train"), minlength=domains)
    assert counts.max() - counts.min() <= 1
    assert counts.sum() == samples
    assert (np.diff(counts) <= 0).all()


def test_a_client_sees_one_domain_and_every_sample_is_held_once(tmp_path):
    dataset = dict(load(DATA, None))
    path = clients_of(tmp_path, domains=FOUR)
    with h5py.File(path) as raw:
        assert json.loads(raw.attrs["domains"]) == [*FOUR[:3], "mirrored+noisy"]
    with ClientFile(path) as file:
        assert file.client_ids("train") == [str(u) for u in range(10)]
        assert file.client_ids("test") == [SERVER]
        for split, samples in dataset.items():
            table = file.rows(split, 0, file.count(split))
            domain = table.arrays["domain"]
            np.testing.assert_array_equal(np.sort(table.sample), np.arange(len(samples)))
            np.testing.assert_array_equal(table.arrays["label"], samples.labels[table.sample])
            assert np.ptp(np.bincount(domain)) <= 1
            pixels, theirs = samples.inputs[table.sample], table.arrays["pixels"]
            np.testing.assert_array_equal(theirs[domain == 0], pixels[domain == 0])
            np.testing.assert_array_equal(theirs[domain == 1], 255 - pixels[domain == 1])
        table = file.rows("train", 0, file.count("train"))
        seen = [np.unique(table.arrays["domain"][table.client == u]) for u in range(10)]
        np.testing.assert_array_equal(np.concatenate(seen), [0, 0, 0, 1, 1, 1, 2, 2, 3, 3])


def test_domains_do_not_change_with_the_partition(tmp_path):
    """So that no sample moves to another domain when clients are dealt otherwise."""
    shown = []
    for number in (4, 20):
        with ClientFile(clients_of(tmp_path, f"{number}.h5", domains=FOUR, clients=number)) as file:
            table = file.rows("train", 0, file.count("train"))
        order = np.argsort(table.sample)
        shown.append((table.arrays["domain"][order], table.arrays["pixels"][order]))
    for first, second in zip(*shown, strict=True):
        np.testing.assert_array_equal(first, second)


def test_a_shifted_client_is_tested_on_its_own_shift(tmp_path):
    test = load(DATA, None).test
    with ClientFile(clients_of(tmp_path, domains=["plain", "shifted"])) as file:
        assert file.client_ids("test") == [*"56789", SERVER]
        table = file.rows("test", 0, file.count("test"))
    np.testing.assert_array_equal(np.bincount(table.client), [5, 5, 5, 5, 5, 25])
    for client in range(5):
        rows = np.flatnonzero(table.client == client)
        whose = Origin("test", table.sample[rows], 5 + client, 3)
        np.testing.assert_array_equal(
            table.arrays["pixels"][rows], STEPS["shifted"](test.inputs[table.sample[rows]], whose)
        )
    with pytest.raises(UserError, match="shifted has 51 clients and 50 test samples"):
        clients_of(tmp_path, "many.h5", domains=["shifted"], clients=51)
