"""FedVote: clients vote on the source model that they start from."""

from collections.abc import Iterator
from typing import Annotated, Literal

from fbftl.study.axes import BY_ROUNDS
from fbftl.study.axis import Axes, AxisValues, Needs
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import Count
from fbftl.study.record import Block, MethodRecord

VOTES = Needs("vote_candidates", lambda setting: setting.vote_candidates is not None)


class FedVoteAxes(Axes):
    """Axes of FedVote alone.

    vote_candidates: source models that clients vote on: all of the task's, or those unrelated to
        it.
    vote_round: round in which clients vote.
    cka_estimator: estimator of the similarity (CKA) by which clients compare models: unbiased
        or biased.
    """

    vote_candidates: Literal["all", "unrelated"] | None = None
    vote_round: Count | None = None
    cka_estimator: Annotated[Literal["unbiased", "biased"], VOTES] = "unbiased"


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself of its vote."""
    if (setting.vote_candidates is None) != (setting.vote_round is None):
        yield "gives vote_candidates or vote_round alone; give both, or neither for no vote"


LEAST_COMPARED = 4
"""Samples by which the unbiased similarity compares models, as the method itself has it."""


def size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield that clients have too few samples to compare models by."""
    unbiased = setting.vote_candidates is not None and setting.cka_estimator == "unbiased"
    most = setting.most_samples
    if dealt.samples and unbiased and most is not None and most < LEAST_COMPARED:
        yield (
            f"has clients compare models by {most} samples, and the unbiased similarity needs "
            f"{LEAST_COMPARED}; give most_samples at least {LEAST_COMPARED}, or "
            "cka_estimator: biased"
        )


RECORD = MethodRecord(
    "fedvote", "FedVote", "#A6761D", "$V$", "survey",
    place=120,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples", FedVoteAxes),
    compresses=False,
    further=("source_models",),
    faults=faults,
    size_faults=size_faults,
)  # fmt: skip
