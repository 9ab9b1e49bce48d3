"""What the C library does with memory that is freed: jobs keep it.

Arrays of a few megabytes to a gigabyte come and go at every step and every round. Left to itself
the library hands their pages back each time and has them cleared again, which took a quarter of a
compressed round and a third of a step of the paper's head (docs/performance.md).
"""

import ctypes

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3
"""As in malloc.h."""

LARGEST_KEPT = 2**30
"""Bytes of the largest array whose memory is kept."""

LARGEST_KEPT_BEFORE = 2**25
"""The same in older C libraries, which refuse more."""

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
