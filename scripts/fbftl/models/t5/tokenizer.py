"""Text to token ids and back: a small BPE trained here, or the tokenizer of a checkpoint.

Kept as the JSON text of the `tokenizers` library, which is data and never code.
"""

from collections.abc import Iterable

import numpy as np
from tokenizers import Tokenizer as Backend
from tokenizers import decoders, models, pre_tokenizers, trainers

from fbftl.ground.errors import UserError

PAD, END, UNKNOWN = "<pad>", "</s>", "<unk>"
PAD_ID, END_ID = 0, 1
"""T5's ids; padding also starts every summary at the decoder."""


class Tokenizer:
    """A tokenizer with T5's special tokens.

    Args:
        text: the tokenizer as JSON text.

    Raises:
        UserError: if the text is no tokenizer, or numbers ``<pad>`` and ``</s>`` otherwise than T5.
    """

    def __init__(self, text: str) -> None:
        try:
            self._backend = Backend.from_str(text)
        except Exception as error:  # the library raises bare Exception for any malformed file
            raise UserError(f"the tokenizer file is damaged ({error}); fetch it again") from None
        ids = self._backend.token_to_id(PAD), self._backend.token_to_id(END)
        if ids != (PAD_ID, END_ID):
            raise UserError(
                f"the tokenizer numbers {PAD} and {END} {ids} where T5 has {(PAD_ID, END_ID)}; "
                "use the tokenizer.json of a T5 checkpoint"
            )
        self._backend.no_padding()
        self._backend.no_truncation()

    @property
    def text(self) -> str:
        """The tokenizer as JSON text."""
        return self._backend.to_str()

    @property
    def size(self) -> int:
        """Number of token ids."""
        return self._backend.get_vocab_size()

    def encode(self, texts: Iterable[str], longest: int) -> list[np.ndarray]:
        """Return each text's token ids with a final ``</s>``, int64, at most `longest` in all."""
        encodings = self._backend.encode_batch(list(texts), add_special_tokens=False)
        return [np.array([*encoding.ids[: longest - 1], END_ID]) for encoding in encodings]

    def decode(self, rows: Iterable[Iterable[int]]) -> list[str]:
        """Return the texts of token ids, without special tokens."""
        return self._backend.decode_batch([[int(i) for i in row] for row in rows])


def train_tokenizer(texts: Iterable[str], size: int) -> Tokenizer:
    """Train a byte-level BPE; every text can be encoded, whatever its characters.

    Args:
        texts: what to learn merges from.
        size: number of token ids, at least 259 (all bytes and three special tokens).
    """
    backend = Backend(models.BPE(unk_token=None))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=size,
        special_tokens=[PAD, END, UNKNOWN],
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    backend.train_from_iterator(texts, trainer)
    return Tokenizer(backend.to_str())
