"""How FbFTL trains heads on dialogues: for each setting and seed, one after the other."""

from fbftl.learners.summariser import fit

__all__ = ["fit"]
