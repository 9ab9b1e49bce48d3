"""A `LocalNetwork` whose clients train on clean and on adversarial inputs.

Split-Mix's robust variant (paper thesis, Sec. 4.4.2) at one base: L = CE(clean)/2 +
CE(adversarial)/2 (4.1), both in one step, under normalisations of their own. After training a
share of the adversarial inputs' normalisation trades accuracy on clean inputs for accuracy on
adversarial ones (4.2).
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn

from fbftl.ground.randomness import torch_seed
from fbftl.methods.robust.evaluation import (
    KINDS,
    SHARES,
    Predicting,
    hits_by_kind,
    statistics_under_attack,
)
from fbftl.methods.robust.pgd import by_pgd
from fbftl.models.dual_batch_norm import Statistics, doubled, mixed
from fbftl.training.local_network import LocalNetwork
from fbftl.training.local_updates import Hooks, LocalPlan, SplitModel, cross_entropies
from fbftl.training.measures import ExtraMeasures, Measure, Series
from fbftl.training.samples import TrainingData


class RobustNetwork(LocalNetwork):
    """The global network, trained on both kinds of inputs.

    Args:
        split_model: on the training device.
        training_data: what it trains on; samples and test split tell their preprocessing.
        plan: how clients train.
        seed: the repetition's seed.
        hooks: what else is different from FedAvg.
        separate: whether adversarial inputs have normalisations of their own.
        weight: of the loss on adversarial inputs, from 0 to 1.
    """

    def __init__(
        self, split_model: SplitModel, training_data: TrainingData, plan: LocalPlan, seed: int,
        hooks: Hooks, separate: bool, weight: float = 0.5,
    ) -> None:  # fmt: skip
        layers = [*split_model.front.named_children(), *split_model.rest.named_children()]
        network = doubled(nn.Sequential(OrderedDict(layers)), separate)
        hooks = replace(hooks, perturb=by_pgd(training_data.samples), loss=both_losses(weight))
        super().__init__(SplitModel(nn.Identity(), network), training_data, plan, seed, hooks)
        self.network, self.weight = network, weight

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Add the round to the curves, by the clean normalisation."""
        with mixed(self.network, 0.0):
            super().end_epoch(losses)

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return accuracies on clean and adversarial inputs by λ."""
        networks = {share: partial(self._predicting, share) for share in SHARES}
        noise = torch.Generator().manual_seed(torch_seed(self.seed, "random noise"))
        hits = hits_by_kind(self.training_data, self._statistics, networks, noise)
        count, lost = len(self.training_data.test.labels), self.curves.loss[epoch - 1] is None
        lists = {
            f"{kind}_accuracy": [0.0 if lost else hits[kind, share] / count for share in SHARES]
            for kind in KINDS
        }
        numbers = {
            f"{name}_at_{share:g}": value
            for name, values in lists.items()
            for share, value in zip(SHARES, values, strict=True)
        }
        return ExtraMeasures(
            numbers=numbers,
            lists=lists,
            measures={name: Measure("share", "higher", diverged=0.0) for name in numbers},
            series={name: Series("share", by="lambda") for name in lists},
        )

    def _statistics(self, rows: np.ndarray) -> Statistics:
        """Return the statistics of some samples, clean and perturbed as they are in training."""
        samples, attacked = self.training_data.samples, self._predicting(1.0, None)
        return statistics_under_attack(self.network, attacked, samples, rows, self.weight)

    def _predicting(self, share: float, statistics: Statistics | None) -> Predicting:
        """Return what predicts at λ, normalised by some statistics; None for the batch's."""

        def predicted(inputs: Tensor) -> Tensor:
            with mixed(self.network, share, statistics) as network:
                return network(inputs)

        return predicted


def both_losses(weight: float) -> Callable[[Tensor, Tensor], Tensor]:
    """Return every sample's loss, given both kinds' logits (2n, N): Eq. (4.1) with half of each.

    Args:
        weight: of the loss on adversarial inputs; the rest is that on clean ones.
    """

    def losses(logits: Tensor, labels: Tensor) -> Tensor:
        clean, adversarial = logits.chunk(2)
        on_clean, on_adversarial = (
            cross_entropies(clean, labels),
            cross_entropies(adversarial, labels),
        )
        return (1 - weight) * on_clean + weight * on_adversarial

    return losses
