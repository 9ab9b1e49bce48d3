"""A network in one piece that rounds of clients train by gradients."""

from torch import nn

from fbftl.training.network import TrainedNetwork
from fbftl.training.passes import passes_of
from fbftl.training.tasks.task import ClientSamples, Repetition


def whole_network(
    client_data: ClientSamples, repetition: Repetition, extractor: nn.Module, head: nn.Module
) -> TrainedNetwork:
    """Return extractor and head as one network, all of it trained."""
    network = nn.Sequential(extractor, head)
    passes = passes_of(repetition.job.network_training, repetition.seed, network)
    return TrainedNetwork(
        network, client_data.training_data(repetition, client_data.samples), passes
    )
