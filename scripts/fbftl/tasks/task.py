"""What methods ask of a kind of task: what clients hold, what a learner is, what a score is.

`images.py` and `dialogues.py` answer. Methods and exchanges import this module alone, and are
written once for both.
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
from fbftl.messages.ledger import Ledger
from fbftl.messages.payload import Payload
from fbftl.study.job import Job
from fbftl.training.batches import Round, Rounds
from fbftl.training.measures import MEASURES, SERIES, Measure, Series


@dataclass(frozen=True)
class Inputs:
    """The files and folders that a method may use, and the device it computes on."""

    manifest: Path
    """The feature store's manifest: where the store is, cut layer, preprocessing, digests."""
    device: torch.device
    network: Path | None = None
    """The network's layers, for methods whose clients are sent a frozen extractor."""
    features: Path | None = None
    """The feature store, where it is a folder; methods open what the manifest names."""
    public: Path | None = None
    """Feature store of public samples, for a clip norm that is their quantile."""
    public_manifest: Path | None = None
    """Its manifest."""
    clients: Path | None = None
    """The client file, for methods that run the whole network."""
    weights: Path | None = None
    """The source model's weights, likewise."""
    source: Path | None = None
    """The source model's manifest, likewise."""
    scratch: Path | None = None
    """Folder for memories of error feedback that are too large for RAM."""


@dataclass(frozen=True)
class Outcome:
    """What a run found."""

    repetitions: list[dict[str, Any]]
    """One entry per seed, in builtin types: curves, selected epoch, what was sent and received."""
    ledger: Ledger
    """Every message that was sent."""
    provenance: dict[str, Any]
    """Digests of what the run was trained on."""
    measures: Mapping[str, Measure] = field(default_factory=lambda: MEASURES)
    """What the numbers of a repetition are; those that are not named here reach no table."""
    series: Mapping[str, Series] = field(default_factory=lambda: SERIES)
    """What the lists below `curves` of a repetition are."""
    transcript: list[dict[str, Any]] = field(default_factory=list)
    """One entry per test sample where people read what models say of it; else empty."""


@dataclass(frozen=True)
class Score:
    """How well one seed's model does.

    record: for the run file, in builtin types: the chosen epoch, scores there, curves.
    said: what the model says of each test sample, where people read it.
    """

    record: dict[str, Any]
    said: Sequence[str] = ()


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

    parameters: list[Tensor]
    """What is trained, on the training device."""
    schedule: Iterable[Rounds]
    """The rounds of each epoch, every client once an epoch."""

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
    """What the clients hold, of either view: cached features, or samples themselves."""

    holdings: Holdings
    """Who holds which training sample."""
    provenance: Mapping[str, Any]
    """Digests of where the samples come from."""

    @property
    def block_bits(self) -> int:
        """Bits of a transmission block, see `Payload.block_bits`."""

    def score(self, repetition: Repetition, learner: Learner) -> Score:
        """Return how well a trained learner does."""

    def transcript(self, said: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return an entry per test sample with what each seed's model says of it, if anything."""


class HeldFeatures(Held, Protocol):
    """Features at the cut, of methods whose extractor is frozen."""

    payload: Payload
    """What every sample's upload would say."""
    public: np.ndarray | None
    """(m, X) features of public data, for a clip norm that is their quantile."""

    @property
    def frozen_floats(self) -> int:
        """Numbers of the frozen extractor, which clients are sent once."""

    def head(self, repetition: Repetition) -> Learner:
        """Return the head that rounds of clients train."""

    def fit(self, settings: Sequence[Sequence[Received]]) -> list[list[Fit]]:
        """Train a head at the server for each setting and seed."""


class HeldSamples(Held, Protocol):
    """The samples themselves, of methods that train the whole network at the clients."""

    samples: Any
    """What the clients hold, on the training device, as the kind's training reads it."""
    test: Any
    """The test split, likewise."""

    def transferred(self, repetition: Repetition) -> Learner:
        """Return the source model with a new head, all of it trained."""

    def random(self, repetition: Repetition) -> Learner:
        """Return the same network from random initial values."""

    def split(self, repetition: Repetition) -> SplitLearner:
        """Return the same in two parts that meet at the cut."""

    def parts(self, job: Job, seed: int) -> tuple[nn.Module, nn.Module]:
        """Return the frozen extractor up to the cut that the setting names, and a new head."""


def held_features(job: Job, inputs: Inputs) -> HeldFeatures:
    """Return what the clients of a job's task hold, as features at the cut."""
    return _kind(job).held_features(job, inputs)


def held_samples(job: Job, inputs: Inputs) -> HeldSamples:
    """Return what the clients of a job's task hold, as samples."""
    return _kind(job).held_samples(job, inputs)


def _kind(job: Job) -> Any:
    return import_module(f"fbftl.tasks.{job.kind}")
