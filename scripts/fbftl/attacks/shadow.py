"""Shadow models: heads that the adversary trains on data of its own, for `membership`."""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

from fbftl.attacks.networks import multilayer, tensor
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import torch_seed


@dataclass(frozen=True)
class ShadowTraining:
    """How the adversary's heads are trained: full batches, Adam, cross entropy."""

    models: int = 8
    hidden: tuple[int, ...] = (64,)
    steps: int = 150
    learning_rate: float = 1e-2
    weight_decay: float = 0.0


DEFAULT = ShadowTraining()


def shadow_logits(
    pool: ArrayLike,
    pool_labels: ArrayLike,
    candidates: ArrayLike,
    *,
    classes: int,
    seed: int,
    training: ShadowTraining = DEFAULT,
    device: torch.device | str = "cpu",
) -> NDArray[np.float32]:
    """Train heads on random halves of the adversary's pool; return their logits on candidates.

    Args:
        pool: features that the adversary has, none of them a candidate, shape (n, d).
        pool_labels: their labels, shape (n,).
        candidates: features whose membership is in question, shape (c, d).
        classes: number of labels N.
        seed: the repetition's seed.
        training: number and size of the heads, and their optimiser.
        device: where to train.

    Returns:
        Logits of shape (models, c, N).

    Raises:
        UserError: if the pool has fewer than two samples.
    """
    x, y, candidate = (
        tensor(pool, device),
        torch.as_tensor(np.asarray(pool_labels)).long().to(device),
        tensor(candidates, device),
    )
    if len(x) < 2:
        raise UserError(f"shadow models need a pool of at least 2 samples, got {len(x)}")
    generator = torch.Generator().manual_seed(torch_seed(seed, "shadow"))
    answers = []
    for _ in range(training.models):
        half = torch.randperm(len(x), generator=generator)[: len(x) // 2].to(device)
        head = multilayer((x.shape[1], *training.hidden, classes), generator).to(device)
        fit(head, x[half], y[half], training)
        with torch.inference_mode():
            answers.append(head(candidate).cpu().numpy())
    return np.stack(answers)


def fit(head: nn.Module, features: Tensor, labels: Tensor, training: ShadowTraining) -> None:
    """Train a head in place on features, shape (n, d), and labels, shape (n,)."""
    optimiser = torch.optim.Adam(
        head.parameters(),
        lr=training.learning_rate,
        weight_decay=training.weight_decay,
        fused=True,
    )
    for _ in range(training.steps):
        optimiser.zero_grad()
        nn.functional.cross_entropy(head(features), labels).backward()
        optimiser.step()
