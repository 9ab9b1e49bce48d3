"""FedHealth's parts (paper survey, Fig. 15): the cloud's start, the average, the adaptation.

Under `protection: ckks` the server averages ciphertexts. The adaptation is of the layers behind the
network's cut, to each client's samples and to the covariance that the last layer's inputs have at
the server, which is sent once.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.averaging import Server, by_samples, by_weights, weights_or_updates
from fbftl.exchange.kept import KEPT_MEASURES, KEPT_SERIES, by_client
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.ground.floats import FLOAT_BITS
from fbftl.privacy.homomorphic import PackedCipher
from fbftl.study.job import Job
from fbftl.tasks.task import HeldSamples, LocalLearner, Outcome, Repetition
from fbftl.training.adaptation import Alignment, adapted, covariance, last_inputs
from fbftl.training.batches import Rounds
from fbftl.training.kept import KeptModels
from fbftl.training.visits import Visit, flattened


@dataclass
class Health:
    """What a run needs beside FedAvg's parts.

    held: what the clients hold.
    public: open data that the cloud learns from.
    cipher: under which weights are averaged; None shows them.
    rows: of each seed's clients.
    found: what each seed's adaptation came to.
    """

    job: Job
    held: HeldSamples
    public: Any
    cipher: PackedCipher | None
    rows: dict[int, Sequence[np.ndarray]] = field(default_factory=dict)
    found: dict[int, dict[str, Any]] = field(default_factory=dict)

    def begun(self, repetition: Repetition) -> LocalLearner:
        """Return the learner with the cloud's weights."""
        self.rows[repetition.seed] = repetition.clients
        learner = self.held.local(repetition)
        cloud = KeptModels.begun([learner.halves], learner.plan, repetition.seed)
        everything = [np.arange(len(self.public.labels))]
        cloud.train(self.public, everything, 1, epochs=self.job.setting.transfer_epochs)
        learner.set_weights(cloud.weights[0])
        return learner

    def exchanged(self, learner: LocalLearner) -> Traffic:
        """Return what is sent every round; ciphertexts count as many floats as they are long."""
        if self.cipher is None:
            return weights_or_updates(self.job)(learner)
        bits = self.cipher.bits(self.cipher.encrypted(learner.weights().cpu().numpy()))
        floats = {"ciphertext": math.ceil(bits / FLOAT_BITS)}
        return Traffic(lambda _: floats, floats)

    def average(self, weights: Tensor, counts: np.ndarray) -> Tensor:
        """Return the average of clients' weights (A, X), under encryption if there is one."""
        if self.cipher is None:
            return by_samples(weights, counts)
        messages = [self.cipher.encrypted(own) for own in weights.cpu().numpy()]
        average = self.cipher.decrypted(self.cipher.weighted(messages, counts / counts.sum()))
        return torch.from_numpy(average).to(weights)

    def train(self, learner: LocalLearner, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        """Train the global network, then let every client adapt it."""
        if self.cipher is not None:
            uplink.own = None  # ciphertexts are counted: made anew, they never repeat
        server = Server(aggregate=self.average)
        ends = by_weights(lambda: server)(learner, uplink, schedule)
        # After the last round, so that it is counted with it.
        self.found[uplink.post.seed] = self._adapted(learner, uplink, ends[-1] if ends else 0)
        return ends

    def _adapted(self, learner: LocalLearner, uplink: Uplink, last: int) -> dict[str, Any]:
        epochs, weight = self.job.setting.adaptation, self.job.setting.alignment
        halves, rows = learner.halves, self.rows[uplink.post.seed]
        tests = self.held.tests(uplink.owners)
        begun = KeptModels([halves] * len(rows), learner.plan, uplink.post.seed,
                           [learner.weights()] * len(rows))  # fmt: skip
        before = np.array(begun.accuracies(tests))
        own = before
        if epochs:
            moments = covariance(last_inputs(halves, self.public.inputs))
            if weight:
                uplink.post.broadcast({"statistics": moments.numel()}, last)
            seed = uplink.post.seed
            visits = [Visit(seed, last + 1, client, held) for client, held in enumerate(rows)]
            plan = replace(learner.plan, epochs=epochs)
            aim = Alignment(moments, weight)
            fitted = adapted(halves, learner.lessons.samples, visits, plan, aim)
            front = flattened(halves.front.parameters())
            kept = replace(begun, weights=[torch.cat([front, rest]) for rest in fitted])
            own = np.array(kept.accuracies(tests))
            learner.set_weights(begun.weights[0])
        return {
            "test_accuracy": float(own.mean()),
            "accuracy_before": float(before.mean()),
            "share_worse": float((own < before).mean()),
            "series": by_client(own, before),
        }

    def told(self, outcome: Outcome) -> Outcome:
        """Return an outcome with what the adaptation came to; the score is the mean of clients'."""
        told = []
        for one in outcome.repetitions:
            found = self.found[one["seed"]]
            told.append(one | found | {"series": one["series"] | found["series"]})
        before = {"accuracy_before": KEPT_MEASURES["accuracy_alone"]}
        measures = {**outcome.measures, **KEPT_MEASURES, **before}
        series = {**outcome.series, **KEPT_SERIES}
        return replace(outcome, repetitions=told, measures=measures, series=series)


def health_of(job: Job, held: HeldSamples) -> Health:
    """Return the parts that a job asks for."""
    cipher = PackedCipher() if job.setting.protection == "ckks" else None
    return Health(job, held, held.open_samples(job.setting.public_data), cipher)
