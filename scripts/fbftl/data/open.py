"""Open data: labelled samples that everybody may read, servers, clients and adversaries alike.

Clients of frameworks compare scores on them, a cloud learns from them, source models come from
them. They are letters, with as many classes as the task, or samples of the task's own kind that no
client holds.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data import datasets
from fbftl.data.public import LEAST, unshared
from fbftl.ground.errors import UserError


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
