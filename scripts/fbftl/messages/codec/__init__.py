"""The codec: what a client really sends, and what the server reads from it (paper Sec. IV-C).

Modules, from the bottom up: `compression` (S_r and Q_q), `header`, `bitpack` (codes and positions
as bytes), `encoder` and `decoder` (messages).
"""

from fbftl.messages.codec.compression import Compression, NotFiniteError, kept_count
from fbftl.messages.codec.decoder import CorruptMessage, Message, decode
from fbftl.messages.codec.encoder import Compressed, compress, encode, encode_and_read, encode_each

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
