"""What FedFeat+'s server reads in features (paper fedfeat): who was in them, and what they show.

The adversary is the server, after the last round. It has every client's weights and so its
extractor, the noised features, and public pictures. Membership: candidates are the client's own
samples and test samples, scored by how near their features lie to some that were sent. Inversion: a
decoder is trained on public pictures under the same noise, and draws what the first client sent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from fbftl.attacks.attained import Attained
from fbftl.attacks.inversion import Likeness, likenesses, pictures, train_decoder
from fbftl.attacks.membership import separation
from fbftl.attacks.sent_features import nearest
from fbftl.data.clients import ClientFile
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.ground.errors import required
from fbftl.training.feature_network import FeatureNetwork

CHANCE = 0.5
"""AUC of an adversary that guesses."""

BY_DISTANCE = "server with the client's extractor, nearest features"
BY_DECODER = "server with the client's extractor and public data"


@dataclass(frozen=True)
class AttackedImages:
    """Stored images, uint8, of clients and public ones.

    clients: (n, height, width, channels).
    public: (m, height, width, channels).
    """

    clients: NDArray[np.uint8]
    public: NDArray[np.uint8]

    @classmethod
    def of(cls, clients: str, public: str) -> "AttackedImages":
        """Return the training images of a client file and of a public client file, by path."""
        return cls(*map(_training_images, (clients, public)))


def _training_images(path: str) -> NDArray[np.uint8]:
    with ClientFile(path) as file:
        return np.asarray(file.column("train", "pixels"))


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
    public = preprocess(torch.from_numpy(images.public), preprocessing)
    return list(_views(network, public.to(network.weights().device)))


def _views(network: FeatureNetwork, public: torch.Tensor) -> Iterator[ClientView]:
    training_data, averaged = network.training_data, network.weights()
    test = training_data.test.at(np.arange(len(training_data.test.labels)))
    for message in network.received:
        network.set_weights(network.sent_weights(message.client))
        client_samples = training_data.samples.at(message.rows)
        with torch.no_grad():
            members, others, of_public = (
                network.split_model.front(inputs).flatten(1).cpu().numpy()
                for inputs in (client_samples.inputs, test.inputs, public)
            )
        yield ClientView(
            message.rows, message.sent.flatten(1).cpu().numpy(), members, others, of_public
        )
    network.set_weights(averaged)


def noise_of(network: FeatureNetwork) -> float:
    """Return the standard deviation of the noise that the clients add, which is no secret."""
    noise = network.request.noise
    return 0.0 if noise is None else required(noise.records[0].noise_std)


def members_by_distance(seen: Sequence[ClientView]) -> Attained:
    """Return how well distances tell each client's samples from the test split's."""
    aucs = [
        separation(-nearest(client.members, client.sent), -nearest(client.others, client.sent)).auc
        for client in seen
    ]
    return Attained("membership", BY_DISTANCE, "AUC", aucs, CHANCE)


def drawn_by_server(
    client: ClientView, images: AttackedImages, seed: int, noise_std: float
) -> list[Likeness]:
    """Return how close reconstructions of a client's samples come, beside the public mean picture.

    Args:
        client: what the adversary has of it.
        images: stored ones.
        seed: of the decoder.
        noise_std: standard deviation of the noise on features.
    """
    decoder = train_decoder(client.public, pictures(images.public), seed=seed, noise_std=noise_std)
    inputs = pictures(images.clients[client.rows])
    return likenesses(decoder(client.sent), inputs, pictures(images.public))
