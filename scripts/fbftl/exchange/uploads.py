"""The clients' side of FbFTL: every sample's message, sent once, and what the server then has.

Settings that train together share messages where these are the same, as on an axis of packet loss.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch

from fbftl.data.participation import Uploads, held_out, participating
from fbftl.exchange.sending import Sending
from fbftl.messages.codec import Compression
from fbftl.messages.ledger import Ledger
from fbftl.messages.release import Encoded
from fbftl.training.stacked import Samples


@dataclass(frozen=True, eq=False)
class Decoded:
    """What the server decodes from one release, whose messages are then forgotten.

    values: features (n, width).
    labels: (n,).
    sizes: what a sample of the messages measures.
    """

    values: np.ndarray
    labels: np.ndarray
    sizes: dict[str, float]


Clean = dict[Compression, tuple[Encoded, Decoded]]
"""Messages that depend on neither seed nor noise, by their compression."""


@dataclass(frozen=True)
class Sent:
    """One setting's uploads.

    how: how the features were sent.
    ledger: every message.
    decoded: what the server decodes for each seed; seeds and settings may share it.
    uploads: who took part and what arrived, for each seed.
    """

    how: Sending
    ledger: Ledger
    decoded: list[Decoded]
    uploads: list[Uploads]

    def split(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return each seed's rows for training and for validation.

        Under the public script's reshuffling every offered sample is seen sooner or later.
        """
        job = self.how.job
        reshuffled = job.setting.loss == "reshuffled"
        return [
            held_out(own.offered if reshuffled else own.received, job.training.validation, seed)
            for own, seed in zip(self.uploads, job.seeds, strict=True)
        ]


def send(how: Sending, ledger: Ledger, extractor: int, clean: Clean) -> Sent:
    """Send a setting's extractor to the clients and their uploads to the server.

    Args:
        how: how the features are sent.
        ledger: where the messages are entered.
        extractor: parameters of the frozen extractor, which is all that goes down.
        clean: messages that settings share; added to.
    """
    features, decoded, uploads = how.features, [], []
    for seed in how.job.seeds:
        sent, own = _release(how, seed, clean)
        client = how.clients(seed)
        offered = participating(client, how.job.setting.fraction, seed)
        post = how.post(ledger, seed)
        post.broadcast({"weights": extractor})
        receipt = post.up(
            {"features": features.values.shape[1]},
            client,
            sample=features.sample,
            content=sent,
            offered=offered,
        )
        uploads.append(Uploads(offered, receipt.client, receipt.arrives))
        decoded.append(own)
    return Sent(how, ledger, decoded, uploads)


def _release(how: Sending, seed: int, clean: Clean) -> tuple[Encoded, Decoded]:
    if how.shared and how.compression in clean:
        return clean[how.compression]
    sent = how.release(seed)
    made = (
        Encoded(sent.bits, sent.digests),
        Decoded(sent.values, sent.labels, how.measured(sent, seed)),
    )
    if how.shared:
        clean[how.compression] = made
    return made


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
    scale = {id(own): sent.how.scale for sent in settings for own in sent.decoded}
    distinct = {id(own): own for sent in settings for own in sent.decoded}
    place = {key: number for number, key in enumerate(distinct)}
    uploads = on_device(
        [own.values for own in distinct.values()],
        [own.labels for own in distinct.values()],
        [scale[key] for key in distinct],
        [place[id(own)] for sent in settings for own in sent.decoded],
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
    together = torch.empty((len(values), *values[0].shape), device=device)
    for place, (own, scale) in enumerate(zip(values, scales, strict=True)):
        together[place].copy_(torch.from_numpy(own)).mul_(scale)
    return Samples(
        together,
        torch.stack([torch.from_numpy(own.astype(np.int64)) for own in labels]).to(device),
        torch.tensor(release, device=device),
    )
