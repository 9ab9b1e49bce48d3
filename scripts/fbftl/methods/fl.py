"""FL (Sec. II-A): all layers from random initial values, trained by client gradients."""

from fbftl.exchange.repetition import run_rounds, whole_update
from fbftl.study.job import Job
from fbftl.training.network import TrainedNetwork, whole_network
from fbftl.training.tasks.task import Inputs, Outcome, Repetition, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network from scratch, one repetition per seed."""
    client_data = client_samples(job, inputs)

    def initial(repetition: Repetition) -> TrainedNetwork:
        return whole_network(
            client_data, repetition, *client_data.target.random(job, repetition.seed)
        )

    return run_rounds(job, client_data, initial, whole_update(), inputs.room.folder)
