import numpy as np
import pytest
from fbftl.data.datasets import check, load
from fbftl.data.datasets.base import Dataset, Samples, digest, located
from fbftl.data.datasets.selection import (
    choose_classes,
    limit,
    portion,
    require_classes,
    require_labels,
    split_off_test,
)
from fbftl.ground.errors import UserError
from hypothesis import given
from hypothesis import strategies as st


def numbered(count, classes=3):
    """Samples whose only pixel says which they are."""
    pixels = np.arange(count, dtype=np.uint8).reshape(count, 1, 1, 1)
    return Samples(
        pixels, np.arange(count) % classes, np.array([f"u{i % 2}" for i in range(count)])
    )


def dataset(train=20, test=10):
    return Dataset(numbered(train), numbered(test), ("a", "b", "c"))


def test_digits_are_bytes_with_one_channel():
    from sklearn.datasets import load_digits

    check({"kind": "digits"}, None)
    digits = load({"kind": "digits", "test_fraction": 0.2}, None)
    assert digits.train.inputs.shape == (1438, 8, 8, 1)
    assert len(digits.test) == 359
    assert digits.train.inputs.dtype == np.uint8
    assert digits.train.inputs.max() == 255
    assert digits.classes == tuple("0123456789")
    restored = np.concatenate([digits.train.inputs, digits.test.inputs]) / 255 * 16
    sums = np.rint(restored).sum(axis=(1, 2, 3))
    np.testing.assert_array_equal(np.sort(sums), np.sort(load_digits().images.sum(axis=(1, 2))))


def test_the_same_block_loads_the_same_set_and_another_seed_another_split():
    spec = {"kind": "digits", "limit": {"train": 50, "test": 20}}
    first, again = load(spec, None), load(spec, None)
    other = load({**spec, "seed": 1}, None)
    assert digest(first) == digest(again) != digest(other)
    assert (len(first.train), len(first.test)) == (50, 20)


@given(st.integers(2, 200), st.floats(0.01, 0.99), st.integers(0, 99))
def test_split_covers_the_pool(count, fraction, seed):
    expected = round(fraction * count)
    if not 0 < expected < count:
        with pytest.raises(UserError, match=r"data.test_fraction"):
            split_off_test(numbered(count), fraction, seed)
        return
    train, test = split_off_test(numbered(count), fraction, seed)
    rows = [part.inputs.ravel().tolist() for part in (train, test)]
    assert len(rows[1]) == expected
    assert sorted(rows[0] + rows[1]) == list(range(count))
    assert all(part == sorted(part) for part in rows)
    np.testing.assert_array_equal(test.labels, test.inputs.ravel() % 3)


def test_chosen_classes_are_renumbered_in_the_order_given():
    chosen = choose_classes(dataset(), [2, 0])
    assert chosen.classes == ("c", "a")
    original = chosen.train.inputs.ravel() % 3
    assert set(original.tolist()) == {0, 2}
    np.testing.assert_array_equal(chosen.train.labels, np.where(original == 2, 0, 1))
    assert chosen.train.owners.shape == chosen.train.labels.shape


@pytest.mark.parametrize(
    ("names", "wanted", "places"),
    [
        ("3 4 5 6 7 8", [3, 4], [0, 1]),  # case 05: labels of a table
        ("1 2 3 4 5", [5, "1"], [4, 0]),  # folders of these names
        ("-1.0 1.0", [1, -1], [1, 0]),
        ("a b c", [1, 2], [1, 2]),
    ],
)
def test_numbers_are_names_of_classes_where_these_are_numbers(names, wanted, places):
    assert require_classes(wanted, names.split()) == places


@pytest.mark.parametrize(("names", "wanted"), [("1 2 cat", [0]), ("3 4", [0, 1]), ("1 01", [1])])
def test_places_that_could_be_names_are_refused(names, wanted):
    with pytest.raises(UserError, match=r"choose different classes of .* by their names"):
        require_classes(wanted, names.split())


@pytest.mark.parametrize(
    ("labels", "sentence"),
    [
        ([[1, 2], [1]], "no class 0, their least label is 1; count classes from 0, or name"),
        ([[0, -1], [0]], "negative classes, their least label is -1; count classes from 0$"),
        ([[0, 1], [0, 7]], "data.test has the class 7, of which data.train has no sample"),
        ([["a", "b"], ["c"]], "data.test has the class c, of which data.train has no sample"),
    ],
)
def test_labels_that_no_training_sample_or_no_class_has_are_refused(labels, sentence):
    labels = [np.array(of_split) for of_split in labels]
    with pytest.raises(UserError, match=sentence):
        require_labels(labels, chosen=False)
    if "negative" not in sentence:
        require_labels(labels, chosen=True)


@given(st.integers(2, 200), st.floats(0, 1), st.integers(0, 99))
def test_neighbouring_portions_share_no_sample_and_cover_the_training_set(count, share, seed):
    whole = dataset(train=count)
    middle = round(share * count)
    for between, kept in ([0.0, share], middle), ([share, 1.0], count - middle):
        if kept == 0:
            with pytest.raises(UserError, match=r"data.portion .* leaves no training samples"):
                portion(whole, between, seed)
            return
    parts = [portion(whole, between, seed) for between in ([0.0, share], [share, 1.0])]
    rows = [part.train.inputs.ravel().tolist() for part in parts]
    assert len(rows[0]) == middle
    assert sorted(rows[0] + rows[1]) == list(range(count))
    assert all(part == sorted(part) for part in rows)
    assert all(len(part.test) == len(whole.test) for part in parts)


def test_limit_keeps_at_most_so_many():
    few = limit(dataset(), {"train": 5, "test": 99}, 0)
    assert (len(few.train), len(few.test)) == (5, 10)
    np.testing.assert_array_equal(few.train.labels, few.train.inputs.ravel() % 3)
    assert len(limit(dataset(), {"test": 3}, 0).train) == 20


def test_digest_sees_pixels_labels_classes_and_the_split_but_not_owners():
    base = dataset()
    pixels = base.train.inputs.copy()
    pixels[3] ^= 1
    labels = base.train.labels.copy()
    labels[3] = (labels[3] + 1) % 3
    others = [
        Dataset(Samples(pixels, base.train.labels), base.test, base.classes),
        Dataset(Samples(base.train.inputs, labels), base.test, base.classes),
        Dataset(base.train, base.test, ("a", "b", "d")),
        Dataset(base.test, base.train, base.classes),
    ]
    assert len({digest(base), *map(digest, others)}) == 5
    anonymous = Samples(base.train.inputs, base.train.labels)
    assert digest(Dataset(anonymous, base.test, base.classes)) == digest(base)


def test_files_are_looked_for_in_the_data_folder(tmp_path):
    (tmp_path / "there").touch()
    assert located(tmp_path, "there", "data.train") == tmp_path / "there"
    assert located(None, str(tmp_path / "there"), "data.train") == tmp_path / "there"
    with pytest.raises(UserError, match=r"data.train: .*absent is missing"):
        located(tmp_path, "absent", "data.train")
    with pytest.raises(UserError, match="data_folder is not set"):
        located(None, "there", "data.train")
