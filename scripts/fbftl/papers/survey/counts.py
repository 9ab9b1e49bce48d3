"""What the survey's words about computation come to, in multiplications of a round.

The ground is the survey's simulation: its network, and 1,280 samples of a client a round.
Additions, and the keys and triples that are made beforehand, are left out.
"""

from dataclasses import dataclass
from math import ceil, log2

CONVOLUTIONS = ((26 * 26, 3 * 3 * 1, 32), (24 * 24, 3 * 3 * 32, 64))
"""Of PyTorch's MNIST example: positions, inputs of a filter, filters."""

DENSE = ((12 * 12 * 64, 128), (128, 10))
"""Its dense layers: inputs and outputs."""

SAMPLES, OPEN_SAMPLES = 1280, 1000
"""Of a client in a round; that FedMD's clients score, as in audit row A12."""

PASSES = 3
"""Of a training step over a network: forward, and twice as much backward."""

WORD = 64
"""Bits of the words in which long numbers are multiplied."""

PAILLIER_BITS = 2048
"""Of the modulus; ciphertexts have twice as many."""

FRACTION_BITS = 24
"""Behind the point of a number that an encrypted one is multiplied by."""

CKKS_DEGREE, CKKS_PRIMES, CKKS_TRANSFORMS = 8192, 3, 3
"""Of the ring; of its modulus; transforms of an encryption for each prime."""


@dataclass(frozen=True)
class PartySizes:
    """Both parties of Secure FTL, each with one dense layer that is trained.

    common: samples that both have.
    dimensions: that their representations are aligned in.
    features: inputs of the layer, and a constant.
    """

    common: int
    dimensions: int
    features: int


AS_SIMULATED = PartySizes(SAMPLES, DENSE[0][1], DENSE[0][0] + 1)
"""With the first dense layer of the simulation's network, on its samples of a round."""


def weights() -> tuple[int, int]:
    """Return the weights of the network's last dense layer and of all its layers."""
    dense = [(inputs + 1) * outputs for inputs, outputs in DENSE]
    filters = [(inputs + 1) * outputs for _, inputs, outputs in CONVOLUTIONS]
    return dense[-1], sum(dense) + sum(filters)


def forward() -> int:
    """Return the multiplications of one sample's way through the network."""
    filters = sum(positions * inputs * outputs for positions, inputs, outputs in CONVOLUTIONS)
    return filters + sum(inputs * outputs for inputs, outputs in DENSE)


def fedavg() -> int:
    """Return those of one pass over a client's samples."""
    return PASSES * SAMPLES * forward()


def fedhealth() -> int:
    """Return those of a pass and of the encryption of all weights under CKKS."""
    ciphertexts = ceil(weights()[1] / (CKKS_DEGREE // 2))
    transform = CKKS_DEGREE // 2 * int(log2(CKKS_DEGREE))
    return fedavg() + ciphertexts * CKKS_PRIMES * CKKS_TRANSFORMS * transform


def fedmd() -> int:
    """Return those of scoring and digesting open samples, and of a pass over a client's own."""
    return fedavg() + (1 + PASSES) * OPEN_SAMPLES * forward()


def products(parties: PartySizes) -> int:
    """Return those of both gradients of Secure FTL in the open: matrices times numbers."""
    of_each = parties.dimensions * parties.features * (parties.common + parties.dimensions)
    return 2 * of_each


def paillier(parties: PartySizes) -> int:
    """Return those of both gradients under Paillier, words of squarings alone: a lower bound.

    Every number is encrypted, by a power of the modulus; every product is a power of a ciphertext.
    """
    squaring = (2 * PAILLIER_BITS // WORD) ** 2
    numbers = 2 * parties.dimensions * (parties.common + parties.dimensions)
    return squaring * (PAILLIER_BITS * numbers + FRACTION_BITS * products(parties))
