"""SGD, Adam, AdamW and Adadelta: torch's own numbers."""

import pytest
import torch
from fbftl.study.job import FineTuning
from fbftl.training.optimisers import OPTIMISERS, Adam
from unit.training.training_toys import training

TRAINING = training()
TORCHS = {
    "sgd": lambda parameters: torch.optim.SGD(parameters, lr=0.05, momentum=0.9, weight_decay=5e-4),
    "nesterov": lambda parameters: torch.optim.SGD(
        parameters, lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=True
    ),
    "adam": lambda parameters: torch.optim.Adam(parameters, lr=0.05, weight_decay=5e-4),
    "adadelta": lambda parameters: torch.optim.Adadelta(parameters, lr=0.05, weight_decay=5e-4),
}


SHAPES = [(5, 7), (1, 10), (16, 3), (1, 3)]
"""Of one model's parameters: with and without a rest after sixteen at a time."""


def sampled(seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(3, *shape, generator=generator) for shape in SHAPES]


def steps(optimiser, first: int = 1) -> None:
    for step in range(4):
        optimiser.step(sampled(first + step))


@pytest.mark.parametrize("name", OPTIMISERS)
def test_steps_are_torchs(name):
    ours, theirs = sampled(0), sampled(0)
    steps(OPTIMISERS[name].alone(ours, TRAINING))
    wanted = TORCHS[name](theirs)
    for step in range(4):
        for parameter, gradient in zip(theirs, sampled(1 + step), strict=True):
            parameter.grad = gradient
        wanted.step()
    for parameters, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(parameters, other)


def test_adamw_is_torchs_at_a_rate_of_each_step():
    ours, theirs, rates = sampled(0), sampled(0), [0.01, 0.05, 0.02, 0.0]
    optimiser = Adam(ours, FineTuning(weight_decay=0.1), decoupled=True)
    wanted = torch.optim.AdamW(theirs, weight_decay=0.1, fused=True)
    for step, rate in enumerate(rates):
        optimiser.step(sampled(1 + step), rate)
        wanted.param_groups[0]["lr"] = rate
        for parameter, gradient in zip(theirs, sampled(1 + step), strict=True):
            parameter.grad = gradient
        wanted.step()
    assert all(
        torch.equal(parameters, other) for parameters, other in zip(ours, theirs, strict=True)
    )
