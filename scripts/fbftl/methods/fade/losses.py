"""What the global networks lose on the samples that users hold, as no user and no server sees it.

The loss of the task is over the users who have labels, that of the game over all users of a group.
Both are plain cross-entropies, whatever the game is played for, so that games can be compared.
"""

from collections.abc import Sequence
from itertools import compress

import numpy as np
import torch
from torch.nn import functional

from fbftl.methods.fade.discriminator import Networks, group_losses
from fbftl.training.curves import Measure
from fbftl.training.samples import LabelledInputs

LEVELS = (1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01)
"""Losses of the task, in nats, whose first round is told."""

UTILITY = "utility_loss"

LOSSES = {UTILITY: Measure("nats", "lower")} | {
    f"rounds_to_loss_{round(100 * level)}": Measure("rounds", "lower") for level in LEVELS
}
"""What is measured besides the losses by group, levels in hundredths of a nat."""


def of_group(group: int) -> str:
    """Return the name of the discriminator's loss on a group."""
    return f"adversary_loss_{group}"


def rounds_to(round_numbers: Sequence[int], losses: Sequence[float | None]) -> dict[str, int]:
    """Return the first of some rounds with a loss at each level or below, where one has it.

    Args:
        round_numbers: rounds at which the loss was looked at.
        losses: of the task there; None where it is no number.
    """
    rounds = {}
    for level in LEVELS:
        reached = [loss is not None and loss <= level for loss in losses]
        first = next(compress(round_numbers, reached), None)
        if first is not None:
            rounds[f"rounds_to_loss_{round(100 * level)}"] = first
    return rounds


@torch.no_grad()
def losses_of(
    networks: Networks, sees: str, samples: LabelledInputs, group: np.ndarray,
    labelled: Sequence[int] | None,
) -> list[dict[str, float]]:  # fmt: skip
    """Return the losses of each of S stacked networks; those that are no number are left out.

    Args:
        networks: the global ones.
        sees: what the discriminator reads.
        samples: of all users.
        group: (n,) of each sample.
        labelled: groups with labels; None for all.
    """
    inputs, count = samples.inputs.flatten(1)[None], int(group.max()) + 1
    known = np.ones(len(group), dtype=bool) if labelled is None else np.isin(group, labelled)
    of_labelled = torch.from_numpy(known).to(inputs.device)
    groups = torch.from_numpy(group).to(inputs.device)[None]
    found = []
    for index in range(len(networks.encoder)):
        alone = networks.at(slice(index, index + 1))
        z = alone.representation(inputs)
        logits = alone.logits(z)
        task = functional.cross_entropy(logits[0], samples.labels, reduction="none")
        losses = {UTILITY: float(task[of_labelled].mean())}
        if alone.group is not None:
            game = group_losses(alone, sees, z, logits, groups)
            losses |= {of_group(g): float(game[groups == g].mean()) for g in range(count)}
        found.append({name: loss for name, loss in losses.items() if np.isfinite(loss)})
    return found
