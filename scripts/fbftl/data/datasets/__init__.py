"""Data sets behind one small interface: `check` before any job, `load` inside it.

A data set is described by the config block ``data`` of a task. Its ``kind`` names a module of this
package that offers two functions (see `Kind`), and a third, `count`, where counting is cheap.
Everything that is the same for every kind (the test split, the choice of classes, the limit for
quick runs) happens here and in `selection`.
"""

from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, cast

from fbftl.data.datasets.base import Dataset, Samples, digest, located
from fbftl.data.datasets.selection import choose_classes, limit, portion, split_off_test
from fbftl.ground.errors import UserError

__all__ = [
    "KINDS",
    "Dataset",
    "Samples",
    "check",
    "digest",
    "files",
    "load",
    "module",
    "training_count",
]

KINDS = {
    "digits": "digits",
    "idx": "idx",
    "parquet": "parquet",
    "folder": "folder",
    "federated": "federated",
    "torchvision": "downloads",
}
"""Kind in the config to the module of this package that reads it."""


class Kind(Protocol):
    """What a module that reads one kind of data set offers."""

    def check(self, spec: Mapping[str, Any], folder: Path | None) -> None:
        """Look at names, sizes and headers of the files, nothing more; raise `UserError`."""

    def read(
        self, spec: Mapping[str, Any], folder: Path | None
    ) -> tuple[Samples, Samples | None, tuple[str, ...]]:
        """Return training samples, test samples if the set has its own, and class names."""


def check(spec: Mapping[str, Any], data_folder: str | Path | None) -> None:
    """Check a data set's files cheaply, before any job: existence, headers, sizes.

    Raises:
        UserError: one sentence that names the file and what to do.
    """
    _kind(spec).check(spec, _folder(data_folder))


def files(spec: Mapping[str, Any], data_folder: str | Path | None) -> list[str]:
    """Return the files and folders that the config names, for the workflow to watch.

    Of an image folder its class folders are named too, since a folder's time of change tells only
    of what comes and goes directly in it.
    """
    found: list[Path] = []
    for split in ("train", "test"):
        named = spec.get(split) or []
        names = [named] if isinstance(named, str) else named
        names = list(names.values()) if isinstance(names, Mapping) else names
        for name in names:
            path = located(_folder(data_folder), name, f"data.{split}")
            inside = sorted(path.iterdir()) if path.is_dir() else []
            found += [path, *(folder for folder in inside if folder.is_dir())]
    return [str(path) for path in found]


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
    """Return the number of training samples, or None where only reading the data would tell.

    Args:
        spec: the config block ``data``, checked.
        data_folder: where relative file names start.
    """
    count = getattr(_kind(spec), "count", None)
    if count is None or spec.get("classes") is not None or spec.get("portion") is not None:
        return None
    samples = count(spec, _folder(data_folder))
    if "test" not in spec:
        samples -= round(spec["test_fraction"] * samples)
    return min(samples, (spec.get("limit") or {}).get("train", samples))


def _kind(spec: Mapping[str, Any]) -> Kind:
    return cast(Kind, import_module(module(spec)))


def _folder(data_folder: str | Path | None) -> Path | None:
    return None if data_folder is None else Path(data_folder)
