"""FADE (thesis ch. 3): federated adversarial debiasing, the users' groups known to themselves.

Users train an encoder and a task head, and a discriminator that reads their group from what the
encoder gives; the encoder unlearns what it reads. `adversary: none` is FedAvg by local steps, on
the same users, for comparison. With unlabelled users it is unsupervised domain adaptation.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from fbftl.exchange.debiasing import Debiasing, debiasing
from fbftl.study.job import Job
from fbftl.tasks.grouped import held_by_groups
from fbftl.tasks.task import Inputs, Outcome
from fbftl.training.fairness import FOLLOWED, Judge, measures, series


def run(job: Job, inputs: Inputs) -> Outcome:
    """Play all seeds' rounds side by side."""
    held = held_by_groups(job, inputs)
    test = held.samples.test.at(np.arange(len(held.test)))
    playing = debiasing(job, held)
    judge = Judge(test.labels.cpu().numpy(), held.test, playing.classes, job.seeds)
    looks = [
        (turn, judge.look(*playing.seen(test), losses), playing.digests())
        for turn, losses in playing.play()
    ]
    probes = judge.probes(playing.seen(test)[0])
    repetitions = [
        _repetition(playing, place, [look[place] for _, look, _ in looks])
        | {"models": [models[place] for _, _, models in looks]}
        | probes[place]
        | judge.by_chance()
        for place in range(len(job.seeds))
    ]
    return Outcome(
        repetitions,
        playing.ledger,
        held.samples.provenance,
        measures=measures(held.groups),
        series=series(looks[0][0]),
    )


def _repetition(playing: Debiasing, place: int, looks: list[dict[str, float]]) -> dict[str, Any]:
    """Return what one seed found: the last round counts, for there is no validation."""
    server, last = playing.servers[place], looks[-1]
    samples = sum(len(rows) for rows in server.users.rows)
    rounds = range(1, playing.job.training.rounds + 1)
    return {
        **{name: own for name, own in last.items() if name != "loss"},
        "seed": playing.job.seeds[place],
        "epoch": len(looks),
        "validation_accuracy": None,
        "test_accuracy_best": max(look["test_accuracy"] for look in looks),
        "diverged": "loss" not in last,
        "series": {name: [look.get(name) for look in looks] for name in FOLLOWED},
        "clients": len(server.users.rows),
        **dict.fromkeys(("offered", "received", "seen"), samples),
        **server.leaked(),
        **server.post.totals(rounds),
        "privacy": [asdict(server.post.guarantee)],
    }
