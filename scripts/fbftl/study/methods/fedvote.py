"""FedVote: clients vote on the source model that they start from."""

from collections.abc import Iterator

from fbftl.study.axes import BY_ROUNDS, LOCAL_EPOCHS, MOST_SAMPLES, NETWORK
from fbftl.study.axis import Axis, AxisValues, Needs, Numbers
from fbftl.study.record import Block, MethodRecord

VOTES = Needs("vote_candidates", lambda setting: setting.vote_candidates is not None)

AXES = (
    Axis(
        "vote_candidates", str, None,
        "source models that clients vote on: all of the task's, or those unrelated to it.",
        ("all", "unrelated"),
    ),
    Axis("vote_round", int, None, "round in which they vote.", Numbers(least=1)),
    Axis(
        "votes_per_client", int, 1,
        "source models m that a client votes for.",
        Numbers(least=1),
        (VOTES,),
    ),
    Axis(
        "cka_estimator", str, "unbiased",
        "estimator of the similarity (CKA) by which they compare models: unbiased or biased.",
        ("unbiased", "biased"),
        (VOTES,),
    ),
)  # fmt: skip


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself of its vote."""
    if (setting.vote_candidates is None) != (setting.vote_round is None):
        yield "gives vote_candidates or vote_round alone; give both, or neither for no vote"
    if setting.votes_per_client > 1:
        yield (
            f"votes for {setting.votes_per_client} source models, of which the paper does not say "
            "which one replaces the global model; give votes_per_client 1"
        )


LEAST_COMPARED = 4
"""Samples by which the unbiased similarity compares models, as the method itself has it."""


def size_faults(
    setting: AxisValues, _task: Block, samples: int | None, _clients: int | None
) -> Iterator[str]:
    """Yield that clients have too few samples to compare models by."""
    unbiased = setting.vote_candidates is not None and setting.cka_estimator == "unbiased"
    most = setting.most_samples
    if samples is not None and unbiased and most is not None and most < LEAST_COMPARED:
        yield (
            f"has clients compare models by {most} samples, and the unbiased similarity needs "
            f"{LEAST_COMPARED}; give most_samples at least {LEAST_COMPARED}, or "
            "cka_estimator: biased"
        )


RECORD = MethodRecord(
    "fedvote", "FedVote", "#A6761D", "$V$", "survey",
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, NETWORK, LOCAL_EPOCHS, MOST_SAMPLES, *AXES),
    compresses=False,
    further=("source_models",),
    faults=faults,
    size_faults=size_faults,
)  # fmt: skip
