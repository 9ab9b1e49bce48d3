"""Tables of numbers and words, CSV or Parquet: a row is a sample, a vector of its columns.

Numbers are brought to mean 0 and variance 1 over the training rows. Words get a column for each
that the training rows have, 1 where it stands. A column that holds words in one file of CSV holds
words in the other too; a class of the test must occur in training. The columns of the class, of the
group that people are judged by and of the client that holds a row are no inputs, nor is the index
that pandas writes. Files are small enough to be read whole, which also the outline does.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from fbftl.data.datasets.base import (
    Outline,
    Samples,
    explaining,
    located_splits,
    require_unpackable,
)
from fbftl.data.datasets.selection import WHOLE, test_count
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream

NUMBER = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?$"
"""A number, also with a decimal comma."""

STRAY = 0.1
"""Share of a column's different values up to which words among numbers are mistakes."""

MOST_WORDS = 1000
"""Different words of a column at most, each of which makes an input."""

MANY_CLASSES = 100
"""Classes from which on labels are looked at for quantities and names of rows."""

LARGEST = 1e18
"""Larger numbers are mistakes: scaled by another column's rows they leave 32-bit floats."""


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column holds words."""
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def kind_of(kind: pa.DataType) -> str:
    """Return whether a column holds numbers, words, truth values or something else."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "numbers"
    if is_text(kind):
        return "words"
    return "truth values" if pa.types.is_boolean(kind) else str(kind)


def require_classes(file: str, name: str, column: pa.ChunkedArray, classes: Sequence[str]) -> None:
    """Refuse labels that are quantities, or names of the rows.

    Args:
        file: the training rows' file.
        name: of the column of labels.
        column: its values in training.
        classes: names of the classes that it makes.

    Raises:
        UserError: naming the column.
    """
    fractions = kind_of(column.type) == "numbers" and not all(map(WHOLE.fullmatch, classes))
    if len(classes) > MANY_CLASSES and (fractions or 2 * len(classes) > len(column)):
        raise UserError(
            f"data.train: {file} has {len(classes):,} different labels in column '{name}', which "
            "looks like a quantity or an identifier, not a class; name another column, or group "
            "its values into classes"
        )


def require_readable(where: str, name: str, column: pa.ChunkedArray) -> None:
    """Refuse a column of something else than numbers and words, and numbers that no float holds."""
    kind = kind_of(column.type)
    if kind == "numbers":
        largest = pc.max(pc.abs(column.cast(pa.float64(), safe=False))).as_py()
        if largest > LARGEST:
            raise UserError(
                f"{where} holds {largest:g} in column '{name}'; correct it or rescale the column"
            )
    elif kind not in ("words", "truth values"):
        raise UserError(
            f"{where} holds {kind} in column '{name}'; leave it out, or make numbers or words"
        )


def require_words(where: str, name: str, column: pa.ChunkedArray) -> None:
    """Refuse numbers among which are a few words or decimal commas, and too many words."""
    values = pc.unique(column)
    numbers = pc.filter(values, pc.match_substring_regex(values, NUMBER))
    commas = pc.filter(numbers, pc.match_substring(numbers, ","))
    words = pc.filter(values, pc.invert(pc.is_in(values, numbers)))
    odd = commas if len(commas) else words
    if len(odd) and len(words) <= STRAY * len(values):
        stray = odd[0]
        raise UserError(
            f"{where} has {stray.as_py()!r} in row {1 + pc.index(column, stray).as_py()} of the "
            f"column '{name}', whose other values are numbers; "
            + (
                "write numbers with decimal points and without commas"
                if len(commas)
                else "correct it, or begin every value with a letter if they are categories"
            )
        )
    if len(values) > MOST_WORDS:
        raise UserError(
            f"{where} has {len(values):,} different words in column '{name}', and each would be an "
            f"input; leave the column out, or group them into at most {MOST_WORDS:,}"
        )


NAMED = ("label_column", "group_column", "client_column")
"""Keys that name columns which are no inputs."""

MISSING = ["", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL"]
"""Words that stand where a value is missing; the Adult data have question marks."""

INDEX = re.compile(r"Unnamed: 0(\.\d+)?|__index_level_\d+__")
"""Names that pandas gives an index without a name, if it does not leave the name empty."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what the rows hold, which are read whole.

    How many columns words make is known when they are read.

    Raises:
        UserError: naming file and column, if files lack a named column, have gaps, unequal inputs,
            or one class.
    """
    splits, notes = _tables(spec, folder)
    train, label = splits["train"], spec["label_column"]
    schemas = {
        split: ", ".join(f"{name} ({kind_of(rows[name].type)})" for name in rows.schema.names)
        for split, rows in splits.items()
    }
    if len(set(schemas.values())) > 1:
        raise UserError(
            f"data.test: {spec['test']} has the columns {schemas['test']}, and data.train "
            f"{schemas['train']}; give both the same"
        )
    for name in train.schema.names:
        for split, rows in splits.items():
            where = f"data.{split}: {spec[split]}"
            require_readable(where, name, rows[name])
            if name in _inputs(spec, train) and kind_of(rows[name].type) == "words":
                require_words(where, name, rows[name])
    values = _values(splits, label)
    classes = tuple(map(str, values))
    require_classes(spec["train"], label, train[label], classes)
    if not _inputs(spec, train):
        raise UserError(f"data.train: {spec['train']} has no columns left as inputs; add some")
    labels = [
        np.array(classes)[np.searchsorted(values, _column(rows[label]))] for rows in splits.values()
    ]
    owners = None
    if spec["client_column"] is not None:
        owners = _values(splits, spec["client_column"]).astype(str).tolist()
    counts = [rows.num_rows for rows in splits.values()]
    if "test" not in splits:
        held_out = test_count(train.num_rows, spec["test_fraction"])
        counts = [train.num_rows - held_out, held_out]
    return Outline(counts, classes, labels=labels, owners=owners, notes=notes)


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return training and test samples; without a test file a share of the rows is held out."""
    splits, _ = _tables(spec, folder)
    levels = {key: _values(splits, spec[key]) for key in NAMED if spec[key] is not None}
    if "test" not in splits:
        whole = splits["train"]
        held_out = test_count(whole.num_rows, spec["test_fraction"])
        rows = stream(spec["seed"], "test split").permutation(whole.num_rows)
        for split, part in (("train", rows[held_out:]), ("test", rows[:held_out])):
            splits[split] = whole.take(np.sort(part))
    train, test = splits["train"], splits["test"]
    columns = [_encoded(train[name], test[name]) for name in _inputs(spec, train)]
    inputs = (np.concatenate(parts, axis=1) for parts in zip(*columns, strict=True))

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

    classes = tuple(map(str, levels["label_column"]))
    return [samples(*pair) for pair in zip(inputs, (train, test), strict=True)], classes


def _tables(spec: Mapping[str, Any], folder: Path | None) -> tuple[dict[str, pa.Table], list[str]]:
    """Return the table of each split that has a file, and a sentence on each index left out.

    Raises:
        UserError: if a file is no table, lacks a named column, or has gaps.
    """
    paths = {split: path for split, (path,) in located_splits(spec, folder).items()}
    tables = {split: _read(path, ()) for split, path in paths.items()}
    shared = set.intersection(*(set(table.schema.names) for table in tables.values()))
    words = {
        name for name in shared if len({kind_of(table[name].type) for table in tables.values()}) > 1
    }
    if words:
        tables = {split: _read(path, words) for split, path in paths.items()}
    notes = [
        f"data.{split}: {spec[split]} has an index, "
        f"{' and '.join(name or 'a column without a name' for name in index)}, which is left out; "
        "give the column a name if it is an input."
        for split, table in tables.items()
        if (index := _index_of(table))
    ]
    named = [spec[key] for key in NAMED if spec[key] is not None]
    complete = {split: _complete(path, tables[split], named) for split, path in paths.items()}
    return complete, notes


def _complete(path: Path, table: pa.Table, named: Collection[str]) -> pa.Table:
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


def _read(path: Path, words: Collection[str]) -> pa.Table:
    """Return a file's table.

    Args:
        path: the file.
        words: columns of CSV whose values are words, whatever they look like.
    """
    with explaining(path):
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
        if odd := [name for name in names if not name.isprintable()]:
            raise UserError(f"{path} has a column named {odd[0]!r}; its header line is damaged")
        if twice := [name for name in names if names.count(name) > 1]:
            raise UserError(f"{path} has several columns '{twice[0]}'; give each its own name")
        columns = [_with_gaps(column) for column in table.columns]
        return pa.table(columns, names=names, metadata=table.schema.metadata)


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


def _inputs(spec: Mapping[str, Any], table: pa.Table) -> list[str]:
    named = {spec[key] for key in NAMED}
    return [name for name in table.schema.names if name not in named]


def _values(splits: Mapping[str, pa.Table], name: str) -> np.ndarray:
    """Return the values of a column in both files, ascending."""
    return np.unique(np.concatenate([_column(table[name]) for table in splits.values()]))


def _column(column: pa.ChunkedArray) -> np.ndarray:
    """Return a column's numbers, or its words."""
    if kind_of(column.type) == "numbers":
        return column.to_numpy()
    return np.array(column.cast(pa.string()).to_pylist())


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
