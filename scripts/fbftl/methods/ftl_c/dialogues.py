"""A head on hidden states of dialogues: the layers of a T5 after the cut."""

from fbftl.training.learners.summariser import summariser as head

__all__ = ["head"]
