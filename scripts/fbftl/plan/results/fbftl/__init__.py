"""FbFTL: features sent once instead of gradients every round."""

from fbftl.plan.results.fbftl import accuracy, privacy
from fbftl.plan.results.fbftl.numbers import OF_PAPER

__all__ = ["MEASURED", "OF_EXPERIMENT", "OF_PAPER"]

OF_EXPERIMENT = accuracy.OF_EXPERIMENT | privacy.OF_EXPERIMENT

MEASURED = {"inverted": "inverted"}
"""Table by setting and seed of what is measured in addition to an experiment's runs."""
