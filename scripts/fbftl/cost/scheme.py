"""What one scheme costs in all, for any network and any clients: a row of Table III by formula."""

from dataclasses import dataclass

from fbftl.cost import compute, payload
from fbftl.cost.layers import Network
from fbftl.cost.payload import Federation

METHODS = ("fl", "sfl", "ftl_f", "ftl_c", "fbftl")


@dataclass(frozen=True)
class SchemeCost:
    """Totals until convergence; bits and multiplications are exact."""

    upload_batches: int
    numbers_per_batch: int
    uplink_bits: int
    """Without labels; `payload.label_bits` has them."""
    downlink_bits: int
    client_multiplications: int


def scheme_cost(network: Network, federation: Federation, method: str, rounds: int) -> SchemeCost:
    """Return the cost of a scheme that ran so many rounds; FbFTL's does not depend on them.

    Uplink by Eq. (2)-(4) and (6), downlink by Eq. (10)-(13), clients' computation by Eq. (14)-(17)
    with every sample of a client counted (audit row A9). SFL as `payload` describes it.

    Args:
        network: the network and its cut.
        federation: U, K_u and UC.
        method: one of `METHODS`.
        rounds: I.

    Raises:
        ValueError: for any other method.
    """
    if method not in METHODS:
        raise ValueError(f"no cost for method {method!r}, only for {', '.join(METHODS)}")
    batches = federation.samples if method == "fbftl" else rounds * federation.clients_per_round
    if method == "sfl":
        numbers = payload.sfl_numbers_per_batch(network, federation.samples_per_client)
        downlink = payload.sfl_downlink_bits(network, federation, rounds)
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
