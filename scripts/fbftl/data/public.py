"""Public samples: what anybody has, clouds that sell them, adversaries and who sets a clip norm.

A task's block `public` lists their sources: fresh samples of the source task, or data sets that
the config names, each as it is or seen in some domains, every sample in each of them. None shares a
sample with the task, whatever the domains: such a source is refused. Where the source task is a
data set, they are its test samples, which the source model has not seen.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets import check, class_count, load, training_count
from fbftl.data.domains import Domain
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.study.clients import domains_in

LEAST = 10
"""Samples of a source at least, so that some can be held out."""

PLAIN: Domain = ("plain",)
"""Domain of a source that names none, where another one does."""


def public_data(
    source: Mapping[str, Any], public: Mapping[str, Any]
) -> list[Mapping[str, Any] | None]:
    """Return the data block of each source of public samples, None for letters.

    Args:
        source: config block `source` of the task.
        public: its block `public`.

    Raises:
        UserError: if the source model is a loaded one, whose data are not at hand, and the config
            names no others.
    """
    return [_data(source, entry) for entry in public["sources"]]


def _data(source: Mapping[str, Any], entry: Mapping[str, Any]) -> Mapping[str, Any] | None:
    if entry["data"] is not None:
        return entry["data"]
    if source["kind"] != "pretrain":
        raise UserError(
            "config: public.sources names no data, but the source model is loaded and its data are "
            "not at hand; name a public data set there, or leave out what needs one: the "
            "experiment privacy, and mechanism gaussian without privacy.feature_clip.norm"
        )
    return None if source["task"] == "letters" else source["task"]["data"]


def check_public(
    source: Mapping[str, Any], public: Mapping[str, Any], data_folder: str | Path | None
) -> None:
    """Check cheaply, before any job, that there will be public samples.

    Raises:
        UserError: as `public_data`, or if a file is missing.
    """
    for data in public_data(source, public):
        if data is not None:
            check(data, data_folder)


def check_classes(task: str, block: Mapping[str, Any], data_folder: str | Path | None) -> None:
    """Refuse public samples whose labels are not the task's, where a cloud sells these.

    Args:
        task: the task's name.
        block: its block of the configuration.
        data_folder: where a data set's relative file names start.

    Raises:
        UserError: naming the source by its place.
    """
    task_classes = class_count(block["data"], data_folder)
    for index, data in enumerate(public_data(block["source"], block["public"])):
        others = None if data is None else class_count(data, data_folder)
        if others != task_classes:
            labels = "letters" if data is None else f"{others} classes"
            raise UserError(
                f"config: tasks.{task}.public.sources.{index} has {labels} and the task "
                f"{task_classes} classes, so that its labels teach nothing; name a data set with "
                "the task's classes"
            )


def public_count(
    source: Mapping[str, Any], public: Mapping[str, Any], data_folder: str | Path | None
) -> int | None:
    """Return how many public rows there are, each domain of a sample a row; None if unknown."""
    counts = []
    for entry, data in zip(public["sources"], public_data(source, public), strict=True):
        rows = entry["samples"] if data is None else None
        if data is not None and entry["split"] == "train":
            available = training_count(data, data_folder)
            rows = None if available is None else min(available, entry["samples"])
        if rows is None:
            return None
        counts.append(rows * max(1, len(domains_in(entry["domains"]))))
    return sum(counts)


def public_domains(public: Mapping[str, Any]) -> tuple[Domain, ...]:
    """Return the domains of all sources, in the order in which they are named; none if no one has.

    Args:
        public: config block `public` of the task.
    """
    of_sources = [domains_in(entry["domains"]) for entry in public["sources"]]
    if not any(of_sources):
        return ()
    return tuple(dict.fromkeys(domain for domains in of_sources for domain in domains or (PLAIN,)))


def public_samples(
    source: Mapping[str, Any], entry: Mapping[str, Any], data_folder: str | Path | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return a source's images, (n, height, width, channels), and labels, int64 (n,), in random
    order.

    Letters are rendered afresh, so that none of them has been seen in pre-training.

    Args:
        source: config block `source` of the task.
        entry: of `public.sources`: `samples`, at most, `data` and its `split`.
        data_folder: where a data set's relative file names start.

    Raises:
        UserError: as `public_data`, or if the data set cannot be read.
    """
    data = _data(source, entry)
    if data is None:
        from fbftl.data.letters import render_letters

        return render_letters(
            entry["samples"], tuple(source["image"]), source["seed"], "public letters"
        )
    samples = getattr(load(data, data_folder), entry["split"])
    rows = stream(data["seed"], "public").permutation(len(samples))[: entry["samples"]]
    chosen = samples.take(np.sort(rows))
    order = np.argsort(np.argsort(rows))
    return np.asarray(chosen.inputs[0 : len(chosen)])[order], chosen.labels[order]


def unshared(images: np.ndarray, private: np.ndarray) -> np.ndarray:
    """Return the rows of `images` that equal none of `private`, both (n, ...) of one type."""
    private_images = {image.tobytes() for image in private}
    return np.flatnonzero([image.tobytes() not in private_images for image in images])
