"""ECOS (paper thesis, ch. 5): which public samples are worth buying, by counts of private ones.

Clients send how many of their rows lie near each centroid of a cloud's public features, under
noise. Everything is on cached features, so the heads are linear, and FixMatch, which the thesis
trains with, is left out: it needs augmented views of a sample, which a cached feature has not.
"""

from collections.abc import Sequence

from fbftl.exchange.outsourcing import Market, outsourced
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, Outcome, held_features


def run(job: Job, inputs: Inputs) -> Outcome:
    """Buy and train, one repetition per seed."""
    (outcome,) = run_together([job], inputs)
    return outcome


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train settings of one task in one process, which clusters the public rows once for all."""
    held = held_features(jobs[0], inputs)
    market = Market(held, held.public_rows)
    return [outsourced(job, market) for job in jobs]
