"""The source model under a new head, of samples that have a class each."""

from fbftl.training.learners.whole import whole_network
from fbftl.training.network import TrainedNetwork
from fbftl.training.tasks.task import ClientSamples, Repetition


def transferred(client_data: ClientSamples, repetition: Repetition) -> TrainedNetwork:
    """Return the source model up to the cut and a new head, all of it trained."""
    head = client_data.target.head(repetition.job, repetition.seed)
    return whole_network(client_data, repetition, client_data.target.transferred(), head)
