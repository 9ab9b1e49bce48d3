"""Samples with a class, mostly images: features of them, and the networks cut at a named layer."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import torch
from torch import nn

from fbftl.cost.layers import parameters, read_network
from fbftl.data.clients import ClientFile
from fbftl.data.participation import Holdings
from fbftl.data.preprocess import Preprocessing
from fbftl.features.store.features import Features
from fbftl.features.store.manifest import read_manifest
from fbftl.features.store.opening import open_store
from fbftl.features.store.reader import FeatureStore
from fbftl.ground.files import read_json
from fbftl.messages.link import plain_upload_bits
from fbftl.messages.sample import SAMPLED_UPLOADS, spread_evenly
from fbftl.messages.vectors import Vectors
from fbftl.models.digest import digest
from fbftl.models.heads import head_module, stacked
from fbftl.study.job import Job
from fbftl.tasks.local_images import LocalLessons, local_network, shared_heads, shared_network
from fbftl.tasks.lockstep import labelled, received, scaled, schedule
from fbftl.tasks.open_images import open_part, read_sources
from fbftl.tasks.target_network import TargetNetwork
from fbftl.tasks.task import Fit, Inputs, Received, Repetition, Score, SourceModels
from fbftl.training import batches
from fbftl.training.batches import Rounds
from fbftl.training.closed_form import LinearHead
from fbftl.training.coverage import PublicRows
from fbftl.training.curves import record, record_of_one
from fbftl.training.kept import KeptModels
from fbftl.training.local_network import LocalNetwork
from fbftl.training.network import (
    LabelledInputs,
    LabelledSamples,
    Lessons,
    ReadSamples,
    TrainedNetwork,
)
from fbftl.training.passes import passes_of
from fbftl.training.pictures import Pictures
from fbftl.training.private_heads import PrivateHeads, private_heads
from fbftl.training.shared_network import SharedNetwork
from fbftl.training.split import SplitNetwork
from fbftl.training.stacked import StackedSamples, train
from fbftl.training.visits import FEDAVG, Halves, Hooks


@dataclass(frozen=True, eq=False)
class HeldImages:
    """What both views share.

    holdings: who holds which training sample.
    test: the test split.
    width: floats of one FbFTL upload, which makes one transmission block.
    classes: number of classes N.
    provenance: digests of where the samples come from.
    """

    holdings: Holdings
    test: LabelledSamples
    width: int
    classes: int
    provenance: dict[str, Any]

    @property
    def block_bits(self) -> int:
        """Bits of a transmission block: one plain upload."""
        return plain_upload_bits(self.width, self.classes)

    def lessons(self, repetition: Repetition, samples: LabelledSamples) -> Lessons:
        """Return what a repetition trains on, given what the clients hold."""
        training = repetition.job.training
        turns = batches.rounds(
            repetition.clients, training.clients_per_round, training.epochs, repetition.seed
        )
        return Lessons(samples, repetition.validation, self.test, training, turns)

    def score(self, repetition: Repetition, learner: TrainedNetwork) -> Score:
        """Return the accuracy at the epoch that the job selects, and what else is known there."""
        found = record(learner.curves, repetition.job.training.selection)
        more = learner.further(found["epoch"])
        found |= {**more.numbers, **more.told, "series": {**found["series"], **more.lists}}
        return Score(found, measures=more.measures, series=more.series)

    def transcript(self, said: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return nothing: nobody reads classes one by one."""
        return []


# --- features at the cut ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class HeldImageFeatures(HeldImages):
    """Cached features: see `tasks.task.HeldFeatures`.

    payload: the upload of every sample that was read.
    rows: which training samples these are.
    public: (m, width) features of public data, if the setting needs them.
    inputs: the job's files and device.
    """

    payload: Vectors
    rows: np.ndarray
    public: np.ndarray | None
    inputs: Inputs

    @property
    def frozen_floats(self) -> int:
        """Numbers of the frozen extractor."""
        return parameters(read_network(self.inputs.network).extractor)

    @property
    def public_rows(self) -> PublicRows:
        """All rows of the store of public samples, those that others hold out too."""
        store = open_store(self.inputs.public_manifest)
        parts = [store.read(split) for split in store.splits]
        known = all(part.domain is not None for part in parts)
        return PublicRows(
            np.concatenate([part.values for part in parts]),
            np.concatenate([part.labels for part in parts]).astype(np.int64),
            np.concatenate([part.domain for part in parts]) if known else None,
        )

    def head(self, repetition: Repetition) -> TrainedNetwork:
        """Return the head that rounds of clients train."""
        widths = [self.width, *repetition.job.block["head"], self.classes]
        model = head_module(widths, repetition.seed).to(self.inputs.device)
        read = ReadSamples(self._samples, self.rows)
        return TrainedNetwork(model, self.lessons(repetition, read))

    @cached_property
    def _samples(self) -> LabelledInputs:
        return labelled(self.payload.values, self.payload.labels, self.inputs)

    def fit(self, settings: Sequence[Sequence[Received]]) -> list[list[Fit]]:
        """Train a head for each setting and seed, all stacked and in lockstep."""
        every = [own for setting in settings for own in setting]
        job, device = every[0].job, self.inputs.device
        seen = [np.zeros((len(own), len(self.rows)), dtype=bool) for own in settings]
        schedules = [
            batches.observed(schedule(own[0].job, len(self.holdings.client), own), mark)
            for own, mark in zip(settings, seen, strict=True)
        ]
        widths = [self.width, *job.block["head"], self.classes]
        heads = stacked(widths, [own.seed for own in every], device)
        curves = train(
            heads,
            batches.side_by_side(schedules),
            received(every, self.inputs),
            [torch.from_numpy(own.validation).to(device) for own in every],
            self._scaled_test(every),
            job.training,
        )
        marks = [mark for own in seen for mark in own]
        fits = iter(
            Fit(
                Score(record(curve, job.training.selection)),
                int(mark.sum()),
                heads.at(slice(place, place + 1)),
            )
            for place, (curve, mark) in enumerate(zip(curves, marks, strict=True))
        )
        return [[next(fits) for _ in own] for own in settings]

    def private(
        self, job: Job, seeds: Sequence[int], rows: Sequence[np.ndarray], multipliers: np.ndarray,
        noised_by: Sequence[int] | None = None,
    ) -> PrivateHeads:  # fmt: skip
        """Train heads by noisy full-batch descent; see `training.private_heads`."""
        return private_heads(
            job, self._samples, self.test, self.public, self.classes, seeds, rows, multipliers,
            noised_by,
        )  # fmt: skip

    def shared(self, repetition: Repetition, layout: str) -> SharedNetwork:
        """Return heads of several widths on all features, trained for local epochs."""
        lessons = self.lessons(repetition, replace(self._samples, domain=self.holdings.domain))
        return shared_heads(LocalLessons(repetition, lessons, self.classes), self.width, layout)

    def linear(self, head: LinearHead) -> Score:
        """Return the accuracy of a linear head that was solved, at its one point."""
        test = self.test.inputs.cpu().numpy(), self.test.labels.cpu().numpy()
        model = digest(map(torch.from_numpy, (head.weights, head.bias)))
        return Score(record_of_one(head.accuracy(*test), model))

    def _scaled_test(self, every: Sequence[Received]) -> StackedSamples:
        """Return the test split for every head, scaled as its training samples are."""
        scale_of = [float(own.scale(self.width)) for own in every]
        scales = list(dict.fromkeys(scale_of))
        values = scaled([self.test.inputs] * len(scales), scales, self.inputs)
        release = torch.tensor([scales.index(own) for own in scale_of], device=self.inputs.device)
        return StackedSamples(values, self.test.labels.expand(len(scales), -1), release)


def holdings(job: Job, inputs: Inputs) -> Holdings:
    """Return who holds which training sample of a task's store."""
    return held_in(open_store(inputs.manifest))


def held_in(store: FeatureStore) -> Holdings:
    """Return who holds which training sample of a store."""
    return Holdings(store.clients("train"), store.labels("train"), store.domains("train"))


def measured(samples: int) -> np.ndarray:
    """Return the training samples whose messages are measured closely."""
    return spread_evenly(samples, SAMPLED_UPLOADS)


def held_features(job: Job, inputs: Inputs, rows: np.ndarray | None = None) -> HeldImageFeatures:
    """Return the features of a task's store, at some training samples or all."""
    store, room = open_store(inputs.manifest), inputs.room
    held = held_in(store)
    everyone = np.arange(len(held.client))
    if rows is None or len(rows) == len(everyone):
        own, rows = store.read("train", room=room), everyone
    else:
        own = store.read("train", rows, room)
    test = store.read("test", room=room)
    public = None
    if inputs.public_manifest is not None:
        public = open_store(inputs.public_manifest).read("train").values
    closely = np.searchsorted(rows, measured(len(everyone)))
    classes = int(max(held.labels.max(), test.labels.max())) + 1
    payload = replace(uploads_of(own, classes), measured=closely, room=room)
    return HeldImageFeatures(
        holdings=held,
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
class HeldImageSamples(HeldImages):
    """Samples and the network that clients train: see `tasks.task.HeldSamples`.

    samples: what the clients hold.
    target: what the network is made of.
    preprocessing: of every image.
    tested: (n_test,) client whose own each test sample is, -1 for nobody's.
    """

    samples: Pictures
    target: TargetNetwork
    preprocessing: Preprocessing
    tested: np.ndarray

    def transferred(self, repetition: Repetition) -> TrainedNetwork:
        """Return the extractor with the source model's weights and a new head."""
        head = self.target.head(repetition.job, repetition.seed)
        return self._whole(self.target.transferred(), head, repetition)

    def random(self, repetition: Repetition) -> TrainedNetwork:
        """Return the network from random initial values."""
        return self._whole(*self.target.random(repetition.job, repetition.seed), repetition)

    def split(self, repetition: Repetition) -> SplitNetwork:
        """Return the network from random initial values, in two parts that meet at the cut."""
        parts = self.target.random(repetition.job, repetition.seed)
        passes = passes_of(repetition.job.training, repetition.seed, *parts)
        return SplitNetwork(*parts, self.lessons(repetition, self.samples), passes)

    def local(
        self,
        repetition: Repetition,
        hooks: Hooks = FEDAVG,
        turns: Iterable[Rounds] | None = None,
        of: Callable[..., Any] = LocalNetwork,
    ) -> Any:
        """Return the network from random initial values, trained for local epochs."""
        halves = Halves(*self.target.random(repetition.job, repetition.seed))
        return local_network(self._local(repetition), halves, hooks, turns, of)

    def shared(self, repetition: Repetition, layout: str) -> SharedNetwork:
        """Return the network at several widths, from random values, trained for local epochs."""
        return shared_network(self._local(repetition), self.target.named, layout)

    def kept(self, repetition: Repetition) -> KeptModels:
        """Return a network for each client to keep, with random initial values, alike if shared."""
        job, seed, count = repetition.job, repetition.seed, len(repetition.clients)
        networks = job.block.get("architectures", ())
        made = [Halves(*self.target.named(network, seed)) for network in networks]
        made = made or [Halves(*self.target.random(job, seed))]
        plan = self._local(repetition).plan
        return KeptModels.begun([made[c % len(made)] for c in range(count)], plan, seed)

    def tests(self, owners: np.ndarray) -> list[LabelledSamples]:
        """Return the test samples of clients: each one's own, or all where they are nobody's."""
        own = [np.flatnonzero(self.tested == owner) for owner in owners]
        return [self.test.at(rows) if len(rows) else self.test for rows in own]

    def open_samples(self, part: str) -> LabelledInputs:
        """Return a part of the task's open data."""
        inputs = self.target.inputs
        return open_part(inputs.open, part, self.preprocessing, inputs.device)

    def source_models(self, job: Job, related: bool = True) -> SourceModels:
        """Return the task's further source models, with those that fit the task or without."""
        inputs, kinds = self.target.inputs, job.block["sources"]
        wanted = {name: kind for name, kind in kinds.items() if related or kind != "target"}
        return read_sources(inputs.sources, wanted, inputs.device)

    def _local(self, repetition: Repetition) -> LocalLessons:
        return LocalLessons(repetition, self.lessons(repetition, self.samples), self.classes)

    def parts(self, job: Job, seed: int) -> tuple[nn.Module, nn.Module]:
        """Return the frozen extractor up to the cut that the setting names, and a new head."""
        target = self.target.at(job.setting.cut)
        return target.transferred().requires_grad_(False), target.head(job, seed)

    def _whole(
        self, extractor: nn.Module, head: nn.Module, repetition: Repetition
    ) -> TrainedNetwork:
        network = nn.Sequential(extractor, head)
        passes = passes_of(repetition.job.training, repetition.seed, network)
        return TrainedNetwork(network, self.lessons(repetition, self.samples), passes)


def held_samples(job: Job, inputs: Inputs) -> HeldImageSamples:
    """Return what the clients hold, and the network that they train."""
    cache = read_manifest(inputs.manifest).store
    source = read_json(inputs.source, "source model's manifest")
    preprocessing = Preprocessing.of(cache["preprocessing"])
    with ClientFile(inputs.clients) as file:
        samples, test = (_samples(file, part, preprocessing, inputs) for part in ("train", "test"))
        client = file.examples("train").owners(0, file.count("train"))
        holdings = Holdings(client, file.column("train", "label"), file.domains("train"))
        numbers = {own: number for number, own in enumerate(file.client_ids("train"))}
        owners = np.array([numbers.get(own, -1) for own in file.client_ids("test")])
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
    return HeldImageSamples(
        holdings=holdings,
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

    one = pixels(slice(0, 1))
    shape = (file.count(split), *one.shape[1:])
    labels = torch.from_numpy(file.column(split, "label").astype(np.int64)).to(inputs.device)
    held = inputs.room.rows(shape, pixels, one.dtype)
    return Pictures(held, labels, preprocessing, file.domains(split))
