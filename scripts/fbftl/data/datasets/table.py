"""Tables of numbers and words, CSV or Parquet: a row is a sample, a vector of its columns.

Numbers are brought to mean 0 and variance 1 over the training rows. Words get a column for each
that the training rows have, 1 where it stands. A column that holds words in one file of CSV holds
words in the other too; a class of the test must occur in training. The columns of the class, of the
group that people are judged by and of the client that holds a row are no inputs, nor is the index
that pandas writes. Files are small enough to be read whole, which also the check does, once per
file.
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from fbftl.data.clients import valid_id
from fbftl.data.datasets.base import Samples, located, require_unpackable
from fbftl.data.datasets.columns import (
    is_text,
    kind_of,
    require_classes,
    require_readable,
    require_words,
)
from fbftl.data.datasets.selection import test_count
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream

NAMED = ("label_column", "group_column", "client_column")
"""Keys that name columns which are no inputs."""

MISSING = ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"]
"""Words that stand where a value is missing; the Adult data have question marks."""

INDEX = re.compile(r"Unnamed: 0(\.\d+)?|__index_level_\d+__")
"""Names that pandas gives an index without a name, if it does not leave the name empty."""


def check(spec: Mapping[str, Any], folder: Path | None) -> None:
    """Check that files hold the named columns, equal inputs, no gaps, and several classes.

    Raises:
        UserError: naming file and column.
    """
    train, test = tables(spec, folder)
    if test is not None and train.schema.names != test.schema.names:
        raise UserError(
            f"data.test: {spec['test']} has the columns {', '.join(test.schema.names)}, and "
            f"data.train {', '.join(train.schema.names)}; give both the same"
        )
    classes = class_names(spec, folder)
    if len(classes) < 2:
        raise UserError(
            f"data.train: {spec['train']} has one value only in the label column "
            f"'{spec['label_column']}'; name a column that distinguishes classes"
        )
    require_classes(spec["train"], spec["label_column"], train[spec["label_column"]], classes)
    if not _inputs(spec, train):
        raise UserError(f"data.train: {spec['train']} has no columns left as inputs; add some")
    for name in train.schema.names:
        for split, rows in (("train", train), ("test", test)):
            if rows is not None:
                where = f"data.{split}: {spec[split]}"
                require_readable(where, name, rows[name])
                if name in _inputs(spec, train) and kind_of(rows[name].type) == "words":
                    require_words(where, name, rows[name])
    if test is not None:
        _require_one_schema(spec, train, test)
    if spec["client_column"] is not None:
        for client in _values(spec, folder, "client_column").astype(str).tolist():
            if not valid_id(client):
                raise UserError(
                    f"data.train: {spec['train']} names a client {client!r}; use letters, digits, "
                    "and . _ - + @, at most 128 of them"
                )


def counts(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int]:
    """Return the number of training and of test rows."""
    train, test = tables(spec, folder)
    if test is not None:
        return train.num_rows, test.num_rows
    held_out = test_count(train.num_rows, spec["test_fraction"])
    return train.num_rows - held_out, held_out


def class_names(spec: Mapping[str, Any], folder: Path | None) -> tuple[str, ...]:
    """Return the values of the label column, ascending."""
    return tuple(map(str, _values(spec, folder, "label_column")))


def image(spec: Mapping[str, Any], folder: Path | None) -> None:
    """Return None: how many columns words make is known when they are read."""


def named_clients(spec: Mapping[str, Any], folder: Path | None) -> int | None:
    """Return how many clients the table names, None if it names none."""
    named = spec["client_column"] is not None
    return len(_values(spec, folder, "client_column")) if named else None


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[Samples, Samples, tuple[str, ...]]:
    """Return training and test samples; without a test file a share of the rows is held out."""
    train, test = tables(spec, folder)
    if test is None:
        held_out = test_count(train.num_rows, spec["test_fraction"])
        rows = stream(spec["seed"], "test split").permutation(train.num_rows)
        whole = train
        train, test = (whole.take(np.sort(part)) for part in (rows[held_out:], rows[:held_out]))
    columns = [_encoded(train[name], test[name]) for name in _inputs(spec, train)]
    inputs = (np.concatenate(parts, axis=1) for parts in zip(*columns, strict=True))
    levels = {key: _values(spec, folder, key) for key in NAMED if spec[key] is not None}

    def samples(values: np.ndarray, rows: pa.Table) -> Samples:
        codes = {
            key: np.searchsorted(values_of_key, _column(rows[spec[key]]))
            for key, values_of_key in levels.items()
        }
        owners = None
        if "client_column" in codes:
            owners = levels["client_column"].astype(str)[codes["client_column"]]
        return Samples(
            values[:, None, None], codes["label_column"], owners, codes.get("group_column")
        )

    of_train, of_test = inputs
    return samples(of_train, train), samples(of_test, test), class_names(spec, folder)


def notes(spec: Mapping[str, Any], folder: Path | None) -> list[str]:
    """Return a sentence on each file whose index is left out."""
    return [
        f"data.{split}: {spec[split]} has an index, {' and '.join(index)}, which is left out; give "
        "the column a name if it is an input."
        for split in ("train", "test")
        if spec.get(split)
        and (index := _index_of(_read_once(located(folder, spec[split], f"data.{split}"))))
    ]


def tables(spec: Mapping[str, Any], folder: Path | None) -> tuple[pa.Table, pa.Table | None]:
    """Return the tables of training and of test rows, None without a test file.

    Raises:
        UserError: if a file is no table, lacks a named column, or has gaps.
    """
    named = tuple(spec[key] for key in NAMED if spec[key] is not None)
    paths = [
        located(folder, spec[split], f"data.{split}")
        for split in ("train", "test")
        if spec.get(split)
    ]
    tables_read = [_read_once(path) for path in paths]
    words = tuple(
        sorted(
            name
            for name in set.intersection(*(set(table.schema.names) for table in tables_read))
            if len({kind_of(table[name].type) for table in tables_read}) > 1
        )
    )
    train, *test = (_complete(path, _read_once(path, words), named) for path in paths)
    return train, test[0] if test else None


def _read_once(path: Path, words: tuple[str, ...] = ()) -> pa.Table:
    at = path.stat()
    return _read(path, at.st_mtime_ns, at.st_size, words)


def _complete(path: Path, table: pa.Table, named: tuple[str, ...]) -> pa.Table:
    for column in named:
        if column not in table.schema.names:
            raise UserError(
                f"{path} has no column '{column}'; its columns are {', '.join(table.schema.names)}"
            )
    if "" in table.schema.names[1:]:
        raise UserError(
            f"{path}: column {table.schema.names.index('', 1) + 1} has no name; name it, "
            "or remove the column"
        )
    table = table.drop_columns([name for name in _index_of(table) if name not in named])
    gaps = {name: table[name].null_count for name in table.schema.names}
    gaps = {name: count for name, count in gaps.items() if count}
    if gaps:
        raise UserError(
            f"{path} lacks values in {', '.join(f'{n} ({count})' for n, count in gaps.items())}; "
            "fill them in, or leave these rows or columns out"
        )
    if not table.num_rows:
        raise UserError(f"{path} has no rows; add some")
    return table


@lru_cache(maxsize=4)
def _read(path: Path, changed: int, size: int, words: tuple[str, ...]) -> pa.Table:
    """Return a file's table; time and size tell whether it is still the same.

    Args:
        path: the file.
        changed: its time of change in ns.
        size: its bytes.
        words: columns of CSV whose values are words, whatever they look like.
    """
    try:
        if path.suffix == ".parquet":
            file = pyarrow.parquet.ParquetFile(path)
            groups = range(file.metadata.num_row_groups)
            claimed = sum(file.metadata.row_group(group).total_byte_size for group in groups)
            require_unpackable(path, claimed)
            table = file.read()
        else:
            with pyarrow.csv.open_csv(path) as start:
                texts = {name: pa.string() for name in start.schema.names if name.strip() in words}
            options = pyarrow.csv.ConvertOptions(column_types=texts)
            table = pyarrow.csv.read_csv(path, convert_options=options)
        names = [name.strip() for name in table.schema.names]
        odd = [name for name in names if not name.isprintable()]
        if odd:
            raise UserError(f"{path} has a column named {odd[0]!r}; its header line is damaged")
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise UserError(f"{path} has several columns '{twice[0]}'; give each its own name")
        columns = [_with_gaps(column) for column in table.columns]
        return pa.table(columns, names=names, metadata=table.schema.metadata)
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        reason = "".join(each if each.isprintable() else "\ufffd" for each in reason)
        raise UserError(
            f"{path} is no table ({reason}); give CSV with a header line, or Parquet"
        ) from error


def _with_gaps(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column with nulls for all that stands for a missing value."""
    if pa.types.is_dictionary(column.type):
        column = pa.chunked_array([chunk.dictionary_decode() for chunk in column.chunks])
    if pa.types.is_floating(column.type):
        return pc.if_else(pc.is_finite(column), column, None)
    if not is_text(column.type):
        return column
    words = pc.utf8_normalize(pc.utf8_trim_whitespace(column.cast(pa.string())), form="NFC")
    return pc.if_else(pc.is_in(words, pa.array(MISSING)), None, words)


def _index_of(table: pa.Table) -> list[str]:
    """Return the names of the columns that are an index of pandas, which numbers or names rows."""
    try:
        named = list((table.schema.pandas_metadata or {})["index_columns"])
    except (KeyError, TypeError, ValueError):
        named = []
    return [
        name
        for place, name in enumerate(table.schema.names)
        if name in named or INDEX.fullmatch(name) or (place == 0 and not name)
    ]


def _require_one_schema(spec: Mapping[str, Any], train: pa.Table, test: pa.Table) -> None:
    """Refuse a test file whose columns mean something else than the training file's.

    Raises:
        UserError: naming the first column of another kind, a class that no training row has, or a
            column none of whose words occurs in training.
    """
    for name in train.schema.names:
        kinds = [kind_of(table[name].type) for table in (train, test)]
        if kinds[0] != kinds[1]:
            raise UserError(
                f"column '{name}' holds {kinds[0]} in data.train ({spec['train']}) and {kinds[1]} "
                f"in data.test ({spec['test']}); give both the same"
            )
    label = spec["label_column"]
    unknown = np.setdiff1d(_column(test[label]), _column(train[label]))
    if len(unknown):
        raise UserError(
            f"data.test: {spec['test']} has the class {str(unknown[0])!r} in column '{label}', "
            f"which data.train ({spec['train']}) lacks; use the same class names in both"
        )
    for name in _inputs(spec, train):
        if kind_of(train[name].type) != "numbers":
            words = pc.unique(train[name].cast(pa.string()))
            if not pc.any(pc.is_in(test[name].cast(pa.string()), words)).as_py():
                raise UserError(
                    f"column '{name}' of data.test ({spec['test']}) shares no word with that of "
                    f"data.train ({spec['train']}); use the same words in both"
                )


def _inputs(spec: Mapping[str, Any], table: pa.Table) -> list[str]:
    named = {spec[key] for key in NAMED}
    return [name for name in table.schema.names if name not in named]


def _values(spec: Mapping[str, Any], folder: Path | None, key: str) -> np.ndarray:
    """Return the values of a named column in both files, ascending."""
    columns = [_column(table[spec[key]]) for table in tables(spec, folder) if table is not None]
    return np.unique(np.concatenate(columns))


def _column(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column's numbers, or its words."""
    kind = column.type
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return column.to_numpy()
    if is_text(kind) or pa.types.is_boolean(kind):
        return np.array(column.cast(pa.string()).to_pylist())
    raise UserError(f"a column of the table holds {kind}; leave it out, or make numbers or words")


def _encoded(train: pa.ChunkedArray, test: pa.ChunkedArray) -> tuple[np.ndarray, np.ndarray]:
    """Return a column of both splits as inputs, float32 (n, columns), by the training rows."""
    train_values, test_values = _column(train), _column(test)
    if train_values.dtype.kind in "iuf":
        train_values, test_values = train_values.astype(np.float64), test_values.astype(np.float64)
        mean, spread = train_values.mean(), train_values.std()
        # Of a constant column only what rounding leaves of its mean would be scaled up.
        if spread <= len(train_values) * np.finfo(np.float64).eps * np.abs(train_values).max():
            mean, spread = train_values[0], 1.0
        scaled = ((values[:, None] - mean) / spread for values in (train_values, test_values))
        return tuple(values.astype(np.float32) for values in scaled)
    words = np.unique(train_values)
    return tuple(
        (values[:, None] == words).astype(np.float32) for values in (train_values, test_values)
    )
