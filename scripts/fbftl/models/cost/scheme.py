"""What one scheme costs in all, for any network and any clients: a row of Table III by formula."""

from dataclasses import dataclass
from fractions import Fraction

from fbftl.models.cost import compute, payload
from fbftl.models.cost.layers import Network
from fbftl.models.cost.payload import Federation

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
        client_multiplications=compute.client_multiplications(network, scheme, federation, batches),
        server_multiplications=(
            compute.server_multiplications(network, federation.samples, epochs)
            if scheme in TRAIN_AT_SERVER
            else None
        ),
    )
