"""FedProx (Li et al. 2020, arXiv:1812.06127): FedAvg whose clients are held near the round's model.

A client's loss has a term μ/2 ||w - w_t||² (Eq. 2), so that every gradient has μ (w - w_t), with
the model w_t that the round began with. All clients make all of their local epochs; the paper's
partial work of slow ones is left out.
"""

from torch import Tensor

from fbftl.exchange.averaging import by_weights, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.study.job import Job
from fbftl.tasks.task import Inputs, LocalLearner, Outcome, Repetition, held_samples
from fbftl.training.visits import Hooks, Visit


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    held, weight = held_samples(job, inputs), job.setting.proximal

    def pulled(_: Visit, gradient: Tensor, weights: Tensor, start: Tensor) -> Tensor:
        return gradient + weight * (weights - start)

    def begin(repetition: Repetition) -> LocalLearner:
        return held.local(repetition, Hooks(gradients=pulled))

    return run_rounds(job, held, begin, weights_or_updates(job), inputs.room.folder, by_weights())
