from dataclasses import replace

import h5py
import numpy as np
import pytest
from fbftl.data.clients import Client, ClientFile, write_clients
from fbftl.data.datasets.base import valid_id
from fbftl.ground.errors import UserError
from hypothesis import given, settings
from hypothesis import strategies as st


def image_clients(sizes, seed=0):
    """Clients with the given sizes and their samples as one table."""
    rng = np.random.default_rng(seed)
    count = sum(sizes)
    pixels = rng.integers(0, 256, (count, 3, 4, 1), dtype=np.uint8)
    label = rng.integers(0, 5, count)
    sample = rng.permutation(count)
    clients, first = [], 0
    for u, size in enumerate(sizes):
        rows = slice(first, first + size)
        clients.append(
            Client(f"{u:03d}", sample[rows], {"pixels": pixels[rows], "label": label[rows]})
        )
        first += size
    return clients, pixels, label, sample


@pytest.fixture
def path(tmp_path):
    return tmp_path / "clients.h5"


@pytest.fixture
def written(path):
    clients, *table = image_clients([3, 1, 5])
    write_clients(path, {"train": clients, "test": clients[:1]}, {"classes": '["a"]'})
    return path, table


@given(
    sizes=st.lists(st.integers(1, 9), min_size=1, max_size=8),
    size=st.integers(1, 40),
    share=st.floats(0, 1),
)
@settings(max_examples=60, deadline=None)
def test_batches_walk_the_table_from_any_row(tmp_path_factory, sizes, size, share):
    path = tmp_path_factory.mktemp("walk") / "clients.h5"
    clients, pixels, label, sample = image_clients(sizes)
    write_clients(path, {"train": clients})
    start = round(share * sum(sizes))
    with ClientFile(path) as file:
        batches = list(file.batches("train", size, start))
        assert file.count("train") == sum(sizes)
        np.testing.assert_array_equal(file.samples_per_client("train"), sizes)
    assert all(len(batch.sample) == size for batch in batches[:-1])
    if start == sum(sizes):
        assert batches == []
        return
    np.testing.assert_array_equal(
        np.concatenate([batch.arrays["pixels"] for batch in batches]), pixels[start:]
    )
    np.testing.assert_array_equal(
        np.concatenate([batch.arrays["label"] for batch in batches]), label[start:]
    )
    np.testing.assert_array_equal(
        np.concatenate([batch.sample for batch in batches]), sample[start:]
    )
    owners = np.repeat(np.arange(len(sizes)), sizes)[start:]
    np.testing.assert_array_equal(np.concatenate([batch.client for batch in batches]), owners)


@pytest.mark.parametrize("block", [1, 100, 10_000])
def test_rows_of_clients_are_written_block_by_block(path, monkeypatch, block):
    monkeypatch.setattr("fbftl.data.clients.BLOCK_BYTES", block)
    monkeypatch.setattr("fbftl.data.clients.CHUNK_BYTES", block)
    taken = []

    class Lazy:
        def __init__(self, values):
            self.shape, self.dtype, self.values = values.shape, values.dtype, values

        def __getitem__(self, rows):
            taken.append(rows.stop - rows.start)
            return self.values[rows]

    clients, pixels, *_ = image_clients([3, 1, 50, 9, 2])
    lazy = [
        replace(each, arrays={**each.arrays, "pixels": Lazy(each.arrays["pixels"])})
        for each in clients
    ]
    write_clients(path, {"train": lazy})
    assert max(taken) == 1 or max(taken) * 12 <= block
    with ClientFile(path) as file:
        np.testing.assert_array_equal(file.column("train", "pixels"), pixels)


def test_clients_come_in_the_order_of_their_ids(path):
    with pytest.raises(ValueError, match="client 001 comes after 002"):
        write_clients(path, {"train": image_clients([1, 2, 3])[0][::-1]})


@pytest.mark.parametrize(
    ("damage", "words"),
    [
        (lambda file: file.__delitem__("train"), "cannot be read"),
        (lambda file: file["train/ends"].__setitem__(1, 3), "do not end in order"),
        (lambda file: file["train/ends"].__setitem__(2, 21), "arrays of"),
        (lambda file: file["train/samples/label"].resize(2**60, axis=0), "arrays of"),
        (lambda file: file["train/groups"].resize(8, axis=0), "arrays of"),
        (lambda file: file.__delitem__("train/samples/sample"), "arrays of"),
    ],
)
def test_a_damaged_split_is_refused(path, damage, words):
    clients, *_ = image_clients([3, 1, 5])
    clients = [replace(each, group=each.sample) for each in clients]
    write_clients(path, {"train": clients, "test": clients[:1]})
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises(UserError, match=words) as caught, ClientFile(path) as file:
        file.count("train")
    assert str(path) in str(caught.value)


@given(
    st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20),
        min_size=1,
        max_size=9,
    )
)
@settings(max_examples=40, deadline=None)
def test_texts_survive(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("texts") / "clients.h5"
    ids = [f"id-{row}" for row in range(len(texts))]
    clients = [
        Client("a", np.arange(len(texts)), {"dialogue": texts, "id": ids}),
        Client("b", np.arange(1), {"dialogue": ["last\r\n😀"], "id": ["x"]}),
    ]
    write_clients(path, {"train": clients})
    with ClientFile(path) as file:
        batch = next(file.batches("train", 100))
    assert batch.arrays["dialogue"] == [*texts, "last\r\n😀"]
    assert batch.arrays["id"] == [*ids, "x"]


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "/a", ".a", "a b", "a\n", "a\0", "x" * 129])
def test_dangerous_ids_are_refused(path, name):
    assert not valid_id(name)
    with pytest.raises(UserError, match="cannot name a client"):
        write_clients(path, {"train": [Client(name, np.arange(1), {"label": np.arange(1)})]})


@pytest.mark.parametrize("name", ["0", "0042", "f0000_14", "ALL_S_WELL", "a.b-c@d+e", "Zoë"])
def test_ids_of_the_field_are_accepted(name):
    assert valid_id(name)


@pytest.mark.parametrize(
    ("clients", "words"),
    [
        ([], "has no clients"),
        ([Client("a", np.arange(0), {"label": np.arange(0)})], "client a has no samples"),
        ([Client("a", np.arange(2), {"label": np.arange(3)})], "3 rows of 'label' for 2 samples"),
        ([Client("a", np.arange(1), {"dialogue": ["a\0b"]})], "NUL or a lone surrogate"),
        ([Client("a", np.arange(1), {"dialogue": ["\ud800"]})], "NUL or a lone surrogate"),
    ],
)
def test_clients_that_cannot_be_written(path, clients, words):
    with pytest.raises(UserError, match=words):
        write_clients(path, {"train": clients})
    assert list(path.parent.iterdir()) == []


def test_missing_and_foreign_files(tmp_path):
    with pytest.raises(UserError, match="is missing"):
        ClientFile(tmp_path / "none.h5")
    (tmp_path / "text.h5").write_text("label,pixels\n")
    with pytest.raises(UserError, match="cannot be read"):
        ClientFile(tmp_path / "text.h5")
