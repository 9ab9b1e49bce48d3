"""What clients upload under FbFTL: features and labels, noised and compressed.

An upload happens once. Its noise, its loss and its message are drawn once per seed and sample,
whatever else the setting says; what the server decodes is all that training ever sees.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from fbftl.data.participation import Holdings, clients_of
from fbftl.exchange.post import Post
from fbftl.features.store.features import Features
from fbftl.messages.codec import Compression, compress
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of, plain_upload_bits
from fbftl.messages.release import Release, release
from fbftl.messages.sample import SAMPLED_UPLOADS, mean, measure, spread_evenly
from fbftl.privacy import mechanisms
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.noise import (
    add_gaussian,
    add_relative,
    clip_norm,
    relative_range,
    respond,
    sample_noise,
)
from fbftl.study.job import Job


@dataclass(frozen=True)
class Sending:
    """How the features of a task are sent under a setting.

    job: the setting with its training values.
    features: the store's training split.
    classes: number of classes N.
    records: the guarantees, the mechanism's first.
    clip_norm: L2 clip norm c of the gaussian mechanism.
    largest: R of the relative mechanism.
    scale: what the server multiplies features by before it uses them. Noise makes vectors many
        times longer than the learning rate is meant for; this restores their length, and costs no
        privacy.
    """

    job: Job
    features: Features
    classes: int
    records: tuple[PrivacyRecord, ...]
    clip_norm: float | None = None
    largest: float | None = None
    scale: float = 1.0

    def noised(self, seed: int, draw: int) -> np.ndarray:
        """Return the features under the mechanism, (n, width).

        Args:
            seed: the repetition's seed.
            draw: 0 for an upload's one draw; the epoch, if the noise is redrawn each epoch.
        """
        values = self.features.values
        if self.job.setting.mechanism == "none":
            return values
        noise = sample_noise(seed, self.features.sample, values.shape[1], draw=draw)
        sigma = self.records[0].sigma
        if self.job.setting.mechanism == "relative":
            return add_relative(values, noise, sigma=sigma, largest=self.largest)
        return add_gaussian(values, noise, sigma=sigma, clip_norm=self.clip_norm)

    def labels(self, seed: int) -> np.ndarray:
        """Return the labels as they are sent, (n,), under randomised response if asked for."""
        true = self.features.labels.astype(np.int64)
        epsilon = self.job.setting.label_epsilon
        if epsilon is None:
            return true
        return respond(true, self.features.sample, epsilon=epsilon, classes=self.classes, seed=seed)

    def release(self, seed: int, draw: int = 0) -> Release:
        """Return the messages of all samples, whether or not their clients take part."""
        return release(self.noised(seed, draw), self.compression, self.labels(seed), self.classes)

    def measured(self, sent: Release, seed: int) -> dict[str, float]:
        """Return what a sample of a seed's messages measures."""
        rows = spread_evenly(len(sent.values), SAMPLED_UPLOADS)
        return mean(measure(sent, rows, self.compression, self.labels(seed), self.classes))

    @property
    def compression(self) -> Compression:
        """Bits q and keep ratio r of the setting."""
        return Compression(self.job.setting.bits, self.job.setting.keep)

    def decoded(self, seed: int, draw: int) -> np.ndarray:
        """Return what a server would read from messages with another draw of the noise."""
        return compress(self.noised(seed, draw), self.compression).values

    @property
    def shared(self) -> bool:
        """Whether all seeds send the same messages."""
        return self.job.setting.mechanism == "none" and self.job.setting.label_epsilon is None

    def post(self, ledger: Ledger, seed: int) -> Post:
        """Return a seed's post; a block of its link holds one plain upload."""
        block = plain_upload_bits(self.features.values.shape[1], self.classes)
        link = link_of(self.job.setting, block)
        return Post(ledger, link, seed, self.records[0], self.compression)

    def clients(self, seed: int) -> np.ndarray:
        """Return the client of every row, (n,), in one repetition."""
        own = self.features
        return clients_of(self.job, Holdings(own.client, own.labels, own.domain), seed)


def sending(job: Job, features: Features, classes: int, public: np.ndarray | None) -> Sending:
    """Return how a setting has features sent, its noise calibrated.

    Args:
        job: the setting with its training values.
        features: the store's training split.
        classes: number of classes N.
        public: features of public data (m, width), for a clip norm that is their quantile.
    """
    setting, privacy = job.setting, job.privacy
    labelled = (
        (mechanisms.randomised_response(setting.label_epsilon),) if setting.label_epsilon else ()
    )
    match setting.mechanism:
        case "relative":
            records = (mechanisms.relative(setting.sigma),)
            largest = relative_range(features.values)
            scale = 1 / sqrt(1 + (setting.sigma * largest) ** 2)
            return Sending(job, features, classes, records + labelled, largest=largest, scale=scale)
        case "gaussian":
            # Accounting is slow to import, and only this mechanism needs it.
            from fbftl.privacy.accounting import gaussian_sigma

            norm = clip_norm(privacy.feature_clip, public)
            sigma = setting.sigma or gaussian_sigma(setting.epsilon, privacy.delta)
            records = mechanisms.gaussian(clip_norm=norm, sigma=sigma, delta=privacy.delta)
            scale = 1 / sqrt(1 + sigma**2 * features.values.shape[1])
            return Sending(job, features, classes, records + labelled, norm, scale=scale)
        case _:
            return Sending(job, features, classes, (mechanisms.no_mechanism(), *labelled))
