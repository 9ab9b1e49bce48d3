"""What a data set is: samples with labels, train and test, and where its files lie."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.files import message_of

IN_MEMORY_BYTES = 2**30
"""Images that decode to at most this much are decoded at once; larger sets stay encoded."""

BLOCK = 1024
"""Samples decoded at a time where a whole set is walked."""

MAX_BYTES = 32 * 2**30
"""What a file says it holds is read into memory, so one that unpacks to more is refused."""


@contextmanager
def explaining(path: object) -> Iterator[None]:
    """Turn what readers raise on a file that is damaged or wrong into one sentence on it."""
    try:
        yield
    except UserError:
        raise
    except Exception as error:  # of what is damaged, formats and codecs raise whatever they find
        raise UserError(
            f"{path} cannot be read ({message_of(error)}); correct it or make it anew"
        ) from error


def require_one_shape(train: Sequence[int], test: Sequence[int]) -> None:
    """Refuse test images of another shape than the training images have.

    Args:
        train: height, width and, if there are any, channels.
        test: height, width and channels of the test images.

    Raises:
        UserError: naming both.
    """
    if tuple(train) != tuple(test):
        sizes = (" by ".join(map(str, shape)) for shape in (test, train))
        raise UserError(
            "data.test holds images of {} and data.train of {}; give both the same".format(*sizes)
        )


def require_unpackable(path: object, claimed: int) -> None:
    """Refuse a file before any memory is taken for what it says that it holds.

    Args:
        path: the file.
        claimed: bytes in memory.

    Raises:
        UserError: if that is more than `MAX_BYTES`.
    """
    if claimed > MAX_BYTES:
        raise UserError(
            f"{path} claims to unpack to {claimed} bytes, more than {MAX_BYTES}; "
            "split it into smaller files"
        )


MAX_CLASSES = 100_000
"""No data set has more; a label beyond is a mistake, or made to exhaust memory."""


def valid_id(client: str) -> bool:
    """Tell whether a client id can be used: no slash, no leading dot, no blanks."""
    return re.fullmatch(r"\w[\w.+@-]{0,127}", client) is not None


def numbered(largest: int, where: object) -> tuple[str, ...]:
    """Return names for classes that are only numbered, from 0 to the largest label.

    Args:
        largest: the largest label.
        where: what holds it, for the message.

    Raises:
        UserError: if that makes more classes than `MAX_CLASSES`.
    """
    if largest >= MAX_CLASSES:
        raise UserError(
            f"{where} holds the class {largest}; count classes from 0, at most {MAX_CLASSES} of "
            "them, or correct which of the data are labels"
        )
    return tuple(str(label) for label in range(largest + 1))


class Images(Protocol):
    """Images as uint8 NHWC: a NumPy array, or `EncodedImages`, which decodes what is sliced.

    A vector, a row of a table of numbers, is an image of one pixel with a channel for each of its
    columns, float32 (n, 1, 1, width): all that names no pixels treats both alike.
    """

    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, rows: slice) -> np.ndarray: ...

    def take(self, rows: np.ndarray, axis: int) -> "Images":
        """Return the images of the given rows, as NumPy's `take` does along axis 0."""


@dataclass(frozen=True)
class Samples:
    """Samples of one split.

    inputs: images, uint8 [n, height, width, channels], or vectors, float32 [n, 1, 1, width].
    labels: classes, int64 [n].
    owners: id of the client that holds each sample, str [n], where the data says so.
    groups: group that each sample is judged by, int64 [n], where the data has groups of people.
    """

    inputs: Images
    labels: np.ndarray
    owners: np.ndarray | None = None
    groups: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: np.ndarray) -> "Samples":
        """Return the samples of the given rows; images that stay encoded remain so."""
        owners = None if self.owners is None else self.owners[rows]
        groups = None if self.groups is None else self.groups[rows]
        return Samples(self.inputs.take(rows, axis=0), self.labels[rows], owners, groups)

    def settled(self) -> "Samples":
        """Return these samples, decoded at once if that takes little memory."""
        if isinstance(self.inputs, np.ndarray):
            return self
        if int(np.prod(self.inputs.shape, dtype=np.int64)) > IN_MEMORY_BYTES:
            return self
        return replace(self, inputs=self.inputs[0 : len(self)])


@dataclass(frozen=True)
class Dataset:
    """Training and test samples with the names of the classes."""

    train: Samples
    test: Samples
    classes: tuple[str, ...]

    def __iter__(self) -> Iterator[tuple[str, Samples]]:
        yield "train", self.train
        yield "test", self.test

    def settled(self) -> Self:
        """Return this data set, decoded at once if that takes little memory."""
        return type(self)(self.train.settled(), self.test.settled(), self.classes)


@dataclass(frozen=True)
class Outline:
    """What is known of a data set before any job, while its samples are unread.

    counts: training samples and, if the set has its own, test samples.
    classes: a name for each class, None where only reading the data would tell it.
    image: height, width and channels of the images, None where only reading the data would tell.
    first: the first image, where only decoding it tells these.
    labels: that occur in each split, where they are stored.
    owners: ids of clients that the data name, None if they name none.
    notes: sentences on what of the data is left out or may be meant otherwise.
    """

    counts: Sequence[int]
    classes: Sequence[str | None]
    image: tuple[int, int, int] | None = None
    first: Images | None = None
    labels: Sequence[np.ndarray] = ()
    owners: Sequence[str] | None = None
    notes: Sequence[str] = ()


def digest(dataset: Dataset) -> str:
    """Return the SHA-256 of a data set's decoded content, in hex.

    It covers class names and, per split, shape, labels and pixels, so that equal images give an
    equal digest whatever files they came from. Who owns a sample is not part of it.
    """
    content = hashlib.sha256(json.dumps(dataset.classes).encode())
    for name, samples in dataset:
        content.update(f"{name} {tuple(samples.inputs.shape)}".encode())
        content.update(samples.labels.astype("<i8").tobytes())
        for first in range(0, len(samples), BLOCK):
            content.update(np.ascontiguousarray(samples.inputs[first : first + BLOCK]))
    return content.hexdigest()


def located(folder: Path | None, name: str, key: str) -> Path:
    """Return where a file or folder named in the config lies.

    Args:
        folder: the config's ``data_folder``; not needed for absolute names.
        name: file name as in the config.
        key: config key of the name, for the message.

    Raises:
        UserError: if there is no data folder, or nothing of that name.
    """
    if folder is None and not Path(name).is_absolute():
        raise UserError(
            f"{key} names {name}, but data_folder is not set; set it to the folder that holds it"
        )
    path = Path(name) if folder is None else folder / name
    if not path.exists():
        raise UserError(f"{key}: {path} is missing; put it there or correct data_folder or {key}")
    return path


def located_splits(spec: Mapping[str, Any], folder: Path | None) -> dict[str, list[Path]]:
    """Return the files or folders of each split, of which the config may name `train` and `test`.

    Args:
        spec: the config block ``data``; a split is a name, a list of names, or names by key, which
            come in the keys' order.
        folder: the config's ``data_folder``.

    Raises:
        UserError: as `located`.
    """
    splits = {}
    for split in ("train", "test"):
        match spec.get(split):
            case None:
                continue
            case str(name):
                named = [(f"data.{split}", name)]
            case {**by_key}:
                named = [(f"data.{split}.{key}", name) for key, name in sorted(by_key.items())]
            case names:
                named = [(f"data.{split}", name) for name in names]
        splits[split] = [located(folder, name, key) for key, name in named]
    return splits
