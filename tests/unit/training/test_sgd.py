"""Plain SGD: torch's own numbers, and in a stack those that each model would have alone."""

import pytest
import torch
from fbftl.study.job import Training
from fbftl.training.sgd import Sgd, StackedSgd

TRAINING = Training(
    epochs=1,
    batch=1,
    clients_per_round=1,
    learning_rate=0.05,
    momentum=0.9,
    weight_decay=5e-4,
    validation=0.0,
    selection="last",
)
SHAPES = [(5, 7), (1, 10), (16, 3), (1, 3)]
"""Of one model's parameters: with and without a rest after sixteen at a time."""


def sampled(models: int, seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(models, *shape, generator=generator) for shape in SHAPES]


@pytest.mark.parametrize("nesterov", [False, True])
@pytest.mark.parametrize("kind", [Sgd, StackedSgd])
def test_steps_are_torchs(kind: type, nesterov: bool) -> None:
    ours, theirs = sampled(2, 0), sampled(2, 0)
    optimizer = torch.optim.SGD(theirs, lr=0.05, momentum=0.9, weight_decay=5e-4, nesterov=nesterov)
    stepper = kind(ours, TRAINING, nesterov=nesterov)
    for step in range(3):
        gradients = sampled(2, 1 + step)
        stepper.step(gradients)
        for parameter, gradient in zip(theirs, gradients, strict=True):
            parameter.grad = gradient
        optimizer.step()
    for parameter_, wanted in zip(ours, theirs, strict=True):
        torch.testing.assert_close(parameter_, wanted)


def test_a_stacked_model_has_the_numbers_that_it_has_alone() -> None:
    stack = sampled(5, 0)
    alone = [[parameter[[index]].clone() for parameter in stack] for index in range(5)]
    stepper, steppers = (
        StackedSgd(stack, TRAINING),
        [StackedSgd(model, TRAINING) for model in alone],
    )
    for step in range(3):
        gradients = sampled(5, 1 + step)
        stepper.step(gradients)
        for index, model in enumerate(steppers):
            model.step([gradient[[index]] for gradient in gradients])
    for index, model in enumerate(alone):
        assert all(torch.equal(p[[index]], q) for p, q in zip(stack, model, strict=True))
