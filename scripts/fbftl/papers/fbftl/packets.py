"""Packets of paper fbftl's Figs. 6 and 7: one batch of each scheme in blocks of one FbFTL batch."""

from collections.abc import Iterable, Mapping
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fbftl.ground.floats import FLOAT_BITS
from fbftl.messages.channel import blocks_per_packet, expected_payload, packet_loss_rate
from fbftl.models.cost.layers import Network
from fbftl.models.cost.payload import numbers_per_batch

PACKETS = ("fbftl", "ftl_c", "ftl_f", "fl")
"""The four packets that Fig. 6 compares; FL and FTL_f are of one size."""


def packet_blocks(network: Network) -> dict[str, int]:
    """Return n_b of each scheme, the blocks of one packet; a part of a block takes a whole one."""
    bits = {method: FLOAT_BITS * numbers_per_batch(network, method) for method in PACKETS}
    return {method: int(blocks_per_packet(bits[method], bits["fbftl"])) for method in PACKETS}


def loss_curves(
    blocks: Mapping[str, int], rates: NDArray[np.float64], retransmissions: Iterable[int] = (0,)
) -> pd.DataFrame:
    """Return Eq. (18) with at most n_r retransmissions of every block.

    Columns: method, blocks, retransmissions, blr, plr.
    """
    curves = [
        {"method": method, "blocks": count, "retransmissions": again}
        | {"blr": rates, "plr": packet_loss_rate(rates, count, again)}
        for again, (method, count) in product(retransmissions, blocks.items())
    ]
    return pd.concat(map(pd.DataFrame, curves), ignore_index=True)


def payload_curves(rates: NDArray[np.float64], retransmissions: Iterable[int]) -> pd.DataFrame:
    """Return Eq. (19) for a payload of one: columns retransmissions, blr, payload."""
    curves = [
        {"retransmissions": count, "blr": rates, "payload": expected_payload(1.0, rates, count)}
        for count in retransmissions
    ]
    return pd.concat(map(pd.DataFrame, curves), ignore_index=True)
