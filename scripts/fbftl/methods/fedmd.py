"""FedMD (paper survey, Fig. 16): clients with networks of their own agree on scores of open data.

Each client learns open data, then its own, with as many steps. In every round it sends its scores
of the open samples; the server sends back the mean of those that arrive, the consensus, which
clients digest (mean squared error, the loss is not printed) before they revisit their own samples.
In a round in which none arrives, nothing is digested. The message is as large as the open data are
long and classes are many, whatever the networks; the paper prints O(1).

The published code scores some open samples, drawn anew in every round, and digests by the mean
absolute error (`alignment_samples`, `digest_loss`). Repetitions go through their rounds side by
side, networks of one shape stacked; each has the mini-batches that it would have alone.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.personal import Cohort, PersonalModels, run_personal, train_side_by_side
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.messages.codec import NotFiniteError
from fbftl.study.job import Job
from fbftl.training.local_updates import Hooks, LocalPlan
from fbftl.training.samples import LabelledInputs
from fbftl.training.tasks.images_samples import open_samples
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run_together(jobs: Sequence[Job], inputs: Inputs) -> Iterator[Outcome]:
    """Train settings one after the other; what their clients learn of open data they share."""
    learnt: Learnt = {}
    for job in jobs:
        client_data = client_samples(job, inputs)
        public = open_samples(client_data, job.setting.public_data)
        yield run_personal(
            job, client_data, partial(train_by_consensus, public=public, learnt=learnt)
        )


Learnt = dict[tuple[Any, ...], list[Tensor]]
"""Clients' weights after the open data, by what decides them: settings may share them."""


def train_by_consensus(
    cohorts: Sequence[Cohort], public: LabelledInputs, learnt: Learnt | None = None
) -> list[PersonalModels]:
    """Train cohorts of a setting by consensus; return what their clients would be alone.

    Alone a client learns open data and its own with as many steps, but digests nothing.

    Args:
        cohorts: of several seeds.
        public: the open data.
        learnt: what other settings have learnt of it; what is new is added.
    """
    for cohort in cohorts:
        cohort.post.broadcast({"samples": public.inputs.numel(), "labels": len(public.labels)})
    train_on_open_data(cohorts, public, {} if learnt is None else learnt)
    alone = {cohort.post.seed: cohort.models.copy() for cohort in cohorts}
    going = {cohort.post.seed: cohort for cohort in cohorts}
    for round_number in cohorts[0].rounds:
        consensuses: dict[int, Tensor] = {}
        for seed, cohort in list(going.items()):
            try:
                scores = consensus(cohort, public, round_number)
            except NotFiniteError:
                cohort.end_round(math.nan)
                del going[seed]
            else:
                consensuses |= {} if scores is None else {seed: scores}
        digest({seed: going[seed] for seed in consensuses}, public, consensuses, round_number)
        revisit(going, alone, round_number)
    return list(alone.values())


def train_on_open_data(cohorts: Sequence[Cohort], public: LabelledInputs, learnt: Learnt) -> None:
    """Train every client on the open data, then on its own with as many steps."""
    setting = cohorts[0].repetition.job.setting
    plan = replace(cohorts[0].models.plan, epochs=setting.transfer_epochs)
    keys = [(setting.public_data, plan, cohort.post.seed, len(cohort.owners)) for cohort in cohorts]
    # A round of its own stream, behind all others, at the rate of the first.
    round_number, everything = cohorts[0].rounds.stop, np.arange(len(public.labels))
    hooks = Hooks(rate=rate_of_round(plan, 1))
    new = {key: cohort for key, cohort in zip(keys, cohorts, strict=True) if key not in learnt}
    if new:
        open_rows = [[everything] * len(cohort.owners) for cohort in new.values()]
        models = [cohort.models for cohort in new.values()]
        train_side_by_side(models, public, open_rows, round_number, hooks, plan.epochs)
        learnt |= {key: list(cohort.models.weights) for key, cohort in new.items()}
    for key, cohort in zip(keys, cohorts, strict=True):
        cohort.models.weights = list(learnt[key])
    passes = [own_passes(cohort, len(public.labels), plan.epochs) for cohort in cohorts]
    for count in sorted(set(passes)):
        some = [cohort for cohort, theirs in zip(cohorts, passes, strict=True) if theirs == count]
        models, rows = [cohort.models for cohort in some], [cohort.rows for cohort in some]
        train_side_by_side(models, some[0].client_data.samples, rows, round_number, hooks, count)


def digest(
    cohorts: Mapping[int, Cohort], public: LabelledInputs, consensuses: Mapping[int, Tensor],
    round_number: int,
) -> None:  # fmt: skip
    """Train the clients of cohorts on the consensus of each, both by seed."""
    if not cohorts:
        return
    group = [*cohorts.values()]
    # A copy of the open samples for every seed, since each has labels of its own.
    labels = torch.cat([consensuses[seed] for seed in cohorts])
    inputs = [scored_samples(cohort, public, round_number).inputs for cohort in group]
    count = len(inputs[0])
    training_data = LabelledInputs(torch.cat(inputs), labels)
    everything = [np.arange(index * count, (index + 1) * count) for index in range(len(group))]
    rows = [[mine] * len(cohort.owners) for cohort, mine in zip(group, everything, strict=True)]
    setting = group[0].repetition.job.setting
    rate = rate_of_round(group[0].models.plan, round_number, setting.digest_rate)
    hooks = Hooks(loss=DISTANCES[setting.digest_loss], rate=rate)
    # Rounds of their own streams, beside those of the own samples.
    beside = group[0].rounds.stop + 1 + round_number
    train_side_by_side(
        [cohort.models for cohort in group], training_data, rows, beside, hooks, epochs=1
    )


def revisit(
    cohorts: Mapping[int, Cohort], alone: Mapping[int, PersonalModels], round_number: int
) -> None:
    """Train the clients of cohorts on their own samples, as they are and as they would be alone.

    Both have the same samples in the same order, and so stand side by side.
    """
    if not cohorts:
        return
    group = [*cohorts.values()]
    models = [cohort.models for cohort in group] + [alone[seed] for seed in cohorts]
    rows = [cohort.rows for cohort in group] * 2
    losses = train_side_by_side(models, group[0].client_data.samples, rows, round_number)
    for cohort, loss in zip(group, losses, strict=False):
        cohort.end_round(float(loss))


def rate_of_round(
    plan: LocalPlan, round_number: int, factor: float = 1.0
) -> Callable[[int], float]:
    """Return what makes the rate in a round that of another one, times a factor."""
    return lambda other: factor * plan.training.decay ** (round_number - other)


def own_passes(cohort: Cohort, open_samples: int, passes: int) -> int:
    """Return the passes over own samples that have as many steps as some over the open ones.

    To convergence, is printed of both.
    """
    samples, batch = max(len(rows) for rows in cohort.rows), cohort.models.plan.batch
    return max(1, round(passes * batches_of(open_samples, batch) / batches_of(samples, batch)))


def batches_of(samples: int, batch: int | None) -> int:
    """Return the mini-batches of one pass over samples; one if they are not cut."""
    return 1 if batch is None else -(-samples // batch)


def consensus(cohort: Cohort, public: LabelledInputs, round_number: int) -> Tensor | None:
    """Send every client's scores up and their mean down; return it (n, N), None if all are lost."""
    clients, inputs = range(len(cohort.owners)), scored_samples(cohort, public, round_number).inputs
    scores = torch.stack([cohort.models.logits(client, inputs) for client in clients])
    floats = {"scores": scores[0].numel()}
    content = scores.flatten(1).cpu().numpy()
    arrives = cohort.post.up(floats, cohort.owners, round_number, content=content).arrives
    if not arrives.any():
        return None
    cohort.post.broadcast(floats, round_number)
    return scores[torch.from_numpy(arrives)].mean(0)


def scored_samples(cohort: Cohort, public: LabelledInputs, round_number: int) -> LabelledInputs:
    """Return the open samples that are scored in a round: all, or as many drawn anew.

    Raises:
        UserError: if there are fewer.
    """
    count = cohort.repetition.job.setting.alignment_samples
    if count is None:
        return public
    there = len(public.labels)
    if count > there:
        raise UserError(
            f"fedmd on {cohort.repetition.job.task} is to score {count:,} open samples of "
            f"{there:,}; give alignment_samples at most {there:,}"
        )
    return public.at(
        stream(cohort.post.seed, "alignment samples", round_number).permutation(there)[:count]
    )


def absolute(scores: Tensor, agreed_on: Tensor) -> Tensor:
    """Return every sample's mean absolute distance to the consensus, (n,)."""
    return (scores - agreed_on).abs().mean(1)


def squared(scores: Tensor, agreed_on: Tensor) -> Tensor:
    """Return every sample's mean squared distance to the consensus, (n,)."""
    return (scores - agreed_on).square().mean(1)


DISTANCES = {"squared": squared, "absolute": absolute}
"""By `digest_loss`."""
