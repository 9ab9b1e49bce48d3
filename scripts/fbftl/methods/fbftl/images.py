"""How FbFTL trains heads on features of images: all settings and seeds stacked, in lockstep."""

from fbftl.learners.lockstep import fit

__all__ = ["fit"]
