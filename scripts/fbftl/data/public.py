"""Public samples and open data: what anybody has, clouds sell and adversaries train on.

A task's block `public` lists the sources of public samples: fresh samples of the source task, or
data sets that the config names, each as it is or seen in some domains, every sample in each of
them. None shares a sample with the task, whatever the domains: such a source is refused. Where the
source task is a data set, they are its test samples, which the source model has not seen.

Clients of frameworks compare scores on open data, a cloud learns from them, source models come from
them. They are letters, with as many classes as the task, or samples of the task's own kind that no
client holds.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data import datasets
from fbftl.data.clients import Client
from fbftl.data.datasets import check, class_count, load, training_count
from fbftl.data.domains import Domain, Origin, Seen, name_of
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


HELD_OUT = 0.1
"""Share of each source's samples that goes into the file's test split."""


def sellers(
    source: Mapping[str, Any],
    public: Mapping[str, Any],
    private: np.ndarray,
    data_folder: str | Path | None,
) -> dict[str, list[Client]]:
    """Return what a file of public samples holds: a client for each source and domain.

    Args:
        source: config block `source` of the task.
        public: its block `public`.
        private: all images of the task, training and test, as its data set has them.
        data_folder: where a data set's relative file names start.

    Returns:
        Clients of the splits `train` and `test`, most of the samples in the first.

    Raises:
        UserError: as `public_samples`, or if a source shares samples with the task, or has too few.
    """
    domains = public_domains(public)
    splits: dict[str, list[Client]] = {"train": [], "test": []}
    for index, entry in enumerate(public["sources"]):
        images, labels = public_samples(source, entry, data_folder)
        where = f"config: public.sources.{index}"
        if shared := len(images) - len(unshared(images, private)):
            raise UserError(
                f"{where}: {shared} of its {len(images)} samples are the task's own; name another "
                "data set, or another portion of this one"
            )
        if len(images) < LEAST:
            raise UserError(f"{where} has {len(images)} samples; give it at least {LEAST}")
        rows = np.arange(len(images))
        parts = np.split(rows, [len(rows) - int(HELD_OUT * len(rows))])
        for split, part in zip(splits, parts, strict=True):
            splits[split] += _views(index, entry, images[part], labels[part], part, domains)
    return {split: sorted(clients, key=lambda each: each.id) for split, clients in splits.items()}


def _views(
    index: int, entry: Mapping[str, Any], images: np.ndarray, labels: np.ndarray, rows: np.ndarray,
    domains: Sequence[Domain],
) -> Iterator[Client]:  # fmt: skip
    """Yield a source's samples as they are seen in each of its domains."""
    if not domains:
        yield Client(f"{index:02d}", rows, {"pixels": images, "label": labels})
        return
    for domain in domains_in(entry["domains"]) or (PLAIN,):
        number = np.full(len(rows), domains.index(domain), dtype=np.int32)
        seed = (entry["data"] or {}).get("seed", 0)
        pixels = Seen(images, domains, number, Origin("public", rows, index, seed))
        arrays = {"pixels": pixels, "label": labels, "domain": number}
        yield Client(f"{index:02d}.{name_of(domain)}", rows, arrays)


def check_open(task: str, block: Mapping[str, Any], folder: str | Path | None) -> None:
    """Refuse open data that are not there, or that have classes which the task lacks.

    Args:
        task: the task's name.
        block: its block of the configuration.
        folder: where a data set's relative file names start.

    Raises:
        UserError: naming the key, or as `datasets.check`.
    """
    target = block["open_data"]["target"]
    if target is None:
        return
    datasets.check(target, folder)
    task_classes, others = (datasets.class_count(data, folder) for data in (block["data"], target))
    if task_classes != others:
        raise UserError(
            f"config: tasks.{task}.open_data.target has {others} classes and the task's data "
            f"{task_classes}; name samples with the task's own classes"
        )


def open_samples(
    spec: Mapping[str, Any], private: np.ndarray, classes: int, folder: str | Path | None
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return images, uint8 (n, height, width, channels), and labels (n,) by part.

    Args:
        spec: config block `open_data` of the task: `letters`, how many; `target`, a data block
            whose training samples are taken; `seed`.
        private: images of the task, which are left out.
        classes: of the task.
        folder: where a data set's relative file names start.

    Raises:
        UserError: if too few of the target's samples are left to be of use.
    """
    samples_by_part = {}
    if spec["letters"]:
        samples_by_part["source"] = letters(
            spec["letters"], private.shape[1:], classes, spec["seed"]
        )
    if spec["target"] is not None:
        samples = datasets.load(spec["target"], folder).train
        images = np.asarray(samples.inputs[0 : len(samples)])
        rows = unshared(images, private)
        if len(rows) < LEAST:
            raise UserError(
                f"of {len(images)} open samples {len(rows)} are not the clients' own, too few; "
                "name another data set under open_data.target"
            )
        samples_by_part["target"] = images[rows], samples.labels[rows]
    return samples_by_part


def letters(
    count: int, image: tuple[int, ...], classes: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return `count` letters of the alphabet's first `classes`."""
    from fbftl.data.letters import ALPHABET, render_letters

    if classes > len(ALPHABET):
        raise UserError(
            f"there are {len(ALPHABET)} letters and the task has {classes} classes; set its "
            "open_data.letters to 0"
        )
    sampled = count
    while True:
        sampled *= 2
        images, labels = render_letters(sampled, tuple(image), seed, "open letters")
        rows = np.flatnonzero(labels < classes)[:count]
        if len(rows) == count:
            return images[rows], labels[rows]
