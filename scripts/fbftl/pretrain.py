"""Pre-train a source model: SGD with momentum under a one-cycle learning rate."""

from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F  # noqa: N812
from torch import nn

from fbftl.errors import UserError
from fbftl.preprocess import Preprocessing, preprocess
from fbftl.randomness import stream


@dataclass(frozen=True)
class Plan:
    """How long and how fast to pre-train.

    Attributes:
        epochs: passes over the source samples.
        batch_size: samples per step; a last smaller batch is left out.
        learning_rate: the peak of the one-cycle schedule.
        momentum: Nesterov momentum.
        weight_decay: L2 penalty on every parameter.
        seed: names the order of the samples and the dropout masks.
    """

    epochs: int = 8
    batch_size: int = 128
    learning_rate: float = 0.05
    momentum: float = 0.9
    weight_decay: float = 5e-4
    seed: int = 0


def pretrain(
    model: nn.Module,
    images: np.ndarray,
    labels: np.ndarray,
    preprocessing: Preprocessing,
    plan: Plan,
    device: str = "cpu",
) -> None:
    """Train `model` in place on images (uint8, NHWC) and labels (int64); leave it in eval mode.

    Raises:
        UserError: if there are fewer samples than one batch, or the loss stops being finite.
    """
    per_epoch = len(labels) // plan.batch_size
    if per_epoch == 0:
        raise UserError(
            f"source.samples gives {len(labels)} samples, less than one batch of "
            f"source.batch_size = {plan.batch_size}; raise the one or lower the other"
        )
    model.to(device).train()
    pixels, targets = torch.from_numpy(images).to(device), torch.from_numpy(labels).to(device)
    optimizer = torch.optim.SGD(
        model.parameters(),
        lr=plan.learning_rate,
        momentum=plan.momentum,
        weight_decay=plan.weight_decay,
        nesterov=plan.momentum > 0,
    )
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimizer, plan.learning_rate, total_steps=plan.epochs * per_epoch
    )
    order = stream(plan.seed, "pretrain")
    with torch.random.fork_rng():
        torch.manual_seed(int(order.integers(2**63)))
        for _ in range(plan.epochs):
            shuffled = torch.from_numpy(order.permutation(len(labels))).to(device)
            for batch in shuffled[: per_epoch * plan.batch_size].split(plan.batch_size):
                loss = F.cross_entropy(
                    model(preprocess(pixels[batch], preprocessing)), targets[batch]
                )
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                schedule.step()
            if not torch.isfinite(loss):
                raise UserError(
                    f"pre-training diverged at source.learning_rate = {plan.learning_rate}; "
                    "lower it"
                )
    model.to("cpu").eval()


def accuracy(
    model: nn.Module,
    images: np.ndarray,
    labels: np.ndarray,
    preprocessing: Preprocessing,
    batch_size: int = 500,
) -> float:
    """Return the share of images (uint8, NHWC) that `model`, in eval mode, classifies right."""
    correct = 0
    with torch.inference_mode():
        for start in range(0, len(labels), batch_size):
            logits = model(preprocess(images[start : start + batch_size], preprocessing))
            predicted = logits.argmax(1).numpy()
            correct += int((predicted == labels[start : start + batch_size]).sum())
    return correct / len(labels)
