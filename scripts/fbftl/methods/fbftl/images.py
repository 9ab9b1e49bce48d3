"""How FbFTL trains heads on features of images: all settings and seeds stacked, in lockstep."""

from fbftl.training.learners.lockstep import train_on_received

__all__ = ["train_on_received"]
