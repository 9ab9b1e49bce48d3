"""Images in Parquet files, in Hugging Face's column layout.

The image column is a struct whose field ``bytes`` holds the encoded file; the label column holds
integers. Config: ``train: file`` (or a list of shards) and, if the set has its own, ``test``;
``image_column``, ``label_column``, ``size`` (pixels) and ``channels``.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from fbftl.data.datasets.base import Outline, Samples, located, numbered, require_unpackable
from fbftl.data.datasets.images import EncodedImages, shape_wanted
from fbftl.data.datasets.selection import WHOLE
from fbftl.ground.errors import UserError

ROW_BYTES = 128
"""What a row takes in memory beside its image: label, place and name. A footer's count is free."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what footers, labels and the first image say.

    Raises:
        UserError: on a file that is damaged, lacks a column, or would not fit memory.
    """
    splits = _paths(spec, folder)
    labels = [
        np.concatenate([_labels(path, *_columns(spec)) for path in paths]) for paths in splits
    ]
    rows = [sum(pq.read_metadata(path).num_rows for path in paths) for paths in splits]
    classes = _named(splits[0][0], spec, max(int(found.max(initial=0)) for found in labels))
    shape = shape_wanted(spec)
    first = _first(splits[0], spec) if shape is None and rows[0] else None
    return Outline(rows, classes, shape, first, labels)


def _first(paths: Sequence[Path], spec: Mapping[str, Any]) -> EncodedImages:
    path = next(path for path in paths if pq.read_metadata(path).num_rows)
    column = f"{_columns(spec)[0]}.bytes"
    with _explaining(path):
        # With a buffer of its own the reader takes in no whole column of images.
        rows = next(pq.ParquetFile(path, buffer_size=2**16).iter_batches(1, columns=[column]))
        source = rows.column(0).field("bytes")[0].as_py()
    if source is None:
        raise _lacking(path)
    return EncodedImages([source], [f"image 0 of {path}"], spec.get("channels", 3), None)


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return the samples, still encoded; class names from the metadata if it has them."""
    splits = _paths(spec, folder)
    samples = [_read_split(spec, paths) for paths in splits]
    largest = max(int(split.labels.max()) for split in samples)
    return samples, _named(splits[0][0], spec, largest)


def _columns(spec: Mapping[str, Any]) -> tuple[str, str]:
    return spec.get("image_column", "img"), spec.get("label_column", "label")


def _paths(spec: Mapping[str, Any], folder: Path | None) -> list[list[Path]]:
    """Return the files of each split that there is."""
    named = {split: spec[split] for split in ("train", "test") if spec.get(split)}
    return [
        [
            located(folder, name, f"data.{split}")
            for name in ([names] if isinstance(names, str) else names)
        ]
        for split, names in named.items()
    ]


def _open(path: Path, image: str, label: str) -> pq.ParquetFile:
    with _explaining(path):
        file = pq.ParquetFile(path)
        schema = file.schema_arrow
    for column in (image, label):
        if column not in schema.names:
            raise UserError(
                f"{path} has no column {column!r}; set data.image_column and data.label_column "
                f"to two of {', '.join(schema.names)}"
            )
    kind = schema.field(image).type
    if not (pa.types.is_struct(kind) and kind.get_field_index("bytes") >= 0):
        raise UserError(
            f"{path}: column {image!r} is {kind}, not a struct with the field 'bytes'; "
            "store images in Hugging Face's layout"
        )
    stored = kind.field("bytes").type
    if not (pa.types.is_binary(stored) or pa.types.is_large_binary(stored)):
        raise UserError(
            f"{path}: field 'bytes' of column {image!r} is {stored}, not binary; store each "
            "image's encoded file there"
        )
    if not pa.types.is_integer(schema.field(label).type):
        raise UserError(
            f"{path}: column {label!r} is {schema.field(label).type}, not integer; "
            "store class numbers there"
        )
    groups = [file.metadata.row_group(group) for group in range(file.metadata.num_row_groups)]
    unpacked = sum(group.total_byte_size for group in groups)
    require_unpackable(path, unpacked + ROW_BYTES * file.metadata.num_rows)
    # As a dictionary, an image that rows repeat is in memory once, however often it is named.
    return pq.ParquetFile(path, metadata=file.metadata, read_dictionary=[f"{image}.bytes"])


def _read_split(spec: Mapping[str, Any], paths: list[Path]) -> Samples:
    image, label = _columns(spec)
    sources: list[bytes] = []
    names: list[str] = []
    labels = []
    for path in paths:
        before, file = len(sources), _open(path, image, label)
        for group in range(file.metadata.num_row_groups):
            with _explaining(path):
                table = file.read_row_group(group, columns=[f"{image}.bytes", label])
            chunks = table.column(image).chunks
            encoded = [source for chunk in chunks for source in _rows(chunk.field("bytes"))]
            classes = table.column(label)
            if None in encoded or classes.null_count:
                raise _lacking(path)
            sources += encoded
            labels.append(classes.to_numpy().astype(np.int64))
        names += [f"image {row} of {path}" for row in range(len(sources) - before)]
    images = EncodedImages(sources, names, spec.get("channels", 3), spec.get("size"))
    return Samples(images, np.concatenate(labels))


def _rows(encoded: pa.DictionaryArray) -> Iterator[bytes | None]:
    """Yield each row's image; rows that repeat one share it."""
    images = encoded.dictionary.to_pylist()
    return (None if code is None else images[code] for code in encoded.indices.to_pylist())


def _labels(path: Path, image: str, label: str) -> np.ndarray:
    """Return the labels that occur in a file.

    The footer's statistics are left alone: Arrow ends the process where they are damaged.
    """
    file = _open(path, image, label)
    with _explaining(path):
        found = pc.unique(file.read([label]).column(label))
        return found.drop_null().to_numpy().astype(np.int64)


def _named(path: Path, spec: Mapping[str, Any], largest: int) -> tuple[str, ...]:
    """Return class names for labels from 0 to the largest."""
    names = _class_names(path, spec)
    return names if len(names) > largest else numbered(largest, path)


def _class_names(path: Path, spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the class names that Hugging Face's ``datasets`` leaves in a file's metadata."""
    image, label = _columns(spec)
    metadata = _open(path, image, label).schema_arrow.metadata or {}
    try:
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        names = tuple(str(name) for name in features[label]["names"])
    except (KeyError, TypeError, ValueError):
        return ()
    chosen = [each for each in spec.get("classes") or () if isinstance(each, int)]
    if chosen and names != tuple(map(str, range(len(names)))) and any(map(WHOLE.fullmatch, names)):
        raise UserError(
            f"data.classes has {chosen[0]}, which may be a label of {path} or its name, as in "
            f"'{names[0]}' for label 0; choose by names, in quotes"
        )
    return names


def _lacking(path: Path) -> UserError:
    return UserError(f"{path} has rows without an image or a label; remove them")


@contextmanager
def _explaining(path: Path) -> Iterator[None]:
    """Turn what Arrow raises on a damaged file into one sentence."""
    try:
        yield
    except (pa.ArrowException, OSError, KeyError, StopIteration) as error:
        raise UserError(f"{path} is damaged or not a Parquet file; fetch it again") from error
