"""A run of FedAvg on a head, all its seeds."""

from collections.abc import Iterable
from dataclasses import replace
from functools import partial

import numpy as np
from torch import nn

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.learners.local import LocalTrainingData
from fbftl.messages.codec import Compression
from fbftl.messages.statistics import ClassMeans
from fbftl.methods.fedavg_head.server import server_of
from fbftl.methods.fedavg_head.start import hold, uploaded_means
from fbftl.models.heads import head_module
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, LabelledFeatures, Outcome, Repetition, labelled_features
from fbftl.training.batches import Rounds
from fbftl.training.closed_form import lda
from fbftl.training.local_network import LocalNetwork
from fbftl.training.local_updates import FEDAVG, SplitModel
from fbftl.training.measures import ExtraMeasures, Measure
from fbftl.training.network import evaluate

AT_START = {
    "start_accuracy": Measure("share", "higher"),
    "start_validation_accuracy": Measure("share", "higher"),
}
"""Accuracy of the head before the first round."""


class LocalHead(LocalNetwork):
    """A head of random initial values, which clients train for local epochs on features."""

    def __init__(self, client_data: LabelledFeatures, repetition: Repetition) -> None:
        widths = [client_data.width, *repetition.job.block["head"], client_data.classes]
        head = head_module(widths, repetition.seed).to(client_data.inputs.device)
        samples = client_data.samples
        data = LocalTrainingData(
            repetition, client_data.training_data(repetition, samples), client_data.classes
        )
        split, hooks = SplitModel(nn.Identity(), head), data.hooks(FEDAVG)
        super().__init__(split, data.by_rounds(), data.plan, repetition.seed, hooks)
        self.layers = [layer for layer in head if isinstance(layer, nn.Linear)]
        self.clients, self._client_data = repetition.clients, client_data

    def means(self) -> ClassMeans:
        """Return the class means of each client's training samples, by its number."""
        payload, rows = self._client_data.payload, np.concatenate(self.clients)
        client = np.repeat(np.arange(len(self.clients)), list(map(len, self.clients)))
        return ClassMeans.of(payload.values[rows], payload.labels[rows], client, payload.classes)

    def note_start(self) -> None:
        """Keep what the head is worth before the first round."""
        data = self.training_data
        every = {"start_accuracy": (data.test, np.arange(len(data.test.labels)))}
        every["start_validation_accuracy"] = data.samples, data.validation
        self._at_start = {
            name: evaluate(self.model, samples, rows).accuracy
            for name, (samples, rows) in every.items()
            if len(rows)
        }

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return what the head was worth before the first round."""
        return ExtraMeasures(numbers=self._at_start, measures=AT_START)


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed by rounds of local epochs on cached features."""
    setting, client_data = job.setting, labelled_features(job, inputs)
    if setting.client_rate is not None:
        training = replace(job.network_training, learning_rate=setting.client_rate)
        job = replace(job, training=training)

    def exchanged(learner: LocalNetwork) -> Traffic:
        return replace(weights_or_updates(job)(learner), frozen=client_data.frozen_floats)

    def train(learner: LocalHead, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        begin(job, learner, uplink)
        learner.note_start()
        return by_weights(partial(server_of, setting))(learner, uplink, schedule)

    learner_of = partial(LocalHead, client_data)
    return run_rounds(job, client_data, learner_of, exchanged, inputs.room.folder, train)


def begin(job: Job, learner: LocalHead, uplink: Uplink) -> None:
    """Give a learner the start of its setting; where no upload arrives it stays random."""
    setting = job.setting
    if setting.start == "zero":
        for parameter in learner.layers[-1].parameters():
            nn.init.zeros_(parameter)
    if setting.start == "means":
        compression = Compression(setting.start_bits, setting.start_keep)
        means = uploaded_means(uplink, learner.means(), compression)
        if len(means.counts):
            hold(
                learner.layers, lda(means.estimated(), job.block["one_shot"]["shrinkage"][:1]).head
            )
