"""Data sets behind one small interface: `check` before any job, `load` inside it.

A data set is described by the config block ``data`` of a task. Its ``kind`` names a module of this
package that offers five functions (see `Kind`), and `named_clients` where data name their clients.
Everything that is the same for every kind (the test split, the choice of classes, the limit for
quick runs) happens here and in `selection`.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from fbftl.data.datasets.base import Dataset, Samples, located
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
from fbftl.ground.errors import UserError
from fbftl.ground.missing import Missing

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

    One whose labels are stored has `labels` too, which returns those that occur in each split.
    """

    def check(self, spec: Mapping[str, Any], folder: Path | None) -> None:
        """Look at names, sizes and headers of the files, nothing more; raise `UserError`."""

    def counts(self, spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int | None]:
        """Return training samples, and test samples if the set has its own; none is read."""

    def class_names(self, spec: Mapping[str, Any], folder: Path | None) -> tuple[str | None, ...]:
        """Return a name for each class, None where only reading the data would tell it."""

    def image(self, spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int, int] | None:
        """Return height, width and channels of the images, None where only decoding would tell."""

    def read(
        self, spec: Mapping[str, Any], folder: Path | None
    ) -> tuple[Samples, Samples | None, tuple[str, ...]]:
        """Return training samples, test samples if the set has its own, and class names."""


def check(spec: Mapping[str, Any], data_folder: str | Path | None) -> None:
    """Check a data set cheaply, before any job: its files' headers and sizes, and what is chosen.

    Raises:
        UserError: one sentence that names the file or the key and what to do.
    """
    kind, folder = _kind(spec), _folder(data_folder)
    kind.check(spec, folder)
    if (labels_of := getattr(kind, "labels", None)) is not None:
        require_labels(labels_of(spec, folder), spec.get("classes") is not None)
    names = kind.class_names(spec, folder)
    if spec.get("classes") is not None:
        require_classes(spec["classes"], names)
    if spec.get("portion") is not None:
        between(_pool(spec, folder), spec["portion"])


def files(spec: Mapping[str, Any], data_folder: str | Path | None) -> list[str]:
    """Return the files and folders that the config names, for the workflow to watch."""
    if (files_of := getattr(_kind(spec), "files", None)) is not None:
        return files_of(spec, _folder(data_folder))
    paths: list[str] = []
    for split in ("train", "test"):
        named = spec.get(split) or []
        names = [named] if isinstance(named, str) else named
        names = list(names.values()) if isinstance(names, Mapping) else names
        for name in names:
            paths.append(str(located(_folder(data_folder), name, f"data.{split}")))
    return paths


def module(spec: Mapping[str, Any]) -> str:
    """Return the dotted name of the module that reads this kind of data set.

    Raises:
        UserError: if there is no such kind.
    """
    kind = spec["kind"]
    if kind not in KINDS:
        raise UserError(f"data.kind is {kind!r}; choose one of {', '.join(KINDS)}")
    return f"fbftl.data.datasets.{KINDS[kind]}"


def load(spec: Mapping[str, Any], data_folder: str | Path | None) -> Dataset:
    """Read a data set, split off a test set if it has none, and keep the chosen classes.

    Args:
        spec: the config block ``data``: ``kind``, the kind's own keys, ``test_fraction``,
            ``portion``, ``classes``, ``limit`` and ``seed``.
        data_folder: where relative file names start.

    Raises:
        UserError: on missing or damaged files, or a choice that leaves no samples.
    """
    train, test, names = _kind(spec).read(spec, _folder(data_folder))
    if not len(train) or (test is not None and not len(test)):
        raise UserError(f"the data set of kind {spec['kind']!r} holds no samples; add some")
    seed = spec.get("seed", 0)
    if test is None:
        train, test = split_off_test(train, spec.get("test_fraction", 0.2), seed)
    dataset = Dataset(train, test, names)
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
    samples = _pool(spec, _folder(data_folder))
    if spec.get("portion") is not None:
        first, last = between(samples, spec["portion"])
        samples = last - first
    return min(samples, (spec.get("limit") or {}).get("train", samples))


def class_count(spec: Mapping[str, Any], data_folder: str | Path | None) -> int:
    """Return the number of classes that are kept."""
    chosen = spec.get("classes")
    return len(_kind(spec).class_names(spec, _folder(data_folder)) if chosen is None else chosen)


def image(spec: Mapping[str, Any], data_folder: str | Path | None) -> tuple[int, int, int] | None:
    """Return height, width and channels of the images, None where only decoding would tell."""
    return _kind(spec).image(spec, _folder(data_folder))


def named_clients(spec: Mapping[str, Any], data_folder: str | Path | None) -> int | None:
    """Return how many clients the data names at most, or None if it names none.

    Where the test set is split off, a client whose samples all fall into it is counted too.
    """
    named = getattr(_kind(spec), "named_clients", None)
    return None if named is None else named(spec, _folder(data_folder))


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
    uses_named_clients = (
        block["clients"]["partition"] == "given" and not block["clients"]["domains"]
    )
    if uses_named_clients and named_clients(block["data"], data_folder) is None:
        raise UserError(
            f"config: tasks.{task}.clients.partition is 'given', but the data names no clients; "
            "choose iid, shards, balanced_shards, dirichlet or dirichlet_equal"
        )


def notes(spec: Mapping[str, Any], data_folder: str | Path | None) -> list[str]:
    """Return sentences on what of a data set is left out or may be meant otherwise."""
    notes_of = getattr(_kind(spec), "notes", None)
    return [] if notes_of is None else notes_of(spec, _folder(data_folder))


def lacking(spec: Mapping[str, Any], data_folder: str | Path | None) -> list[Missing]:
    """Return the files of a data set that are still to be downloaded."""
    lacking_of = getattr(_kind(spec), "lacking", None)
    return [] if lacking_of is None else lacking_of(spec, _folder(data_folder))


def _pool(spec: Mapping[str, Any], folder: Path | None) -> int:
    """Return the number of training samples before any are chosen.

    Raises:
        UserError: if splitting off the test set would leave one side empty.
    """
    train, test = _kind(spec).counts(spec, folder)
    if test is None:
        return train - test_count(train, spec.get("test_fraction", 0.2))
    return train


def _kind(spec: Mapping[str, Any]) -> Kind:
    return cast(Kind, import_module(module(spec)))


def _folder(data_folder: str | Path | None) -> Path | None:
    return None if data_folder is None else Path(data_folder)
