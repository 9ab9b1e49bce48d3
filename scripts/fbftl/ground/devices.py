"""Where torch computes, with how many threads, in which memory, and that it repeats itself."""

import ctypes
import os

import torch

from fbftl.ground.errors import UserError
from fbftl.ground.exact import in_environment
from fbftl.ground.kernels import use_exact_kernels


def prepare(device: str, threads: int) -> torch.device:
    """Set torch's threads, memory, products and determinism, and return the device to compute on.

    Two torch processes with more threads than cores run small steps tens of times slower, so
    every job pins its threads to what its rule was given.

    Args:
        device: auto, cpu or cuda.
        threads: threads of the rule.

    Raises:
        UserError: if cuda is asked for and there is none.
    """
    torch.set_num_threads(threads)
    keep_freed_memory()
    # As `use_deterministic_algorithms(True, warn_only=True)`, which imports torch's compiler.
    torch.set_deterministic_debug_mode("warn")
    # Nothing here reads memory that it has not written, and filling all of it takes time.
    torch.utils.deterministic.fill_uninitialized_memory = False
    if device == "cuda" and not torch.cuda.is_available():
        raise UserError("config: device is 'cuda', but torch finds no GPU; use 'auto' or 'cpu'")
    if device == "auto":
        device = "cuda" if torch.cuda.is_available() else "cpu"
    if device == "cuda":
        torch.set_float32_matmul_precision("high")  # TF32
    elif in_environment(os.environ):
        use_exact_kernels()
    return torch.device(device)


M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""As in malloc.h."""


LARGEST_KEPT = 2**30
"""Bytes of the largest array whose memory is kept."""


LARGEST_KEPT_BEFORE = 2**25
"""Bytes of the largest array whose memory older C libraries keep; they refuse more."""


NEVER = -1
"""The trim threshold at which no unused page is handed back."""


def keep_freed_memory() -> None:
    """Have this process keep the memory of freed arrays, where its C library is glibc."""
    library = ctypes.CDLL(None)
    if not hasattr(library, "mallopt"):
        return
    if not library.mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT):
        library.mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT_BEFORE)
    library.mallopt(M_TRIM_THRESHOLD, NEVER)


def seed_dropout(seed: int) -> None:
    """Seed the generators that dropout draws from, on the CPU and on GPUs in use.

    `torch.manual_seed` would do, but writes down its caller's stack for every kind of device that
    is not in use, which takes longer than a small network's step.
    """
    torch.default_generator.manual_seed(seed)
    if torch.cuda.is_initialized():
        torch.cuda.manual_seed_all(seed)
