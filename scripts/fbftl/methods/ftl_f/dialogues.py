"""The source model of dialogues, a T5, whose cut leaves every layer to the clients."""

from fbftl.training.learners.summariser import summariser as transferred

__all__ = ["transferred"]
