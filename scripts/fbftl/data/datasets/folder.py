"""Image folders: one folder per class with its images, as in ``train/cat/1.jpg``.

Config: ``train: folder`` and, if the set has its own, ``test: folder``; ``size`` (pixels) and
``channels`` as in `fbftl.data.datasets.images`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets.base import Samples, located
from fbftl.data.datasets.images import EncodedImages, shape_wanted
from fbftl.ground.errors import UserError

SUFFIXES = {".bmp", ".jpeg", ".jpg", ".pgm", ".png", ".ppm", ".tif", ".tiff", ".webp"}


def check(spec: Mapping[str, Any], folder: Path | None) -> None:
    """Check that every class of every split has at least one image, by file names only."""
    _found(spec, folder)


def counts(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int | None]:
    """Return the number of training and of test images, from the names of files."""
    found = {
        split: sum(map(len, classes.values())) for split, classes in _found(spec, folder).items()
    }
    return found["train"], found.get("test")


def class_names(spec: Mapping[str, Any], folder: Path | None) -> tuple[str, ...]:
    """Return the training split's folder names, sorted."""
    return tuple(sub.name for sub in _class_folders(located(folder, spec["train"], "data.train")))


def image(spec: Mapping[str, Any], folder: Path | None) -> tuple[int, int, int] | None:
    """Return the shape to which images are brought, None if each keeps its own."""
    return shape_wanted(spec)


def read(
    spec: Mapping[str, Any], folder: Path | None
) -> tuple[Samples, Samples | None, tuple[str, ...]]:
    """Return the samples, still encoded; classes are the training split's folder names, sorted."""
    found = _found(spec, folder)
    classes = tuple(found["train"])

    def samples(images: dict[str, list[Path]]) -> Samples:
        files = [file for name in classes for file in images.get(name, [])]
        counts = [len(images.get(name, [])) for name in classes]
        inputs = EncodedImages(
            files, [str(file) for file in files], spec.get("channels", 3), spec.get("size")
        )
        return Samples(inputs, np.repeat(np.arange(len(classes)), counts))

    test = samples(found["test"]) if "test" in found else None
    return samples(found["train"]), test, classes


def _found(spec: Mapping[str, Any], folder: Path | None) -> dict[str, dict[str, list[Path]]]:
    """Return split to class to its image files, classes and files sorted."""
    found = {
        split: _classes(located(folder, spec[split], f"data.{split}"), f"data.{split}")
        for split in ("train", "test")
        if spec.get(split)
    }
    unknown = sorted(set(found.get("test", {})) - set(found["train"]))
    if unknown:
        raise UserError(
            f"data.test has the class {unknown[0]!r}, which data.train has not; "
            "give both the same class folders"
        )
    return found


def _class_folders(root: Path) -> list[Path]:
    return [sub for sub in sorted(root.iterdir()) if sub.is_dir() and not sub.name.startswith(".")]


def _classes(root: Path, key: str) -> dict[str, list[Path]]:
    if not root.is_dir():
        raise UserError(f"{key}: {root} is not a folder; give the folder that holds one per class")
    classes = {
        sub.name: sorted(
            file
            for file in sub.rglob("*")
            if file.suffix.lower() in SUFFIXES and not file.name.startswith(".")
        )
        for sub in _class_folders(root)
    }
    if not any(classes.values()):
        raise UserError(
            f"{key}: {root} holds no images; put one folder per class there, "
            f"with files that end in {', '.join(sorted(SUFFIXES))}"
        )
    for name, files in classes.items():
        if not files:
            raise UserError(
                f"{key}: the class folder {root / name} holds no images; add some or remove it"
            )
    return classes
