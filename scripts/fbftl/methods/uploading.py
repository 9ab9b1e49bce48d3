"""The clients' side of FbFTL: every sample's message, sent once, and what the server then has.

Settings that train together share messages where these are the same, as on an axis of packet loss.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from fbftl.codec import Compression
from fbftl.ledger import Ledger
from fbftl.methods.features import Sending
from fbftl.regroup import clients_of
from fbftl.release import Release
from fbftl.training import Samples
from fbftl.uploads import Uploads, participating


@dataclass(frozen=True)
class Sent:
    """One setting's uploads.

    how: how the features were sent.
    releases: each seed's messages; seeds may share one release.
    uploads: who took part and what arrived, for each seed.
    """

    how: Sending
    releases: list[Release]
    uploads: list[Uploads]

    @property
    def usable(self) -> list[np.ndarray]:
        """Each seed's rows that training may touch.

        Under the public script's reshuffling every offered sample is seen sooner or later.
        """
        reshuffled = self.how.job.setting.loss == "reshuffled"
        return [own.offered if reshuffled else own.received for own in self.uploads]


def send(how: Sending, ledger: Ledger, clean: dict[Compression, Release]) -> Sent:
    """Send a setting's uploads and enter them in its ledger.

    Args:
        how: how the features are sent.
        ledger: where the messages are entered.
        clean: messages that depend on neither seed nor noise, by their compression; added to.
    """
    client = clients_of(how.job, how.features.client, how.features.labels)
    releases, uploads = [], []
    for seed in how.job.seeds:
        sent = _release(how, seed, clean)
        delivery = how.deliver(sent, seed)
        offered = participating(client, how.job.setting.fraction, seed)
        how.enter(ledger, seed, offered, sent, delivery)
        releases.append(sent)
        uploads.append(Uploads(offered, delivery.arrives[offered]))
    return Sent(how, releases, uploads)


def _release(how: Sending, seed: int, clean: dict[Compression, Release]) -> Release:
    if not how.shared:
        return how.release(seed)
    if how.compression not in clean:
        clean[how.compression] = how.release(seed)
    return clean[how.compression]


def received(settings: Sequence[Sent], device: torch.device) -> Callable[[int], Samples]:
    """Return what the server works with at each epoch: the uploads, which never change.

    Under the public script's semantics the noise is drawn anew every epoch instead (audit A3).

    Args:
        settings: those that train together; all of them redraw their noise, or none.
        device: where the features go.

    Returns:
        Samples for a head per setting and seed, by epoch from 0.
    """
    if settings[0].how.job.setting.noise == "redrawn":
        return lambda epoch: _redrawn(settings, epoch, device)
    scale = {id(release): sent.how.scale for sent in settings for release in sent.releases}
    distinct = {id(release): release for sent in settings for release in sent.releases}
    place = {key: number for number, key in enumerate(distinct)}
    uploads = on_device(
        [release.values for release in distinct.values()],
        [release.labels for release in distinct.values()],
        [scale[key] for key in distinct],
        [place[id(release)] for sent in settings for release in sent.releases],
        device,
    )
    return lambda epoch: uploads


def _redrawn(settings: Sequence[Sent], epoch: int, device: torch.device) -> Samples:
    drawn = [(sent.how, seed) for sent in settings for seed in sent.how.job.seeds]
    return on_device(
        [how.decoded(seed, draw=epoch) for how, seed in drawn],
        [how.labels(seed) for how, seed in drawn],
        [how.scale for how, _ in drawn],
        range(len(drawn)),
        device,
    )


def on_device(
    values: Sequence[np.ndarray], labels: Sequence[np.ndarray], scales: Sequence[float],
    release: Sequence[int], device: torch.device,
) -> Samples:  # fmt: skip
    """Put releases on the training device.

    Args:
        values: features (n, width) of each release.
        labels: labels (n,) of each.
        scales: what each one's features are multiplied by.
        release: number of the release that each head works with.
        device: where they go.
    """
    scaled = [
        torch.from_numpy(own) if scale == 1 else torch.from_numpy(own) * scale
        for own, scale in zip(values, scales, strict=True)
    ]
    return Samples(
        torch.stack(scaled).to(device),
        torch.stack([torch.from_numpy(own.astype(np.int64)) for own in labels]).to(device),
        torch.tensor(release, device=device),
    )
