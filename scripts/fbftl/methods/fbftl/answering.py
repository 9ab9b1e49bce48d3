"""A client of a deployed FbFTL: it encodes the uploads of its own samples, one message each."""

from dataclasses import replace

from fbftl.exchange.sending import Sending
from fbftl.ground.errors import required
from fbftl.messages.encoded import encode_rows
from fbftl.messages.vectors import Vectors
from fbftl.privacy.noise import add_gaussian
from fbftl.privacy.system_noise import system_noise, system_responses


def repeated_uploads(how: Sending[Vectors], seed: int) -> list[bytes]:
    """Return the messages of a client's samples, in their order, as a study makes them.

    Args:
        how: how they are sent, with the client's own samples as the payload.
        seed: of the repetition, which noise follows from where there is any.
    """
    return _messages(how, how.released(seed))


def uploads(how: Sending[Vectors]) -> list[bytes]:
    """Return the messages of a client's samples under noise of the system's generator.

    Another call draws other noise, and is another release of the samples.

    Args:
        how: how they are sent, without noise or under the gaussian mechanism.
    """
    setting, payload = how.job.setting, how.payload
    if setting.mechanism == "gaussian":
        noise = system_noise(payload.values.shape)
        norm = required(how.clip_norm)
        noised = add_gaussian(payload.values[:], noise, sigma=how.sigma, clip_norm=norm)
        payload = replace(payload, values=noised)
    if setting.label_epsilon is not None:
        labels = system_responses(
            payload.labels, epsilon=setting.label_epsilon, classes=payload.classes
        )
        payload = replace(payload, labels=labels)
    return _messages(how, payload)


def _messages(how: Sending[Vectors], released: Vectors) -> list[bytes]:
    return encode_rows(released.values, how.compression, released.labels, released.classes).messages
