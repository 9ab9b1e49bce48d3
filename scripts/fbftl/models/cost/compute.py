"""Multiplications of every scheme at clients and server, and what a scheme costs in all.

Eq. (14)-(17) of paper fbftl: a forward pass costs X_m per sample and layer, a backward pass the
same again. The equations are given twice: as printed, and corrected so that every sample of a batch
counts (audit row A9). `scheme_cost` is a row of Table III for any network and any clients.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from fbftl.models.cost import payload
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


def solving(head: str, width: int, classes: int, training: int | None = None) -> int | None:
    """Return the multiplications to solve a head once its statistics are there.

    A Cholesky factorisation takes d³/6, two triangular solutions d² for each class. What a message
    does not hold and the server forms of rows, n d² / 2, is not among them.

    Args:
        head: its name.
        width: dimensions d in which it is solved.
        classes: number of classes N.
        training: of the perceptron that is trained instead.
    """
    match head:
        case "mlp":
            return training
        case "logistic":
            return None
        case "ncm" | "fedncm":
            return width * classes
        case "ridge":
            width += 1
    return width**3 // 6 + width**2 * classes


SCHEMES = ("fl", "sfl", "ftl_f", "ftl_c", "fbftl")
"""What Eq. (2)-(4) and (6) count; a method names the one that counts it."""

TRAIN_AT_SERVER = ("sfl", "fbftl")
"""Schemes whose server trains; the others' only average."""


@dataclass(frozen=True)
class SchemeCost:
    """Totals until convergence, exact; fractions where clients' mean K_u is one.

    uplink_bits: without labels; `payload.label_bits` has them.
    server_multiplications: of its training; None where the server only averages.
    """

    upload_batches: int | Fraction
    numbers_per_batch: int | Fraction
    uplink_bits: int | Fraction
    downlink_bits: int
    client_multiplications: int | Fraction
    server_multiplications: int | None


def scheme_cost(network: Network, federation: Federation, scheme: str, epochs: int) -> SchemeCost:
    """Return the cost of a scheme that ran so many epochs; FbFTL's does not depend on them.

    In an epoch every client takes part once, the last round having fewer clients where UC does
    not divide U.

    Uplink by Eq. (2)-(4) and (6), downlink by Eq. (10)-(13), clients' computation by Eq. (14)-(17)
    with every sample of a client counted (audit row A9). SFL as `payload` describes it.

    Args:
        network: the network and its cut.
        federation: U, K_u and UC.
        scheme: one of `SCHEMES`.
        epochs: passes over all clients.

    Raises:
        ValueError: for any other scheme.
    """
    if scheme not in SCHEMES:
        raise ValueError(f"no cost for scheme {scheme!r}, only for {', '.join(SCHEMES)}")
    once = scheme == "fbftl"
    batches = federation.samples if once else federation.upload_batches(epochs)
    rounds = federation.whole_rounds(epochs)
    if scheme == "sfl":
        numbers = payload.sfl_numbers_per_batch(network, federation.samples_per_client)
        downlink = payload.sfl_downlink_bits(
            network, federation.samples_per_client, rounds, batches
        )
    else:
        numbers = payload.numbers_per_batch(network, scheme)
        downlink = payload.downlink_bits(network, scheme, rounds)
    return SchemeCost(
        upload_batches=batches,
        numbers_per_batch=numbers,
        uplink_bits=payload.uplink_bits(batches, numbers),
        downlink_bits=downlink,
        client_multiplications=client_multiplications(network, scheme, federation, batches),
        server_multiplications=(
            server_multiplications(network, federation.samples, epochs)
            if scheme in TRAIN_AT_SERVER
            else None
        ),
    )
