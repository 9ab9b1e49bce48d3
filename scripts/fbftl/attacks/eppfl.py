"""What parties of EPPFL read (paper eppfl): an edge server draws pictures, a client finds members.

The edge server has what every client has, the client part that the first round begins with, and
public samples. It treats these as clients treat theirs, several times over, and trains a decoder on
the outcome.

A client has its own samples and the average of all clients' parts. Behind the last average it fits
a linear classifier to its samples, and takes those of the others for members whose loss is small.
It guesses without what the others sent by doing the same behind the part that it began with.

Masked weights tell as much as they correlate with the true ones and as their bytes are not uniform.
"""

from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from fbftl.attacks.attained import Attained
from fbftl.attacks.inversion import (
    AttackedImages,
    DecoderTraining,
    Likeness,
    likenesses,
    pictures,
    train_decoder,
)
from fbftl.attacks.membership import auc, every, losses
from fbftl.messages.statistics import Statistics
from fbftl.methods.eppfl.activations import Boundary
from fbftl.methods.eppfl.run import crossing_of, train_with_edges
from fbftl.privacy.masking import from_ring
from fbftl.study.job import Job
from fbftl.training.closed_form import ridge
from fbftl.training.local_network import LocalNetwork, represented
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.task import ClientSamples, Repetition

VICTIMS = 200
"""Samples that are reconstructed."""

KNOWN = 1000
"""Public samples that a decoder learns from."""

DRAWS = 2
"""Times that each of them is dropped and noised."""

TRAINING = DecoderTraining(epochs=10)

REGULARISATION = 1e-3
"""Of the client's classifier, as a share of the mean eigenvalue of its features' Gram matrix."""

BY_CLIENT = "a client, of the averaged client part"


def drawn_by_edge_server(
    job: Job, client_data: ClientSamples, public_data: ClientSamples, images: AttackedImages
) -> list[Likeness]:
    """Return how close the edge server's pictures come, in the first round of a job's first seed.

    Args:
        job: the setting.
        client_data: what its clients hold.
        public_data: the public samples, as if clients held them.
        images: stored ones of both.
    """
    seed, known = job.seeds[0], pictures(images.public[:KNOWN])
    front, _ = client_data.target.random(job, seed)
    boundary = Boundary(crossing_of(job), seed)
    sent_of_public = [
        sent(front, boundary, public_data, KNOWN, draw) for draw in range(1, DRAWS + 1)
    ]
    pairs = np.concatenate(sent_of_public), np.concatenate([known] * DRAWS)
    device = client_data.target.inputs.device
    decoder = train_decoder(*pairs, seed=seed, training=TRAINING, device=device)
    drawn = decoder(sent(front, boundary, client_data, VICTIMS, 0))
    return likenesses(drawn, pictures(images.clients[:VICTIMS]), known)


@torch.no_grad()
def sent(
    front: nn.Module, boundary: Boundary, client_data: ClientSamples, count: int, draw: int
) -> NDArray[np.float32]:
    """Return what clients send of the first samples, (n, N)."""
    inputs = client_data.samples.at(np.arange(min(count, len(client_data.samples.labels)))).inputs
    return boundary.tested(draw, inputs.device)(front(inputs)).flatten(1).cpu().numpy()


def members_by_client(job: Job, client_data: ClientSamples) -> Attained | None:
    """Return how well the first client tells the others' samples from test ones.

    A job's first seed is played for it; None if that diverges.
    """
    watched: list[tuple[Repetition, LocalNetwork]] = []
    alone = replace(job, seeds=job.seeds[:1])
    train_with_edges(alone, client_data, lambda *pair: watched.append(pair))
    ((repetition, learner),) = watched
    if not torch.isfinite(learner.weights()).all():
        return None
    first_front, _ = client_data.target.random(job, repetition.seed)
    adversary_rows, *others_rows = repetition.clients
    known, members, others = (
        client_data.samples.at(adversary_rows),
        client_data.samples.at(np.concatenate(others_rows)),
        every(client_data.test),
    )
    attained, blind = (
        told_apart(front, client_data.classes, known, members, others)
        for front in (learner.split_model.front, first_front)
    )
    return Attained("membership", BY_CLIENT, "AUC", [attained], blind)


def told_apart(
    front: nn.Module, classes: int, known: LabelledInputs, members: LabelledInputs,
    others: LabelledInputs,
) -> float:  # fmt: skip
    """Return the area under the curve by which losses tell members from others.

    Args:
        front: the client part.
        classes: number of classes N.
        known: the adversary's samples, to which a linear classifier is fitted behind the part.
        members: samples that the part was trained on.
        others: samples that it was not trained on.
    """
    known_features, known_labels = represented(front, known)
    statistics = Statistics.of(known_features, known_labels, classes)
    head = ridge(statistics, (REGULARISATION,)).head
    inside, outside = (
        -losses(head.scores(features), labels)
        for features, labels in (represented(front, samples) for samples in (members, others))
    )
    return auc(inside, outside)


def correlation(message: NDArray[np.uint64], values: np.ndarray) -> float:
    """Return the correlation of a masked message with what was masked, both (n,).

    Numbers are taken relative to the first, which undoes a mask of one number for all and leaves
    any other as random as it was.
    """
    return float(np.corrcoef(from_ring(message - message[0]), values)[0, 1])


def byte_uniformity(message: NDArray[np.uint64]) -> float:
    """Return the p-value of Pearson's chi-square test that the bytes of a message are uniform."""
    from scipy.stats import chisquare

    counts = np.bincount(np.frombuffer(message.tobytes(), dtype=np.uint8), minlength=256)
    return float(chisquare(counts).pvalue)
