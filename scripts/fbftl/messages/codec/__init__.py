"""The codec: what a client really sends, and what the server reads from it (paper Sec. IV-C).

Modules, from the bottom up: `bitpack` (codes to bytes, Golomb-Rice), `entropy` (range coder),
`compression` (q and r), `sparsifier` (S_r), `quantiser` (Q_q), `header`, `positions` (which
elements were kept), `encoder` and `decoder` (messages).
"""

from fbftl.messages.codec.compression import Compression, NotFiniteError, kept_count
from fbftl.messages.codec.decoder import CorruptMessage, Message, decode
from fbftl.messages.codec.encoder import (
    Compressed,
    compress,
    encode,
    encode_and_read,
    encode_each,
)

__all__ = [
    "Compressed",
    "Compression",
    "CorruptMessage",
    "Message",
    "NotFiniteError",
    "compress",
    "decode",
    "encode",
    "encode_and_read",
    "encode_each",
    "kept_count",
]
