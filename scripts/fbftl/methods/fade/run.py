"""A run of FADE, all its seeds."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import islice
from typing import Any

import numpy as np

from fbftl.exchange.secure_sum import RING_MEASURES
from fbftl.methods.fade.fairness import FOLLOWED, FairnessProbe, measures, series
from fbftl.methods.fade.groups import GroupedClients, grouped_clients
from fbftl.methods.fade.losses import UTILITY, rounds_to
from fbftl.methods.fade.rounds import Trial, debiasing, lockstep_key
from fbftl.study.job import Job
from fbftl.training.tasks.task import Inputs, Outcome


def run_together(jobs: Sequence[Job], inputs: Inputs) -> list[Outcome]:
    """Train several settings; those whose rounds are alike in lockstep."""
    client_data, alike = grouped_clients(jobs[0], inputs), defaultdict(list)
    for job in jobs:
        alike[lockstep_key(job, client_data.groups)].append(job)
    outcomes = {
        id(job): outcome for some in alike.values() for job, outcome in _trained(some, client_data)
    }
    return [outcomes[id(job)] for job in jobs]


def _trained(jobs: Sequence[Job], client_data: GroupedClients) -> Iterator[tuple[Job, Outcome]]:
    """Yield each of some settings with what it found; their rounds are trained in lockstep."""
    test = client_data.samples.test.at(np.arange(len(client_data.test)))
    training_run = debiasing(jobs, client_data)
    seeds = [trial.seed for trial in training_run.trials]
    fairness_probe = FairnessProbe(
        test.labels.cpu().numpy(), client_data.test, training_run.classes, seeds
    )
    evaluations = []
    for round_number, losses in training_run.train():
        of_test = fairness_probe.evaluate(*training_run.seen(test), losses)
        of_train = training_run.losses(client_data.train)
        both = [first | second for first, second in zip(of_test, of_train, strict=True)]
        evaluations.append((round_number, both, training_run.digests()))
    round_numbers = [round_number for round_number, _, _ in evaluations]
    probes = fairness_probe.probes(training_run.seen(test)[0])
    repetitions = (
        _repetition(trial, round_numbers, [evaluation[index] for _, evaluation, _ in evaluations])
        | {"models": [models[index] for _, _, models in evaluations]}
        | probes[index]
        | fairness_probe.by_chance()
        for index, trial in enumerate(training_run.trials)
    )
    for job, ledger in zip(jobs, training_run.ledgers, strict=True):
        outcome = Outcome(
            list(islice(repetitions, len(job.seeds))),
            ledger,
            client_data.samples.provenance,
            measures={**measures(client_data.groups), **RING_MEASURES},
            series=series(evaluations[0][0]),
        )
        yield job, outcome


def _repetition(
    trial: Trial, round_numbers: list[int], evaluations: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return what one seed found: the last round counts, for there is no validation."""
    server, last = trial.server, evaluations[-1]
    samples = np.array([len(rows) for rows in trial.users.rows])
    arrived = int(samples[server.post.arrived(trial.users.owners)].sum())
    rounds = range(1, trial.job.network_training.local_rounds + 1)
    return {
        **{name: value for name, value in last.items() if name != "loss"},
        **rounds_to(round_numbers, [evaluation.get(UTILITY) for evaluation in evaluations]),
        "seed": trial.seed,
        "epoch": len(evaluations),
        "validation_accuracy": None,
        "test_accuracy_best": max(evaluation["test_accuracy"] for evaluation in evaluations),
        "diverged": "loss" not in last,
        "series": {name: [evaluation.get(name) for evaluation in evaluations] for name in FOLLOWED},
        "clients": len(trial.users.rows),
        "offered": int(samples.sum()),
        **dict.fromkeys(("received", "seen"), arrived),
        **server.leaked(),
        **server.post.totals(rounds),
        "privacy": [asdict(server.post.guarantee)],
        **({} if server.secure is None else server.secure.ring.record),
    }
