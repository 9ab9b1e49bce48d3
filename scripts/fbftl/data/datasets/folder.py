"""Image folders: one folder per class with its images, as in ``train/cat/1.jpg``.

Links are followed, hidden files and folders left out, and names alike but for their form of Unicode
are one.
Config: ``train: folder`` and, if the set has its own, ``test: folder``; ``size`` (pixels) and
``channels`` as in `fbftl.data.datasets.images`.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets.base import Outline, Samples, located, located_splits
from fbftl.data.datasets.images import EncodedImages, shape_wanted
from fbftl.ground.digests import files_below
from fbftl.ground.errors import UserError

SUFFIXES = {
    *{".bmp", ".gif", ".jfif", ".jpe", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff"},
    ".webp",
}

SPLITS = {"train", "training", "val", "valid", "validation", "dev", "test", "testing"}
"""Names of folders that are no classes where all are of these."""


Found = dict[str, list[Path]]
"""The image files of each class of a split, by its name."""


def outline(spec: Mapping[str, Any], folder: Path | None) -> Outline:
    """Return what the names of folders and files say.

    Raises:
        UserError: if a class has no images.
    """
    images = _found(spec, folder)
    notes = [note for split, found in images.items() for note in _notes(spec, folder, split, found)]
    labels = [np.repeat(list(found), [*map(len, found.values())]) for found in images.values()]
    shape = shape_wanted(spec)
    (first_file, *_), *_ = images["train"].values()
    first = _encoded([first_file], spec) if shape is None else None
    return Outline([*map(len, labels)], _classes(images), shape, first, labels, notes=notes)


def _classes(images: Mapping[str, Found]) -> tuple[str, ...]:
    """Return the names of the class folders, sorted."""
    return tuple(sorted({label for found in images.values() for label in found}))


def _notes(spec: Mapping[str, Any], folder: Path | None, split: str, found: Found) -> Iterator[str]:
    """Yield what a user should know of the folders: what is left out, and folders in classes."""
    root = located(folder, spec[split], f"data.{split}")
    classes = _subfolders(root)
    taken = {file for files in found.values() for file in files}
    if files := [path for path in _visible(root) if path not in taken]:
        yield (
            f"data.{split}: {len(files)} files below {root} are left out, such as "
            f"{files[0].relative_to(root)}: they end in no image's name, or are in no "
            "class folder."
        )
    if nested := [sub for sub in classes if _subfolders(sub)]:
        yield (
            f"data.{split}: {len(nested)} of {len(classes)} class folders hold folders, "
            f"such as {nested[0]}, whose images are all of the one class."
        )


def read(spec: Mapping[str, Any], folder: Path | None) -> tuple[list[Samples], Sequence[str]]:
    """Return the samples, still encoded; classes are the folders' names, sorted."""
    images = _found(spec, folder)
    classes = _classes(images)

    def samples(found: Found) -> Samples:
        files = [sorted(found.get(label, [])) for label in classes]
        labels = np.repeat(np.arange(len(classes)), [*map(len, files)])
        return Samples(_encoded([*chain(*files)], spec), labels)

    return [samples(found) for found in images.values()], classes


def _encoded(files: list[Path], spec: Mapping[str, Any]) -> EncodedImages:
    return EncodedImages(files, list(map(str, files)), spec.get("channels", 3), spec.get("size"))


def _found(spec: Mapping[str, Any], folder: Path | None) -> dict[str, Found]:
    """Return the images of each split; raise `UserError` if a class has none."""
    roots = located_splits(spec, folder).items()
    return {split: _held(root, f"data.{split}") for split, (root,) in roots}


def _subfolders(root: Path) -> list[Path]:
    return [sub for sub in sorted(root.iterdir()) if sub.is_dir() and not sub.name.startswith(".")]


def _visible(root: Path) -> list[Path]:
    """Return all files below a folder, hidden ones left out and links followed, sorted."""
    return sorted(root / name for name, _ in files_below(root))


def _held(root: Path, key: str) -> Found:
    if not root.is_dir():
        raise UserError(f"{key}: {root} is not a folder; give the folder that holds one per class")
    names = [sub.name for sub in _subfolders(root)]
    if names and {name.casefold() for name in names} <= SPLITS:
        raise UserError(
            f"{key}: {root} holds {' and '.join(names)}, which are splits, not classes; name one "
            "of them in data.train and, if there are several, another in data.test"
        )
    classes: dict[Path, list[Path]] = {sub: [] for sub in _subfolders(root)}
    for file in _visible(root):
        inside = root / file.relative_to(root).parts[0]
        if inside in classes and file.suffix.lower() in SUFFIXES and file.is_file():
            classes[inside].append(file)
    if not any(classes.values()):
        raise UserError(
            f"{key}: {root} holds no images; put one folder per class there, "
            f"with files that end in {', '.join(sorted(SUFFIXES))}"
        )
    found: Found = {}
    for sub, files in classes.items():
        if not files:
            raise UserError(f"{key}: the class folder {sub} holds no images; add some or remove it")
        found.setdefault(unicodedata.normalize("NFC", sub.name), []).extend(files)
    return found
