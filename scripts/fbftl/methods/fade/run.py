"""A run of FADE, all its seeds, and what a model does to groups of people.

Rates are those of a task with two classes, the second the positive one. Probes read the group from
z: trained on one half of the rows, scored on the other. A probe at chance where the task is well
above it is a group unlearnt; where the task is at chance as well, z says nothing of anything, and
its spread tells whether all of it has become one point.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from fbftl.exchange.secure_sum import RING_MEASURES
from fbftl.ground.randomness import stream
from fbftl.methods.fade.groups import GroupedClients, grouped_clients
from fbftl.methods.fade.rounds import Trial, debiasing, lockstep_key
from fbftl.models.heads import stacked
from fbftl.study.job import Job, Training
from fbftl.training.curves import MEASURES, RIGHT, Measure, Series, packed
from fbftl.training.optimisers import OPTIMISERS
from fbftl.training.tasks.task import Inputs, Outcome

_SHARE = Measure("share", "higher", diverged=0.0)
_SHOWS = Measure("share", "lower")

FAIRNESS = {
    "balanced_accuracy": _SHARE,
    "accuracy_by_chance": Measure("share"),
    "delta_eo": Measure("rates", "lower"),
    "probe": _SHOWS,
    "probe_two_layer": _SHOWS,
    "probe_by_chance": Measure("share"),
    "spread": Measure("share"),
    "leak": _SHOWS,
    "leak_over_rounds": _SHOWS,
    "leak_by_chance": Measure("share"),
}
"""What is measured beside accuracy and bits; those by group carry the group's number."""

FOLLOWED = {
    "test_accuracy": "share",
    "balanced_accuracy": "share",
    "delta_eo": "rates",
    "probe": "share",
    "loss": "nats",
}
"""What is followed from point to point, and its unit."""

HIDDEN, STEPS, RATE = 16, 100, 0.03
"""Of the two-layer probe: its hidden width, and Adam's steps over all rows at once."""


def measures(groups: int) -> dict[str, Measure]:
    """Return what is measured of a task with so many groups."""
    by_group = ("accuracy", _SHARE), ("fpr", _SHOWS), ("fnr", _SHOWS)
    of_groups = {f"{name}_{g}": of for name, of in by_group for g in range(groups)}
    return MEASURES | FAIRNESS | of_groups


def series(rounds: int) -> dict[str, Series]:
    """Return what is followed, a step every so many rounds."""
    return {name: Series(unit, f"{rounds} rounds") for name, unit in FOLLOWED.items()}


def by_group(
    predicted: np.ndarray, labels: np.ndarray, group: np.ndarray, classes: int
) -> dict[str, float]:
    """Return accuracies, error rates and equalised odds of predictions, all arrays (n,).

    Equalised odds are |FPR_0 - FPR_1| + |FNR_0 - FNR_1| (Eq. 3.9); of more groups, the largest
    difference of each rate. They are there where every group has samples of both classes.
    """
    groups = np.unique(group)
    hits = {g: predicted[group == g] == labels[group == g] for g in groups}
    by_name = {f"accuracy_{g}": float(hit.mean()) for g, hit in hits.items()}
    by_name["balanced_accuracy"] = float(np.mean([hit.mean() for hit in hits.values()]))
    if classes != 2:
        return by_name
    differences = []
    for rate, label in (("fpr", 0), ("fnr", 1)):
        wrong = {g: 1 - hit[labels[group == g] == label] for g, hit in hits.items()}
        rates = {g: float(missed.mean()) for g, missed in wrong.items() if len(missed)}
        by_name |= {f"{rate}_{g}": rate_of_group for g, rate_of_group in rates.items()}
        if len(rates) == len(groups):
            differences.append(max(rates.values()) - min(rates.values()))
    return by_name | ({"delta_eo": sum(differences)} if len(differences) == 2 else {})


def by_chance(values: np.ndarray) -> float:
    """Return the share of the most frequent value, which needs no features."""
    return float(np.bincount(values).max() / len(values))


def halved(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows to train a probe on, and others to score it on."""
    rows = stream(seed, "probe").permutation(count)
    return rows[: count // 2], rows[count // 2 :]


def linear_probe(z: np.ndarray, group: np.ndarray, seed: int) -> float:
    """Return the accuracy of a fresh logistic regression from z (n, d) to the group (n,).

    Where the half that it learns from is of one group, it takes all for that group's.
    """
    # Slow to import, and only the evaluation of fairness needs it.
    from sklearn.linear_model import LogisticRegression

    fitting, scoring = halved(len(z), seed)
    if len(np.unique(group[fitting])) == 1:
        return float((group[scoring] == group[fitting][0]).mean())
    z = z.astype(np.float64)
    scaled = (z - z[fitting].mean(0)) / np.maximum(z[fitting].std(0), 1e-8)
    # Newton's steps, for far more rows than columns; in float64, as some columns are nearly others.
    probe = LogisticRegression(solver="newton-cholesky", max_iter=1000)
    fitted = probe.fit(scaled[fitting], group[fitting])
    return float(fitted.score(scaled[scoring], group[scoring]))


def two_layer_probe(z: Tensor, group: Tensor, seed: int) -> float:
    """Return the accuracy of a fresh network with a hidden layer from z (n, d) to group (n,)."""
    fitting, scoring = (torch.from_numpy(rows).to(z.device) for rows in halved(len(z), seed))
    z = ((z - z[fitting].mean(0)) / z[fitting].std(0).clamp_min(1e-8))[None]
    probe = stacked([z.shape[2], HIDDEN, int(group.max()) + 1], [seed], z.device)
    training = Training(
        epochs=STEPS, batch=0, clients_per_round=0, learning_rate=RATE, momentum=0.0,
        weight_decay=0.0, validation=0.0, selection="last",
    )  # fmt: skip
    stepper, inputs = OPTIMISERS["adam"].stacked(probe.parameters(), training), z[:, fitting]
    for _ in range(STEPS):
        loss = functional.cross_entropy(probe(inputs)[0], group[fitting])
        gradients = torch.autograd.grad(loss, probe.parameters())
        stepper.step([gradient.contiguous() for gradient in gradients])
    with torch.no_grad():
        return float((probe(z[:, scoring])[0].argmax(1) == group[scoring]).double().mean())


def spread_of(z: np.ndarray) -> float:
    """Return the share of z's (n, d) mean square that is variance: 0 where all rows are alike."""
    whole = float(np.square(z, dtype=np.float64).sum(1).mean())
    return float(z.var(0, dtype=np.float64).sum() / whole) if whole else 0.0


@dataclass(frozen=True)
class FairnessProbe:
    """Who looks at the test samples of all groups, which no server and no user does.

    labels, group: (m,) of the test samples.
    classes: number of classes N.
    seeds: of the repetitions that are looked at.
    """

    labels: np.ndarray
    group: np.ndarray
    classes: int
    seeds: Sequence[int]

    def evaluate(self, z: Tensor, predictions: Tensor, losses: np.ndarray) -> list[dict[str, Any]]:
        """Return what each seed's model does, given z (S, m, d), its classes and loss (S,).

        One that has diverged has accuracy 0 and nothing else.
        """
        measured: list[dict[str, Any]] = []
        for seed, z_of_seed, predicted, loss in zip(
            self.seeds, z.cpu().numpy(), predictions.cpu().numpy(), losses, strict=True
        ):
            if not (np.isfinite(z_of_seed).all() and np.isfinite(loss)):
                measured.append({"test_accuracy": 0.0})
                continue
            right = predicted == self.labels
            found = {
                "test_accuracy": float(right.mean()),
                "probe": linear_probe(z_of_seed, self.group, seed),
                "spread": spread_of(z_of_seed),
                "loss": float(loss),
                RIGHT: packed(right),
            }
            measured.append(by_group(predicted, self.labels, self.group, self.classes) | found)
        return measured

    def by_chance(self) -> dict[str, float]:
        """Return what needs no z: of the classes, and of the groups."""
        return {
            "accuracy_by_chance": by_chance(self.labels),
            "probe_by_chance": by_chance(self.group),
        }

    def probes(self, z: Tensor) -> list[dict[str, float]]:
        """Return the accuracy of each seed's probe with a hidden layer, none if it diverged."""
        group = torch.from_numpy(self.group).to(z.device)
        return [
            {"probe_two_layer": two_layer_probe(z_of_seed, group, seed)}
            if torch.isfinite(z_of_seed).all()
            else {}
            for z_of_seed, seed in zip(z, self.seeds, strict=True)
        ]


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
        z, predictions = training_run.seen(test)
        of_test = fairness_probe.evaluate(z, predictions, losses)
        evaluations.append((round_number, of_test, training_run.digests()))
    probes = fairness_probe.probes(z)
    repetitions = (
        _repetition(trial, [evaluation[index] for _, evaluation, _ in evaluations])
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


def _repetition(trial: Trial, evaluations: list[dict[str, Any]]) -> dict[str, Any]:
    """Return what one seed found: the last round counts, for there is no validation."""
    server, last = trial.server, evaluations[-1]
    samples = np.array([len(rows) for rows in trial.users.rows])
    arrived = int(samples[server.post.arrived(trial.users.owners)].sum())
    rounds = range(1, trial.job.network_training.local_rounds + 1)
    return {
        **{name: value for name, value in last.items() if name != "loss"},
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
