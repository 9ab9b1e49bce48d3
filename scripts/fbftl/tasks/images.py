"""Samples with a class, mostly images: features of them, and the networks cut at a named layer."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn

from fbftl.cost.layers import parameters, read_network
from fbftl.data.clients import ClientFile
from fbftl.data.participation import Holdings
from fbftl.data.preprocess import Preprocessing, preprocess
from fbftl.features.store.features import Features
from fbftl.features.store.manifest import read_manifest
from fbftl.features.store.opening import open_store
from fbftl.messages.link import plain_upload_bits
from fbftl.messages.vectors import Vectors
from fbftl.models.chain import chain_of
from fbftl.models.cut.extractor import split
from fbftl.models.forward import Pool
from fbftl.models.heads import head_module, stacked
from fbftl.models.networks import random_halves
from fbftl.models.source.manifest import build, load_source
from fbftl.study.job import Job
from fbftl.tasks.task import Fit, Inputs, Received, Repetition, Score
from fbftl.training import batches
from fbftl.training.batches import Rounds
from fbftl.training.curves import record
from fbftl.training.local import FEDAVG, Halves, Hooks, LocalPlan
from fbftl.training.local_network import LocalNetwork
from fbftl.training.network import LabelledInputs, Lessons, TrainedNetwork
from fbftl.training.passes import passes_of
from fbftl.training.split import SplitNetwork
from fbftl.training.stacked import StackedSamples, train


@dataclass(frozen=True, eq=False)
class HeldImages:
    """What both views share.

    holdings: who holds which training sample.
    test: the test split, on the training device.
    width: floats of one FbFTL upload, which makes one transmission block.
    classes: number of classes N.
    provenance: digests of where the samples come from.
    """

    holdings: Holdings
    test: LabelledInputs
    width: int
    classes: int
    provenance: dict[str, Any]

    @property
    def block_bits(self) -> int:
        """Bits of a transmission block: one plain upload."""
        return plain_upload_bits(self.width, self.classes)

    def lessons(self, repetition: Repetition, samples: LabelledInputs) -> Lessons:
        """Return what a repetition trains on, given what the clients hold on the device."""
        training = repetition.job.training
        turns = batches.rounds(
            repetition.clients, training.clients_per_round, training.epochs, repetition.seed
        )
        return Lessons(samples, repetition.validation, self.test, training, turns)

    def score(self, repetition: Repetition, learner: TrainedNetwork) -> Score:
        """Return the accuracy at the epoch that the job selects."""
        return Score(record(learner.curves, repetition.job.training.selection))

    def transcript(self, said: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return nothing: nobody reads classes one by one."""
        return []


# --- features at the cut ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class HeldImageFeatures(HeldImages):
    """Cached features: see `tasks.task.HeldFeatures`.

    payload: every sample's upload.
    public: (m, width) features of public data, if the setting needs them.
    inputs: the job's files and device.
    """

    payload: Vectors
    public: np.ndarray | None
    inputs: Inputs

    @property
    def frozen_floats(self) -> int:
        """Numbers of the frozen extractor."""
        return parameters(read_network(self.inputs.network).extractor)

    def head(self, repetition: Repetition) -> TrainedNetwork:
        """Return the head that rounds of clients train."""
        widths = [self.width, *repetition.job.block["head"], self.classes]
        model = head_module(widths, repetition.seed).to(self.inputs.device)
        return TrainedNetwork(model, self.lessons(repetition, self._samples))

    @cached_property
    def _samples(self) -> LabelledInputs:
        return labelled(self.payload.values, self.payload.labels, self.inputs.device)

    def fit(self, settings: Sequence[Sequence[Received]]) -> list[list[Fit]]:
        """Train a head for each setting and seed, all stacked and in lockstep."""
        every = [own for setting in settings for own in setting]
        job, device = every[0].job, self.inputs.device
        samples = len(self.payload.labels)
        seen = [np.zeros((len(own), samples), dtype=bool) for own in settings]
        schedules = [
            batches.observed(schedule(own[0].job, samples, own), mark)
            for own, mark in zip(settings, seen, strict=True)
        ]
        widths = [self.width, *job.block["head"], self.classes]
        heads = stacked(widths, [own.seed for own in every], device)
        curves = train(
            heads,
            batches.side_by_side(schedules),
            received(every, device),
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

    def _scaled_test(self, every: Sequence[Received]) -> StackedSamples:
        """Return the test split for every head, scaled as its training samples are."""
        scale_of = [float(own.scale(self.width)) for own in every]
        scales = list(dict.fromkeys(scale_of))
        values = [scale * self.test.inputs for scale in scales]
        release = torch.tensor([scales.index(own) for own in scale_of], device=self.inputs.device)
        labels = self.test.labels.expand(len(scales), -1)
        return StackedSamples(torch.stack(values), labels, release)


def held_features(job: Job, inputs: Inputs) -> HeldImageFeatures:
    """Return the features of a task's store."""
    store = open_store(inputs.manifest)
    own, test = store.read("train"), store.read("test")
    public = None
    if inputs.public_manifest is not None:
        public = open_store(inputs.public_manifest).read("train").values
    payload = uploads_of(own, int(max(own.labels.max(), test.labels.max())) + 1)
    return HeldImageFeatures(
        holdings=Holdings(own.client, own.labels, own.domain),
        test=labelled(test.values, test.labels, inputs.device),
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


def labelled(values: np.ndarray, labels: np.ndarray, device: torch.device) -> LabelledInputs:
    """Put values (n, ...) and labels (n,) on the training device."""
    return LabelledInputs(
        torch.from_numpy(values).to(device), torch.from_numpy(labels.astype(np.int64)).to(device)
    )


def schedule(job: Job, samples: int, own: Sequence[Received]) -> Iterator[batches.Epoch]:
    """Return the server's mini-batches under one setting.

    The number of iterations is that of the complete data, whatever arrived: with fewer samples
    the paper trains for as many iterations (Sec. IV-D, I'U' of the order of IU).
    """
    training, rows = job.training, [one.training for one in own]
    steps = -(-samples // training.batch)
    shape = (training.batch, steps, training.epochs, [one.seed for one in own])
    if job.setting.loss == "reshuffled":
        return batches.reshuffled(rows, job.setting.plr, *shape)
    return batches.shuffled(rows, *shape)


def received(every: Sequence[Received], device: torch.device) -> Callable[[int], StackedSamples]:
    """Return what the server works with at each epoch: the uploads, which never change.

    Under the public script's semantics the noise is drawn anew every epoch instead (audit A3).

    Args:
        every: those that train together; all of them redraw their noise, or none.
        device: where the features go.

    Returns:
        Samples for a head each, by epoch from 0.
    """
    if every[0].redrawn is not None:
        return lambda epoch: on_device(every, [own.redrawn(epoch) for own in every], device)
    uploads = on_device(every, [own.payload for own in every], device)
    return lambda epoch: uploads


def on_device(
    every: Sequence[Received], payloads: Sequence[Vectors], device: torch.device
) -> StackedSamples:
    """Put what the server read on the training device, scaled, each distinct payload once.

    Args:
        every: what each head works with.
        payloads: the payload of each.
        device: where they go.
    """
    distinct = {id(own): (own, one) for own, one in zip(payloads, every, strict=True)}
    place = {key: number for number, key in enumerate(distinct)}
    together = torch.empty((len(distinct), *payloads[0].values.shape), device=device)
    for number, (own, one) in enumerate(distinct.values()):
        scale = float(one.scale(own.numbers))
        together[number].copy_(torch.from_numpy(own.values)).mul_(scale)
    labels = [torch.from_numpy(own.labels) for own, _ in distinct.values()]
    release = torch.tensor([place[id(own)] for own in payloads], device=device)
    return StackedSamples(together, torch.stack(labels).to(device), release)


# --- samples and the whole network ------------------------------------------------------------


@dataclass(frozen=True)
class TargetNetwork:
    """What the target network is made of: the source model up to the cut, and a head.

    Both parts are fresh modules at every call, in eval mode, on the training device.

    source: the source model's manifest.
    example: a preprocessed batch, for tracing.
    width: width of the cut layer's features.
    """

    inputs: Inputs
    source: dict[str, Any]
    cut: str
    pool: str
    example: torch.Tensor
    width: int
    classes: int

    def transferred(self) -> nn.Module:
        """Return the extractor with the source model's weights."""
        return self._extractor(load_source(self.inputs.weights, self.source))

    def random(self, job: Job, seed: int) -> tuple[nn.Module, nn.Module]:
        """Return a network with random weights, up to its cut and after it.

        It is the one that the job names, else the source's architecture and the head. All of its
        weights are random, unlike the public script's (A11).
        """
        named = job.block.get("network")
        if named is None:
            front = self._extractor(build(self.source["architecture"], seed).eval())
            return front, self.head(job, seed)
        _, depth, height, width = self.example.shape
        chain = chain_of(named, (height, width, depth), self.classes)
        front, rest = random_halves(chain, named["cut"], seed)
        return front.to(self.inputs.device), rest.to(self.inputs.device)

    def head(self, job: Job, seed: int) -> nn.Sequential:
        """Return the head that every method starts from under this seed."""
        widths = [self.width, *job.block["head"], self.classes]
        return head_module(widths, seed).to(self.inputs.device)

    def at(self, cut: str | None) -> "TargetNetwork":
        """Return this network cut at another layer; none keeps the task's own."""
        if cut is None:
            return self
        moved = replace(self, cut=cut)
        with torch.no_grad():
            features = moved.transferred()(self.example.to(self.inputs.device))
        return replace(moved, width=features.shape[1])

    def _extractor(self, model: nn.Module) -> nn.Module:
        front, _ = split(model, self.cut, self.example)
        return nn.Sequential(front, Pool(self.pool)).to(self.inputs.device)


@dataclass(frozen=True, eq=False)
class HeldImageSamples(HeldImages):
    """Preprocessed samples and the network that clients train: see `tasks.task.HeldSamples`.

    samples: what the clients hold, on the training device.
    target: what the network is made of.
    """

    samples: LabelledInputs
    target: TargetNetwork

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
        job, training = repetition.job, repetition.job.training
        halves = Halves(*self.target.random(job, repetition.seed))
        # For what it does to their normalisation: local epochs have passes of their own.
        passes_of(training, repetition.seed, halves.front, halves.rest)
        turns = turns or batches.picked_rounds(
            repetition.clients, training.clients_per_round, training.rounds, repetition.seed
        )
        lessons = replace(self.lessons(repetition, self.samples), schedule=turns)
        plan = LocalPlan(
            job.setting.local_epochs, training.local_batch, training, training.optimiser
        )
        return of(halves, lessons, plan, repetition.seed, hooks)

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
    """Return what the clients hold, preprocessed, and the network that they train."""
    cache = read_manifest(inputs.manifest).store
    source = json.loads(Path(inputs.source).read_text(encoding="utf-8"))
    preprocessing = Preprocessing.of(cache["preprocessing"])
    with ClientFile(inputs.clients) as file:
        samples, test = (_samples(file, part, preprocessing, inputs) for part in ("train", "test"))
        client = file.examples("train").owners(0, file.count("train"))
        holdings = Holdings(client, file.column("train", "label"), file.domains("train"))
    target = TargetNetwork(
        inputs=inputs,
        source=source,
        cut=cache["cut"],
        pool=cache["preprocessing"]["pool"],
        example=samples.inputs[:2].cpu(),
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
    )


def _samples(
    file: ClientFile, part: str, preprocessing: Preprocessing, inputs: Inputs
) -> LabelledInputs:
    batch = file.rows(part, 0, file.count(part))
    pixels = torch.from_numpy(np.ascontiguousarray(batch.arrays["pixels"]))
    inputs_of = preprocess(pixels, preprocessing).numpy()
    return labelled(inputs_of, batch.arrays["label"], inputs.device)
