"""FADE (thesis ch. 3): federated adversarial debiasing, the users' groups known to themselves.

Users train an encoder and a task head, and a discriminator that reads their group from what the
encoder gives; the encoder unlearns what it reads. `adversary: none` is FedAvg by local steps, on
the same users, for comparison. With unlabelled users it is unsupervised domain adaptation.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

import numpy as np

from fbftl.exchange.debiasing import Trial, debiasing, rounds_of
from fbftl.study.job import Job
from fbftl.tasks.grouped import HeldByGroups, held_by_groups
from fbftl.tasks.task import Inputs, Outcome
from fbftl.training.fairness import FOLLOWED, Judge, measures, series


def run(job: Job, inputs: Inputs) -> Outcome:
    """Play all seeds' rounds side by side."""
    (outcome,) = run_together([job], inputs)
    return outcome


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Play several settings; those whose rounds are alike side by side."""
    held, alike = held_by_groups(jobs[0], inputs), defaultdict(list)
    for job in jobs:
        alike[rounds_of(job, held.groups)].append(job)
    found = {id(job): own for some in alike.values() for job, own in _played(some, held)}
    return [found[id(job)] for job in jobs]


def _played(jobs: Sequence[Job], held: HeldByGroups) -> Iterator[tuple[Job, Outcome]]:
    """Yield each of some settings with what it found; their rounds are played side by side."""
    test = held.samples.test.at(np.arange(len(held.test)))
    playing = debiasing(jobs, held)
    seeds = [trial.seed for trial in playing.trials]
    judge = Judge(test.labels.cpu().numpy(), held.test, playing.classes, seeds)
    looks = [
        (turn, judge.look(*playing.seen(test), losses), playing.digests())
        for turn, losses in playing.play()
    ]
    probes = judge.probes(playing.seen(test)[0])
    repetitions = (
        _repetition(trial, [look[place] for _, look, _ in looks])
        | {"models": [models[place] for _, _, models in looks]}
        | probes[place]
        | judge.by_chance()
        for place, trial in enumerate(playing.trials)
    )
    for job, ledger in zip(jobs, playing.ledgers, strict=True):
        yield (
            job,
            Outcome(
                list(islice(repetitions, len(job.seeds))),
                ledger,
                held.samples.provenance,
                measures=measures(held.groups),
                series=series(looks[0][0]),
            ),
        )


def _repetition(trial: Trial, looks: list[dict[str, float]]) -> dict[str, Any]:
    """Return what one seed found: the last round counts, for there is no validation."""
    server, last = trial.server, looks[-1]
    samples = np.array([len(rows) for rows in trial.users.rows])
    arrived = int(samples[server.post.arrived(trial.users.owners)].sum())
    rounds = range(1, trial.job.training.rounds + 1)
    return {
        **{name: own for name, own in last.items() if name != "loss"},
        "seed": trial.seed,
        "epoch": len(looks),
        "validation_accuracy": None,
        "test_accuracy_best": max(look["test_accuracy"] for look in looks),
        "diverged": "loss" not in last,
        "series": {name: [look.get(name) for look in looks] for name in FOLLOWED},
        "clients": len(trial.users.rows),
        "offered": int(samples.sum()),
        **dict.fromkeys(("received", "seen"), arrived),
        **server.leaked(),
        **server.post.totals(rounds),
        "privacy": [asdict(server.post.guarantee)],
    }
