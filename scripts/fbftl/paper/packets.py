"""Packets of paper 000's Figs. 6 and 7: one batch of each scheme in blocks of one FbFTL batch."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from fbftl.channel import expected_payload, packet_loss_rate
from fbftl.cost.layers import Network
from fbftl.cost.payload import numbers_per_batch

METHODS = ("fbftl", "ftl_c", "ftl_f", "fl")
"""The four packets that Fig. 6 compares; FL and FTL_f are of one size."""


def blocks_per_packet(network: Network) -> dict[str, int]:
    """Return n_b of each scheme, the blocks of one packet; a part of a block takes a whole one."""
    block = numbers_per_batch(network, "fbftl")
    return {method: -(-numbers_per_batch(network, method) // block) for method in METHODS}


def loss_curves(blocks: Mapping[str, int], rates: NDArray[np.float64]) -> pd.DataFrame:
    """Return Eq. (18): columns method, blocks, blr, plr."""
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "method": method,
                    "blocks": count,
                    "blr": rates,
                    "plr": packet_loss_rate(rates, count),
                }
            )
            for method, count in blocks.items()
        ],
        ignore_index=True,
    )


def residual_loss_curves(
    blocks: Mapping[str, int], rates: NDArray[np.float64], retransmissions: range
) -> pd.DataFrame:
    """Return the packet loss rate that is left after at most n_r retransmissions of every block.

    A block is lost for good if it is lost n_r + 1 times, BLR^(n_r + 1). Columns: method, blocks,
    retransmissions, blr, plr.
    """
    return pd.concat(
        [
            loss_curves(blocks, rates ** (count + 1)).assign(
                retransmissions=count, blr=np.tile(rates, len(blocks))
            )
            for count in retransmissions
        ],
        ignore_index=True,
    )


def payload_curves(rates: NDArray[np.float64], retransmissions: range) -> pd.DataFrame:
    """Return Eq. (19) for a payload of one: columns retransmissions, blr, payload."""
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "retransmissions": count,
                    "blr": rates,
                    "payload": expected_payload(1.0, rates, count),
                }
            )
            for count in retransmissions
        ],
        ignore_index=True,
    )
