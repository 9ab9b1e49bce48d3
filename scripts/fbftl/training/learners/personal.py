"""Networks that clients keep for themselves."""

from fbftl.training.learners.local import LocalTrainingData
from fbftl.training.local_updates import SplitModel
from fbftl.training.personal_models import PersonalModels
from fbftl.training.tasks.task import ClientSamples, Repetition


def personal_models(client_data: ClientSamples, repetition: Repetition) -> PersonalModels:
    """Return a network for each client to keep, with random initial values, alike if shared.

    Where the job is told of architectures, clients have these in turn.
    """
    job, seed = repetition.job, repetition.seed
    blocks = job.block.get("architectures", ())
    networks = [SplitModel(*client_data.target.named(block, seed)) for block in blocks]
    networks = networks or [SplitModel(*client_data.target.random(job, seed))]
    split_models = [networks[c % len(networks)] for c in range(len(repetition.clients))]
    return PersonalModels.initial(
        split_models, LocalTrainingData.of(client_data, repetition).plan, seed
    )
