"""Features of one's own: a vector and a class for each sample.

Config: `path`, a file of .npy, .npz, .parquet or .safetensors, or the folder of a feature store.
`features`, `labels`, `clients` and `split` name its arrays or columns where these are called
otherwise; a name that ends in .npy is a file of its own. The test split is `test` (a further file
with `path`, `labels`, `clients`), the rows whose `split` is test, or `test_fraction` of all rows.
The clients count for `partition: given`. An array `sample` numbers the samples, which are taken in
this order. `sha256` is that of `path`, which then holds all arrays; of a store that of its
`zarr.json`.
"""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.clients import SERVER
from fbftl.data.datasets.arrays import Stored, arrays_in, splits_of, vectors
from fbftl.data.datasets.base import Outline, Samples, explaining, located, numbered
from fbftl.ground.errors import UserError

NEEDED, OPTIONAL = ("features", "labels"), ("clients", "split", "sample")
"""What is known of each sample."""

KINDS = {
    "features": "fiu",
    **dict.fromkeys(("labels", "split"), "iubU"),
    **dict.fromkeys(("clients", "sample"), "iuU"),
}
"""NumPy's letters of the types that each may have: numbers, whole numbers, truth values, words."""

IS_TEST = {"train": False, "test": True, "0": False, "1": True, "False": False, "True": True}
"""What an array `split` may hold, as text."""

Table = dict[str, np.ndarray]
"""What is known of the samples of a split, by what it is; or of a file, with its `split`."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what headers, and all but the vectors, say.

    Classes are the words that label samples, ascending, or else the numbers up to the largest.

    Raises:
        UserError: naming file, fault and remedy.
    """
    tables = _tables(spec, folder, whole=False)
    labels = [table["labels"] for table in tables]
    owners = tables[0].get("clients")
    return Outline(
        [len(of_split) for of_split in labels],
        _names(spec, tables),
        (1, 1, tables[0]["features"].shape[1]),
        labels=labels,
        owners=None if owners is None else np.unique(owners).tolist(),
    )


def files(spec: Mapping[str, Any], folder: Path | None) -> list[str]:
    """Return the files and folders that are named, for the workflow to watch."""
    blocks = {"data": spec} if spec["test"] is None else {"data": spec, "data.test": spec["test"]}
    return [
        str(located(folder, block[key], f"{where}.{key}"))
        for where, block in blocks.items()
        for key in ("path", *_in_own_files(block))
    ]


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return training samples, test samples if they are given, and the names of the classes.

    Raises:
        UserError: as `outline`, or if a value is no finite number or a sample is in both splits.
    """
    tables = _tables(spec, folder, whole=True)
    names = _names(spec, tables)
    return [_samples(table, names) for table in tables], names


def _in_own_files(block: Mapping[str, Any]) -> list[str]:
    """Return which arrays a block names a .npy file for."""
    return [key for key in (*NEEDED, *OPTIONAL) if str(block.get(key)).endswith(".npy")]


def _tables(spec: Mapping[str, Any], folder: Path | None, whole: bool) -> list[Table]:
    """Return the training samples and, unless they are a fraction of these, the test samples.

    Without `whole` vectors are zeros of their shape, which are not read.
    """
    path = located(folder, spec["path"], "data.path")
    if path.is_dir():
        return _of_store(spec, path, whole)
    tables = [_table(spec, folder, whole, "data")]
    if spec["test"] is not None:
        columns = {key: spec[key] for key in NEEDED if key not in _in_own_files(spec)}
        tables.append(_table(columns | spec["test"], folder, whole, "data.test"))
        if any("split" in table for table in tables):
            raise UserError(
                f"{path} or data.test has an array split, but data.test gives the test samples "
                "already; leave one of the two out"
            )
    elif "split" in tables[0]:
        of_test = tables[0].pop("split")
        tables = [_rows(tables[0], np.flatnonzero(of_test == is_test)) for is_test in (0, 1)]
    if len({table["features"].shape[1] for table in tables}) > 1:
        raise UserError("vectors of data.path and data.test differ in length; give both the same")
    if whole and len(tables) > 1:
        _require_apart(path, *tables)
    return tables


def _of_store(spec: Mapping[str, Any], path: Path, whole: bool) -> list[Table]:
    """Return both splits of a store; its numbers of samples count each split on its own."""
    if needless := [key for key in ("test", *NEEDED, "clients", "split") if spec[key]]:
        raise UserError(f"data.{needless[0]}: {path} is a store and has it already; leave it out")
    with explaining(path):
        tables = [
            {key: _fit(key, of_split[key], whole) for key in of_split}
            for of_split in splits_of(path, spec["sha256"])
        ]
    if set(tables[1]["clients"].tolist()) == {"0"}:
        # Of a test set that belongs to nobody the store calls the server client 0.
        tables[1]["clients"] = np.full(len(tables[1]["clients"]), SERVER)
    return [_ordered(table, path) for table in tables]


def _table(block: Mapping[str, Any], folder: Path | None, whole: bool, where: str) -> Table:
    """Return the arrays that a block of the config, called `where`, names."""
    path, apart = located(folder, block["path"], f"{where}.path"), _in_own_files(block)
    table = {}
    with explaining(path):
        arrays = arrays_in(path, block.get("sha256") if whole else None)
        for key in (*NEEDED, *OPTIONAL):
            name = block.get(key) or key
            if key in apart:
                npy = located(folder, name, f"{where}.{key}")
                with explaining(npy):
                    table[key] = _fit(key, arrays_in(npy)["features"], whole)
            elif name in arrays:
                table[key] = _fit(key, arrays[name], whole)
            elif key in NEEDED or name != key:
                raise UserError(
                    f"{path} has no {name}; give {where}.{key} a .npy file or one of "
                    f"{', '.join(arrays)}"
                )
    return _ordered(table, path)


def _fit(key: str, stored: Stored, whole: bool) -> np.ndarray:
    """Return an array as what it is named for, clients as text, `split` as whether it is test.

    Raises:
        ValueError: if it cannot be that.
    """
    if len(stored.shape) != (2 if key == "features" else 1) or not math.prod(stored.shape):
        raise ValueError(f"{key} of the shape {list(stored.shape)}")
    if key == "features" and not whole:
        return np.broadcast_to(np.float32(0), stored.shape)
    values = stored.read()
    if values.dtype.kind not in KINDS[key]:
        raise ValueError(f"{key} of the type {values.dtype}")
    match key:
        case "features":
            return vectors(values)
        case "clients":
            text = values.astype(str)
            # Padded, numbers keep their order as words.
            return text if values.dtype.kind == "U" else np.char.zfill(text, max(map(len, text)))
        case "split":
            words = values.astype(str)
            if unknown := set(words.tolist()) - IS_TEST.keys():
                raise ValueError(f"a split {min(unknown)!r}, which is neither train nor test")
            return np.array([IS_TEST[word] for word in words])
    return values


def _ordered(table: Table, path: Path) -> Table:
    """Return a table in the order of its samples' numbers, if it has them."""
    rows = len(table["features"])
    for key, values in table.items():
        if len(values) != rows:
            raise UserError(f"{path}: {rows} vectors but {len(values)} {key}; give each vector one")
    if "sample" not in table:
        return table
    order = np.argsort(table["sample"])
    sample = table["sample"][order]
    if len(twice := sample[1:][sample[1:] == sample[:-1]]):
        raise UserError(f"{path}: sample {twice[0]} occurs twice; number each sample once")
    return _rows(table, order)


def _rows(table: Table, rows: np.ndarray) -> Table:
    """Return rows of a table; of vectors that are not read, and repeat one zero, as many."""
    return {
        key: values[rows] if values.strides[0] else values[: len(rows)]
        for key, values in table.items()
    }


def _names(spec: Mapping[str, Any], tables: list[Table]) -> tuple[str, ...]:
    labels = [table["labels"] for table in tables]
    if len({of.dtype.kind == "U" for of in labels}) > 1:
        raise UserError(
            "labels are words in one split and numbers in the other; use the same labels in both "
            f"({spec['path']} and data.test)"
        )
    if labels[0].dtype.kind == "U":
        return tuple(np.unique(np.concatenate(labels)).tolist())
    return numbered(max(int(of.max(initial=0)) for of in labels), spec["path"])


def _samples(table: Table, names: tuple[str, ...]) -> Samples:
    """Return the samples of a table; vectors are images of one pixel (`datasets.base.Images`)."""
    labels = table["labels"]
    if labels.dtype.kind == "U":
        labels = np.searchsorted(np.array(names), labels)
    vectors = table["features"][:, None, None]
    return Samples(vectors, labels.astype(np.int64), table.get("clients"))


def _require_apart(path: Path, train: Table, test: Table) -> None:
    """Refuse samples that are in both splits, by their numbers or else by their vectors.

    Of zeros alone, which ReLU can leave of any sample, nothing follows.
    """
    numbered_all = "sample" in train and "sample" in test

    def names(table: Table) -> set[object]:
        if numbered_all:
            return set(table["sample"].tolist())
        # Added to zero, zeros of both signs are one.
        return {(0 + row).tobytes() for row in table["features"] if row.any()}

    if shared := len(names(train) & names(test)):
        raise UserError(
            f"{path}: {shared} training samples are among the test samples too; take them out of "
            "one split, or number all samples by an array `sample` if only their vectors are equal"
        )
