"""What claims of the survey rest on: counts of work, which need no runs, and measures.

What the survey says about computation is counted in multiplications of a round. The ground is the
survey's simulation: its network, and 1,280 samples of a client a round. Additions, and the keys and
triples that are made beforehand, are left out.
"""

from collections.abc import Mapping
from math import ceil, log2

from fbftl.models.cost import layers
from fbftl.models.cost.layers import convolution, dense
from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.measures import Measured, plain


def heaviest(case: FormulaCase) -> Decision:
    """Decide whether a client's round of an encrypted framework multiplies more than plain ones."""
    encrypted = {"FedHealth": fedhealth, "Secure FTL": paillier}
    plain = {"FedAvg": fedavg(), "FedMD": fedmd()}
    count = encrypted[case.a]()
    return Decision(
        f"multiplications of a client's round of {case.a} on the simulation's network",
        "; ".join(f"{name} {each:,}" for name, each in ({case.a: count} | plain).items()),
        count > max(plain.values()),
    )


HIDDEN = dense("fc1", 12 * 12 * 64, 128)

NETWORK = (
    convolution("conv1", 1, 32, kernel=3, side=26),
    convolution("conv2", 32, 64, kernel=3, side=24),
    HIDDEN,
    dense("fc2", 128, 10),
)
"""Of PyTorch's MNIST example; sides are those of the maps that its convolutions, unpadded, give."""

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

COMMON, DIMENSIONS, FEATURES = SAMPLES, HIDDEN.outputs, HIDDEN.inputs + 1
"""Of both parties of Secure FTL, each with the first dense layer of the simulation's network, which
is trained: samples that both have, dimensions that their representations are aligned in, and inputs
of the layer with a constant."""


def fedavg() -> int:
    """Return the multiplications of one pass over a client's samples."""
    return PASSES * SAMPLES * layers.products(NETWORK)


def fedhealth() -> int:
    """Return those of a pass and of the encryption of all weights under CKKS."""
    ciphertexts = ceil(layers.parameters(NETWORK) / (CKKS_DEGREE // 2))
    transform = CKKS_DEGREE // 2 * int(log2(CKKS_DEGREE))
    return fedavg() + ciphertexts * CKKS_PRIMES * CKKS_TRANSFORMS * transform


def fedmd() -> int:
    """Return those of scoring and digesting open samples, and of a pass over a client's own."""
    return fedavg() + (1 + PASSES) * OPEN_SAMPLES * layers.products(NETWORK)


def products() -> int:
    """Return those of both gradients of Secure FTL in the open: matrices times numbers."""
    return 2 * DIMENSIONS * FEATURES * (COMMON + DIMENSIONS)


def paillier() -> int:
    """Return those of both gradients under Paillier, words of squarings alone: a lower bound.

    Every number is encrypted, by a power of the modulus; every product is a power of a ciphertext.
    """
    squaring = (2 * PAILLIER_BITS // WORD) ** 2
    numbers = 2 * DIMENSIONS * (COMMON + DIMENSIONS)
    return squaring * (PAILLIER_BITS * numbers + FRACTION_BITS * products())


MEASURES: Mapping[str, Measured] = {
    f"matched_{index}": plain(f"matched_{index}") for index in ("cka", "cca", "regression")
}
"""Share of models whose most similar other model has their labels, by index of similarity."""
