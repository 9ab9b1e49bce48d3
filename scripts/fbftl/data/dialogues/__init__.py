"""Dialogues with summaries: generated or read, in three splits."""
