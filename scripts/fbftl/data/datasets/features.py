"""Features of one's own: a vector and a class for each sample.

Config: `path`, a file of .npy, .npz, .parquet or .safetensors, or the folder of a feature store.
`features`, `labels`, `clients` and `split` name its arrays or columns where these are called
otherwise; a name that ends in .npy is a file of its own. The test split is `test` (a further file
with `path`, `labels`, `clients`), the rows whose `split` is test, or `test_fraction` of all rows.
The clients count for `partition: given`. An array `sample` numbers the samples, which are taken in
this order. `sha256` is that of `path`, of a store that of its `zarr.json`.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.clients import SERVER
from fbftl.data.datasets.arrays import arrays_in, explaining
from fbftl.data.datasets.base import Samples, located, numbered
from fbftl.data.datasets.selection import split_off_test
from fbftl.data.datasets.stores import splits_of
from fbftl.ground.errors import UserError

NEEDED, OPTIONAL = ("features", "labels"), ("clients", "split", "sample")
"""What is known of each sample."""

IS_TEST = {"train": False, "test": True, "0": False, "1": True, "False": False, "True": True}
"""What an array `split` may hold, as text."""

Table = dict[str, np.ndarray]
"""What is known of the samples of a file, or of a store's split; `split` is true of the test's."""


def check(spec: Mapping[str, Any], folder: Path | None) -> None:
    """Check headers, and all but the vectors.

    Raises:
        UserError: naming file, fault and remedy.
    """
    tables = _tables(spec, folder, whole=False)
    if len({table["features"].shape[1] for table in tables}) > 1:
        raise UserError("vectors of data.path and data.test differ in length; give both the same")
    _names(spec, tables)


def counts(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int | None]:
    """Return the number of training and of test samples, None where no sample is the test's yet."""
    train, *test = _tables(spec, folder, whole=False)
    held_out = int(train["split"].sum()) if "split" in train else 0
    rows = len(train["labels"]) - held_out
    return rows, len(test[0]["labels"]) if test else held_out or None


def class_names(spec: Mapping[str, Any], folder: Path | None) -> tuple[str, ...]:
    """Return the words that label samples, ascending, or else the numbers up to the largest."""
    return _names(spec, _tables(spec, folder, whole=False))


def image(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int, int]:
    """Return the shape of a vector as an image."""
    return 1, 1, _tables(spec, folder, whole=False)[0]["features"].shape[1]


def named_clients(spec: Mapping[str, Any], folder: Path | None) -> int | None:
    """Return the number of clients that hold samples, None if they are not named."""
    owners = _tables(spec, folder, whole=False)[0].get("clients")
    return None if owners is None else len(np.unique(owners))


def files(spec: Mapping[str, Any], folder: Path | None) -> list[str]:
    """Return the files and folders that are named, for the workflow to watch."""
    blocks = [block for block in (spec, spec["test"]) if block is not None]
    named = [value for block in blocks for key, value in block.items() if _is_file(key, value)]
    return [str(located(folder, name, "data.path")) for name in named]


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[Samples, Samples, tuple[str, ...]]:
    """Return training and test samples, which share none, and the names of the classes.

    Raises:
        UserError: as `check`, or if a value is no finite number or a vector is in both splits.
    """
    tables = _tables(spec, folder, whole=True)
    names = _names(spec, tables)
    with explaining(located(folder, spec["path"], "data.path")):
        samples, *test = (_samples(table, names) for table in tables)
        if test:
            splits = samples, test[0]
        elif "split" in tables[0]:
            of_test = tables[0]["split"]
            splits = samples.take(np.flatnonzero(~of_test)), samples.take(np.flatnonzero(of_test))
        else:
            splits = split_off_test(samples, spec["test_fraction"], spec["seed"])
        _require_apart(*splits)
    return *splits, names


def _is_file(key: str, value: Any) -> bool:
    return key == "path" or (key in (*NEEDED, *OPTIONAL) and str(value).endswith(".npy"))


def _tables(spec: Mapping[str, Any], folder: Path | None, whole: bool) -> list[Table]:
    """Return the samples of `path`, and of `test` if it is given; of a store those of both splits.

    Without `whole` no file is read as a whole, and vectors are zeros.
    """
    path = located(folder, spec["path"], "data.path")
    if path.is_dir():
        if needless := [key for key in ("test", *NEEDED, "clients", "split") if spec[key]]:
            raise UserError(f"data.{needless[0]}: {path} is a store and says it; leave it out")
        train, test = splits_of(path, spec["sha256"], whole)
        if not test["clients"].any():
            # Of a test set that belongs to nobody the store calls the server client 0.
            test["clients"] = np.full(len(test["clients"]), SERVER)
        with explaining(path):
            return [_settled(train), _settled(test)]
    if spec["test"] is None:
        return [_table(spec, folder, whole)]
    of_columns = {key: spec[key] for key in NEEDED if not _is_file(key, spec[key])}
    tables = [_table(block, folder, whole) for block in (spec, {**of_columns, **spec["test"]})]
    if "split" in tables[0]:
        raise UserError(f"{path} has a split, and data.test names a file; leave one of them out")
    return tables


def _table(block: Mapping[str, Any], folder: Path | None, whole: bool) -> Table:
    """Return the arrays that a block names of a file, and of those that it names for one."""
    path = located(folder, block["path"], "data.path")
    table = {}
    with arrays_in(path, block.get("sha256"), whole) as arrays:
        for key in (*NEEDED, *OPTIONAL):
            name = block.get(key) or key
            if _is_file(key, name):
                with arrays_in(located(folder, name, f"data.{key}"), None, whole) as of_file:
                    table[key] = of_file["features"](whole)
            elif name in arrays:
                table[key] = arrays[name](whole)
            elif key in NEEDED or name != key:
                there = ", ".join(arrays)
                raise UserError(
                    f"{path} has no {name}; give data.{key} a .npy file or one of {there}"
                )
        return _settled(table)


def _settled(table: Table) -> Table:
    """Return a table in the order of its samples' numbers, with words and clients as text.

    Raises:
        ValueError, KeyError: if arrays do not fit each other, or hold what they cannot be.
    """
    rows = len(table["features"])
    for key, values in table.items():
        axes = 2 if key == "features" else 1
        if values.ndim != axes or len(values) != rows or not values.size:
            raise ValueError(f"{rows} samples, and {key} of the shape {list(values.shape)}")
        if values.dtype.kind == "S":
            table[key] = np.char.decode(values)
    labels, kind = table["labels"], table["labels"].dtype.kind
    if kind not in "iubU" or (kind == "i" and labels.min() < 0):
        raise ValueError("labels that are neither words nor whole numbers from 0")
    if table["features"].dtype.kind not in "fiu":
        raise ValueError(f"features of {table['features'].dtype}")
    if "split" in table:
        words = table["split"].astype(str)
        if unknown := set(words.tolist()) - IS_TEST.keys():
            raise ValueError(f"a split {min(unknown)!r}, which is neither train nor test")
        table["split"] = np.array([IS_TEST[word] for word in words])
    if "clients" in table:
        text = table["clients"].astype(str)
        # Padded, numbers keep their order as words.
        is_number = table["clients"].dtype.kind in "iu"
        table["clients"] = np.char.zfill(text, max(map(len, text))) if is_number else text
    if "sample" not in table:
        return table
    order = np.argsort(table["sample"])
    twice = np.flatnonzero(np.diff(table["sample"][order]) == 0)
    if len(twice):
        raise ValueError(f"sample {table['sample'][order][twice[0]]} occurs twice")
    return {key: values[order] for key, values in table.items()}


def _names(spec: Mapping[str, Any], tables: Sequence[Table]) -> tuple[str, ...]:
    labels = np.concatenate([table["labels"] for table in tables])
    if labels.dtype.kind == "U":
        return tuple(np.unique(labels).tolist())
    return numbered(int(labels.max()), spec["path"])


def _samples(table: Table, names: tuple[str, ...]) -> Samples:
    """Return the samples of a table; vectors are images of one pixel (`datasets.base.Images`)."""
    with np.errstate(over="ignore"):
        values = table["features"].astype(np.float32)
    wrong = np.flatnonzero(~np.isfinite(values).all(axis=1))
    if len(wrong):
        raise ValueError(f"sample {wrong[0]} has a value that is no finite number of 32 bits")
    labels = table["labels"]
    if labels.dtype.kind == "U":
        labels = np.searchsorted(np.array(names), labels)
    return Samples(values[:, None, None], labels.astype(np.int64), table.get("clients"))


def _require_apart(train: Samples, test: Samples) -> None:
    """Refuse vectors that are both in the training and in the test split.

    Of zeros alone, which ReLU can leave of any sample, nothing follows.
    """
    # Added to zero, zeros of both signs are one.
    of_train, of_test = (
        ((0 + row).tobytes() for row in np.asarray(samples.inputs) if row.any())
        for samples in (train, test)
    )
    tested = set(of_test)
    if shared := sum(row in tested for row in of_train):
        raise ValueError(f"{shared} training samples are among the test samples too")
