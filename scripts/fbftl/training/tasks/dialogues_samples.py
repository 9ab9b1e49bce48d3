"""Dialogues themselves, of methods that train every layer: their tokens lie beside the features."""

from fbftl.training.tasks.dialogues import client_samples

__all__ = ["client_samples"]
