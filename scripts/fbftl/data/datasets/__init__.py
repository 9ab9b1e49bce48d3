"""Data sets behind one small interface: `check` before any job, `load` inside it.

A data set is described by the config block ``data`` of a task. Its ``kind`` names a module of this
package that offers two functions (see `Kind`).
Everything that is the same for every kind (the test split, the choice of classes, the limit for
quick runs) happens here and in `selection`.
"""

import json
import os
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from fbftl.data.datasets.base import Dataset, Outline, Samples, located_splits, valid_id
from fbftl.data.datasets.selection import (
    between,
    choose_classes,
    limit,
    portion,
    require_classes,
    require_labels,
    split_off_test,
    test_count,
)
from fbftl.ground.digests import listing_digest
from fbftl.ground.errors import UserError

KINDS = {
    "digits": "digits",
    "idx": "idx",
    "parquet": "parquet",
    "folder": "folder",
    "federated": "federated",
    "torchvision": "downloads",
    "groups": "groups",
    "table": "table",
    "features": "features",
}
"""Kind in the config to the module of this package that reads it."""

VECTORS = ("groups", "table", "features")
"""Kinds whose samples are vectors, no images."""


class Kind(Protocol):
    """What a module that reads one kind of data set offers.

    One whose files are not named under `train` and `test` has `files` too, which returns them.
    """

    def outline(self, spec: Mapping[str, Any], folder: Path | None) -> Outline:
        """Look at names, sizes, headers and labels, nothing more; raise `UserError`."""

    def read(
        self, spec: Mapping[str, Any], folder: Path | None
    ) -> tuple[Sequence[Samples], Sequence[str]]:
        """Return training samples and, if the set has its own, test samples; and class names."""


def check(spec: Mapping[str, Any], data_folder: str | Path | None) -> None:
    """Check a data set cheaply, before any job: its files' headers and sizes, and what is chosen.

    Raises:
        UserError: one sentence that names the file or the key and what to do.
    """
    known = outline(spec, data_folder)
    if 0 in known.counts:
        raise UserError(f"the data set of kind {spec['kind']!r} holds no samples; add some")
    for client in known.owners or ():
        if not valid_id(client):
            raise UserError(
                f"the data name a client {client!r}; use letters, digits, and . _ - + @, at most "
                "128 of them"
            )
    if known.labels:
        require_labels(known.labels, spec.get("classes") is not None)
    if spec.get("classes") is not None:
        require_classes(spec["classes"], known.classes)
    if spec.get("portion") is not None:
        between(_pool(spec, known), spec["portion"])


def outline(spec: Mapping[str, Any], data_folder: str | Path | None) -> Outline:
    """Return what is known of a data set; files are looked at again only when they have changed.

    Raises:
        UserError: if a file is missing or damaged, or is none of this kind.
    """
    now = []
    for path in files(spec, data_folder):
        status = os.stat(path)
        folder = listing_digest(path) if os.path.isdir(path) else None
        now.append((status.st_mtime_ns, status.st_size, folder))
    return _outlined(json.dumps(spec), data_folder, tuple(now))


@lru_cache(maxsize=32)
def _outlined(spec: str, data_folder: str | Path | None, _: tuple[object, ...]) -> Outline:
    block = json.loads(spec)
    return _kind(block).outline(block, _folder(data_folder))


def files(spec: Mapping[str, Any], data_folder: str | Path | None) -> list[str]:
    """Return the files and folders that the config names, for the workflow to watch."""
    if (files_of := getattr(_kind(spec), "files", None)) is not None:
        return files_of(spec, _folder(data_folder))
    splits = located_splits(spec, _folder(data_folder)).values()
    return [str(path) for paths in splits for path in paths]


def module(spec: Mapping[str, Any]) -> str:
    """Return the dotted name of the module that reads this kind of data set."""
    return f"fbftl.data.datasets.{KINDS[spec['kind']]}"


def load(spec: Mapping[str, Any], data_folder: str | Path | None) -> Dataset:
    """Read a data set, split off a test set if it has none, and keep the chosen classes.

    Args:
        spec: the config block ``data``: ``kind``, the kind's own keys, ``test_fraction``,
            ``portion``, ``classes``, ``limit`` and ``seed``.
        data_folder: where relative file names start.

    Raises:
        UserError: as `check`, on damaged files, or a choice that leaves no samples.
    """
    check(spec, data_folder)
    (train, *test), names = _kind(spec).read(spec, _folder(data_folder))
    seed = spec.get("seed", 0)
    if not test:
        train, *test = split_off_test(train, spec.get("test_fraction", 0.2), seed)
    dataset = Dataset(train, *test, tuple(names))
    if spec.get("portion") is not None:
        dataset = portion(dataset, spec["portion"], seed)
    if spec.get("classes") is not None:
        dataset = choose_classes(dataset, spec["classes"])
    if spec.get("limit") is not None:
        dataset = limit(dataset, spec["limit"], seed)
    return dataset.settled()


def training_count(spec: Mapping[str, Any], data_folder: str | Path | None) -> int | None:
    """Return the number of training samples, or None where only reading the labels would tell.

    Args:
        spec: the config block ``data``, checked.
        data_folder: where relative file names start.

    Raises:
        UserError: if splitting off a test set, or the portion chosen, leaves nothing.
    """
    if spec.get("classes") is not None:
        return None
    samples = _pool(spec, outline(spec, data_folder))
    if spec.get("portion") is not None:
        first, last = between(samples, spec["portion"])
        samples = last - first
    return min(samples, (spec.get("limit") or {}).get("train", samples))


def class_count(spec: Mapping[str, Any], data_folder: str | Path | None) -> int:
    """Return the number of classes that are kept."""
    chosen = spec.get("classes")
    return len(outline(spec, data_folder).classes if chosen is None else chosen)


def image(spec: Mapping[str, Any], data_folder: str | Path | None) -> tuple[int, int, int] | None:
    """Return height, width and channels of the images, None where only reading would tell.

    Raises:
        UserError: if the first image says so and cannot be decoded.
    """
    known = outline(spec, data_folder)
    if known.first is None:
        return known.image
    _, height, width, channels = known.first.shape
    return height, width, channels


def named_clients(spec: Mapping[str, Any], data_folder: str | Path | None) -> int | None:
    """Return how many clients the data names at most, or None if it names none.

    Where the test set is split off, a client whose samples all fall into it is counted too.
    """
    owners = outline(spec, data_folder).owners
    return None if owners is None else len(owners)


def require_named_clients(
    task: str, block: Mapping[str, Any], data_folder: str | Path | None
) -> None:
    """Refuse a partition that the data gives where the data names no clients.

    Args:
        task: the task's name.
        block: its block of the configuration.
        data_folder: where relative file names start.

    Raises:
        UserError: naming the key and what to choose.
    """
    is_given = block["clients"]["partition"] == "given"
    if is_given and named_clients(block["data"], data_folder) is None:
        raise UserError(
            f"config: tasks.{task}.clients.partition is 'given', but the data names no clients; "
            "choose iid, shards, balanced_shards, dirichlet or dirichlet_equal"
        )


def _pool(spec: Mapping[str, Any], known: Outline) -> int:
    """Return the number of training samples before any are chosen.

    Raises:
        UserError: if splitting off the test set would leave one side empty.
    """
    train, *test = known.counts
    return train if test else train - test_count(train, spec.get("test_fraction", 0.2))


def _kind(spec: Mapping[str, Any]) -> Kind:
    return cast(Kind, import_module(module(spec)))


def _folder(data_folder: str | Path | None) -> Path | None:
    return None if data_folder is None else Path(data_folder)
