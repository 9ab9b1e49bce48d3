"""Error feedback for compressed gradients: each client remembers what it did not send."""

import shutil
from pathlib import Path

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.room import mapped
from fbftl.messages.codec import Compression
from fbftl.messages.encoded import EncodedRows, encode_rows
from fbftl.study.bounds import memory_bytes


def memory(clients: int, width: int) -> np.ndarray:
    """Return m_{u,1} = 0 for every client, (clients, width) float32, in RAM."""
    return np.zeros((clients, width), dtype=np.float32)


def mapped_memory(clients: int, width: int, folder: str | Path) -> np.ndarray:
    """Return `memory` in an unnamed file in `folder` that goes when it is freed.

    Raises:
        UserError: if the folder does not have the room.
    """
    needed = memory_bytes(clients, width)
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise UserError(
            f"error feedback for {clients} clients needs {needed / 1e9:.1f} GB in {folder}, which "
            f"has {free / 1e9:.1f} GB left: name a larger scratch folder or turn feedback off"
        )
    return mapped((clients, width), Path(folder))


def compress_with_feedback(
    gradients: np.ndarray, memory: np.ndarray, clients: np.ndarray, compression: Compression
) -> EncodedRows:
    """Compress a round's gradients and update the memories of its clients in place.

    g' = Q_q(S_r(g + m)), Eq. (20); then m becomes g + m - g', Eq. (21). The memory is what the
    client did not send; it does not learn whether the message arrived.

    Args:
        gradients: (participants, X) float32, g_u of each client in the round.
        memory: (U, X) float32, m of every client; only the participants' rows change.
        clients: (participants,) row of each participant in `memory`, no client twice.
        compression: q and r.

    Raises:
        ValueError: if a client is named twice, or a gradient holds NaN or infinity.
    """
    if len(np.unique(clients)) != len(clients):
        raise ValueError("a client takes part in a round at most once")
    wanted = memory[clients]
    wanted += gradients
    sent = encode_rows(wanted, compression)
    for client, whole, sent_values in zip(clients, wanted, sent.values, strict=True):
        np.subtract(whole, sent_values, out=memory[client])
    return sent
