"""Features at the cut of samples with a class, mostly images, and what their samples share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import torch

from fbftl.data.participation import Partition
from fbftl.features.store.format import Ragged
from fbftl.features.store.reader import Features, FeatureStore, open_store
from fbftl.ground.errors import required
from fbftl.messages.channel import plain_upload_bits
from fbftl.messages.encoded import SAMPLED_UPLOADS, spread_evenly
from fbftl.messages.payload import Vectors
from fbftl.models.cost.layers import parameters, read_network
from fbftl.study.job import Job
from fbftl.training import batches
from fbftl.training.curves import Curves, ExtraMeasures, record
from fbftl.training.samples import LabelledInputs, LabelledSamples, TrainingData
from fbftl.training.tasks.task import Inputs, Learner, Repetition, Score


class FollowedLearner(Learner, Protocol):
    """A learner that is looked at after each epoch.

    curves: what it was found to be worth.
    """

    curves: Curves

    def restore(self) -> None:
        """Go back to the weights of the chosen epoch, where they are kept."""

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return what is measured at the chosen epoch, from 1, beside what every run has."""


@dataclass(frozen=True, eq=False)
class ClientImages:
    """What both views share.

    partition: who holds which training sample.
    test: the test split.
    width: floats of one FbFTL upload, which makes one transmission block.
    classes: number of classes N.
    provenance: digests of where the samples come from.
    """

    partition: Partition
    test: LabelledSamples
    width: int
    classes: int
    provenance: dict[str, Any]

    @property
    def block_bits(self) -> int:
        """Bits of a transmission block: one plain upload."""
        return plain_upload_bits(self.width, self.classes)

    def training_data(self, repetition: Repetition, samples: LabelledSamples) -> TrainingData:
        """Return what a repetition trains on, given what the clients hold."""
        training = repetition.job.network_training
        schedule = batches.rounds(
            repetition.clients, training.clients_per_round, training.epochs, repetition.seed
        )
        return TrainingData(samples, repetition.validation, self.test, training, schedule)

    def score(self, repetition: Repetition, learner: FollowedLearner) -> Score:
        """Return the accuracy at the epoch that the job selects, and what else is known there."""
        recorded = record(learner.curves, repetition.job.training.selection)
        learner.restore()
        more = learner.extra_measures(recorded["epoch"])
        recorded |= {**more.numbers, **more.record, "series": {**recorded["series"], **more.lists}}
        return Score(recorded, measures=more.measures, series=more.series)

    def transcript(self, texts: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return nothing: nobody reads classes one by one."""
        return []


@dataclass(frozen=True, eq=False)
class ClientImageFeatures(ClientImages):
    """Cached features: see `tasks.task.ClientFeatures`.

    test: the test split, all of it inputs.
    payload: the upload of every sample that was read.
    rows: which training samples these are.
    public: (m, width) features of public data, if the setting needs them.
    inputs: the job's files and device.
    """

    test: LabelledInputs
    payload: Vectors
    rows: np.ndarray
    public: np.ndarray | None
    inputs: Inputs

    @property
    def frozen_floats(self) -> int:
        """Numbers of the frozen extractor."""
        return parameters(read_network(required(self.inputs.network)).extractor)

    @cached_property
    def samples(self) -> LabelledInputs:
        """Features with labels, as training reads them."""
        return labelled(self.payload.values, self.payload.labels, self.inputs)


def labelled(values: np.ndarray, labels: np.ndarray, inputs: Inputs) -> LabelledInputs:
    """Put labels (n,) on the training device, and values (n, ...) if there is room for them."""
    placed = torch.from_numpy(values)
    if inputs.room.fits(values.shape):
        placed = placed.to(inputs.device)
    return LabelledInputs(placed, torch.from_numpy(labels.astype(np.int64)).to(inputs.device))


def partition(job: Job, inputs: Inputs) -> Partition:
    """Return who holds which training sample of a task's store."""
    return partition_in(open_store(inputs.manifest))


def partition_in(store: FeatureStore) -> Partition:
    """Return who holds which training sample of a store."""
    labels = store.labels("train")
    if isinstance(labels, Ragged):
        raise TypeError("the labels of images are classes, and this store has several of a sample")
    return Partition(store.clients("train"), labels, store.domains("train"))


def measured(samples: int) -> np.ndarray:
    """Return the training samples whose messages are measured closely."""
    return spread_evenly(samples, SAMPLED_UPLOADS)


def client_features(
    job: Job, inputs: Inputs, rows: np.ndarray | None = None
) -> ClientImageFeatures:
    """Return the features of a task's store, at some training samples or all."""
    store, room = open_store(inputs.manifest), inputs.room
    partition = partition_in(store)
    everyone = np.arange(len(partition.client))
    if rows is None or len(rows) == len(everyone):
        features, rows = store.read("train", room=room), everyone
    else:
        features = store.read("train", rows, room)
    test = store.read("test", room=room)
    public = None
    if inputs.public_manifest is not None:
        public = open_store(inputs.public_manifest).read("train").values
    closely = np.searchsorted(rows, measured(len(everyone)))
    classes = int(max(partition.labels.max(), test.labels.max())) + 1
    payload = replace(uploads_of(features, classes), measured=closely, room=room)
    return ClientImageFeatures(
        partition=partition,
        rows=rows,
        test=replace(labelled(test.values, test.labels, inputs), domain=store.domains("test")),
        width=store.width,
        classes=payload.classes,
        provenance={"features": store.digest},
        payload=payload,
        public=public,
        inputs=inputs,
    )


def uploads_of(stored: Features, classes: int) -> Vectors:
    """Return what the uploads of a store's rows would say, given the number of classes N."""
    labels = stored.labels.astype(np.int64)
    return Vectors(stored.values, labels, stored.sample, classes)
