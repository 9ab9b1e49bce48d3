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


def drawn(models: int, seed: int) -> list[torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)
    return [torch.randn(models, *shape, generator=generator) for shape in SHAPES]


@pytest.mark.parametrize("kind", [Sgd, StackedSgd])
def test_steps_are_torchs(kind: type) -> None:
    ours, theirs = drawn(2, 0), drawn(2, 0)
    optimizer = torch.optim.SGD(theirs, lr=0.05, momentum=0.9, weight_decay=5e-4)
    stepper = kind(ours, TRAINING)
    for step in range(3):
        gradients = drawn(2, 1 + step)
        stepper.step(gradients)
        for parameter, gradient in zip(theirs, gradients, strict=True):
            parameter.grad = gradient
        optimizer.step()
    for own, wanted in zip(ours, theirs, strict=True):
        torch.testing.assert_close(own, wanted)


def test_a_stacked_model_has_the_numbers_that_it_has_alone() -> None:
    stack = drawn(5, 0)
    alone = [[parameter[[place]].clone() for parameter in stack] for place in range(5)]
    stepper, steppers = StackedSgd(stack, TRAINING), [StackedSgd(own, TRAINING) for own in alone]
    for step in range(3):
        gradients = drawn(5, 1 + step)
        stepper.step(gradients)
        for place, own in enumerate(steppers):
            own.step([gradient[[place]] for gradient in gradients])
    for place, own in enumerate(alone):
        assert all(torch.equal(p[[place]], q) for p, q in zip(stack, own, strict=True))
