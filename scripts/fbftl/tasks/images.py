"""Samples with a class, mostly images, and features of them at a named layer."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import torch

from fbftl.cost.layers import parameters, read_network
from fbftl.data.clients import ClientFile
from fbftl.data.participation import Partition
from fbftl.data.preprocess import Preprocessing
from fbftl.features.store.features import Features
from fbftl.features.store.manifest import read_manifest
from fbftl.features.store.opening import open_store
from fbftl.features.store.ragged import Ragged
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.errors import required
from fbftl.ground.files import read_json
from fbftl.messages.link import plain_upload_bits
from fbftl.messages.sample import SAMPLED_UPLOADS, spread_evenly
from fbftl.messages.vectors import Vectors
from fbftl.study.job import Job
from fbftl.tasks.target_network import TargetNetwork
from fbftl.tasks.task import Inputs, Learner, Repetition, Score
from fbftl.training import batches
from fbftl.training.curves import Curves, record
from fbftl.training.measures import ExtraMeasures
from fbftl.training.pictures import Pictures
from fbftl.training.samples import LabelledInputs, LabelledSamples, TrainingData


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


# --- features at the cut ----------------------------------------------------------------------


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


# --- samples and the whole network ------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ClientImageSamples(ClientImages):
    """Samples and what the network that clients train is made of: see `tasks.task.ClientSamples`.

    samples: what the clients hold.
    target: what the network is made of.
    preprocessing: of every image.
    tested: (n_test,) client whose own each test sample is, -1 for nobody's.
    """

    samples: LabelledSamples
    target: TargetNetwork
    preprocessing: Preprocessing
    tested: np.ndarray

    def validated_on(self, training: np.ndarray, validation: np.ndarray) -> "ClientImageSamples":
        """Return some rows, with others in the place of the test split, which are nobody's."""
        domain = self.partition.domain
        return replace(
            self,
            partition=Partition(
                self.partition.client[training],
                self.partition.labels[training],
                None if domain is None else domain[training],
            ),
            samples=self.samples.at(training),
            test=self.samples.at(validation),
            tested=np.full(len(validation), -1),
        )

    def tests(self, owners: np.ndarray) -> list[LabelledSamples]:
        """Return the test samples of clients: each one's own, or all where they are nobody's."""
        rows_of = [np.flatnonzero(self.tested == owner) for owner in owners]
        return [self.test.at(rows) if len(rows) else self.test for rows in rows_of]


def client_samples(job: Job, inputs: Inputs) -> ClientImageSamples:
    """Return what the clients hold, and the network that they train."""
    cache = read_manifest(inputs.manifest).store
    source = read_json(required(inputs.source), "source model's manifest")
    preprocessing = Preprocessing.of(cache["preprocessing"])
    with ClientFile(required(inputs.clients)) as file:
        samples, test = (_samples(file, part, preprocessing, inputs) for part in ("train", "test"))
        client = file.examples("train").owners(0, file.count("train"))
        partition = Partition(client, file.numbers("train", "label"), file.domains("train"))
        numbers = {name: number for number, name in enumerate(file.client_ids("train"))}
        owners = np.array([numbers.get(name, -1) for name in file.client_ids("test")])
        tested = owners[file.examples("test").owners(0, file.count("test"))]
    target = TargetNetwork(
        inputs=inputs,
        source=source,
        cut=cache["cut"],
        pool=cache["preprocessing"]["pool"],
        example=samples.at(np.arange(2)).inputs.cpu(),
        width=cache["width"],
        classes=int(max(samples.labels.max(), test.labels.max())) + 1,
    )
    return ClientImageSamples(
        partition=partition,
        test=test,
        width=target.width,
        classes=target.classes,
        provenance={"source": source["sha256"], "features": cache["digest"]},
        samples=samples,
        target=target,
        preprocessing=preprocessing,
        tested=tested,
    )


def _samples(
    file: ClientFile, split: str, preprocessing: Preprocessing, inputs: Inputs
) -> Pictures:
    def pixels(part: slice) -> np.ndarray:
        return np.ascontiguousarray(file.rows(split, part.start, part.stop).arrays["pixels"])

    first = pixels(slice(0, 1))
    shape = (file.count(split), *first.shape[1:])
    labels = torch.from_numpy(file.numbers(split, "label").astype(np.int64)).to(inputs.device)
    pixels_ = inputs.room.rows(shape, pixels, first.dtype)
    return Pictures(pixels_, labels, preprocessing, file.domains(split))
