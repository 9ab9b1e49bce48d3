"""What methods ask of a kind of task: what clients hold, what the network is, what a score is.

`images.py` and `dialogues.py` answer, of samples themselves `images_samples.py` and
`dialogues_samples.py`; methods and exchanges import this module alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Generic, Protocol, Self

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.data.participation import Participants, Partition, participants_of
from fbftl.data.preprocess import Preprocessing
from fbftl.ground.room import RAM, Room
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import PayloadT, ReadT, Vectors
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.curves import MEASURES, SERIES, Measure, Series
from fbftl.training.samples import LabelledInputs, LabelledSamples, TrainingData


@dataclass(frozen=True)
class Inputs:
    """The files and folders that a method may use, and the device it computes on.

    manifest: of the feature store: where the store is, cut layer, preprocessing, digests.
    network: the network's layers, for methods whose clients are sent a frozen extractor.
    features: the feature store, where it is a folder; methods open what the manifest names.
    public: feature store of public samples, for a clip norm that is their quantile.
    public_manifest: of the public store.
    clients: the client file, for methods that run the whole network.
    weights: of the source model, for methods that run the whole network.
    source: manifest of the source model, for methods that run the whole network.
    room: where large arrays go: features, images, memories of error feedback.
    open_data: labelled samples that everybody may read.
    source_models: further source models that everybody may read.
    """

    manifest: Path
    device: torch.device
    network: Path | None = None
    features: Path | None = None
    public: Path | None = None
    public_manifest: Path | None = None
    clients: Path | None = None
    weights: Path | None = None
    source: Path | None = None
    room: Room = RAM
    open_data: Path | None = None
    source_models: Path | None = None

    @classmethod
    def at(cls, files: Mapping[str, str], device: torch.device, room: Room = RAM) -> "Inputs":
        """Return the files at some paths, by name.

        Raises:
            TypeError: if a name is none of these.
        """
        return cls(device=device, room=room, **{name: Path(path) for name, path in files.items()})


@dataclass(frozen=True)
class Outcome:
    """What a run found.

    repetitions: one entry per seed, in builtin types: curves, selected epoch, what was sent and
        received.
    ledger: every message that was sent.
    provenance: digests of what the run was trained on.
    measures: what the numbers of a repetition are; those that are not named here reach no table.
    series: what the lists below `series` of a repetition are.
    transcript: one entry per test sample where people read what models say of it; else empty.
    """

    repetitions: list[dict[str, Any]]
    ledger: Ledger
    provenance: Mapping[str, Any]
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEASURES)
    series: Mapping[str, Series] = field(default_factory=lambda: SERIES)
    transcript: list[dict[str, Any]] = field(default_factory=list)

    def with_more(
        self,
        more: Callable[[dict[str, Any]], dict[str, Any]],
        measures: Mapping[str, Measure],
        series: Mapping[str, Series] = MappingProxyType({}),
    ) -> "Outcome":
        """Return the outcome with more in each repetition: what a function finds of it."""
        return replace(
            self,
            repetitions=[repetition | more(repetition) for repetition in self.repetitions],
            measures={**self.measures, **measures},
            series={**self.series, **series},
        )


@dataclass(frozen=True)
class Score:
    """How well one seed's model does.

    record: for the run file, in builtin types: the chosen epoch, scores there, curves.
    texts: what the model says of each test sample, where people read it.
    measures: numbers of the record that not every run has.
    series: lists of its curves that not every run has.
    """

    record: dict[str, Any]
    texts: Sequence[str] = ()
    measures: Mapping[str, Measure] = field(default_factory=dict)
    series: Mapping[str, Series] = field(default_factory=dict)


@dataclass(frozen=True)
class Repetition:
    """Who takes part in one seed's training by rounds.

    clients: training rows of each client.
    validation: rows that are held out.
    """

    job: Job
    seed: int
    clients: Sequence[np.ndarray]
    validation: np.ndarray


class Learner(Protocol):
    """One seed's model in training: it forms gradients of rounds, steps, and looks at each epoch.

    Losses of a round are whatever `end_epoch` understands.
    """

    @property
    def parameters(self) -> Sequence[Tensor]:
        """What is trained, on the training device."""

    @property
    def schedule(self) -> Iterable[Rounds]:
        """The rounds of each epoch, every client once an epoch."""

    @property
    def diverged(self) -> bool:
        """Whether a loss was not finite; then there are no more rounds."""

    def mean_gradient(self, round_: Round, arrives: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Return losses and gradient of the mean over the samples of clients that arrive (C,)."""

    def client_gradients(self, round_: Round) -> tuple[Tensor, Tensor]:
        """Return losses, and each client's sum of per-sample gradients (C, X)."""

    def client_message(self, round_: Round) -> np.ndarray:
        """Return the message (X,) of the one client of a round."""

    def step(self, gradient: Sequence[Tensor]) -> None:
        """Take one step of the server's optimiser."""

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Look at the model after an epoch, given what its rounds lost; no rounds if diverged."""


@dataclass(frozen=True)
class Received(Generic[PayloadT]):
    """What the server has to train one seed's head on, under one setting.

    payload: what it read from all messages; repetitions may share it.
    client: who sent each row of it.
    training: rows of it to train on.
    validation: rows that are held out.
    scale: what uploads of so many numbers are multiplied by first.
    redrawn: the payload at an epoch, from 0, where noise is drawn anew; None where it never is.
    """

    job: Job
    seed: int
    payload: PayloadT
    client: np.ndarray
    training: np.ndarray
    validation: np.ndarray
    scale: Callable[[Any], Any]
    redrawn: Callable[[int], PayloadT] | None


@dataclass(frozen=True)
class Fit:
    """One head that the server trained.

    score: how well it does.
    seen: how many samples it was trained on.
    head: after the last epoch, for those who attack it.
    """

    score: Score
    seen: int
    head: Any


class ClientData(Protocol):
    """What the clients hold, of either view: cached features, or samples themselves."""

    @property
    def partition(self) -> Partition:
        """Who holds which training sample."""

    @property
    def provenance(self) -> Mapping[str, Any]:
        """Digests of where the samples come from."""

    @property
    def block_bits(self) -> int:
        """Bits of a transmission block, see `Payload.block_bits`."""

    def score(self, repetition: Repetition, learner: Any) -> Score:
        """Return how well a trained learner does, which is one of the kind's."""

    def transcript(self, texts: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return an entry per test sample with what each seed's model says of it, if anything."""


class ClientFeatures(ClientData, Protocol[ReadT]):
    """Features at the cut, of methods whose extractor is frozen: images have `Vectors` of them."""

    @property
    def payload(self) -> ReadT:
        """What the upload of every sample that was read would say."""

    @property
    def rows(self) -> np.ndarray:
        """Which training samples these are, ascending (m,)."""

    @property
    def public(self) -> np.ndarray | None:
        """Features of public data (m, X), for a clip norm that is their quantile."""

    @property
    def frozen_floats(self) -> int:
        """Numbers of the frozen extractor, which clients are sent once."""


class LabelledFeatures(ClientFeatures[Vectors], Protocol):
    """Features of samples that have a class each."""

    @property
    def samples(self) -> LabelledInputs:
        """Those that were read, on the training device if there is room."""

    @property
    def test(self) -> LabelledInputs:
        """The test split."""

    @property
    def width(self) -> int:
        """Numbers of one sample's features."""

    @property
    def classes(self) -> int:
        """Number of classes N."""

    @property
    def inputs(self) -> Inputs:
        """The job's files and device."""

    def training_data(self, repetition: Repetition, samples: LabelledSamples) -> TrainingData:
        """Return what a repetition trains on, given what the clients hold."""


class TargetParts(Protocol):
    """What the target network is made of: the source model up to the cut, and a head.

    Every call returns new modules.
    """

    @property
    def inputs(self) -> Inputs:
        """The job's files and device."""

    def transferred(self) -> nn.Module:
        """Return the extractor with the source model's weights."""

    def head(self, job: Job, seed: int) -> nn.Module:
        """Return the head that every method starts from under this seed."""

    def random(self, job: Job, seed: int) -> tuple[nn.Module, nn.Module]:
        """Return the network that the job names, else extractor and head, with random weights."""

    def named(
        self, network: Mapping[str, Any], seed: int, *keys: int
    ) -> tuple[nn.Module, nn.Module]:
        """Return a network of the configuration with random weights, up to its cut and after it."""

    def at(self, cut: str | None) -> Self:
        """Return what the network is made of when it is cut elsewhere; None keeps the task's."""


class ClientSamples(ClientData, Protocol):
    """The samples themselves, of methods that train the whole network at the clients."""

    @property
    def samples(self) -> LabelledSamples:
        """What the clients hold."""

    @property
    def test(self) -> LabelledSamples:
        """The test split."""

    @property
    def target(self) -> TargetParts:
        """What the network is made of that they train."""

    @property
    def classes(self) -> int:
        """Number of classes N."""

    @property
    def preprocessing(self) -> Preprocessing:
        """From what is stored of a sample to the network's input."""

    def tests(self, owners: np.ndarray) -> list[LabelledSamples]:
        """Return each client's own test samples (C,), or all where they are nobody's."""

    def training_data(self, repetition: Repetition, samples: LabelledSamples) -> TrainingData:
        """Return what a repetition trains on, given what the clients hold."""


def offered_features(
    jobs: Sequence[Job], inputs: Inputs
) -> tuple[ClientFeatures[Any], list[list[Participants]]]:
    """Return the features that settings send or measure, and who takes part in each, by seed.

    All are read where the relative mechanism measures its noise on the whole set, or where blocks
    are lost: which of them are depends on the length of all messages.

    Args:
        jobs: the settings, of one task.
        inputs: the job's files.
    """
    kind = _kind(jobs[0])
    samples = kind.partition(jobs[0], inputs)
    taking_part = [[participants_of(job, samples, seed) for seed in job.seeds] for job in jobs]
    rows = None
    if not any(job.setting.mechanism == "relative" or job.setting.blr > 0 for job in jobs):
        offered = [participants.offered for by_seed in taking_part for participants in by_seed]
        rows = np.unique(np.concatenate([*offered, kind.measured(len(samples.client))]))
    return kind.client_features(jobs[0], inputs, rows), taking_part


def client_features(
    job: Job, inputs: Inputs, rows: np.ndarray | None = None
) -> ClientFeatures[Any]:
    """Return what the clients of a job's task hold, as features at the cut.

    Args:
        job: one of the settings that are trained on them.
        inputs: the job's files.
        rows: training samples that are needed, ascending; None for all.
    """
    return _kind(job).client_features(job, inputs, rows)


def labelled_features(job: Job, inputs: Inputs) -> LabelledFeatures:
    """Return all that the clients hold, as features at the cut, where a sample has a class."""
    return _kind(job).client_features(job, inputs)


def client_samples(job: Job, inputs: Inputs) -> ClientSamples:
    """Return what the clients of a job's task hold, as samples."""
    return import_module(f"fbftl.training.tasks.{job.kind}_samples").client_samples(job, inputs)


def _kind(job: Job) -> Any:
    return import_module(f"fbftl.training.tasks.{job.kind}")
