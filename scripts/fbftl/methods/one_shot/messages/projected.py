"""The statistics of a client's features after a random projection that all share."""

from fbftl.methods.one_shot.messages.statistics import message

__all__ = ["message"]

GIVES = "statistics"
REVEALS = "each client's moments in fewer dimensions"
