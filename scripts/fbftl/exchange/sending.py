"""What clients upload under FbFTL: features and labels, noised and compressed.

An upload happens once. Its noise is drawn once for each seed, sample and release, its loss once for
each seed and sample; what the server decodes is all that training ever sees.
"""

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import Any, Generic

import numpy as np

from fbftl.exchange.post import Post
from fbftl.ground.errors import required
from fbftl.messages.channel import link_of
from fbftl.messages.codec import Compression
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import PayloadT, Uploaded
from fbftl.privacy import mechanisms
from fbftl.privacy.accounting import Adjacency, gaussian_sigma
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.noise import add_gaussian, add_relative, clip_norm, sample_noise
from fbftl.privacy.release import LINK, noise_seed
from fbftl.study.clients import PARTITION_AXES
from fbftl.study.job import Job

BESIDE_MESSAGES = frozenset(("cut", "fraction", *PARTITION_AXES, *LINK, "bits", "keep"))
"""Axes that leave messages as they are: the settings that share them have one cut and compression.

Any other axis, a new one too, may change what is sent, so that no message is shared.
"""

NEIGHBOURS: dict[str, Adjacency] = {"relative": "add-remove", "gaussian": "replace-one"}
"""Neighbours that a mechanism's noise is calibrated for; paper fbftl takes R std(g) for the
sensitivity of those with one sample more."""

SharedMessages = dict[Compression, Uploaded[Any]]
"""Messages that depend on neither seed nor noise, by their compression."""


@dataclass(frozen=True)
class Sending(Generic[PayloadT]):
    """How what the clients hold is sent under a setting.

    job: the setting with its training values.
    payload: every sample's upload.
    records: the guarantees, the mechanism's first.
    clip_norm: L2 clip norm c of the gaussian mechanism.
    relative_range: R of the relative mechanism.
    """

    job: Job
    payload: PayloadT
    records: tuple[PrivacyRecord, ...]
    clip_norm: float | None = None
    relative_range: float | None = None

    @property
    def sigma(self) -> float:
        """The mechanism's noise multiplier.

        Raises:
            ValueError: if it has none.
        """
        return required(self.records[0].sigma)

    def scale(self, numbers: int | np.ndarray) -> float | np.ndarray:
        """Return what the server multiplies uploads of so many numbers by before it uses them.

        Noise makes vectors many times longer than the learning rate is meant for; this restores
        their length, and costs no privacy.
        """
        match self.job.setting.mechanism:
            case "relative":
                return 1 / sqrt(1 + (self.sigma * required(self.relative_range)) ** 2)
            case "gaussian":
                factors = 1 / np.sqrt(1 + self.sigma**2 * numbers)
                return factors if np.ndim(numbers) else float(factors)
            case _:
                return 1.0

    def noised(self, seed: int, draw: int) -> PayloadT:
        """Return the uploads under the mechanism.

        Args:
            seed: the repetition's seed.
            draw: 0 for an upload's one draw; the epoch, if the noise is redrawn each epoch.
        """
        if self.job.setting.mechanism == "none":
            return self.payload
        seed_of_noise = noise_seed(self.job, seed)
        add = (
            partial(add_relative, sigma=self.sigma, relative_range=required(self.relative_range))
            if self.job.setting.mechanism == "relative"
            else partial(add_gaussian, sigma=self.sigma, clip_norm=required(self.clip_norm))
        )
        return self.payload.changed(
            lambda whole, samples: add(
                whole, sample_noise(seed_of_noise, samples, whole.shape[1], draw=draw)
            )
        )

    def released(self, seed: int, draw: int = 0) -> PayloadT:
        """Return what clients have to say: noised, labels under randomised response if asked."""
        noised, epsilon = self.noised(seed, draw), self.job.setting.label_epsilon
        if epsilon is None:
            return noised
        return noised.responded(epsilon, noise_seed(self.job, seed))

    def uploaded(self, seed: int, shared: SharedMessages) -> Uploaded[PayloadT]:
        """Return the messages of all samples, whether or not their clients take part.

        Args:
            seed: the repetition's seed.
            shared: messages that settings share; added to.
        """
        if self.shared and self.compression in shared:
            return shared[self.compression]
        uploaded = self.released(seed).uploaded(self.compression)
        if self.shared:
            shared[self.compression] = uploaded
        return uploaded

    def redrawn(self, seed: int, draw: int) -> PayloadT:
        """Return what a server would read from messages with another draw of the noise."""
        return self.released(seed, draw).read(self.compression)

    @property
    def compression(self) -> Compression:
        """Bits q and keep ratio r of the setting."""
        return Compression(self.job.setting.bits, self.job.setting.keep)

    @property
    def shared(self) -> bool:
        """Whether all seeds, and settings of equal compression, send the same messages."""
        return self.job.setting.deviating <= BESIDE_MESSAGES

    def post(self, ledger: Ledger, seed: int) -> Post:
        """Return a seed's post."""
        link = link_of(self.job.setting, self.payload.block_bits)
        return Post(ledger, link, seed, self.records[0], self.compression)


def sending(job: Job, payload: PayloadT, public: np.ndarray | None) -> Sending[PayloadT]:
    """Return how a setting has uploads sent, its noise calibrated.

    Args:
        job: the setting with its training values.
        payload: every sample's upload.
        public: features of public data (m, width), for a clip norm that is their quantile.
    """
    setting, privacy = job.setting, job.privacy
    norm = spread = None
    records: tuple[PrivacyRecord, ...] = (mechanisms.no_mechanism(),)
    if neighbours := NEIGHBOURS.get(setting.mechanism):
        sigma = setting.sigma or gaussian_sigma(
            setting.epsilon, required(privacy.delta), neighbours
        )
        if setting.mechanism == "relative":
            spread, records = payload.relative_range(), (mechanisms.relative(sigma),)
        else:
            norm, delta = clip_norm(required(privacy.feature_clip), public), required(privacy.delta)
            records = mechanisms.gaussian(clip_norm=norm, sigma=sigma, delta=delta)
    if setting.label_epsilon is not None:
        records += (mechanisms.randomised_response(setting.label_epsilon),)
    return Sending(job, payload, records, norm, spread)
