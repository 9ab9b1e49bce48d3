"""FedProx (Li et al. 2020, arXiv:1812.06127): FedAvg whose clients are held near the round's model.

A client's loss has a term μ/2 ||w - w_t||² (Eq. 2), so that every gradient has μ (w - w_t), with
the model w_t that the round began with. All clients make all of their local epochs; the paper's
partial work of slow ones is left out.
"""

from torch import Tensor

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import Hooks, LocalUpdate
from fbftl.training.tasks.task import Inputs, Outcome, Repetition, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data, weight = client_samples(job, inputs), job.setting.proximal

    def pulled(_: LocalUpdate, gradient: Tensor, weights: Tensor, start: Tensor) -> Tensor:
        return gradient + weight * (weights - start)

    def initial_learner(repetition: Repetition) -> LocalNetwork:
        return local_network(client_data, repetition, Hooks(gradients=pulled))

    return run_rounds(
        job, client_data, initial_learner, weights_or_updates(job), inputs.room.folder, by_weights()
    )
