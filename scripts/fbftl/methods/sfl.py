"""SFL (Sec. II-C): split federated learning from random initial values.

The clients hold the network up to the cut layer and send smashed data; the main server holds the
rest; the fed server averages the clients' parts. With one local step it equals FL numerically.
"""

import torch
from torch import Tensor, nn

from fbftl.exchange.passes import Passes, passes_of, together
from fbftl.exchange.repetition import Learner, run_rounds
from fbftl.exchange.rounds import split_gradient
from fbftl.study.job import Job
from fbftl.tasks.images import read
from fbftl.tasks.task import Inputs, Outcome


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    federation, target = read(inputs)

    def learner_of(seed: int) -> Learner:
        parts = target.random(job, seed)
        passes = passes_of(job.training, seed, *parts)
        return split_learner(*parts, target.example.to(inputs.device), passes)

    return run_rounds(job, federation, learner_of)


def split_learner(
    client_part: nn.Module, server_part: nn.Module, example: Tensor, passes: Passes = together
) -> Learner:
    """Return the learner whose clients send smashed data and their own part's gradient.

    Down come the clients' part, and to each client its smashed data's gradients, which the paper
    leaves out.

    Args:
        client_part: the network up to the cut layer.
        server_part: the rest of it.
        example: inputs of two samples or more, which tell how wide smashed data are.
        passes: how a round's samples go through both.
    """
    own = sum(parameter.numel() for parameter in client_part.parameters())
    with torch.no_grad():
        width = client_part(example)[0].numel()

    return Learner(
        model=nn.Sequential(client_part, server_part),
        together=lambda arrivals: split_gradient(client_part, server_part, arrivals, passes),
        uplink_floats=lambda samples: samples * width + own,
        downlink_floats=own,
        answer_floats=lambda samples: samples * width,
    )
