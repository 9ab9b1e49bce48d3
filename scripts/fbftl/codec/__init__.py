"""The codec: what a client really sends, and what the server reads from it (paper Sec. IV-C).

Modules, from the bottom up: `bitpack` (codes to bytes), `rice` (Golomb-Rice), `entropy` (range
coder), `compression` (q and r), `sparsifier` (S_r), `quantiser` (Q_q), `header`, `positions` (which
elements were kept), `encoder` and `decoder` (messages), `batch` (many messages at once, values and
lengths only), `sizes` (nominal, packed, entropy-coded, limit).
"""

from fbftl.codec.batch import Compressed, compress
from fbftl.codec.compression import Compression, NotFiniteError
from fbftl.codec.decoder import CorruptMessage, Message, decode
from fbftl.codec.encoder import encode, encode_each
from fbftl.codec.quantiser import quantise
from fbftl.codec.sizes import MessageSize, message_size
from fbftl.codec.sparsifier import kept_count, sparsify

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
    "encode_each",
    "kept_count",
    "message_size",
    "quantise",
    "sparsify",
]
