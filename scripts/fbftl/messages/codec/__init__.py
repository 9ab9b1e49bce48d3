"""The codec: what a client really sends, and what the server reads from it (paper Sec. IV-C).

Modules, from the bottom up: `bitpack` (codes to bytes), `rice` (Golomb-Rice), `entropy` (range
coder), `compression` (q and r), `sparsifier` (S_r), `quantiser` (Q_q), `header`, `positions` (which
elements were kept), `encoder` and `decoder` (messages), `batch` (many messages at once, values and
lengths only), `sizes` (nominal, packed, entropy-coded, limit).
"""

from fbftl.messages.codec.batch import Compressed, compress
from fbftl.messages.codec.compression import Compression, NotFiniteError
from fbftl.messages.codec.decoder import CorruptMessage, Message, decode
from fbftl.messages.codec.encoder import encode, encode_and_read, encode_each
from fbftl.messages.codec.sizes import MessageSize, message_size
from fbftl.messages.codec.sparsifier import kept_count

__all__ = [
    "Compressed",
    "Compression",
    "CorruptMessage",
    "Message",
    "MessageSize",
    "NotFiniteError",
    "compress",
    "decode",
    "encode",
    "encode_and_read",
    "encode_each",
    "kept_count",
    "message_size",
]
