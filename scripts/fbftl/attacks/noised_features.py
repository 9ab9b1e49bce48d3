"""What FedFeat+'s server reads in features (paper fedfeat): who was in them, and what they show.

The adversary is the server, after the last round. It has every client's weights and so its
extractor, the noised features, and public pictures. Membership: candidates are the client's own
samples and test samples, scored by how near their features lie to some that were sent. Inversion: a
decoder is trained on public pictures under the same noise, and draws what the first client sent.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray

from fbftl.attacks.attained import Attained
from fbftl.attacks.choice import CHANCE
from fbftl.attacks.inversion import AttackedImages, Likeness, likenesses, pictures, train_decoder
from fbftl.attacks.membership import auc, every
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import required
from fbftl.methods.fedfeat import retrain
from fbftl.study.job import Job
from fbftl.training.feature_network import FeatureNetwork
from fbftl.training.tasks.task import ClientSamples

ROWS_AT_ONCE = 512
"""Candidates whose distances are computed at once; bounds memory."""

BY_DISTANCE = "server with the client's extractor, nearest features"
BY_DECODER = "server with the client's extractor and public data"


@dataclass(frozen=True)
class ClientView:
    """What the adversary has of one client.

    rows: of its samples, in the order of its features.
    sent: (n, d) noised features.
    members: (n, d) what its extractor gives for its samples now.
    others: (m, d) what its extractor gives for the test split.
    public: (p, d) what its extractor gives for public pictures.
    """

    rows: np.ndarray
    sent: np.ndarray
    members: np.ndarray
    others: np.ndarray
    public: np.ndarray

    @property
    def finite(self) -> bool:
        """Whether there is anything to read: features of a diverged client tell nothing."""
        return all(np.isfinite(side).all() for side in (self.sent, self.members, self.others))


def views(
    network: FeatureNetwork, images: AttackedImages, preprocessing: Preprocessing
) -> list[ClientView]:
    """Return what the adversary has of each client whose features arrived last.

    Args:
        network: after its last round; its weights stay as they are.
        images: stored ones.
        preprocessing: from a stored image to the network's input.
    """
    training_data, averaged = network.training_data, network.weights()
    public = preprocess(torch.from_numpy(images.public), preprocessing).to(averaged.device)
    seen = []
    test = every(training_data.test)
    for message in network.received:
        network.set_weights(network.sent_weights(message.client))
        client_samples = training_data.samples.at(message.rows)
        with torch.no_grad():
            members, others, of_public = (
                network.split_model.front(inputs).flatten(1).cpu().numpy()
                for inputs in (client_samples.inputs, test.inputs, public)
            )
        sent = message.sent.flatten(1).cpu().numpy()
        seen.append(ClientView(message.rows, sent, members, others, of_public))
    network.set_weights(averaged)
    return seen


def noise_of(network: FeatureNetwork) -> float:
    """Return the standard deviation of the noise that the clients add, which is no secret."""
    noise = network.request.noise
    return 0.0 if noise is None else required(noise.records[0].noise_std)


@dataclass(frozen=True)
class ReadFeatures:
    """What the server reads in the features of one seed: members of all clients, one's pictures."""

    members: Attained
    drawn: list[Likeness]


def read_by_server(
    job: Job, client_data: ClientSamples, images: AttackedImages
) -> ReadFeatures | None:
    """Train as a setting of one seed does and attack the last features; None if it diverges."""
    (network,) = retrain(job, client_data).networks
    seen = views(network, images, client_data.preprocessing)
    if not all(client.finite for client in seen):
        return None
    aucs = [
        auc(-nearest(client.members, client.sent), -nearest(client.others, client.sent))
        for client in seen
    ]
    victim, public = seen[0], pictures(images.public)
    decoder = train_decoder(victim.public, public, seed=job.seeds[0], noise_std=noise_of(network))
    drawn = likenesses(decoder(victim.sent), pictures(images.clients[victim.rows]), public)
    return ReadFeatures(Attained("membership", BY_DISTANCE, "AUC", aucs, CHANCE), drawn)


def nearest(candidates: ArrayLike, sent: ArrayLike) -> NDArray[np.float64]:
    """Return each candidate's squared distance to the nearest features that were sent, (m,).

    Args:
        candidates: (m, d) features that the adversary computes.
        sent: (n, d) features that were sent, at least one.
    """
    references = np.asarray(sent, dtype=np.float64)
    lengths = (references**2).sum(1)
    rows = np.asarray(candidates, dtype=np.float64)
    distances = []
    for first in range(0, len(rows), ROWS_AT_ONCE):
        batch = rows[first : first + ROWS_AT_ONCE]
        squares = (batch**2).sum(1)[:, None] + lengths - 2 * batch @ references.T
        distances.append(squares.min(axis=1).clip(min=0))
    return np.concatenate(distances)
