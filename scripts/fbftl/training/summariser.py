"""A T5 that learns to summarise, whatever clients send of their dialogues."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from fbftl.data.participation import grouped
from fbftl.ground.errors import required
from fbftl.ground.logs import log
from fbftl.messages.dialogues import Dialogues
from fbftl.models.t5.head import Sequences, generate
from fbftl.models.t5.model import T5
from fbftl.training.t5 import CurvePoint, SequencePairs, TrainedT5, train_at_server, validation_loss
from fbftl.training.tasks.dialogues import ClientDialogues, rouge
from fbftl.training.tasks.task import Fit, Received, Repetition


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
        client_data: ClientDialogues,
        samples: SequencePairs,
        test_inputs: Sequences,
        repetition: Repetition,
    ) -> None:
        self._tokenizer, self._longest = client_data.source.tokenizer, client_data.longest
        self._test_inputs = test_inputs
        self.references = [record.summary for record in client_data.records]
        plan = repetition.job.fine_tuning
        super().__init__(
            client_data.source.model,
            client_data.cut,
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
        return self._tokenizer.decode(generate(head, self._cut, self._test_inputs, self._longest))

    def _lost_rouge(self, head: T5, epoch: CurvePoint) -> float:
        return -rouge(self.summaries(head), self.references)["rouge1"]


def summariser(client_data: ClientDialogues, repetition: Repetition) -> Summariser:
    """Return the layers after the cut, which rounds of clients train."""
    read = replace(
        repetition,
        clients=[client_data.places(rows) for rows in repetition.clients],
        validation=client_data.places(repetition.validation),
    )
    return Summariser(client_data, client_data.samples, client_data.test_inputs, read)


def train_on_received(
    client_data: ClientDialogues, settings: Sequence[Sequence[Received[Dialogues]]]
) -> list[list[Fit]]:
    """Train a head at the server for each setting and seed, one after the other."""
    return [[_fit(client_data, received) for received in setting] for setting in settings]


def _fit(client_data: ClientDialogues, received: Received[Dialogues]) -> Fit:
    read, beside = received.payload, client_data.samples
    _, clients = grouped(received.training, received.client)
    repetition = Repetition(received.job, received.seed, clients, received.validation)
    inputs = _scaled(client_data, read.values, read.offsets, received.scale(read.numbers))
    samples = SequencePairs(inputs, beside.labels, beside.clients)
    # The test set's features are scaled as the training samples are.
    values, offsets = client_data.test.values, required(client_data.test.offsets)
    scale = received.scale(np.diff(offsets) * values.shape[1])
    test_inputs = _scaled(client_data, values, offsets, scale)
    learner = Summariser(client_data, samples, test_inputs, repetition)
    train_at_server(learner)
    return Fit(client_data.score(repetition, learner), len(received.training), learner.head)


def _scaled(
    client_data: ClientDialogues, values: np.ndarray, offsets: np.ndarray, scale: float | np.ndarray
) -> Sequences:
    """Return rows that lie end to end, each times a number of its own or all times one."""
    if np.all(scale == 1):
        return client_data.placed(Sequences.flat(values, offsets))
    of_tokens = np.repeat(np.broadcast_to(scale, len(offsets) - 1), np.diff(offsets))
    factors = of_tokens[:, None].astype(np.float32)
    room = client_data.inputs.room
    scaled = room.rows(values.shape, lambda part: values[part] * factors[part])
    return client_data.placed(Sequences.flat(scaled, offsets))


def _log_epoch(seed: int, epoch: CurvePoint) -> None:
    validation = "none" if epoch.validation_loss is None else f"{epoch.validation_loss:.3f}"
    log.info(
        "seed %d, epoch %d, %d updates: loss %.3f, validation loss %s",
        *(seed, epoch.epoch, epoch.updates, epoch.training_loss, validation),
    )
