"""FedMD: scores of open data up, their mean down, digest, revisit (paper survey, Fig. 16).

The consensus is the mean of the scores that arrive; in a round without any, nothing is digested.
Repetitions go through their rounds side by side, networks of one shape stacked; each has the
mini-batches that it would have alone.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.kept import Company
from fbftl.messages.codec import NotFiniteError
from fbftl.training.kept import KeptModels, train_side_by_side
from fbftl.training.network import LabelledInputs
from fbftl.training.visits import Hooks, LocalPlan

Learnt = dict[tuple[Any, ...], list[Tensor]]
"""Clients' weights after the open data, by what decides them: settings may share them."""


def agreed(
    companies: Sequence[Company], public: LabelledInputs, learnt: Learnt | None = None
) -> list[KeptModels]:
    """Train a setting's companies by consensus; return what their clients would be alone.

    Alone a client learns open data and its own as often, but digests nothing.

    Args:
        companies: of several seeds.
        public: the open data.
        learnt: what other settings have learnt of it; what is new is added.
    """
    for own in companies:
        own.post.broadcast({"samples": public.inputs.numel(), "labels": len(public.labels)})
    transferred(companies, public, {} if learnt is None else learnt)
    return by_rounds(companies, public)


def by_rounds(companies: Sequence[Company], public: LabelledInputs) -> list[KeptModels]:
    """Train companies for their rounds; return what their clients would be alone."""
    alone = {own.post.seed: own.models.copy() for own in companies}
    going = {own.post.seed: own for own in companies}
    for turn in companies[0].rounds:
        consensuses: dict[int, Tensor] = {}
        for seed, own in list(going.items()):
            try:
                found = consensus(own, public, turn)
            except NotFiniteError:
                own.end_round(math.nan)
                del going[seed]
            else:
                consensuses |= {} if found is None else {seed: found}
        digested({seed: going[seed] for seed in consensuses}, public, consensuses, turn)
        revisited(going, alone, turn)
    return list(alone.values())


def transferred(companies: Sequence[Company], public: LabelledInputs, learnt: Learnt) -> None:
    """Train every client on the open data, then on its own as often."""
    setting = companies[0].repetition.job.setting
    plan = replace(companies[0].models.plan, epochs=setting.transfer_epochs)
    keys = [(setting.public_data, plan, own.post.seed, len(own.owners)) for own in companies]
    # A round of its own stream, behind all others, at the rate of the first.
    turn, everything = companies[0].rounds.stop, np.arange(len(public.labels))
    hooks = Hooks(rate=paced(plan, 1))
    new = {key: own for key, own in zip(keys, companies, strict=True) if key not in learnt}
    if new:
        rows = [[everything] * len(own.owners) for own in new.values()]
        models = [own.models for own in new.values()]
        train_side_by_side(models, public, rows, turn, hooks, plan.epochs)
        learnt |= {key: list(own.models.weights) for key, own in new.items()}
    for key, own in zip(keys, companies, strict=True):
        own.models.weights = list(learnt[key])
    passes = [own_passes(own, len(public.labels), plan.epochs) for own in companies]
    for count in sorted(set(passes)):
        some = [own for own, theirs in zip(companies, passes, strict=True) if theirs == count]
        models, rows = [own.models for own in some], [own.rows for own in some]
        train_side_by_side(models, some[0].held.samples, rows, turn, hooks, count)


def digested(
    companies: Mapping[int, Company], public: LabelledInputs, consensuses: Mapping[int, Tensor],
    turn: int,
) -> None:  # fmt: skip
    """Train the clients of companies on the consensus of each, both by seed."""
    if not companies:
        return
    own, count = [*companies.values()], len(public.labels)
    # A copy of the open samples for every seed, since each has labels of its own.
    labels = torch.cat([consensuses[seed] for seed in companies])
    lessons = LabelledInputs(torch.cat([public.inputs] * len(own)), labels)
    everything = [np.arange(place * count, (place + 1) * count) for place in range(len(own))]
    rows = [[mine] * len(one.owners) for one, mine in zip(own, everything, strict=True)]
    rate = paced(own[0].models.plan, turn, own[0].repetition.job.setting.digest_rate)
    hooks = Hooks(loss=squared, rate=rate)
    # Rounds of their own streams, beside those of the own samples.
    beside = own[0].rounds.stop + 1 + turn
    train_side_by_side([one.models for one in own], lessons, rows, beside, hooks, epochs=1)


def revisited(companies: Mapping[int, Company], alone: Mapping[int, KeptModels], turn: int) -> None:
    """Train the clients of companies on their own samples, as they are and as they would be alone.

    Both have the same samples in the same order, and so stand side by side.
    """
    if not companies:
        return
    own = [*companies.values()]
    models = [one.models for one in own] + [alone[seed] for seed in companies]
    rows = [one.rows for one in own] * 2
    losses = train_side_by_side(models, own[0].held.samples, rows, turn)
    for one, loss in zip(own, losses, strict=False):
        one.end_round(float(loss))


def paced(plan: LocalPlan, turn: int, factor: float = 1.0) -> Callable[[int], float]:
    """Return what makes the rate in a round that of another one, times a factor."""
    return lambda other: factor * plan.training.decay ** (turn - other)


def own_passes(company: Company, open_samples: int, passes: int) -> int:
    """Return the passes over own samples that have as many steps as some over the open ones.

    To convergence, is printed of both.
    """
    own, batch = max(len(rows) for rows in company.rows), company.models.plan.batch
    return max(1, round(passes * batches_of(open_samples, batch) / batches_of(own, batch)))


def batches_of(samples: int, batch: int | None) -> int:
    """Return the mini-batches of one pass over samples; one if they are not cut."""
    return 1 if batch is None else -(-samples // batch)


def consensus(company: Company, public: LabelledInputs, turn: int) -> Tensor | None:
    """Send every client's scores up and their mean down; return it (n, N), None if all are lost."""
    clients = range(len(company.owners))
    scores = torch.stack([company.models.logits(one, public.inputs) for one in clients])
    floats = {"scores": scores[0].numel()}
    content = scores.flatten(1).cpu().numpy()
    arrives = company.post.up(floats, company.owners, turn, content=content).arrives
    if not arrives.any():
        return None
    company.post.broadcast(floats, turn)
    return scores[torch.from_numpy(arrives)].mean(0)


def squared(scores: Tensor, agreed_on: Tensor) -> Tensor:
    """Return every sample's mean squared distance to the consensus, (n,)."""
    return (scores - agreed_on).square().mean(1)
