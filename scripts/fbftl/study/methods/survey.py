"""The survey's frameworks: what clients exchange is weights, votes, scores or aligned features."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fbftl.study.axes import BY_ROUNDS, CLIENTS, LINK, OPEN_DATA, Axes, AxisValues, Needs
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import Count, Many, NotNegative, Positive, UpToAMillion
from fbftl.study.record import Block, MethodRecord, nobody_to_learn_from

VOTES = Needs("vote_candidates", lambda setting: setting.vote_candidates is not None)


class FedVoteAxes(Axes):
    """Axes of FedVote alone.

    vote_candidates: source models that clients vote on: all of the task's, or only those unrelated
        to it. Null has no vote.
    vote_round: round in which clients vote; null has no vote.
    cka_estimator: estimator of the similarity (CKA) by which clients compare models.
    """

    vote_candidates: Literal["all", "unrelated"] | None = None
    vote_round: Count | None = None
    cka_estimator: Annotated[Literal["unbiased", "biased"], VOTES] = "unbiased"


def fedvote_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself of its vote."""
    if (setting.vote_candidates is None) != (setting.vote_round is None):
        yield "gives vote_candidates or vote_round alone; give both, or neither for no vote"


LEAST_COMPARED = 4
"""Samples by which the unbiased similarity compares models, as the method itself has it."""


def fedvote_size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield that clients have too few samples to compare models by."""
    unbiased = setting.vote_candidates is not None and setting.cka_estimator == "unbiased"
    most = setting.most_samples
    if dealt.samples and unbiased and most is not None and most < LEAST_COMPARED:
        yield (
            f"has clients compare models by {most} samples, and the unbiased similarity needs "
            f"{LEAST_COMPARED}; give most_samples at least {LEAST_COMPARED}, or "
            "cka_estimator: biased"
        )


FEDVOTE = MethodRecord(
    "fedvote", "FedVote", "#A6761D", "$V$", "survey",
    place=120,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples", FedVoteAxes),
    compresses=False,
    further=("source_models",),
    faults=fedvote_faults,
    size_faults=fedvote_size_faults,
    block=lambda _setting, task: {"source_models": task["source_models"]["models"]},
)  # fmt: skip
"""FedVote: FedAvg from a source model that the clients choose by vote."""


ADAPTS = Needs("adaptation_epochs", lambda setting: setting.adaptation_epochs > 0)


class FedHealthAxes(Axes):
    """Axes of FedHealth alone.

    adaptation_epochs: epochs in which a client fine-tunes the last layers on its own samples at the
        end.
    coral_weight: weight η of the CORAL loss in that fine-tuning: the distance between the second
        moments of the client's and of the source's features.
    """

    adaptation_epochs: UpToAMillion = 0
    coral_weight: Annotated[NotNegative, ADAPTS] = 0.0


FEDHEALTH = MethodRecord(
    "fedhealth", "FedHealth", "#1B7837", "$H$", "survey",
    place=130,
    reads="clients and source",
    sends="local",
    axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples", *OPEN_DATA, FedHealthAxes),
    compresses=False,
    further=("open_data",),
)  # fmt: skip
"""FedHealth: FedAvg from a network trained on open data, fine-tuned by each client at the end."""


class FedMDAxes(Axes):
    """Axes of FedMD alone.

    digest_rate: learning rate of training on the consensus, over that of training on samples.
    digest_loss: distance of scores to the consensus, a mean over the classes.
    alignment_samples: open samples scored in a round, drawn anew; null scores all.
    """

    digest_rate: Positive = 1.0
    digest_loss: Literal["squared", "absolute"] = "squared"
    alignment_samples: Many | None = None


def fedmd_task_faults(setting: AxisValues, task: Block, _training: Block) -> Iterator[str]:
    """Yield that a task has fewer open letters than are to be scored in a round."""
    count, letters = setting.alignment_samples, (task.get("open_data") or {}).get("letters")
    if count and letters and setting.public_data == "source" and count > letters:
        yield f"give open_data.letters at least {count:,}, or alignment_samples at most {letters:,}"


FEDMD = MethodRecord(
    "fedmd", "FedMD", "#666666", "$M$", "survey",
    place=140,
    reads="clients and source",
    sends="local",
    axes=(*CLIENTS, *LINK, "local_epochs", "most_samples", *OPEN_DATA, FedMDAxes),
    compresses=False,
    task_faults=fedmd_task_faults,
    size_faults=nobody_to_learn_from,
    further=("open_data", "architectures"),
    block=lambda _setting, task: {
        "architectures": [task["networks"][name] for name in task["architectures"]]
    },
    ignores=("annealing", "absent_classes"),
)  # fmt: skip
"""FedMD: clients with networks of their own learn from the mean of their scores of open samples."""


class FDAxes(Axes):
    """Axes of FD alone.

    distillation_weight: weight of the distillation loss in a client's loss.
    seed_samples: raw samples that a client sends at most, from which the server trains a generator.
    """

    distillation_weight: NotNegative = 0.0
    seed_samples: UpToAMillion = 0


FD = MethodRecord(
    "fd", "FD", "#7570B3", "$D$", "survey",
    place=150,
    reads="clients and source",
    sends="local",
    axes=(*CLIENTS, *LINK, "network", "local_epochs", "most_samples", FDAxes),
    compresses=False,
    size_faults=nobody_to_learn_from,
    ignores=("annealing", "absent_classes"),
)  # fmt: skip
"""FD: clients exchange mean logits of their classes, and may augment their samples."""


class SecureFTLAxes(Axes):
    """Axes of Secure FTL alone.

    protection: plain messages, or beaver: secret shares multiplied with Beaver triples.
    common_samples: samples of which each of the two parties has some of the features.
    alignment_weight: weight γ of the distance between the two parties' representations of
        common samples.
    aligned_dimensions: dimensions of the representations that two parties align.
    """

    protection: Literal["plain", "beaver"] = "plain"
    common_samples: UpToAMillion = 50
    alignment_weight: NotNegative = 0.0
    aligned_dimensions: Annotated[int, Field(ge=1, le=10_000)] = 8


def secure_ftl_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.common_samples == 0:
        yield (
            "has no common samples, without which two parties have nothing to align; give "
            "common_samples 1 or more"
        )


def secure_ftl_size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield what a task has too few samples for."""
    samples = dealt.samples
    most = min(samples or 0, setting.most_samples or samples or 0)
    if samples is not None and setting.common_samples > most:
        yield (
            f"is to have {setting.common_samples} common samples of {most}; give common_samples at "
            f"most {most}"
        )


SECURE_FTL = MethodRecord(
    "secure_ftl", "Secure FTL", "#B2182B", "$S$", "survey",
    place=190,
    reads="clients and source",
    sends="local",
    axes=(*LINK, "most_samples", SecureFTLAxes),
    compresses=False,
    faults=secure_ftl_faults,
    size_faults=secure_ftl_size_faults,
    ignores=(
        "momentum", "local_batch", "optimiser", "decay", "annealing", "absent_classes", "dropout",
        "batch_norm",
    ),
)  # fmt: skip
"""Secure FTL: two parties align their representations, in plain or in secret shares."""
