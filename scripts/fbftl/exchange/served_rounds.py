"""The server of a deployed method: what it has of a task, and its rounds of messages.

It has the test split with who holds which row, and no label. In a round the model goes down and
what clients make of it comes up; that is the server's half of `exchange/repetition.py`, for one
seed. It sees no loss and no held-out sample, which are the clients': its curves have the test
accuracy alone, and the last round is chosen where a study would choose by held-out samples.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from fbftl.data.participation import Partition, grouped, held_out
from fbftl.exchange.arrivals import Exchange, Request, Served, ServerPlan, enter
from fbftl.exchange.post import Post
from fbftl.exchange.repetition import offered_rows
from fbftl.exchange.uplink import by_steps
from fbftl.ground.devices import prepare
from fbftl.messages.channel import link_of
from fbftl.messages.codec import Compression, CorruptMessage, decode, encode
from fbftl.messages.ledger import Ledger
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.tasks.images import ClientImageFeatures, client_features
from fbftl.training.tasks.task import ClientData, Inputs, Learner, Repetition


@dataclass
class ServedRounds:
    """The rounds of one run.

    plan: who holds which row.
    client_data: the test split.
    exchange: with the clients.
    part: what comes up: update or weights.
    """

    plan: ServerPlan
    client_data: ClientData
    exchange: Exchange
    part: str
    owners: np.ndarray = field(init=False)
    repetition: Repetition = field(init=False)

    def __post_init__(self) -> None:
        job, seed = self.plan.setting.job, self.plan.setting.seed
        self.owners, clients = taking_part(job, np.array(self.plan.client), seed)
        self.repetition = Repetition(job, seed, clients, np.zeros(0, dtype=np.int64))
        ledger = Ledger(method=job.setting.method, store=self.client_data.provenance["features"])
        link = link_of(job.setting, self.client_data.block_bits)
        compression = Compression(job.setting.bits, job.setting.keep)
        self.post = Post(ledger, link, seed, no_mechanism(), compression)

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

    def exchanged(self, round_: Round, weights: Tensor) -> tuple[np.ndarray, np.ndarray]:
        """Send the model to a round's clients; return what arrives of what they make of it.

        Args:
            round_: who takes part.
            weights: (X,) of the model.

        Returns:
            What arrives (A, X) float32, and the samples (A,) of those that sent it.
        """
        model = weights.detach().cpu().numpy()
        clients = self.owners[round_.clients]
        largest = int(round_.counts.max(initial=0))
        request = Request(clients.tolist(), [encode(model)], round_.number, largest)
        came = self.exchange.request(
            request, lambda _, messages: decoded_model(messages, len(model))
        )
        self.post.broadcast({"weights": len(model)}, round_.number)
        messages = [came[one].messages[0] if one in came else None for one in clients.tolist()]
        receipt = enter(self.post, {self.part: len(model)}, clients, messages, round_.number)
        arrived = receipt.client[receipt.arrives].tolist()
        values = np.array([came[one].content for one in arrived], dtype=np.float32)
        return values.reshape(-1, len(model)), round_.counts[np.isin(clients, arrived)]


def taking_part(job: Job, client: np.ndarray, seed: int) -> tuple[np.ndarray, list[np.ndarray]]:
    """Return the clients of rounds, and the rows that each trains on.

    Args:
        job: the setting with its training values.
        client: (n,) client of each training row.
        seed: of the repetition.
    """
    offered = offered_rows(job, client, seed)
    training, _ = held_out(offered, job.training.validation, seed)
    return grouped(training, client)


def decoded_model(messages: list[bytes], count: int) -> np.ndarray:
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


def features_at_server(plan: ServerPlan) -> ClientImageFeatures:
    """Return the test split's features, and none of the clients'."""
    inputs, nothing = Inputs.at(plan.files, prepare("cpu", 1)), np.zeros(0, dtype=np.int64)
    owner = np.array(plan.client, dtype=np.int64)
    without_labels = Partition(owner, np.zeros_like(owner))
    return replace(client_features(plan.setting.job, inputs, nothing), partition=without_labels)
