"""Multiplications of every scheme at clients and server (paper fbftl, Eq. (14)-(17)).

A forward pass costs X_m per sample and layer, a backward pass the same again. The equations are
given twice: as printed, and corrected so that every sample of a batch counts (audit row A9).
"""

from collections.abc import Sequence
from fractions import Fraction

from fbftl.models.cost.layers import Layer, Network, multiplications, products
from fbftl.models.cost.payload import Federation


def client_multiplications_in_text(
    network: Network, method: str, federation: Federation, batches: int
) -> int:
    """Return all clients' multiplications as Eq. (14)-(17) print them.

    Args:
        network: the network and its cut.
        method: `fl`, `ftl_f`, `ftl_c` or `fbftl`.
        federation: gives U.
        batches: I U C; FbFTL does not depend on it.

    Raises:
        ValueError: for a method without an equation.
    """
    once = federation.clients * multiplications(network.extractor)
    match method:
        case "fl" | "ftl_f":
            return 2 * batches * multiplications(network.layers)
        case "ftl_c":
            return once + 2 * batches * multiplications(network.head)
        case "fbftl":
            return once
    raise ValueError(f"no computation equation for method {method!r}")


def client_multiplications(
    network: Network, method: str, federation: Federation, batches: int
) -> int | Fraction:
    """Return all clients' multiplications, every one of a client's K_u samples counted.

    FTL_c extracts each sample once and keeps the features, as Eq. (16) assumes. A client of SFL
    runs its own part of the network only.

    Args:
        network: the network and its cut.
        method: `fl`, `sfl`, `ftl_f`, `ftl_c` or `fbftl`.
        federation: gives U and K_u.
        batches: I U C; FbFTL does not depend on it.

    Raises:
        ValueError: for an unknown method.
    """
    once = federation.samples * multiplications(network.extractor)
    passes = 2 * batches * federation.samples_per_client
    match method:
        case "fl" | "ftl_f":
            return passes * multiplications(network.layers)
        case "sfl":
            return passes * multiplications(network.extractor)
        case "ftl_c":
            return once + passes * multiplications(network.head)
        case "fbftl":
            return once
    raise ValueError(f"no count of multiplications for method {method!r}")


def server_multiplications(network: Network, samples: int, epochs: int) -> int:
    """Return what the server of FbFTL multiplies: forward and backward through the head.

    So does the main server of SFL. The servers of the other schemes only average.
    """
    return 2 * epochs * samples * multiplications(network.head)


def training_products(layers: Sequence[Layer]) -> int:
    """Return one sample's multiplications of a training step through a network's first layers.

    A pass forward, the gradients of all weights, and those of what enters each layer but the first.
    Where a share of the gradients is 0, which not every client's hardware can use, it counts too.
    """
    return 3 * products(layers) - layers[0].products
