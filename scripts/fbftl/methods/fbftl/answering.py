"""A client of a deployed FbFTL: it encodes the uploads of its own samples, one message each."""

from fbftl.exchange.sending import Sending
from fbftl.messages.release import release
from fbftl.messages.vectors import Vectors


def uploads(how: Sending[Vectors], seed: int) -> list[bytes]:
    """Return the messages of a client's samples, in their order.

    Args:
        how: how they are sent, with the client's own samples as the payload.
        seed: of the repetition, which noise follows from where there is any.
    """
    released = how.released(seed)
    return release(released.values, how.compression, released.labels, released.classes).messages
