"""Time and length of numbers under CKKS, Paillier and in shares, one thread.

    OMP_NUM_THREADS=1 python tests/benchmarks encryption

Needs the optional packages of envs/encryption.txt.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.ground.floats import FLOAT_BITS
from fbftl.methods.secure_ftl.shares import multiplication_triple, multiplied, randomness, shared
from fbftl.privacy.homomorphic import PACKED, NumberCipher, PackedCipher
from fbftl.privacy.masking import NUMBER_BYTES

NUMBERS = 20
"""Encrypted one by one under Paillier."""


def timed(work: Callable[[], Any]) -> tuple[Any, float]:
    """Return what a piece of work gives, and its milliseconds."""
    started = perf_counter()
    return work(), 1e3 * (perf_counter() - started)


def main() -> None:
    """Print a line for each protection."""
    values = np.random.default_rng(0).normal(size=PACKED)
    packed = PackedCipher()
    encrypted, encrypting = timed(lambda: packed.encrypted(values))
    half = np.array([0.5, 0.5])
    total, adding = timed(lambda: packed.weighted([encrypted, encrypted], half))
    decrypted, decrypting = timed(lambda: packed.decrypted(total))
    print(
        f"CKKS, {PACKED} numbers: {encrypting:.1f} ms, average of two {adding:.1f} ms, decrypt "
        f"{decrypting:.1f} ms; {packed.bits(encrypted) / (FLOAT_BITS * PACKED):.1f} times as long; "
        f"error {np.abs(decrypted - values).max():.1e}"
    )
    paillier = NumberCipher()
    whole = np.arange(NUMBERS).astype(object)
    ciphertexts, encrypting = timed(lambda: paillier.encrypted(whole))
    _, decrypting = timed(lambda: paillier.decrypted(ciphertexts))
    print(
        f"Paillier, a number: {encrypting / NUMBERS:.1f} ms, decrypt {decrypting / NUMBERS:.1f} "
        f"ms; {paillier.bits // FLOAT_BITS} times as long"
    )
    draws = randomness(0, 0)
    x, y = shared(draws.numbers(8, 33, 58), draws), shared(draws.numbers(8, 58), draws)
    triple, dealing = timed(lambda: multiplication_triple(8, 33, 58, draws))
    _, multiplying = timed(lambda: multiplied(x, y, triple))
    print(
        f"shares, a gradient of 8 dimensions, 50 samples: triple {dealing:.1f} ms, product "
        f"{multiplying:.1f} ms; {8 * NUMBER_BYTES // FLOAT_BITS} times as long, two openings"
    )


if __name__ == "__main__":
    main()
