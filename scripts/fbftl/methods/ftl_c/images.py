"""A head on features of samples that have a class each."""

from fbftl.models.heads import head_module
from fbftl.training.network import TrainedNetwork
from fbftl.training.samples import ReadSamples
from fbftl.training.tasks.task import LabelledFeatures, Repetition


def head(client_data: LabelledFeatures, repetition: Repetition) -> TrainedNetwork:
    """Return a perceptron, which rounds of clients train."""
    widths = [client_data.width, *repetition.job.block["head"], client_data.classes]
    model = head_module(widths, repetition.seed).to(client_data.inputs.device)
    samples = ReadSamples(client_data.samples, client_data.rows)
    return TrainedNetwork(model, client_data.training_data(repetition, samples))
