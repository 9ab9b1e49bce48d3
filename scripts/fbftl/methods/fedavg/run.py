"""A run of FedAvg, as it is, as a survey simulates it, or with the sum of the weights masked.

In the survey's simulation there are draws in every round and starts of the clients' own. Under
`aggregation: masked` the server sees the sum of the weights alone. Clients then send K_u w_u under
masks, and the server divides the sum of those that arrive by their numbers of samples, which it
knows. Nothing bounds weights, so that numbers have whole words. A round of which no sum is told
leaves the weights as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.averaging import by_weights, in_rounds, weights_or_updates
from fbftl.exchange.repetition import parameter_count, run_rounds
from fbftl.exchange.secure_sum import RING_MEASURES, SecureSum
from fbftl.exchange.uplink import Uplink
from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.ground.ring import Ring
from fbftl.messages.codec import NotFiniteError
from fbftl.study.job import Job
from fbftl.training.batches import Round, drawn_rounds
from fbftl.training.curves import Measure
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import FEDAVG, Hooks, LocalUpdate
from fbftl.training.tasks.task import ClientSamples, Inputs, Outcome, Repetition, client_samples

OWN_MEASURES = {
    "first_accuracy": Measure("share", "higher", diverged=0.0),
    "reversals": Measure("rounds", "lower"),
}
"""Accuracy after the first round, and rounds after which it was lower than before."""


def with_measures(outcome: Outcome) -> Outcome:
    """Return an outcome with its first accuracy and its reversals."""
    return outcome.with_more(lambda of: early(of["series"]["test_accuracy"]), OWN_MEASURES)


def early(accuracy: Sequence[float]) -> dict[str, float]:
    """Return the accuracy after round 1, and after how many rounds it was lower than before."""
    fallen = sum(later < sooner for sooner, later in pairwise(accuracy))
    return {"first_accuracy": accuracy[0], "reversals": fallen}


def initial_learner(client_data: ClientSamples, repetition: Repetition) -> LocalNetwork:
    """Return a repetition's learner with the starts and the draws that its setting asks for."""
    setting, training = repetition.job.setting, repetition.job.network_training
    schedule = None
    if setting.resampled_per_round is not None:
        active, rounds = training.clients_per_round, training.local_rounds
        draw_count = setting.resampled_per_round
        schedule = drawn_rounds(repetition.clients, draw_count, active, rounds, repetition.seed)
    hooks = FEDAVG
    if setting.initial_weights == "own":
        hooks = Hooks(start=own_starts(client_data, repetition))
    return local_network(client_data, repetition, hooks, schedule)


def own_starts(
    client_data: ClientSamples, repetition: Repetition
) -> Callable[[LocalUpdate], Tensor | None]:
    """Return what has every client begin its first round from initial values of its own."""

    def start(local_update: LocalUpdate) -> Tensor | None:
        if local_update.round_number > 1:
            return None
        seed = int(stream(repetition.seed, "start", local_update.client).integers(2**31))
        return local_network(client_data, replace(repetition, seed=seed)).weights()

    return start


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)
    exchanged, scratch = weights_or_updates(job), inputs.room.folder
    learner_of = partial(initial_learner, client_data)
    training = partial(run_rounds, job, client_data, learner_of, exchanged, scratch)
    if job.setting.aggregation == "open":
        return with_measures(training(by_weights()))
    rounds = SummedRounds(job)
    outcome = with_measures(training(in_rounds(lambda: rounds.step)))
    return outcome.with_more(lambda _: rounds.ring.record, RING_MEASURES)


@dataclass
class SummedRounds:
    """The rounds of a job's repetitions.

    job: the setting with its training values.
    sums: of each repetition by its seed.
    """

    job: Job
    sums: dict[int, SecureSum] = field(default_factory=dict)

    @property
    def ring(self) -> Ring:
        """The ring of weights."""
        return Ring(fraction_bits=self.job.setting.fraction_bits)

    def step(self, learner: LocalNetwork, uplink: Uplink, round_: Round) -> Tensor:
        """Train, exchange and average one round; return the mean of its clients' losses.

        Raises:
            NotFiniteError: if a client's weights are not finite.
            UserError: if the sum of the weights could leave the ring.
        """
        trained = required(learner.train(round_))
        if not torch.isfinite(trained.weights).all():
            raise NotFiniteError("a client's weights are not finite")
        seed, numbers = uplink.post.seed, parameter_count(learner)
        if seed not in self.sums:
            self.sums[seed] = SecureSum(uplink.post, self.ring)
        secure = self.sums[seed]
        uplink.post.broadcast({"weights": numbers}, round_.number)

        def weighted(position: int) -> np.ndarray:
            """Return a client's K_u w_u (X,), float64."""
            return round_.counts[position] * trained.weights[position].double().cpu().numpy()

        client = uplink.owners[round_.clients]
        summed = secure.of(weighted, client, round_.number, part="weights")
        uplink.count(summed.receipt, {"weights": secure.ring.floats(numbers)})
        if summed.total is not None:
            average = summed.total / round_.counts[summed.receipt.arrives].sum()
            learner.set_weights(torch.from_numpy(average).to(learner.weights()))
        return trained.losses.mean()
