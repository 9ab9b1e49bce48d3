"""The game of encoder and discriminator: gradients by hand, its optimum, who trains what."""

import math

import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.methods.fade.discriminator import (
    AdversarialStep,
    Networks,
    ParticipantBatch,
    Rules,
    adversary_weight,
    certainty_weighted,
    rate_factor,
    stacked_networks,
)
from fbftl.models.heads import stacked
from fbftl.study.job import Training
from fbftl.training.local_updates import SplitModel
from torch import nn
from unit.training.training_toys import training

PLAIN = training(learning_rate=0.1, momentum=0.0, weight_decay=0.0)
B, WIDTH, H = 6, 5, 3


def networks(groups: int = 2, seeds=(0, 1, 2), sees: str = "z") -> Networks:
    width = 3 if sees == "z" else 6
    device = torch.device("cpu")
    encoder, task = stacked([WIDTH, 4, 3], seeds, device), stacked([3, 2], seeds, device)
    outputs = 1 if groups == 2 else groups
    return Networks(encoder, task, stacked([width, 4, outputs], seeds, device), ends=False)


def batch():
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(H, B, WIDTH, generator=generator)
    labels = torch.randint(0, 2, (H, B), generator=generator)
    return inputs, labels, torch.full((H, B), 1 / B)


def participants(
    weight: float = 0.7, groups=(0, 1, 1), adversarial=True, labelled=True
) -> ParticipantBatch:
    each = torch.ones(H, dtype=torch.bool)
    return ParticipantBatch(torch.tensor(groups), each & labelled, each & adversarial, weight)


def moved(
    rules: Rules, at: ParticipantBatch, training: Training = PLAIN, **options
) -> dict[str, torch.Tensor]:
    """Return how far a step moves each part's numbers (H, X)."""
    stack = networks(**options)
    before = {name: part.flat().clone() for name, part in stack.parts.items()}
    AdversarialStep(stack, rules, training).step(*batch(), at)
    return {name: part.flat() - before[name] for name, part in stack.parts.items()}


def test_certain_samples_weigh_up_to_twice_the_others():
    logits = torch.tensor([[[0.0, 0.0], [50.0, -50.0]]])  # entropies ln 2 and 0
    weighed = certainty_weighted(torch.tensor([[0.5, 0.5]]), logits)
    # 1 + 1/2 beside 1 + 1.
    assert weighed.tolist() == [pytest.approx([1.5 / 3.5, 2 / 3.5])]


def test_under_cdan_the_game_moves_the_task_head_through_the_weights_of_samples():
    both = ("product", "cdan")
    steps = {sees: moved(Rules("plain", sees=sees), participants(0.7), sees=sees) for sees in both}
    without = {
        sees: moved(Rules("plain", sees=sees), participants(0.0), sees=sees) for sees in both
    }
    assert torch.equal(steps["product"]["task"], without["product"]["task"])
    assert not torch.equal(steps["cdan"]["task"], without["cdan"]["task"])


def test_schedules():
    weights = [adversary_weight(round_index, 100) for round_index in range(100)]
    assert weights[0] == 0
    for round_index in (1, 37, 99):
        assert weights[round_index] == pytest.approx(
            2 / (1 + math.exp(-10 * round_index / 100)) - 1
        )
    assert [adversary_weight(round_index, 100, 0.5) > 0 for round_index in (10, 50, 51)] == [
        False,
        False,
        True,
    ]
    assert rate_factor(0, 50) == 1
    assert rate_factor(20, 50) == pytest.approx(5**-0.75)


@pytest.mark.parametrize("groups", [2, 3])
@pytest.mark.parametrize("adversary", ["plain", "squared"])
def test_a_step_is_algorithm_3_1(groups, adversary):
    """One user by hand: D descends on the group's loss, G on the task's less lambda times it."""
    who = (0, 1, groups - 1)
    moves = moved(Rules(adversary), participants(0.7, who), groups=groups)
    stack, (inputs, labels, _) = networks(groups), batch()
    for user in range(H):
        z = stack.representation(inputs)[user : user + 1].detach().requires_grad_()
        single = Networks(*(part.at(slice(user, user + 1)) for part in stack.parts.values()), False)
        outputs = single.group(z)[0]
        if groups == 2:
            right = torch.sigmoid(outputs[:, 0])
            likely = right if who[user] == 0 else 1 - right
        else:
            likely = outputs.softmax(1)[:, who[user]]
        b = -likely.log().mean()
        power = b if adversary == "plain" else b**2 / 2
        task = nn.functional.cross_entropy(single.logits(z)[0], labels[user])
        to_group = torch.autograd.grad(power, single.group.parameters(), retain_graph=True)
        to_task = torch.autograd.grad(task, single.task.parameters(), retain_graph=True)
        of_task, of_game = (
            torch.autograd.grad(objective, z, retain_graph=True)[0] for objective in (task, power)
        )
        back = torch.autograd.grad(
            single.representation(inputs[user : user + 1]),
            single.encoder.parameters(),
            of_task - 0.7 * of_game,
        )
        for name, gradient in (("group", to_group), ("task", to_task), ("encoder", back)):
            part = getattr(single, name)
            for parameter, own_gradient in zip(part.parameters(), gradient, strict=True):
                parameter.data = -0.1 * own_gradient
            torch.testing.assert_close(moves[name][user], part.flat()[0], atol=1e-7, rtol=1e-4)


@pytest.mark.parametrize("at", [participants(0.0), participants(adversarial=False)])
def test_who_declines_trains_no_discriminator_and_learns_the_task_alone(at):
    apart, alone = (
        moved(Rules("plain", clip=0.1), at),
        moved(Rules("none", clip=0.1), participants(0.0)),
    )
    assert not apart["group"].any()
    torch.testing.assert_close(apart["encoder"], alone["encoder"], rtol=0, atol=0)
    torch.testing.assert_close(apart["task"], alone["task"], rtol=0, atol=0)


def test_a_step_is_clipped_over_all_parts_that_have_a_gradient():
    for at in (participants(), participants(adversarial=False)):
        parts = moved(Rules("plain", clip=0.05), at)
        together = torch.cat(list(parts.values()), dim=1).norm(dim=1)
        torch.testing.assert_close(together, torch.full((H,), 0.1 * 0.05), rtol=1e-5, atol=0)


def test_the_discriminator_has_its_own_rate_and_steps():
    once, fast = (
        moved(Rules("plain"), participants()),
        moved(Rules("plain", discriminator_rate=5), participants()),
    )
    torch.testing.assert_close(fast["group"], 5 * once["group"])
    torch.testing.assert_close(fast["encoder"], once["encoder"])
    often = moved(Rules("plain", discriminator_steps=8), participants())
    assert (often["group"].norm(dim=1) > 2 * once["group"].norm(dim=1)).all()


def test_users_without_labels_leave_the_head_and_follow_information_only_if_asked():
    unlabelled = participants(adversarial=False, labelled=False)
    nothing = moved(Rules("plain"), unlabelled)
    assert not torch.cat([nothing["task"], nothing["encoder"]], dim=1).any()
    shot = moved(Rules("plain", unlabelled="shot"), unlabelled)
    assert not shot["task"].any()
    assert shot["encoder"].any()


def test_other_networks_are_refused():
    def of(*front: nn.Module) -> SplitModel:
        return SplitModel(nn.Sequential(*front), nn.Sequential(nn.Linear(3, 2)))

    fine = of(nn.Flatten(), nn.Linear(5, 4), nn.ReLU(), nn.Linear(4, 3))
    networks = stacked_networks([fine, fine], 2, Rules("none"), [], None)
    inputs = torch.randn(7, 5)
    torch.testing.assert_close(
        networks.logits(networks.representation(inputs.expand(2, -1, -1)))[1], fine.whole(inputs)
    )
    numbers = networks.flat()
    torch.testing.assert_close(
        numbers[0], torch.cat([parameter.detach().flatten() for parameter in fine.parameters])
    )
    networks.fill(2 * numbers)
    torch.testing.assert_close(networks.flat(), 2 * numbers)
    for wrong in (of(nn.Conv2d(1, 2, 3)), of(nn.Linear(5, 4), nn.Linear(4, 3)), of(nn.ReLU())):
        with pytest.raises(UserError, match="dense layers"):
            stacked_networks([wrong], 2, Rules("none"), [], None)
