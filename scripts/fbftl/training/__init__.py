"""Loops over batches and rounds: heads, whole networks, T5."""
