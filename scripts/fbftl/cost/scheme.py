"""What one scheme costs in all, for any network and any clients: a row of Table III by formula."""

from dataclasses import dataclass
from fractions import Fraction

from fbftl.cost import compute, payload
from fbftl.cost.layers import Network
from fbftl.cost.payload import Federation

METHODS = ("fl", "sfl", "ftl_f", "ftl_c", "fbftl")


@dataclass(frozen=True)
class SchemeCost:
    """Totals until convergence, exact; fractions where clients' mean K_u is one."""

    upload_batches: int | Fraction
    numbers_per_batch: int | Fraction
    uplink_bits: int | Fraction
    """Without labels; `payload.label_bits` has them."""
    downlink_bits: int
    client_multiplications: int | Fraction


def scheme_cost(network: Network, federation: Federation, method: str, epochs: int) -> SchemeCost:
    """Return the cost of a scheme that ran so many epochs; FbFTL's does not depend on them.

    In an epoch every client takes part once, the last round having fewer clients where UC does
    not divide U.

    Uplink by Eq. (2)-(4) and (6), downlink by Eq. (10)-(13), clients' computation by Eq. (14)-(17)
    with every sample of a client counted (audit row A9). SFL as `payload` describes it.

    Args:
        network: the network and its cut.
        federation: U, K_u and UC.
        method: one of `METHODS`.
        epochs: passes over all clients.

    Raises:
        ValueError: for any other method.
    """
    if method not in METHODS:
        raise ValueError(f"no cost for method {method!r}, only for {', '.join(METHODS)}")
    once = method == "fbftl"
    batches = federation.samples if once else federation.upload_batches(epochs)
    rounds = federation.whole_rounds(epochs)
    if method == "sfl":
        numbers = payload.sfl_numbers_per_batch(network, federation.samples_per_client)
        downlink = payload.sfl_downlink_bits(
            network, federation.samples_per_client, rounds, batches
        )
    else:
        numbers = payload.numbers_per_batch(network, method)
        downlink = payload.downlink_bits(network, method, rounds)
    return SchemeCost(
        upload_batches=batches,
        numbers_per_batch=numbers,
        uplink_bits=payload.uplink_bits(batches, numbers),
        downlink_bits=downlink,
        client_multiplications=compute.client_multiplications(network, method, federation, batches),
    )
