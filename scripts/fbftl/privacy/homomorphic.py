"""Additively homomorphic encryption by optional packages: TenSEAL (CKKS) and phe (Paillier).

Keys are the clients': whoever adds ciphertexts has none. Sums come out approximately under CKKS,
exactly in fixed point under Paillier.
"""

import math
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any

import numpy as np

from fbftl.ground.errors import UserError

CKKS_DEGREE = 8192
CKKS_MODULI = (60, 40, 40, 60)
CKKS_SCALE = 2.0**40
PACKED = CKKS_DEGREE // 2
"""Numbers in one ciphertext."""


def package(name: str, protection: str) -> Any:
    """Return an optional package.

    Raises:
        UserError: if it is not installed.
    """
    try:
        return import_module(name)
    except ImportError as error:
        raise UserError(
            f"protection: {protection} needs the package {name}, which is not installed; install "
            "envs/encryption.txt, or use protection: plain"
        ) from error


class PackedCipher:
    """CKKS over vectors, PACKED numbers a ciphertext."""

    def __init__(self) -> None:
        tenseal = package("tenseal", "ckks")
        self._tenseal = tenseal
        self._context = tenseal.context(
            tenseal.SCHEME_TYPE.CKKS, CKKS_DEGREE, coeff_mod_bit_sizes=list(CKKS_MODULI)
        )
        self._context.global_scale = CKKS_SCALE

    def encrypted(self, values: np.ndarray) -> list[Any]:
        """Return the ciphertexts of values (X,)."""
        parts = np.array_split(values.astype(float), math.ceil(len(values) / PACKED))
        return [self._tenseal.ckks_vector(self._context, part.tolist()) for part in parts]

    def bits(self, ciphertexts: Sequence[Any]) -> int:
        """Return the bits of ciphertexts as they are sent."""
        return 8 * sum(len(ciphertext.serialize()) for ciphertext in ciphertexts)

    def weighted(self, messages: Sequence[Sequence[Any]], shares: np.ndarray) -> list[Any]:
        """Return the ciphertexts of the sum of messages by known shares (A,), without the key."""
        # The sum starts from the first message: Python's 0 is no ciphertext.
        return [
            sum((c * float(share) for c, share in zip(aligned[1:], shares[1:], strict=True)),
                aligned[0] * float(shares[0]))
            for aligned in zip(*messages, strict=True)
        ]  # fmt: skip

    def decrypted(self, ciphertexts: Sequence[Any]) -> np.ndarray:
        """Return the values (X,) of ciphertexts."""
        return np.concatenate([np.array(ciphertext.decrypt()) for ciphertext in ciphertexts])


PAILLIER_BITS = 2048


class NumberCipher:
    """Paillier over integers, one number a ciphertext.

    Args:
        key_bits: of the modulus; a ciphertext is twice as long.
    """

    def __init__(self, key_bits: int = PAILLIER_BITS) -> None:
        phe = package("phe", "paillier")
        self._public, self._private = phe.generate_paillier_keypair(n_length=key_bits)
        self.bits = 2 * key_bits

    def encrypted(self, numbers: np.ndarray) -> np.ndarray:
        """Return a ciphertext of every integer, of the same shape."""
        return _each(lambda number: self._public.encrypt(int(number)), numbers)

    def combined(self, matrices: np.ndarray, ciphertexts: np.ndarray) -> np.ndarray:
        """Return matrices (D, m, n) times encrypted vectors (D, n), (D, m), without the key."""
        return np.array(
            [
                [
                    sum(
                        int(value) * ciphertext
                        for value, ciphertext in zip(row, vector, strict=True)
                    )
                    for row in rows
                ]
                for rows, vector in zip(matrices, ciphertexts, strict=True)
            ],
            dtype=object,
        )

    def decrypted(self, ciphertexts: np.ndarray) -> np.ndarray:
        """Return the integers of ciphertexts (n,)."""
        return _each(self._private.decrypt, ciphertexts)


def _each(change: Callable[[Any], Any], values: np.ndarray) -> np.ndarray:
    """Return an array of objects, each of them changed."""
    changed = np.empty(values.shape, dtype=object)
    for index, value in np.ndenumerate(values):
        changed[index] = change(value)
    return changed
