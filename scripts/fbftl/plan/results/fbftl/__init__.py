"""FbFTL: features sent once instead of gradients every round."""

from fbftl.plan.results.fbftl import accuracy, privacy
from fbftl.plan.results.fbftl.numbers import OF_PAPER

__all__ = ["OF_EXPERIMENT", "OF_PAPER"]

OF_EXPERIMENT = accuracy.OF_EXPERIMENT | privacy.OF_EXPERIMENT
