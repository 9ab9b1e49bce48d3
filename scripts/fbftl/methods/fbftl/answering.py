"""A client of a deployed FbFTL: it encodes the uploads of its own samples, one message each.

Noise on what leaves a machine for good must not be repeatable: unlike that of experiments
(`fbftl.privacy.noise`) it is drawn from the operating system's generator, without a seed.
"""

import os
from dataclasses import replace
from math import prod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from fbftl.exchange.arrivals import ClientPlan, Request
from fbftl.exchange.sending import Sending, sending
from fbftl.features.store.reader import open_store
from fbftl.ground.errors import required
from fbftl.messages.encoded import encode_rows
from fbftl.messages.payload import Vectors
from fbftl.privacy.noise import add_gaussian, responses


def answer(plan: ClientPlan, request: Request, remembered: dict[str, Any]) -> list[bytes]:
    """Return the messages of a client's samples, in their order.

    Noise is the study's where the run repeats one, and else of the system's generator.

    Args:
        plan: with the rows of the client's samples.
        request: for them.
        remembered: nothing; a client is asked once.
    """
    store = open_store(plan.files["manifest"]).read("train", np.array(plan.rows))
    setting = plan.setting
    payload = Vectors(store.values, store.labels.astype(np.int64), store.sample, setting.classes)
    public = None
    if manifest := plan.files.get("public_manifest"):
        public = open_store(manifest).read("train").values
    how = sending(setting.job, payload, public)
    released = how.released(setting.seed) if setting.repeat else _drawn(how)
    return encode_rows(released.values, how.compression, released.labels, released.classes).messages


def _drawn(how: Sending[Vectors]) -> Vectors:
    """Return the uploads under noise of the system's generator.

    Another call draws other noise, and is another release of the samples.
    """
    setting, payload = how.job.setting, how.payload
    if setting.mechanism == "gaussian":
        noise = system_noise(payload.values.shape)
        norm = required(how.clip_norm)
        noised = add_gaussian(payload.values[:], noise, sigma=how.sigma, clip_norm=norm)
        payload = replace(payload, values=noised)
    if setting.label_epsilon is not None:
        labels = system_responses(
            payload.labels, epsilon=setting.label_epsilon, classes=payload.classes
        )
        payload = replace(payload, labels=labels)
    return payload


def system_noise(shape: tuple[int, ...]) -> NDArray[np.float32]:
    """Return standard normal noise from `os.urandom`, by the inverse distribution function.

    Args:
        shape: of the noise.
    """
    return ndtri(system_uniforms(shape)).astype(np.float32)


def system_responses(labels: ArrayLike, *, epsilon: float, classes: int) -> NDArray[np.int64]:
    """Return labels (n,) of N classes under randomised response: see `privacy.noise.respond`.

    Raises:
        UserError: if epsilon is not positive.
    """
    labels = np.asarray(labels)
    return responses(labels, system_uniforms((len(labels), 2)), epsilon=epsilon, classes=classes)


def system_uniforms(shape: tuple[int, ...]) -> NDArray[np.float64]:
    """Return numbers between 0 and 1 from `os.urandom`, neither of these two among them."""
    words = np.frombuffer(os.urandom(8 * prod(shape)), np.uint64)
    # 52 bits and a half: with one bit more the largest of them would be rounded to 1.
    return (((words >> np.uint64(12)).astype(np.float64) + 0.5) * 2.0**-52).reshape(shape)
