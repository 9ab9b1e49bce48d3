"""What a setting of the one-shot methods makes of features before anything is sent.

Clients and server know all of it from the setting: what features go through, the kind of message,
whether clients hold out rows, and the ring of masked sums. Nothing here trains, so that a client
needs no more than this and the codec.
"""

from importlib import import_module

import numpy as np

from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring
from fbftl.messages.codec import Compression
from fbftl.messages.statistics import Statistics, length, random_projection
from fbftl.methods.one_shot.message import SummaryMessage, Terms
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.statistics import clipped
from fbftl.study.bounds import statistics_bound, summing_ring
from fbftl.study.job import Job, KnownAxes
from fbftl.study.uploads import CANDIDATES


def prepared(
    job: Job, values: np.ndarray, seed: int, guarantee: PrivacyRecord
) -> tuple[np.ndarray, np.ndarray | None, float]:
    """Return what messages are made of, what features were projected by, and their scale."""
    projection = None
    if job.setting.message == "projected":
        width, dimensions = values.shape[1], job.setting.projection
        if dimensions > width:
            raise UserError(
                f"setting projection {dimensions} is wider than the {width} numbers of a feature; "
                "give at most as many"
            )
        projection = random_projection(width, dimensions, seed)
        values = values @ projection
    if guarantee.clip_norm is None:
        return values, projection, 1.0
    return clipped(values, guarantee.clip_norm), projection, 1 / guarantee.clip_norm


def compression_of(setting: KnownAxes) -> Compression:
    """Return bits, ratio kept and kind of levels of a setting's messages."""
    return Compression(setting.bits, setting.keep, setting.levels == "fitted")


def message_of(
    job: Job, classes: int, width: int, seed: int, guarantee: PrivacyRecord, noised_by: int
) -> SummaryMessage:
    """Return how clients make their messages; `noised_by` is the seed of their noise."""
    terms = Terms(job.setting, job.block["one_shot"], classes, width, seed, guarantee, noised_by)
    module = import_module(f"fbftl.methods.one_shot.messages.{job.setting.message}")
    return module.message(terms)


def holds_out_rows(job: Job, validation: np.ndarray) -> bool:
    """Tell whether clients hold out rows: a shrinkage is chosen, and no client is held out."""
    setting = job.setting
    chooses = setting.message == "means" and setting.head in CANDIDATES
    several = chooses and len(job.block["one_shot"][CANDIDATES[setting.head]]) > 1
    return several and job.training.validation > 0 and not len(validation)


def numbers_of(message: str, classes: int, width: int) -> int:
    """Return the numbers of a message that adds up; means are sent as sums."""
    return classes * (width + 1) if message == "means" else length(classes, width)


def statistics_of_sum(total: np.ndarray, classes: int, width: int) -> Statistics:
    """Return a masked sum as statistics; of means' without second moments."""
    if len(total) == length(classes, width):
        return Statistics.of_numbers(total, classes, width)
    counts, sums = np.split(total, [classes])
    return Statistics(counts, sums.reshape(classes, width), np.zeros((0, 0)))


def ring_of(job: Job, samples: int, members: int, guarantee: PrivacyRecord) -> Ring:
    """Return the ring of a setting's sums: they add up over all samples, however these are dealt.

    Args:
        job: the setting with its training values.
        samples: training samples of the task.
        members: clients that these are of.
        guarantee: whose clip norm samples are clipped to and scaled by; None bounds no feature.
    """
    bound = None
    if guarantee.clip_norm is not None:
        bound = statistics_bound(samples, second_moments=job.setting.message != "means")
    return summing_ring(bound, members, job.setting.fraction_bits, guarantee.noise_std)
