"""How FbFTL trains heads on dialogues: for each setting and seed, one after the other."""

from fbftl.training.learners.summariser import train_on_received

__all__ = ["train_on_received"]
