"""Adversarial training of encoder, task head and discriminator at each user (thesis, Alg. 3.1).

The encoder G gives z, the task head f reads the class from z, the discriminator D reads the user's
group from z. D learns to, and a gradient that changes its sign on the way back has G unlearn what D
reads. All users of a round, of all seeds, train side by side, each with copies of its own.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.errors import UserError, required
from fbftl.models.heads import Head
from fbftl.study.job import Training
from fbftl.training.local_updates import SplitModel
from fbftl.training.optimisers import OPTIMISERS

STEEPNESS = 10.0
"""Of both schedules."""

PSEUDO_LABELS = 0.3
"""Weight of the pseudo-labels beside the information (Liang et al. 2020, SHOT)."""


class _Reversed(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, values: Tensor, scale: float) -> Tensor:
        context.scale = scale
        return values.view_as(values)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        return -context.scale * gradient, None


def gradient_reversed(values: Tensor, scale: float) -> Tensor:
    """Return the values; what comes back through them is multiplied by minus `scale`."""
    return _Reversed.apply(values, scale)


def adversary_weight(round_index: int, rounds: int, warm_up: float = 0.0) -> float:
    """Return lambda of a round, counted from 0: 2 / (1 + exp(-10 t / T)) - 1 (App. B).

    Args:
        round_index: the round t, from 0.
        rounds: how many there are, T.
        warm_up: share of the rounds with lambda 0, before the schedule begins.
    """
    progress = (round_index / rounds - warm_up) / (1 - warm_up)
    return math.tanh(STEEPNESS * progress / 2) if progress > 0 else 0.0


def rate_factor(step: int, steps: int) -> float:
    """Return the factor of eta_0 at a local step of all, from 0: (1 + 10 t / (T K))^-0.75."""
    return (1 + STEEPNESS * step / steps) ** -0.75


@dataclass(frozen=True)
class Rules:
    """Rules of the adversarial game.

    adversary: none, plain (the group's cross-entropy b) or squared (b^2 / 2, the mean first).
    sees: what D reads: z, or the product of class probabilities and z; cdan is the product with
        samples weighted by their certainty, through which reversed gradients come back.
    unlabelled: what users without labels learn beside the game: none, or shot.
    clip: L2 norm that all parts' gradient of a step is clipped to; None leaves it.
    discriminator_rate: D's learning rate over the others'.
    discriminator_steps: steps of D for each step of the others, all on one mini-batch.
    """

    adversary: str
    sees: str = "z"
    unlabelled: str = "none"
    clip: float | None = None
    discriminator_rate: float = 1.0
    discriminator_steps: int = 1


@dataclass(frozen=True)
class ParticipantBatch:
    """The H users of a round, of any seeds.

    group: (H,) of each.
    labelled: (H,) booleans, whether its labels are known to it.
    adversarial: (H,) booleans, whether it trains the discriminator, or declines.
    weight: lambda.
    at_once: whether the discriminator learns while lambda is 0.
    """

    group: Tensor
    labelled: Tensor
    adversarial: Tensor
    weight: float
    at_once: bool = False

    @property
    def trains(self) -> tuple[Tensor, Tensor]:
        """Which users (H,) train the task head, and which the discriminator."""
        return self.labelled, self.adversarial & (self.weight > 0 or self.at_once)

    def repeated(self, times: int) -> "ParticipantBatch":
        """Return a batch in which every user has so many copies, side by side."""
        users = (self.group, self.labelled, self.adversarial)
        group, labelled, adversarial = (of_user.repeat_interleave(times) for of_user in users)
        return ParticipantBatch(group, labelled, adversarial, self.weight, self.at_once)


@dataclass
class Networks:
    """H copies of the parts, stacked.

    group: the discriminator; None without an adversary.
    ends: whether a ReLU ends the encoder.
    begins: whether one begins the task head.
    """

    encoder: Head
    task: Head
    group: Head | None = None
    ends: bool = True
    begins: bool = False

    @property
    def parts(self) -> dict[str, Head]:
        """The parts by name, in the order of a message."""
        named = {"encoder": self.encoder, "task": self.task, "group": self.group}
        return {name: part for name, part in named.items() if part is not None}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Numbers of each part of one copy."""
        return {
            name: sum(p[0].numel() for p in part.parameters()) for name, part in self.parts.items()
        }

    def representation(self, inputs: Tensor) -> Tensor:
        """Return z (H, B, d) of inputs (H, B, width)."""
        values = self.encoder(inputs)
        return torch.relu(values) if self.ends else values

    def logits(self, z: Tensor) -> Tensor:
        """Return the task head's logits (H, B, N)."""
        return self.task(torch.relu(z) if self.begins else z)

    def at(self, places: slice) -> "Networks":
        """Return the copies at some places of the stack."""
        parts: dict[str, Any] = {name: part.at(places) for name, part in self.parts.items()}
        return replace(self, **parts)

    def copies(self, count: int) -> "Networks":
        """Return so many copies of each, one after the other, ready for training."""

        def copied(part: Head) -> Head:
            return Head(
                [w.detach().repeat_interleave(count, 0).requires_grad_() for w in part.weights],
                [b.detach().repeat_interleave(count, 0).requires_grad_() for b in part.biases],
            )

        parts: dict[str, Any] = {name: copied(part) for name, part in self.parts.items()}
        return replace(self, **parts)

    def flat(self) -> Tensor:
        """Return every copy's numbers (H, X), part by part, as torch orders a part's own."""
        return torch.cat([part.flat() for part in self.parts.values()], dim=1)

    def fill(self, numbers: Tensor) -> None:
        """Take over numbers (H, X)."""
        parts = numbers.split(list(self.sizes.values()), dim=1)
        for part, part_numbers in zip(self.parts.values(), parts, strict=True):
            part.fill(part_numbers)


def stacked_networks(
    split_models: Sequence[SplitModel], groups: int, rules: Rules, widths: Sequence[int], draw: Any
) -> Networks:
    """Return the global networks of several seeds, stacked.

    Args:
        split_models: each seed's network, up to z and after it; dense layers with ReLU between.
        groups: number of groups E; D has one output for two of them, the odds of group 0.
        rules: whether there is an adversary, and what it reads.
        widths: of D's hidden layers.
        draw: from widths and seed's place to D's layers.

    Raises:
        UserError: if a network has other layers.
    """
    fronts = [_dense(split.front) for split in split_models]
    rests = [_dense(split.rest) for split in split_models]
    (_, begins_front, ends), (_, begins, ends_rest) = fronts[0], rests[0]
    if begins_front or ends_rest:
        raise UserError("an encoder begins, and a task head ends, with a dense layer; move the cut")
    encoder, task = (_stack([layers[0] for layers in part]) for part in (fronts, rests))
    width, classes = encoder.weights[-1].shape[2], task.weights[-1].shape[2]
    read = width * classes if rules.sees in ("product", "cdan") else width
    shape = [read, *widths, 1 if groups == 2 else groups]
    discriminator = None
    if rules.adversary != "none":
        discriminator = _stack([draw(shape, index) for index in range(len(split_models))])
    return Networks(encoder, task, discriminator, ends, begins)


def _dense(model: nn.Module) -> tuple[list[nn.Linear], bool, bool]:
    """Return the dense layers of a part, and whether a ReLU stands before and after them.

    Raises:
        UserError: if there are other layers, or no ReLU between two dense ones.
    """
    inert = nn.Sequential | nn.Dropout | nn.Identity | nn.Flatten
    leaves = [type(m) for m in model.modules() if not isinstance(m, inert)]
    dense = [m for m in model.modules() if isinstance(m, nn.Linear)]
    before, after = leaves[:1] == [nn.ReLU], leaves[-1:] == [nn.ReLU]
    between = leaves[before : len(leaves) - after]
    alternate = [nn.Linear, nn.ReLU] * len(dense)
    if not dense or between != alternate[:-1]:
        raise UserError(
            "fade trains dense layers with ReLU between them, on both sides of the cut; name a "
            "network of kind mlp without norm"
        )
    return dense, before, after


@torch.no_grad()
def _stack(layers: Sequence[Sequence[nn.Linear]]) -> Head:
    """Return the dense layers of several networks of one shape as one stack."""
    pairs = list(zip(*layers, strict=True))
    return Head(
        [torch.stack([linear.weight.T for linear in layer]).contiguous() for layer in pairs],
        [torch.stack([linear.bias[None] for linear in layer]) for layer in pairs],
    )


def certainty_weighted(share: Tensor, logits: Tensor) -> Tensor:
    """Return weights (H, B) of samples times 1 + exp(-entropy), summing to what they did.

    Long et al. 2018, CDAN+E; the sum that they are divided by is a constant to gradients.
    """
    entropy = -(logits.softmax(2) * logits.log_softmax(2)).sum(2)
    weighted = share * (1 + torch.exp(-entropy))
    return weighted * (share.sum(1, keepdim=True) / weighted.sum(1, keepdim=True).detach())


def group_losses(networks: Networks, sees: str, z: Tensor, logits: Tensor, group: Tensor) -> Tensor:
    """Return the discriminator's cross-entropy (H, B) of the groups (H, B) of samples.

    Args:
        networks: with a discriminator.
        sees: what it reads, as in `Rules`.
        z: (H, B, d) of the samples.
        logits: (H, B, N) of the task head; no gradient goes back through them.
        group: true groups.
    """
    if sees != "z":
        z = (logits.detach().softmax(2)[..., None] * z[..., None, :]).flatten(2)
    group_logits = required(networks.group)(z)
    if group_logits.shape[2] == 1:
        # One logit is of group 0, and the other's is 0: a sigmoid would round by how many users
        # are in the stack, a softmax does not.
        group_logits = functional.pad(group_logits, (0, 1))
    losses = functional.cross_entropy(group_logits.flatten(0, 1), group.flatten(), reduction="none")
    return losses.view(group.shape)


@dataclass
class AdversarialStep:
    """Local updates of H users: local steps from the global networks on.

    networks: of the users, changed in place.
    rules: of the adversarial game.
    training: learning rate eta_0, momentum, weight decay, the optimiser's name.
    """

    networks: Networks
    rules: Rules
    training: Training
    _steppers: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        stepper_of = OPTIMISERS[self.training.optimiser].stacked
        faster = self.training.learning_rate * self.rules.discriminator_rate
        training = {"group": replace(self.training, learning_rate=faster)}
        self._steppers = {
            name: stepper_of(part.parameters(), training.get(name, self.training))
            for name, part in self.networks.parts.items()
        }

    def step(
        self,
        inputs: Tensor,
        labels: Tensor,
        share: Tensor,
        participants: ParticipantBatch,
        factor: float = 1.0,
    ) -> Tensor:
        """Take one local step; return each user's losses (2, H): of the task, and adversarial.

        Args:
            inputs: (H, B, width) of each user's mini-batch.
            labels: (H, B); those of users without labels are not looked at.
            share: (H, B) weight of each sample in its user's mean.
            participants: the users.
            factor: of the learning rate.
        """
        adversarial = bool(participants.trains[1].any()) and self.networks.group is not None
        for _ in range(self.rules.discriminator_steps - 1 if adversarial else 0):
            with torch.no_grad():
                z = self.networks.representation(inputs)
                logits = self.networks.logits(z)
            loss = self._group_loss(z, logits, share, participants)
            self._descend(loss, ["group"], factor)
        z = self.networks.representation(inputs)
        logits = self.networks.logits(z)
        losses = functional.cross_entropy(logits.flatten(0, 1), labels.flatten(), reduction="none")
        task = (losses.view_as(share) * share).sum(1)
        if not participants.labelled.all():
            task = task * participants.labelled
        total = task
        if self.rules.unlabelled == "shot" and not participants.labelled.all():
            total = total + self._information(z, share) * ~participants.labelled
        group_loss = torch.zeros_like(task)
        if adversarial:
            reversed_z = gradient_reversed(z, participants.weight)
            group_loss = self._group_loss(reversed_z, logits, share, participants)
            total = total + group_loss
        parts = ["encoder", "task", *(["group"] if adversarial else [])]
        self._descend(total, parts, factor)
        return torch.stack([task.detach(), group_loss.detach()])

    def _group_loss(
        self, z: Tensor, logits: Tensor, share: Tensor, participants: ParticipantBatch
    ) -> Tensor:
        """Return b or b^2 / 2 of each user that trains D (H,), and 0 of the others."""
        if self.rules.sees == "cdan":
            share = certainty_weighted(share, gradient_reversed(logits, participants.weight))
        group = participants.group[:, None].expand_as(share)
        losses = group_losses(self.networks, self.rules.sees, z, logits, group)
        loss = (losses * share).sum(1)
        return (loss if self.rules.adversary == "plain" else loss**2 / 2) * participants.adversarial

    def _information(self, z: Tensor, share: Tensor) -> Tensor:
        """Return what users without labels lower (H,): minus I(z; class), and pseudo-labels.

        I = H(mean p) - mean H(p), which the thesis prints with the other sign. A pseudo-label is
        the class whose centre, of the mini-batch by its probabilities, is nearest by the cosine.
        The head stays as it is, as in SHOT.
        """
        head = self.networks.task
        fixed = Head([w.detach() for w in head.weights], [b.detach() for b in head.biases])
        logits = fixed(torch.relu(z) if self.networks.begins else z)
        p, log_p = logits.softmax(2), logits.log_softmax(2)
        mean = (p * share[..., None]).sum(1)
        unsure = -((p * log_p).sum(2) * share).sum(1)
        varied = -(mean * mean.clamp_min(1e-12).log()).sum(1)
        with torch.no_grad():
            weights = p * (share > 0)[..., None]
            centres = torch.einsum("hbn,hbd->hnd", weights, z)
            near = functional.normalize(z, dim=2) @ functional.normalize(centres, dim=2).mT
        likely = -log_p.gather(2, near.argmax(2, keepdim=True))[..., 0]
        return unsure - varied + PSEUDO_LABELS * (likely * share).sum(1)

    def _descend(self, losses: Tensor, names: Sequence[str], factor: float) -> None:
        """Step along the gradient of losses (H,), each user's clipped over these parts together."""
        parts = [self.networks.parts[name].parameters() for name in names]
        gradients = iter(torch.autograd.grad(losses.sum(), [p for part in parts for p in part]))
        by_part = [[next(gradients) for _ in part] for part in parts]
        scale = self._scale(by_part, factor)
        for name, of_part in zip(names, by_part, strict=True):
            scaled = of_part if scale is None else [g * scale for g in of_part]
            self._steppers[name].step([g.contiguous() for g in scaled])

    def _scale(self, by_part: Sequence[Sequence[Tensor]], factor: float) -> Tensor | float | None:
        """Return what gradients are multiplied by, None for nothing."""
        if self.rules.clip is None:
            return None if factor == 1 else factor
        # Part by part: what a part adds that this user does not train is 0, and no other sum rounds
        # otherwise for it.
        squares = torch.zeros_like(by_part[0][0][:, 0, 0])
        for of_part in by_part:
            squares += torch.cat([g.flatten(1) for g in of_part], dim=1).square().sum(1)
        scale = factor * (self.rules.clip / squares.sqrt().clamp_min(1e-12)).clamp_max(1)
        return scale[:, None, None]
