"""Images in Parquet files, in Hugging Face's column layout.

The image column is a struct whose field ``bytes`` holds the encoded file; the label column holds
integers. Config: ``train: file`` (or a list of shards) and, if the set has its own, ``test``;
``image_column``, ``label_column``, ``size`` (pixels) and ``channels``.
"""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from fbftl.data.datasets.base import (
    Outline,
    Samples,
    explaining,
    located_splits,
    numbered,
    require_unpackable,
)
from fbftl.data.datasets.images import EncodedImages, shape_wanted
from fbftl.data.datasets.selection import WHOLE
from fbftl.ground.errors import UserError


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what footers, labels and the first image say.

    Raises:
        UserError: on a file that is damaged, lacks a column, or would not fit memory.
    """
    splits = [*located_splits(spec, folder).values()]
    labels = [_labels(paths, spec) for paths in splits]
    shape = shape_wanted(spec)
    first = _first(splits[0], spec) if shape is None and len(labels[0]) else None
    counts = [len(of_split) for of_split in labels]
    return Outline(counts, _names(splits[0][0], spec, labels), shape, first, labels)


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return the samples, still encoded; class names from the metadata if it has them."""
    splits = [*located_splits(spec, folder).values()]
    labels = [_labels(paths, spec) for paths in splits]
    images = [_images(paths, spec) for paths in splits]
    samples = [Samples(*of_split) for of_split in zip(images, labels, strict=True)]
    return samples, _names(splits[0][0], spec, labels)


def _columns(spec: Mapping[str, Any]) -> tuple[str, str]:
    return spec.get("image_column", "img"), spec.get("label_column", "label")


def _open(path: Path, spec: Mapping[str, Any], **options: int) -> pq.ParquetFile:
    image, label = _columns(spec)
    with explaining(path):
        file = pq.ParquetFile(path, **options)
        schema = file.schema_arrow
    for column in (image, label):
        if column not in schema.names:
            raise UserError(
                f"{path} has no column {column!r}; set data.image_column and data.label_column "
                f"to two of {', '.join(schema.names)}"
            )
    kind = schema.field(image).type
    stored = {field.name: field.type for field in kind} if pa.types.is_struct(kind) else {}
    if stored.get("bytes") not in (pa.binary(), pa.large_binary()):
        raise UserError(
            f"{path}: column {image!r} is {kind}, not a struct whose field 'bytes' is binary; "
            "store images in Hugging Face's layout"
        )
    if not pa.types.is_integer(schema.field(label).type):
        raise UserError(
            f"{path}: column {label!r} is {schema.field(label).type}, not integer; "
            "store class numbers there"
        )
    groups = [file.metadata.row_group(group) for group in range(file.metadata.num_row_groups)]
    require_unpackable(path, sum(group.total_byte_size for group in groups))
    return file


def _encoded(path: Path, spec: Mapping[str, Any], most: int | None = None) -> list[bytes]:
    """Return the images of a file; at most the first few if a number is given."""
    column, batch = f"{_columns(spec)[0]}.bytes", most or 1024
    # With a buffer of its own the reader takes in no whole column of images.
    file = _open(path, spec, buffer_size=2**16)
    encoded: list[bytes] = []
    with explaining(path):
        for rows in file.iter_batches(batch, columns=[column]):
            encoded += rows.column(0).field("bytes").to_pylist()
            if most is not None:
                break
    return _complete(path, encoded)


def _complete(path: Path, values: Any) -> Any:
    """Return the values of a column, of which none may be missing."""
    missing = None in values if isinstance(values, list) else values.null_count
    if missing:
        raise UserError(f"{path} has rows without an image or a label; remove them")
    return values


def _first(paths: Sequence[Path], spec: Mapping[str, Any]) -> EncodedImages:
    images = ((f"image 0 of {path}", _encoded(path, spec, most=1)) for path in paths)
    name, source = next(each for each in images if each[1])
    return EncodedImages(source, [name], spec.get("channels", 3), None)


def _images(paths: Sequence[Path], spec: Mapping[str, Any]) -> EncodedImages:
    of_files = {path: _encoded(path, spec) for path in paths}
    names = [f"image {row} of {path}" for path in paths for row in range(len(of_files[path]))]
    sources = [source for path in paths for source in of_files[path]]
    return EncodedImages(sources, names, spec.get("channels", 3), spec.get("size"))


def _labels(paths: Sequence[Path], spec: Mapping[str, Any]) -> np.ndarray:
    """Return the labels of a split.

    The footer's statistics are left alone: Arrow ends the process where they are damaged.
    """
    label = _columns(spec)[1]
    labels = []
    for path in paths:
        file = _open(path, spec)
        with explaining(path):
            column = _complete(path, file.read([label]).column(label))
            labels.append(column.to_numpy().astype(np.int64))
    return np.concatenate(labels)


def _names(path: Path, spec: Mapping[str, Any], labels: Sequence[np.ndarray]) -> tuple[str, ...]:
    """Return class names for labels from 0 to the largest."""
    largest = max(int(of_split.max(initial=0)) for of_split in labels)
    names = _class_names(path, spec)
    return names if len(names) > largest else numbered(largest, path)


def _class_names(path: Path, spec: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the class names that Hugging Face's ``datasets`` leaves in a file's metadata."""
    metadata = _open(path, spec).schema_arrow.metadata or {}
    try:
        features = json.loads(metadata[b"huggingface"])["info"]["features"]
        names = tuple(str(name) for name in features[_columns(spec)[1]]["names"])
    except (KeyError, TypeError, ValueError):
        return ()
    chosen = [each for each in spec.get("classes") or () if isinstance(each, int)]
    if chosen and names != tuple(map(str, range(len(names)))) and any(map(WHOLE.fullmatch, names)):
        raise UserError(
            f"data.classes has {chosen[0]}, which may be a label of {path} or its name, as in "
            f"'{names[0]}' for label 0; choose by names, in quotes"
        )
    return names
