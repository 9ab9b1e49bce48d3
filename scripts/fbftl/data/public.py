"""Public samples: what anybody has, adversaries and those who set a clip norm alike.

They come from the source task, or from a data set that the config names, and never from the
target: a sample that a client of the task holds too is left out. Where the source task is a data
set, they are its test samples, which the source model has not seen.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.datasets import check, load
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream

HELD_OUT = 0.1
"""Share of the public samples that goes into the file's test split."""


def public_data(source: Mapping[str, Any], public: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the data block that public samples come from, or None for letters.

    Args:
        source: config block `source` of the task.
        public: config block `privacy.public` of the task.

    Raises:
        UserError: if the source model is a loaded one, whose data are not at hand, and the config
            names no others.
    """
    if public["data"] is not None:
        return public["data"]
    if source["kind"] != "pretrain":
        raise UserError(
            "config: privacy.public.data is null, but the source model is loaded and its data are "
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
    data = public_data(source, public)
    if data is not None:
        check(data, data_folder)


def public_samples(
    source: Mapping[str, Any], public: Mapping[str, Any], data_folder: str | Path | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return images, uint8 (n, height, width, channels), and labels, int64 (n,), in random order.

    Letters are rendered afresh, so that none of them has been seen in pre-training.

    Args:
        source: config block `source` of the task.
        public: config block `privacy.public` of the task: `samples`, at most, and `data`.
        data_folder: where a data set's relative file names start.

    Raises:
        UserError: as `public_data`, or if the data set cannot be read.
    """
    data = public_data(source, public)
    if data is None:
        from fbftl.data.letters import render_letters

        return render_letters(
            public["samples"], tuple(source["image"]), source["seed"], "public letters"
        )
    held_out = load(data, data_folder).test
    rows = stream(data["seed"], "public").permutation(len(held_out))[: public["samples"]]
    chosen = held_out.take(np.sort(rows))
    order = np.argsort(np.argsort(rows))
    return np.asarray(chosen.inputs[0 : len(chosen)])[order], chosen.labels[order]


def strangers(images: np.ndarray, private: np.ndarray) -> np.ndarray:
    """Return the rows of `images` that equal none of `private`, both (n, ...) of one type.

    Raises:
        UserError: if too few are left to be of use.
    """
    known = {image.tobytes() for image in private}
    rows = np.array([row for row, image in enumerate(images) if image.tobytes() not in known])
    if len(rows) < 1 / HELD_OUT:
        raise UserError(
            f"of {len(images)} public samples {len(rows)} are not the clients' own, too few; "
            "name another data set under privacy.public.data"
        )
    return rows
