"""A run of robust FedAvg, or of robust bases under budgets: both train on adversarial inputs too.

At one base (paper thesis, Sec. 4.4.2) L = CE(clean)/2 + CE(adversarial)/2 (4.1), both in one step,
under normalisations of their own. After training a share of the adversarial inputs' normalisation
trades accuracy on clean inputs for accuracy on adversarial ones (4.2).

Under budgets (Sec. 4.5.2) clients train the bases of a `SharedNetwork`; every base has
normalisations for either kind; a mixture of bases predicts by the mean of their logits at one λ.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import torch
from torch import Tensor, nn
from torch.func import functional_call

from fbftl.exchange.averaging import by_weights, pieces_held, weights_or_updates
from fbftl.exchange.repetition import run_rounds
from fbftl.ground.randomness import torch_seed
from fbftl.methods.robust.pgd import (
    KINDS,
    SHARES,
    Predicting,
    by_pgd,
    hits_by_kind,
    statistics_under_attack,
)
from fbftl.models.dual_batch_norm import Statistics, doubled, mixed
from fbftl.models.widths import SharedWeights
from fbftl.study.job import Job
from fbftl.training.curves import ExtraMeasures, Measure, Series
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import Hooks, LocalPlan, SplitModel, cross_entropies
from fbftl.training.samples import TrainingData
from fbftl.training.shared_network import Budgeted, SharedNetwork, shared_network
from fbftl.training.tasks.task import Inputs, Outcome, client_samples


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the whole network, or narrower bases, from scratch, one repetition per seed."""
    client_data, setting = client_samples(job, inputs), job.setting
    separate = setting.disturbed_normalisation == "own"
    if setting.width < 1:
        made = partial(RobustBases, weight=setting.robust_weight)
        double = partial(doubled, separate=separate)
        learner_of = partial(shared_network, client_data, layout="bases", made=made, of=double)
        return run_rounds(job, client_data, learner_of, pieces_held, train=by_weights())
    of = partial(RobustNetwork, separate=separate, weight=setting.robust_weight)
    learner_of = partial(local_network, client_data, of=of)
    return run_rounds(
        job, client_data, learner_of, weights_or_updates(job), inputs.room.folder, by_weights()
    )


OF_MIXTURES = KINDS[:2]
"""What mixtures are evaluated on: clean inputs, and under PGD against the mixture itself."""


class RobustBases(SharedNetwork):
    """The server's bases, trained on both kinds of inputs.

    Args:
        shared, training_data, plan, seed, budgeted, hooks: as of a `SharedNetwork`; every base has
            doubled normalisations.
        weight: of the loss on adversarial inputs, from 0 to 1.
    """

    def __init__(
        self, shared: SharedWeights, training_data: TrainingData, plan: LocalPlan, seed: int,
        budgeted: Budgeted, hooks: Hooks, weight: float = 0.5,
    ) -> None:  # fmt: skip
        hooks = replace(hooks, perturb=by_pgd(training_data.samples), loss=both_losses(weight))
        super().__init__(shared, training_data, plan, seed, budgeted, hooks)
        self.base, self.weight = shared.slots[0].network, weight

    def end_epoch(self, losses: Sequence[Tensor]) -> None:
        """Add the round to the curves, by the clean normalisation."""
        with mixed(self.base, 0.0):
            super().end_epoch(losses)

    def extra_measures(self, epoch: int) -> ExtraMeasures:
        """Return what a `SharedNetwork` does, and accuracies on both kinds by width and λ."""
        with mixed(self.base, 0.0):
            extra = super().extra_measures(epoch)
        networks = {
            f"x{width / self.budgeted.bases:g}_at_{share:g}": partial(self._mixture, slots, share)
            for width, slots in self.shared.mixtures.items()
            for share in SHARES
        }
        noise = torch.Generator()
        hits = hits_by_kind(self.training_data, self._statistics, networks, noise, OF_MIXTURES)
        count, lost = len(self.training_data.test.labels), self.curves.loss[epoch - 1] is None
        numbers = {
            f"{kind}_accuracy_{name}": 0.0 if lost else hits[kind, name] / count
            for kind in OF_MIXTURES
            for name in networks
        }
        declared = {name: Measure("share", "higher", diverged=0.0) for name in numbers}
        return replace(
            extra, numbers={**extra.numbers, **numbers}, measures={**extra.measures, **declared}
        )

    def _statistics(self, rows: np.ndarray) -> list[Statistics]:
        """Return every base's statistics of some samples, perturbed against it as in training."""
        samples, statistics = self.training_data.samples, []
        for slot, placed in enumerate(self.shared.slots):
            placed.take(self.shared.weights.detach())
            attacked = self._mixture([slot], 1.0, None)
            statistics.append(
                statistics_under_attack(self.base, attacked, samples, rows, self.weight)
            )
        return statistics

    def _mixture(
        self, slots: Sequence[int], share: float, statistics: Sequence[Statistics] | None
    ) -> Callable[[Tensor], Tensor]:
        """Return what bases predict together, with a gradient in the inputs.

        Args:
            slots: the bases.
            share: λ.
            statistics: those that each base normalises by; None for those of the batch.
        """
        named = {slot: self._named(slot) for slot in slots}

        def predicted(inputs: Tensor) -> Tensor:
            logits = []
            for slot, parameters in named.items():
                with mixed(self.base, share, statistics[slot] if statistics else None):
                    logits.append(functional_call(self.base, parameters, inputs))
            return torch.stack(logits).mean(0)

        return predicted

    def _named(self, slot: int) -> dict[str, Tensor]:
        """Return a base's parameters by name, without gradient."""
        weights, first = self.shared.weights.detach()[self.shared.slots[slot].places], 0
        named = {}
        for name, parameter in self.base.named_parameters():
            named[name] = weights[first : first + parameter.numel()].view_as(parameter)
            first += parameter.numel()
        return named


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
        on_clean, on_adversarial = (cross_entropies(half, labels) for half in logits.chunk(2))
        return (1 - weight) * on_clean + weight * on_adversarial

    return losses
