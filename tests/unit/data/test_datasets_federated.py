import h5py
import numpy as np
import partition_clients
import pytest
from fbftl.data.clients import ClientFile
from fbftl.data.datasets import check, load
from fbftl.ground.errors import UserError

SPEC = {"kind": "federated", "train": "train.h5", "test": "test.h5"}
SIZES = {"f0000_14": 3, "f0001_41": 1, "f0002_03": 4}


def pixels_of(client, split="train"):
    rng = np.random.default_rng([*client.encode(), *split.encode()])
    return rng.integers(0, 256, (SIZES[client], 5, 4), dtype=np.uint8)


def fill(examples, split, encode=lambda pixels: (pixels / 255).astype(np.float32)):
    for client, size in SIZES.items():
        examples[f"{client}/pixels"] = encode(pixels_of(client, split))
        examples[f"{client}/label"] = np.arange(size, dtype=np.int32) % 3


@pytest.fixture
def folder(tmp_path):
    """EMNIST as TensorFlow Federated gives it: float pixels, one file per split."""
    for split in ("train", "test"):
        with h5py.File(tmp_path / f"{split}.h5", "w") as file:
            fill(file.create_group("examples"), split)
    with h5py.File(tmp_path / "both.h5", "w") as file:
        for split in ("train", "test"):
            fill(file.create_group(f"{split}/examples"), split, encode=lambda pixels: pixels)
    return tmp_path


def test_pixels_labels_and_owners(folder):
    check(SPEC, folder)
    data = load(SPEC, folder)
    expected = np.concatenate([pixels_of(client) for client in SIZES])
    np.testing.assert_array_equal(data.train.inputs[..., 0], expected)
    assert data.train.labels.tolist() == [0, 1, 2, 0, 0, 1, 2, 0]
    assert data.train.owners.tolist() == np.repeat(list(SIZES), list(SIZES.values())).tolist()
    assert data.classes == ("0", "1", "2")


def test_labels_of_cifar100_in_columns(tmp_path):
    with h5py.File(tmp_path / "train.h5", "w") as file:
        for client in ("0", "1"):
            file[f"examples/{client}/pixels"] = np.zeros((6, 3, 4, 3), np.uint8)
            file[f"examples/{client}/label"] = np.arange(6)[:, None]
    spec = {"kind": "federated", "train": "train.h5", "test_fraction": 0.25}
    check(spec, tmp_path)
    assert load(spec, tmp_path).train.labels.shape == (9,)


def test_given_partition_keeps_the_users_clients(folder, tmp_path):
    out = tmp_path / "clients.h5"
    partition_clients.main("fbftl.data.images", out, SPEC, {"partition": "given"}, folder, 0)
    with ClientFile(out) as file:
        for split in ("train", "test"):
            assert file.client_ids(split) == list(SIZES)
            np.testing.assert_array_equal(file.samples_per_client(split), list(SIZES.values()))
        first = file.rows("train", 0, 3)
    np.testing.assert_array_equal(first.arrays["pixels"][..., 0], pixels_of("f0000_14"))
    np.testing.assert_array_equal(first.sample, np.arange(3))


def test_a_file_that_would_fill_the_memory(folder, monkeypatch):
    monkeypatch.setattr("fbftl.data.datasets.base.MAX_BYTES", 100)
    with pytest.raises(UserError, match="more than 100; split it"):
        check(SPEC, folder)


def test_files_of_another_kind(folder):
    (folder / "train.h5").write_text("no HDF5")
    with pytest.raises(UserError, match=r"train.h5 cannot be read"):
        check(SPEC, folder)
    h5py.File(folder / "train.h5", "w").close()
    with pytest.raises(UserError, match="has no group 'examples'"):
        check(SPEC, folder)
    (folder / "train.h5").unlink()
    with pytest.raises(UserError, match=r"data.train: .*train.h5 is missing"):
        check(SPEC, folder)


@pytest.mark.parametrize(
    ("name", "rows", "kinds"),
    [
        ("label", np.zeros((3, 2), np.int64), r"int64 of shape \(1,\) and int64 of shape \(2,\)"),
        ("label", np.full((3, 1), 0.7), r"float64 of shape \(1,\) and int64"),
        (
            "pixels",
            np.zeros((3, 5, 4), np.uint8),
            r"uint8 of shape \(4, 4\) and uint8 of shape \(5",
        ),
    ],
)
def test_clients_whose_arrays_differ_are_refused_before_any_job(tmp_path, name, rows, kinds):
    alike = {"pixels": np.zeros((3, 4, 4), np.uint8), "label": np.zeros((3, 1), np.int64)}
    with h5py.File(tmp_path / "train.h5", "w") as file:
        for client, arrays in {"a": alike, "b": alike | {name: rows}}.items():
            for key, values in arrays.items():
                file[f"examples/{client}/{key}"] = values
    with pytest.raises(UserError, match=f"rows of '{name}' are {kinds}"):
        check(SPEC | {"test": "train.h5"}, tmp_path)
