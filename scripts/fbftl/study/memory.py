"""What the memories of error feedback take, for the plan that refuses and the job that holds."""

LARGEST_MEMORY = 4 * 2**30
"""Bytes that the memories of all clients may take in RAM."""


def memory_bytes(clients: int, width: int) -> int:
    """Return what the memories of all clients take together, one float32 per parameter."""
    return 4 * clients * width
