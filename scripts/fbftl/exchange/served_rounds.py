"""Rounds of a deployed method: the model goes down, what clients make of it comes up, and averages.

The server's half of `exchange/repetition.py`, for one seed. It sees no loss and no held-out sample,
which are the clients': its curves have the test accuracy alone, and the last round is chosen where
a study would choose by held-out samples.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from fbftl.data.participation import clients_of, grouped, held_out
from fbftl.exchange.arrivals import Arrived, Exchange, Served, enter
from fbftl.exchange.post import Parts, Post, Receipt
from fbftl.exchange.repetition import offered_rows
from fbftl.exchange.rounds import by_steps
from fbftl.messages.codec import Compression, CorruptMessage, decode, encode
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job
from fbftl.tasks.task import ClientData, Learner, Repetition
from fbftl.training.batches import Round


@dataclass
class ServedRounds:
    """The rounds of one run.

    job, seed: of the repetition.
    client_data: who holds which row.
    exchange: with the clients.
    part: what comes up: update or weights.
    """

    job: Job
    seed: int
    client_data: ClientData
    exchange: Exchange
    part: str
    owners: np.ndarray = field(init=False)
    repetition: Repetition = field(init=False)

    def __post_init__(self) -> None:
        self.owners, clients, _ = taking_part(
            self.job, clients_of(self.job, self.client_data.partition, self.seed), self.seed
        )
        self.repetition = Repetition(self.job, self.seed, clients, np.zeros(0, dtype=np.int64))
        store = self.client_data.provenance["features"]
        ledger = Ledger(method=self.job.setting.method, store=store)
        link = link_of(self.job.setting, self.client_data.block_bits)
        compression = Compression(self.job.setting.bits, self.job.setting.keep)
        self.post = Post(ledger, link, self.seed, no_mechanism(), compression)

    def run(self, learner: Learner, step: Callable[[Round], None]) -> Served:
        """Train a learner by the rounds of its schedule; return what the server has in the end.

        Args:
            learner: of the repetition.
            step: exchanges a round's messages and changes the learner by what arrives.
        """

        def lossless(round_: Round) -> Tensor:
            step(round_)
            return torch.zeros(())

        by_steps(learner, lossless, learner.schedule)
        score = self.client_data.score(self.repetition, learner)
        return Served.of(score.record, self.post.ledger)

    def exchanged(self, round_: Round, weights: Tensor) -> Receipt:
        """Send the model to a round's clients; return what arrives of what they make of it.

        Args:
            round_: who takes part.
            weights: (X,) of the model.
        """
        model = weights.detach().cpu().numpy()
        parts: Parts = {self.part: len(model)}
        clients = self.owners[round_.clients]

        def reading(_: int, messages: tuple[bytes, ...]) -> np.ndarray:
            return decoded_model(messages, len(model))

        arrived: Sequence[Arrived[np.ndarray]] = self.exchange.request(
            self.part, clients.tolist(), reading, [encode(model)], round_.number,
            int(round_.counts.max(initial=0)),
        )  # fmt: skip
        self.post.broadcast({"weights": len(model)}, round_.number)
        came = {answer.client: answer for answer in arrived}
        messages = [
            came[client].messages[0] if client in came else None for client in clients.tolist()
        ]
        receipt = enter(self.post, parts, clients, messages, round_.number)
        values = np.zeros((len(clients), len(model)), dtype=np.float32)
        for place, client in enumerate(clients.tolist()):
            if client in came:
                values[place] = came[client].content
        return replace(receipt, values=values)


def taking_part(
    job: Job, client: np.ndarray, seed: int
) -> tuple[np.ndarray, list[np.ndarray], np.ndarray]:
    """Return the clients of rounds, the rows that each trains on, and those that are held out.

    Args:
        job: the setting with its training values.
        client: (n,) client of each training row.
        seed: of the repetition.
    """
    offered = offered_rows(job, client, seed)
    training, validation = held_out(offered, job.training.validation, seed)
    owners, rows = grouped(training, client)
    return owners, rows, validation


def decoded_model(messages: tuple[bytes, ...], count: int) -> np.ndarray:
    """Return the numbers (count,) of a message that holds as many as a model.

    Raises:
        CorruptMessage: if it is damaged or holds another number of them.
    """
    if len(messages) != 1:
        raise CorruptMessage(f"it has {len(messages)} messages, not one")
    values = decode(messages[0], max_values=count).values
    if values.shape != (1, count):
        raise CorruptMessage(f"it holds {values.size} numbers, not {count}")
    return values[0]
