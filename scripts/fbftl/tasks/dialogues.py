"""Dialogues and their summaries: a T5 cut between encoder blocks, scored by ROUGE.

Features at the cut and the token ids beside them lie in one store, so that FTL_f, which trains
every layer, reads the same files as FbFTL and FTL_c.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from fbftl.data.clients import ClientFile
from fbftl.data.dialogues.records import Record
from fbftl.data.participation import Holdings, clients_of, grouped
from fbftl.features.store.features import Features
from fbftl.features.store.opening import open_store
from fbftl.ground.files import read_json
from fbftl.ground.logs import log
from fbftl.messages.dialogues import SAMPLED_DIALOGUES, Dialogues, token_id_bits
from fbftl.messages.sample import spread_evenly
from fbftl.models.t5.generate import generate
from fbftl.models.t5.head import ALL, Cut, first_trained_block, trained_parameters
from fbftl.models.t5.model import T5
from fbftl.models.t5.sequences import Sequences
from fbftl.models.t5.source import SourceT5, load_source
from fbftl.study.job import FineTuning, Job
from fbftl.tasks.task import Fit, Inputs, Received, Repetition, Score
from fbftl.training.rouge import MEASURES, rouge, transcript
from fbftl.training.t5 import CurvePoint, SequencePairs, TrainedT5, train_at_server, validation_loss


@dataclass(frozen=True, eq=False)
class HeldDialogues:
    """What the clients hold, at a cut: see `tasks.task.HeldFeatures` and `HeldSamples`.

    source: the source model, with its tokenizer, on the training device.
    cut: trained encoder blocks, or ``ALL`` with token ids as inputs.
    holdings: who holds which dialogue; none has a class.
    rows: the training dialogues that were read.
    train, test: these, and the test split, of the feature store.
    records: the test set.
    longest: most tokens of a generated summary.
    provenance: digests of where the dialogues come from.
    inputs: the job's files and device.
    public: none are extracted; a clip norm is given, or there is none.
    transferred: how FTL_f trains, as a head; its cut `ALL` leaves every layer to the clients.
    """

    source: SourceT5
    cut: Cut
    holdings: Holdings
    rows: np.ndarray
    train: Features
    test: Features
    records: Sequence[Record]
    longest: int
    provenance: dict[str, Any]
    inputs: Inputs

    public: None = None

    @cached_property
    def payload(self) -> Dialogues:
        """What the upload of every dialogue that was read would say."""
        own, shape = self.train, self.source.model.shape
        text = None
        if self.cut != ALL and first_trained_block(shape, self.cut) == 0:
            text = token_id_bits(np.diff(own.token_offsets), shape.vocab_size)
        return Dialogues(
            values=own.values,
            offsets=own.offsets,
            labels=own.labels,
            label_offsets=own.label_offsets,
            sample=own.sample,
            vocabulary=shape.vocab_size,
            text_bits=text,
            measured=self._places(measured(len(self.holdings.client))),
            room=self.inputs.room,
        )

    @property
    def block_bits(self) -> int:
        """Bits of a transmission block."""
        return self.payload.block_bits

    @property
    def frozen_floats(self) -> int:
        """Numbers of the frozen layers, Eq. (13), each counted once."""
        shape = self.source.model.shape
        return trained_parameters(shape, ALL) - trained_parameters(shape, self.cut)

    def head(self, repetition: Repetition) -> "Summariser":
        """Return the layers after the cut, which rounds of clients train."""
        read = replace(
            repetition,
            clients=[self._places(own) for own in repetition.clients],
            validation=self._places(repetition.validation),
        )
        return Summariser(self, self._samples, self._test_inputs, read)

    transferred = head

    def _places(self, rows: np.ndarray) -> np.ndarray:
        """Return where training dialogues are among those that were read."""
        return np.searchsorted(self.rows, rows)

    def fit(self, settings: Sequence[Sequence[Received]]) -> list[list[Fit]]:
        """Train a head at the server for each setting and seed, one after the other."""
        return [[self._fit(own) for own in setting] for setting in settings]

    def score(self, repetition: Repetition, learner: "Summariser") -> Score:
        """Return ROUGE at the chosen epoch; 0 where training diverged."""
        said = learner.summaries(learner.best())
        rouges = rouge(said, learner.references)
        if learner.diverged:
            rouges = dict.fromkeys(MEASURES, 0.0)
        shape = self.source.model.shape
        blocks = shape.num_layers - first_trained_block(shape, self.cut)
        return Score(record(learner) | rouges | {"trained_encoders": blocks}, said)

    def transcript(self, said: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return each test dialogue with its reference summary and every seed's."""
        return transcript(self.records, said)

    def _fit(self, own: Received) -> Fit:
        read, beside = own.payload, self._samples
        held = clients_of(own.job, self.holdings, own.seed)
        _, clients = grouped(own.training, held[self.rows])
        repetition = Repetition(own.job, own.seed, clients, own.validation)
        inputs = self._scaled(read.values, read.offsets, own.scale(read.numbers))
        samples = SequencePairs(inputs, beside.labels, beside.clients)
        learner = Summariser(self, samples, self._test_as_sent(own), repetition)
        train_at_server(learner)
        return Fit(self.score(repetition, learner), len(own.training), learner.head)

    def _test_as_sent(self, own: Received) -> Sequences:
        """Return the test set's features, scaled as the training samples are."""
        values, offsets = self.test.values, self.test.offsets
        numbers = np.diff(offsets) * values.shape[1]
        return self._scaled(values, offsets, own.scale(numbers))

    def _scaled(
        self, values: np.ndarray, offsets: np.ndarray, scale: float | np.ndarray
    ) -> Sequences:
        """Return rows that lie end to end, each times a number of its own or all times one."""
        if np.all(scale == 1):
            return self._placed(Sequences.flat(values, offsets))
        of_tokens = np.repeat(np.broadcast_to(scale, len(offsets) - 1), np.diff(offsets))
        factors = of_tokens[:, None].astype(np.float32)
        room = self.inputs.room
        scaled = room.rows(values.shape, lambda part: values[part] * factors[part])
        return self._placed(Sequences.flat(scaled, offsets))

    @cached_property
    def _samples(self) -> SequencePairs:
        stored = samples_of(self.train, self.cut)
        device = self.inputs.device
        return SequencePairs(self._placed(stored.inputs), stored.labels.to(device), stored.clients)

    @cached_property
    def _test_inputs(self) -> Sequences:
        return self._placed(samples_of(self.test, self.cut).inputs)

    def _placed(self, sequences: Sequences) -> Sequences:
        """Put sequences on the training device if there is room for them."""
        fits = self.inputs.room.fits(tuple(sequences.values.shape))
        return sequences.to(self.inputs.device) if fits else sequences


class Summariser(TrainedT5):
    """A T5 in training, with what its summaries are scored on.

    Args:
        held: what the clients hold.
        samples: what it trains on.
        test_inputs: features of the test set; token ids for the cut ``ALL``.
        repetition: who takes part.
    """

    def __init__(
        self,
        held: HeldDialogues,
        samples: SequencePairs,
        test_inputs: Sequences,
        repetition: Repetition,
    ) -> None:
        self._tokenizer, self._longest = held.source.tokenizer, held.longest
        self._held_cut, self._test_inputs = held.cut, test_inputs
        self.references = [one.summary for one in held.records]
        plan: FineTuning = repetition.job.training
        super().__init__(
            held.source.model,
            held.cut,
            samples,
            repetition.clients,
            repetition.validation,
            plan,
            repetition.seed,
            self._lost_rouge if plan.selection == "test" else validation_loss,
            lambda epoch: _log_epoch(repetition.seed, epoch),
        )

    def summaries(self, head: T5) -> list[str]:
        """Return the summary of each test dialogue that a head generates."""
        return self._tokenizer.decode(
            generate(head, self._held_cut, self._test_inputs, self._longest)
        )

    def _lost_rouge(self, head: T5, epoch: CurvePoint) -> float:
        return -rouge(self.summaries(head), self.references)["rouge1"]


def holdings(job: Job, inputs: Inputs) -> Holdings:
    """Return who holds which dialogue of a task's store; none has a class."""
    client = open_store(inputs.manifest).clients("train")
    return Holdings(client, np.zeros(len(client), dtype=np.int64))


def measured(dialogues: int) -> np.ndarray:
    """Return the training dialogues whose messages are measured closely."""
    return spread_evenly(dialogues, SAMPLED_DIALOGUES)


def held_features(job: Job, inputs: Inputs, rows: np.ndarray | None = None) -> HeldDialogues:
    """Return the hidden states of a task's store, of some training dialogues or all."""
    return _held(job, inputs, job.block["cut"], rows)


def held_samples(job: Job, inputs: Inputs) -> HeldDialogues:
    """Return the token ids beside them, from which every layer is trained."""
    return _held(job, inputs, ALL)


def _held(job: Job, inputs: Inputs, cut: Cut, rows: np.ndarray | None = None) -> HeldDialogues:
    described = read_json(inputs.source, "source model's manifest")
    source = load_source(inputs.weights, described)
    source.model.to(inputs.device)
    store, held, room = open_store(inputs.manifest), holdings(job, inputs), inputs.room
    return HeldDialogues(
        source=source,
        cut=cut,
        holdings=held,
        rows=np.arange(len(held.client)) if rows is None else rows,
        train=store.read("train", rows, room),
        test=store.read("test", room=room),
        records=references_of(inputs.clients),
        longest=job.block["summary_tokens"],
        provenance={"features": store.digest, "source": described["sha256"]},
        inputs=inputs,
    )


def record(learner: TrainedT5) -> dict[str, Any]:
    """Return what one seed's training came to, in builtin types for the run's JSON."""
    chosen, curve = learner.chosen, learner.curve
    return {
        "epoch": chosen.epoch if chosen else 0,
        "updates": chosen.updates if chosen else 0,
        "diverged": learner.diverged,
        "models": [epoch.model for epoch in curve],
        "series": {
            "updates": [epoch.updates for epoch in curve],
            "loss": [epoch.training_loss for epoch in curve],
            "validation_loss": [epoch.validation_loss for epoch in curve],
        },
    }


def samples_of(stored: Features, cut: Cut) -> SequencePairs:
    """Return rows of the feature store as training samples.

    Args:
        stored: rows of one split; for the cut `ALL` their token ids are the inputs.
        cut: trained encoder blocks, or `ALL`.
    """
    inputs = (
        (stored.tokens, stored.token_offsets) if cut == ALL else (stored.values, stored.offsets)
    )
    labels = stored.labels, stored.label_offsets
    return SequencePairs(Sequences.flat(*inputs), Sequences.flat(*labels), stored.client)


def references_of(clients: str | Path) -> list[Record]:
    """Return the test set in the order of the feature store's rows."""
    with ClientFile(clients) as file:
        columns = [file.column("test", name) for name in ("id", "dialogue", "summary")]
    return [Record(*row) for row in zip(*columns, strict=True)]


def _log_epoch(seed: int, epoch: CurvePoint) -> None:
    held = "none" if epoch.validation_loss is None else f"{epoch.validation_loss:.3f}"
    log.info(
        "seed %d, epoch %d, %d updates: loss %.3f, validation loss %s",
        *(seed, epoch.epoch, epoch.updates, epoch.training_loss, held),
    )
