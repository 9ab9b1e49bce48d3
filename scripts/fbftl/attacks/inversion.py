"""Feature inversion: a decoder trained on public data draws clients' inputs from their features.

The adversary has the frozen extractor, so it can make any number of (feature, input) pairs from
public source data. It knows the mechanism: it clips these features as the clients do and draws
fresh noise for every batch, which teaches the decoder to see through the noise as far as that is
possible. Before training, the decoder draws the mean public picture whatever the feature. Of all
epochs that decoder is kept which draws a held-out tenth of the public pictures best: one that has
learned nothing but noise is given up for the mean picture.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from fbftl.attacks.attained import Finding, found
from fbftl.data.clients import ClientFile
from fbftl.ground.randomness import torch_seed
from fbftl.training.optimisers import Adam

SSIM_SIGMA = 1.5
"""Standard deviation in pixels of the Gaussian window (Wang et al. 2004)."""

SSIM_RADIUS = 5
"""The window ends here: 11 x 11 pixels, less in a smaller picture."""

SSIM_CONSTANTS = (0.01**2, 0.03**2)
"""(K1 L)^2 and (K2 L)^2 for the range L = 1."""


def psnr(originals: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return the peak signal-to-noise ratio of each picture in dB; equal pictures have infinity.

    Args:
        originals: pictures in [0, 1], shape (n, ...).
        others: pictures of the same shape.
    """
    a, b = np.asarray(originals, dtype=np.float64), np.asarray(others, dtype=np.float64)
    error = ((a - b) ** 2).reshape(len(a), -1).mean(axis=1)
    with np.errstate(divide="ignore"):
        return -10 * np.log10(error)


def ssim(originals: ArrayLike, others: ArrayLike) -> NDArray[np.float64]:
    """Return the mean structural similarity of each picture, at most 1 (Wang et al. 2004).

    At the border the window is cut off and its weights made to sum to 1.

    Args:
        originals: pictures in [0, 1], shape (n, channels, height, width) or (n, height, width).
        others: pictures of the same shape.
    """
    a, b = np.asarray(originals, dtype=np.float64), np.asarray(others, dtype=np.float64)
    c1, c2 = SSIM_CONSTANTS
    mean_a, mean_b = blur(a), blur(b)
    variance_a = blur(a * a) - mean_a**2
    variance_b = blur(b * b) - mean_b**2
    covariance = blur(a * b) - mean_a * mean_b
    likeness = ((2 * mean_a * mean_b + c1) * (2 * covariance + c2)) / (
        (mean_a**2 + mean_b**2 + c1) * (variance_a + variance_b + c2)
    )
    return likeness.reshape(len(a), -1).mean(axis=1)


def blur(pictures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Gaussian-weighted local mean over the last two axes."""
    rows, columns = (window(size) for size in pictures.shape[-2:])
    return rows @ pictures @ columns.T


def window(size: int) -> NDArray[np.float64]:
    """Return the matrix, shape (size, size), whose row i weights the neighbours of pixel i."""
    distance = np.subtract.outer(np.arange(size), np.arange(size))
    weights = np.exp(-(distance**2) / (2 * SSIM_SIGMA**2)) * (np.abs(distance) <= SSIM_RADIUS)
    return weights / weights.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class DecoderTraining:
    """How the decoder is trained: fully connected, Adam, mean squared error."""

    hidden: tuple[int, ...] = (256,)
    epochs: int = 20
    batch: int = 256
    learning_rate: float = 3e-3
    weight_decay: float = 0.0


DEFAULT = DecoderTraining()

MEASURES = {"PSNR (dB)": psnr, "SSIM": ssim}
"""How close pictures come to each other, by name."""

COLUMNS = {"PSNR (dB)": "psnr", "SSIM": "ssim"}
"""The columns of these in tables by seed."""

HELD_OUT = 0.1
"""Share of the public samples, at least one, by which the decoder is chosen."""


@dataclass(frozen=True)
class Decoder:
    """A trained decoder and the scaling of features that it was trained with."""

    network: nn.Module
    mean: Tensor
    scale: Tensor
    shape: tuple[int, ...]

    def __call__(self, features: ArrayLike) -> NDArray[np.float32]:
        """Return reconstructed inputs in [0, 1], shape (n, *shape), from features (n, d)."""
        with torch.inference_mode():
            x = (tensor(features, self.mean.device) - self.mean) / self.scale
            return self.network(x).reshape(-1, *self.shape).cpu().numpy()


@dataclass(frozen=True)
class Likeness:
    """How close reconstructions come by one measure, and what the adversary has without them.

    measure: its name.
    values: (n,) of each reconstruction.
    blind: mean of the public data's mean picture, the best constant guess.
    """

    measure: str
    values: NDArray[np.float64]
    blind: float


@dataclass(frozen=True)
class AttackedImages:
    """Stored images, uint8, of clients and public ones.

    clients: (n, height, width, channels).
    public: (m, height, width, channels).
    """

    clients: NDArray[np.uint8]
    public: NDArray[np.uint8]

    @classmethod
    def of(cls, files: Mapping[str, str]) -> "AttackedImages":
        """Return the training images of the client file and of the public one, among files."""
        return cls(*(training_images(files[name]) for name in ("clients", "public")))


def pictures(pixels: ArrayLike) -> NDArray[np.float32]:
    """Return stored images (n, height, width, channels) as pictures in [0, 1], channels first."""
    return np.moveaxis(np.asarray(pixels), 3, 1).astype(np.float32) / 255


def training_images(clients: str | Path) -> NDArray[np.uint8]:
    """Return the training images of a client file, (n, height, width, channels)."""
    with ClientFile(clients) as file:
        return np.asarray(file.column("train", "pixels"))


def training_pictures(clients: str | Path) -> NDArray[np.float32]:
    """Return the training images of a client file as `pictures`."""
    return pictures(training_images(clients))


def train_decoder(
    features: ArrayLike,
    inputs: ArrayLike,
    *,
    seed: int,
    noise_std: float = 0.0,
    training: DecoderTraining = DEFAULT,
    device: torch.device | str = "cpu",
) -> Decoder:
    """Train a decoder from features to inputs on public data; keep the best epoch's.

    Args:
        features: public features, shape (n, d), clipped as the clients' are, without noise.
        inputs: the pictures they were made of, in [0, 1], shape (n, height, width) or
            (n, channels, height, width).
        seed: the repetition's seed.
        noise_std: standard deviation of the noise that the clients add to their features.
        training: the decoder's size and its optimiser.
        device: where to train.
    """
    x, y = tensor(features, device), tensor(inputs, device)
    generator = torch.Generator().manual_seed(torch_seed(seed, "inversion"))
    mean = x.mean(dim=0)
    scale = (x.var(dim=0, correction=0) + noise_std**2).sqrt().clamp_min(1e-6)
    y = y.reshape(len(y), -1)
    decoder = Decoder(
        blind_network((x.shape[1], *training.hidden), y.mean(dim=0).cpu(), generator).to(device),
        mean,
        scale,
        tuple(np.shape(inputs)[1:]),
    )
    parameters = list(decoder.network.parameters())
    optimiser = Adam(parameters, training)

    def error(rows: Tensor, noise: Tensor) -> Tensor:
        here = rows.to(device)
        decoded = decoder.network((x[here] + noise_std * noise.to(device) - mean) / scale)
        return nn.functional.mse_loss(decoded, y[here])

    def noise_for(rows: Tensor) -> Tensor:
        return torch.randn((len(rows), x.shape[1]), generator=generator)

    order = torch.randperm(len(x), generator=generator)
    held_out, learned = order.tensor_split([max(1, round(HELD_OUT * len(x)))])
    chosen_by = held_out, noise_for(held_out)
    with torch.no_grad():
        least, best = float(error(*chosen_by)), deepcopy(decoder.network.state_dict())
    for _ in range(training.epochs):
        shuffled = learned[torch.randperm(len(learned), generator=generator)]
        for rows in filter(len, shuffled.split(training.batch)):
            gradients = torch.autograd.grad(error(rows, noise_for(rows)), parameters)
            optimiser.step(gradients)
        with torch.no_grad():
            loss = float(error(*chosen_by))
        if loss < least:
            least, best = loss, deepcopy(decoder.network.state_dict())
    decoder.network.load_state_dict(best)
    return decoder


def tensor(array: ArrayLike, device: torch.device | str = "cpu") -> Tensor:
    """Return an array as a float32 tensor on a device."""
    return torch.as_tensor(np.asarray(array, dtype=np.float32)).to(device)


def blind_network(
    widths: tuple[int, ...], picture: Tensor, generator: torch.Generator
) -> nn.Sequential:
    """Return a network with values in (0, 1) that draws one picture whatever its input.

    Linear layers with ReLU between them are He-initialised.
    """
    layers: list[nn.Module] = []
    for inputs, outputs in pairwise((*widths, len(picture))):
        last = nn.Linear(inputs, outputs)
        nn.init.kaiming_normal_(last.weight, nonlinearity="relu", generator=generator)
        nn.init.zeros_(last.bias)
        layers += [last, nn.ReLU()]
    nn.init.zeros_(last.weight)
    last.bias.data = torch.logit(picture, eps=1e-3)
    return nn.Sequential(*layers[:-1], nn.Sigmoid())


def likenesses(
    reconstructions: ArrayLike, inputs: ArrayLike, public_inputs: ArrayLike
) -> list[Likeness]:
    """Compare reconstructions with the clients' inputs, and with the best blind guess.

    Args:
        reconstructions: what the decoder drew, in [0, 1], shape (n, ...).
        inputs: the clients' inputs of the same shape.
        public_inputs: the adversary's public inputs, shape (m, ...).
    """
    blind = np.broadcast_to(np.mean(np.asarray(public_inputs), axis=0), np.shape(inputs))
    return [
        Likeness(measure, of(inputs, reconstructions), float(of(inputs, blind).mean()))
        for measure, of in MEASURES.items()
    ]


def found_in_pictures(drawn: Sequence[Likeness], **context: Any) -> list[Finding]:
    """Return how close pictures come, beside the public data's mean picture.

    Args:
        drawn: by each measure.
        context: all else that a finding tells.
    """
    return [
        found(each.values, each.blind, attack="inversion", measure=each.measure, **context)
        for each in drawn
    ]


def columns_of(drawn: Sequence[Likeness]) -> dict[str, float]:
    """Return each measure's mean over the pictures by column, its blind guess under `_blind`."""
    columns: dict[str, float] = {}
    for likeness in drawn:
        name = COLUMNS[likeness.measure]
        columns |= {name: float(likeness.values.mean()), f"{name}_blind": likeness.blind}
    return columns
