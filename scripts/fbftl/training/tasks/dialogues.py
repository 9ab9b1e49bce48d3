"""Dialogues and their summaries: a T5 cut between encoder blocks, scored by ROUGE.

Features at the cut and the token ids beside them lie in one store, so that FTL_f, which trains
every layer, reads the same files as FbFTL and FTL_c.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from fbftl.data.clients import ClientFile
from fbftl.data.dialogue_records import Record
from fbftl.data.participation import Partition
from fbftl.features.store.reader import Features, open_store
from fbftl.ground.errors import required
from fbftl.ground.files import read_json
from fbftl.messages.dialogues import SAMPLED_DIALOGUES, Dialogues, token_id_bits
from fbftl.messages.encoded import spread_evenly
from fbftl.models.t5.checkpoint import SourceT5, load_source
from fbftl.models.t5.head import ALL, Cut, Sequences, first_trained_block, trained_parameters
from fbftl.models.t5.model import T5
from fbftl.study.job import Job
from fbftl.training.t5 import CurvePoint, SequencePairs
from fbftl.training.tasks.task import Inputs, Learner, Repetition, Score


@contextmanager
def as_if_absent(*names: str) -> Iterator[None]:
    """Let imports inside the block do without optional packages that are not imported yet."""
    hidden = [name for name in names if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


# ROUGE needs NLTK's stemmer, which comes with all of NLTK. Its tests of association and its
# classifiers would bring these two, a tenth of a short training job's time, and work without.
with as_if_absent("scipy.stats", "sklearn"):
    from rouge_score.rouge_scorer import RougeScorer

MEASURES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


def rouge(predictions: Sequence[str], references: Sequence[str]) -> dict[str, float]:
    """Return the mean F-measure of ROUGE-1, -2, -L and -Lsum in percent.

    A plain mean over samples, words stemmed, one sentence per line for ROUGE-Lsum; no bootstrap,
    so that equal summaries give equal numbers.
    """
    scorer = RougeScorer(MEASURES, use_stemmer=True)
    scores = [
        scorer.score(one_sentence_per_line(reference), one_sentence_per_line(prediction))
        for prediction, reference in zip(predictions, references, strict=True)
    ]
    return {m: 100 * sum(s[m].fmeasure for s in scores) / len(scores) for m in MEASURES}


def one_sentence_per_line(text: str) -> str:
    """Break a text after ``.``, ``!`` or ``?`` and white space; needs no language model."""
    return re.sub(r"(?<=[.!?])\s+", "\n", text.strip())


def transcript(
    records: Sequence[Record], summaries: Mapping[int, Sequence[str]]
) -> list[dict[str, Any]]:
    """Return each test sample's id, dialogue, reference summary, and every seed's prediction.

    Args:
        records: the test set.
        summaries: seed to generated summaries, in the order of `records`.
    """
    return [
        {
            "id": record.id,
            "dialogue": record.dialogue,
            "summary": record.summary,
            "predictions": {str(seed): texts[row] for seed, texts in summaries.items()},
        }
        for row, record in enumerate(records)
    ]


class SummarisingLearner(Learner, Protocol):
    """A T5 in training, with what its summaries are scored on.

    chosen: the point of its curve that counts, if training got to one.
    """

    chosen: CurvePoint | None

    @property
    def references(self) -> Sequence[str]:
        """Summary of each test dialogue."""

    @property
    def curve(self) -> Sequence[CurvePoint]:
        """What it came to, by epoch."""

    def best(self) -> T5:
        """Return the head at the chosen point."""

    def summaries(self, head: T5) -> list[str]:
        """Return the summary of each test dialogue that a head generates."""


@dataclass(frozen=True, eq=False)
class ClientDialogues:
    """What the clients hold, at a cut: see `tasks.task.ClientFeatures` and `ClientSamples`.

    source: the source model, with its tokenizer, on the training device.
    cut: trained encoder blocks, or ``ALL`` with token ids as inputs.
    partition: who holds which dialogue; none has a class.
    rows: the training dialogues that were read.
    train, test: these, and the test split, of the feature store.
    records: the test set.
    longest: most tokens of a generated summary.
    provenance: digests of where the dialogues come from.
    inputs: the job's files and device.
    public: none are extracted; a clip norm is given, or there is none.
    """

    source: SourceT5
    cut: Cut
    partition: Partition
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
        features, shape = self.train, self.source.model.shape
        text = None
        if self.cut != ALL and first_trained_block(shape, self.cut) == 0:
            text = token_id_bits(np.diff(required(features.token_offsets)), shape.vocab_size)
        return Dialogues(
            values=features.values,
            offsets=required(features.offsets),
            labels=features.labels,
            label_offsets=required(features.label_offsets),
            sample=features.sample,
            vocabulary=shape.vocab_size,
            text_bits=text,
            measured=self.places(measured(len(self.partition.client))),
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

    def places(self, rows: np.ndarray) -> np.ndarray:
        """Return where training dialogues are among those that were read."""
        return np.searchsorted(self.rows, rows)

    def score(self, repetition: Repetition, learner: SummarisingLearner) -> Score:
        """Return ROUGE at the chosen epoch; 0 where training diverged."""
        texts = learner.summaries(learner.best())
        rouges = rouge(texts, learner.references)
        if learner.diverged:
            rouges = dict.fromkeys(MEASURES, 0.0)
        shape = self.source.model.shape
        blocks = shape.num_layers - first_trained_block(shape, self.cut)
        return Score(record(learner) | rouges | {"trained_encoders": blocks}, texts)

    def transcript(self, texts: Mapping[int, Sequence[str]]) -> list[dict[str, Any]]:
        """Return each test dialogue with its reference summary and every seed's."""
        return transcript(self.records, texts)

    @cached_property
    def samples(self) -> SequencePairs:
        """Training dialogues that were read, on the training device if there is room."""
        stored = samples_of(self.train, self.cut)
        device = self.inputs.device
        return SequencePairs(self.placed(stored.inputs), stored.labels.to(device), stored.clients)

    @cached_property
    def test_inputs(self) -> Sequences:
        """Inputs of the test set."""
        return self.placed(samples_of(self.test, self.cut).inputs)

    def placed(self, sequences: Sequences) -> Sequences:
        """Put sequences on the training device if there is room for them."""
        fits = self.inputs.room.fits(tuple(sequences.values.shape))
        return sequences.to(self.inputs.device) if fits else sequences


def partition(job: Job, inputs: Inputs) -> Partition:
    """Return who holds which dialogue of a task's store; none has a class."""
    client = open_store(inputs.manifest).clients("train")
    return Partition(client, np.zeros(len(client), dtype=np.int64))


def measured(dialogues: int) -> np.ndarray:
    """Return the training dialogues whose messages are measured closely."""
    return spread_evenly(dialogues, SAMPLED_DIALOGUES)


def client_features(job: Job, inputs: Inputs, rows: np.ndarray | None = None) -> ClientDialogues:
    """Return the hidden states of a task's store, of some training dialogues or all."""
    return _client_dialogues(job, inputs, job.block["cut"], rows)


def client_samples(job: Job, inputs: Inputs) -> ClientDialogues:
    """Return the token ids beside them, from which every layer is trained."""
    return _client_dialogues(job, inputs, ALL)


def _client_dialogues(
    job: Job, inputs: Inputs, cut: Cut, rows: np.ndarray | None = None
) -> ClientDialogues:
    described = read_json(required(inputs.source), "source model's manifest")
    source = load_source(required(inputs.weights), described)
    source.model.to(inputs.device)
    store, partition_, room = open_store(inputs.manifest), partition(job, inputs), inputs.room
    # The test set is in the order of the feature store's rows.
    with ClientFile(required(inputs.clients)) as file:
        columns = [file.column("test", name) for name in ("id", "dialogue", "summary")]
    return ClientDialogues(
        source=source,
        cut=cut,
        partition=partition_,
        rows=np.arange(len(partition_.client)) if rows is None else rows,
        train=store.read("train", rows, room),
        test=store.read("test", room=room),
        records=[Record(*row) for row in zip(*columns, strict=True)],
        longest=job.block["summary_tokens"],
        provenance={"features": store.digest, "source": described["sha256"]},
        inputs=inputs,
    )


def record(learner: SummarisingLearner) -> dict[str, Any]:
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
        Sequences.flat(required(stored.tokens), required(stored.token_offsets))
        if cut == ALL
        else Sequences.flat(stored.values, required(stored.offsets))
    )
    labels = Sequences.flat(stored.labels, required(stored.label_offsets))
    return SequencePairs(inputs, labels, stored.client)
