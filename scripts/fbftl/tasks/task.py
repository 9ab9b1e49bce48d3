"""What methods ask of a kind of task: what clients hold, what a learner is, what a score is.

`images.py` and `dialogues.py` answer; methods and exchanges import this module alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.data.participation import Holdings
from fbftl.ground.room import RAM, Room
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import Payload
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.closed_form import LinearHead
from fbftl.training.coverage import PublicRows
from fbftl.training.kept import KeptModels
from fbftl.training.local_network import LocalNetwork
from fbftl.training.measures import MEASURES, SERIES, Measure, Series
from fbftl.training.visits import FEDAVG, Hooks, Trained


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
    open: labelled samples that everybody may read.
    sources: further source models that everybody may read.
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
    open: Path | None = None
    sources: Path | None = None

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
    provenance: dict[str, Any]
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEASURES)
    series: Mapping[str, Series] = field(default_factory=lambda: SERIES)
    transcript: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Score:
    """How well one seed's model does.

    record: for the run file, in builtin types: the chosen epoch, scores there, curves.
    said: what the model says of each test sample, where people read it.
    measures: numbers of the record that not every run has.
    series: lists of its curves that not every run has.
    """

    record: dict[str, Any]
    said: Sequence[str] = ()
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

    parameters: what is trained, on the training device.
    schedule: the rounds of each epoch, every client once an epoch.
    """

    parameters: list[Tensor]
    schedule: Iterable[Rounds]

    @property
    def diverged(self) -> bool:
        """Whether a loss was not finite; then there are no more rounds."""

    def together(self, one: Round, arrives: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Return losses and gradient of the mean over the samples of clients that arrive (C,)."""

    def apart(self, one: Round) -> tuple[Tensor, Tensor]:
        """Return losses, and each client's sum of per-sample gradients (C, X)."""

    def own(self, one: Round) -> np.ndarray:
        """Return the message (X,) of the one client of a round."""

    def step(self, gradient: Sequence[Tensor]) -> None:
        """Take one step of the server's optimiser."""

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Look at the model after an epoch, given what its rounds lost; no rounds if diverged."""


class SplitLearner(Learner, Protocol):
    """A learner in two parts, the first at the clients."""

    @property
    def client_floats(self) -> int:
        """Numbers of the clients' part."""

    @property
    def smashed_floats(self) -> int:
        """Numbers of one sample's smashed data."""


@dataclass(frozen=True)
class Received:
    """What the server has to train one seed's head on, under one setting.

    payload: what it read from all messages; repetitions may share it.
    training: rows of it to train on.
    validation: rows that are held out.
    scale: what uploads of so many numbers are multiplied by first.
    redrawn: the payload at an epoch, from 0, where noise is drawn anew; None where it never is.
    """

    job: Job
    seed: int
    payload: Payload
    training: np.ndarray
    validation: np.ndarray
    scale: Callable[[Any], Any]
    redrawn: Callable[[int], Payload] | None


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


class Held(Protocol):
    """What the clients hold, of either view: cached features, or samples themselves.

    holdings: who holds which training sample.
    provenance: digests of where the samples come from.
    """

    holdings: Holdings
    provenance: Mapping[str, Any]

    @property
    def block_bits(self) -> int:
        """Bits of a transmission block, see `Payload.block_bits`."""

    def score(self, repetition: Repetition, learner: Learner) -> Score:
        """Return how well a trained learner does."""

    def transcript(self, said: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return an entry per test sample with what each seed's model says of it, if anything."""


class HeldFeatures(Held, Protocol):
    """Features at the cut, of methods whose extractor is frozen.

    payload: what the upload of every sample that was read would say.
    rows: (m,) which training samples these are, ascending.
    public: (m, X) features of public data, for a clip norm that is their quantile.
    """

    payload: Payload
    rows: np.ndarray
    public: np.ndarray | None

    @property
    def frozen_floats(self) -> int:
        """Numbers of the frozen extractor, which clients are sent once."""

    @property
    def public_rows(self) -> PublicRows:
        """The public samples as features, with labels and domains."""

    def head(self, repetition: Repetition) -> Learner:
        """Return the head that rounds of clients train."""

    def fit(self, settings: Sequence[Sequence[Received]]) -> list[list[Fit]]:
        """Train a head at the server for each setting and seed."""

    def linear(self, head: LinearHead) -> Score:
        """Return how well a linear head does that was not trained but solved."""


@dataclass(frozen=True)
class SourceModels:
    """Source models that everybody may read.

    names: of the models.
    kinds: what each learnt from: target, letters, shuffled labels of the target, or random.
    parameters: of each model by their names.
    """

    names: Sequence[str]
    kinds: Sequence[str]
    parameters: Sequence[Mapping[str, Tensor]]

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, number: int) -> Mapping[str, Tensor]:
        return self.parameters[number]

    @property
    def numbers(self) -> int:
        """Numbers of all models together."""
        return sum(own.numel() for model in self.parameters for own in model.values())


class LocalLearner(Learner, Protocol):
    """A learner whose clients train for local epochs and send weights."""

    def train(self, one: Round) -> Trained | None:
        """Train the clients of a round from the global weights; None if there are none."""

    @property
    def client_floats(self) -> int:
        """Numbers of the first half of its network, which stand first in the weights."""

    @property
    def crossing_shape(self) -> torch.Size:
        """Shape of what one sample has at the boundary of the halves."""

    def tested(self, between: Callable[[Tensor], Tensor]) -> float:
        """Return the accuracy on the test split with something done at the boundary."""

    def weights(self) -> Tensor:
        """Return a copy of the global weights, flat (X,)."""

    def set_weights(self, weights: Tensor) -> None:
        """Make these (X,) the global weights."""

    def represented(self, rows: np.ndarray) -> np.ndarray:
        """Return what the network's first half makes of some samples (n,), (n, width)."""

    def take_over(self, model: Mapping[str, Tensor], whole_front: bool = False) -> None:
        """Make a source model's parameters the global ones, where a layer has the same shape.

        Raises:
            UserError: if no layer has, or not the whole first half where that is asked for.
        """


class HeldSamples(Held, Protocol):
    """The samples themselves, of methods that train the whole network at the clients.

    samples: what the clients hold, as the kind's training reads it.
    test: the test split, as the kind's training reads it.
    classes: number of classes N.
    """

    samples: Any
    test: Any
    classes: int

    def transferred(self, repetition: Repetition) -> Learner:
        """Return the source model with a new head, all of it trained."""

    def random(self, repetition: Repetition) -> Learner:
        """Return the whole network with random initial values, which rounds of clients train."""

    def split(self, repetition: Repetition) -> SplitLearner:
        """Return the random network in two parts that meet at the cut."""

    def local(
        self,
        repetition: Repetition,
        hooks: Hooks = FEDAVG,
        turns: Iterable[Rounds] | None = None,
        of: Callable[..., Any] = LocalNetwork,
    ) -> Any:
        """Return the network, trained for local epochs: a `LocalLearner`.

        Args:
            repetition: who takes part.
            hooks: what is different from FedAvg.
            turns: the rounds; by default clients are picked anew for each, with all their samples.
            of: what makes the learner.
        """

    def shared(self, repetition: Repetition, layout: str) -> LocalLearner:
        """Return the network at several widths, which clients train as far as they can.

        Args:
            repetition: who takes part.
            layout: how the widths share weights: bases, slices or slimmable slices.
        """

    def parts(self, job: Job, seed: int) -> tuple[nn.Module, nn.Module]:
        """Return the frozen extractor up to the cut that the setting names, and a new head."""

    def kept(self, repetition: Repetition) -> KeptModels:
        """Return a network for each client to keep, with random initial values, alike if shared.

        Where the job is told of architectures, clients have these in turn.
        """

    def tests(self, owners: np.ndarray) -> list[Any]:
        """Return each client's own test samples (C,), or all where they are nobody's."""

    def open_samples(self, part: str) -> Any:
        """Return a part of the task's open data, as the kind's training reads it."""

    def source_models(self, job: Job, related: bool = True) -> SourceModels:
        """Return the task's further source models, with those that fit the task or without."""


def holdings(job: Job, inputs: Inputs) -> Holdings:
    """Return who holds which training sample of a job's task; its features stay unread."""
    return _kind(job).holdings(job, inputs)


def measured(job: Job, samples: int) -> np.ndarray:
    """Return the training samples, of so many, whose messages are measured closely."""
    return _kind(job).measured(samples)


def held_features(job: Job, inputs: Inputs, rows: np.ndarray | None = None) -> HeldFeatures:
    """Return what the clients of a job's task hold, as features at the cut.

    Args:
        job: one of the settings that are trained on them.
        inputs: the job's files.
        rows: training samples that are needed, ascending; None for all.
    """
    return _kind(job).held_features(job, inputs, rows)


def held_samples(job: Job, inputs: Inputs) -> HeldSamples:
    """Return what the clients of a job's task hold, as samples."""
    return _kind(job).held_samples(job, inputs)


def _kind(job: Job) -> Any:
    return import_module(f"fbftl.tasks.{job.kind}")
