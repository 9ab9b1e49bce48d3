"""FADE: users train an encoder that hides their group, against a discriminator of groups."""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fbftl.study.axes import NOISE, SUMS, Axes, AxisValues, Needs
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import Count, Number, Probability, Share
from fbftl.study.record import Block, MethodRecord, alike_in, keys

PLAYED = Needs("an adversary", lambda setting: setting.adversary != "none")

DEALT = Needs("majority_users", lambda setting: setting.majority_users is not None)


class FADEAxes(Axes):
    """Axes of FADE alone.

    adversary: loss of the discriminator of groups.
    majority_users: users of each group except group 0, which has minority_users; null takes the
        task's clients.
    minority_users: users of group 0, whose samples they share.
    majority_classes: classes of each user of the other groups, in ranges that overlap and wrap
        around; null gives all classes.
    users_per_round: users of a round; null takes training.clients_per_round.
    minority_participation: probability that the one user of a round is of group 0; null draws users
        uniformly.
    opt_out: share of the rounds in which a user takes no part in adversarial training.
    local_steps: steps K that a user takes in a round before it sends.
    discriminator_rate: learning rate of the discriminator over that of the other parts.
    discriminator_steps: steps of the discriminator per step of the other parts.
    discriminator_init: initial weights of the discriminator: he, torch or xavier; null takes its
        network's.
    discriminator_start: when the discriminator begins to learn: with_weight, once its weight λ
        rises above 0, or at_once.
    discriminator_sees: input of the discriminator: z; product, of class probabilities and z; or
        cdan, that product with samples weighted by certainty, through which gradients flow back.
    unlabelled_loss: loss of users without labels: none, or that of SHOT.
    """

    adversary: Literal["none", "plain", "squared"] = "none"
    majority_users: Count | None = None
    minority_users: Annotated[Count, DEALT] = 1
    majority_classes: Annotated[Count | None, DEALT] = None
    users_per_round: Count | None = None
    minority_participation: Probability | None = None
    opt_out: Annotated[Share, PLAYED] = 0.0
    local_steps: Annotated[int, Field(ge=1, le=1000)] = 1
    discriminator_rate: Annotated[Number, Field(gt=0, le=1000), PLAYED] = 1.0
    discriminator_steps: Annotated[int, Field(ge=1, le=1000), PLAYED] = 1
    discriminator_init: Annotated[Literal["he", "torch", "xavier"] | None, PLAYED] = None
    discriminator_start: Annotated[Literal["with_weight", "at_once"], PLAYED] = "with_weight"
    discriminator_sees: Annotated[Literal["z", "product", "cdan"], PLAYED] = "z"
    unlabelled_loss: Literal["none", "shot"] = "none"


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    alone = setting.minority_participation is not None or setting.opt_out > 0
    if setting.users_per_round is not None and setting.minority_participation is not None:
        yield "has one user a round by minority_participation; leave users_per_round out"
    if setting.mechanism == "update_gaussian" and setting.minority_participation is not None:
        yield (
            "draws who takes part by group, which mechanism update_gaussian protects; leave one of "
            "minority_participation and the mechanism out"
        )
    alone = alone or setting.users_per_round == 1
    if setting.aggregation != "open" and alone:
        yield (
            "masks messages of which one alone can be summed; let two users take part, and all of "
            "them play: leave minority_participation and opt_out out, give users_per_round at "
            "least 2, or use aggregation: open"
        )


def task_faults(setting: AxisValues, task: Block, training: Block) -> Iterator[str]:
    """Yield why a task cannot have a game, with users of one group each."""
    network = task["networks"].get(setting.network)
    labelled, groups = task["adversarial_game"]["labelled"], number_of_groups(task)
    if network is None or network["kind"] != "mlp" or network["norm"] != "none":
        yield (
            "give it a network of kind mlp without norm, of which the task's game trains the parts"
        )
    if groups == 0:
        yield "give the task groups: data of kind groups, data.group_column, or clients.groups"
    mixed = task["clients"]["groups"] is None and task["clients"]["partition"] != "given"
    if groups != 0 and mixed and setting.majority_users is None:
        yield "give majority_users, for the task's clients have samples of several groups"
    if training["selection"] != "last" or training["validation"] > 0:
        yield (
            "it has no earlier round to go back to: give training.selection: last and validation: 0"
        )
    if setting.aggregation != "open" and labelled is not None:
        yield (
            "a masked sum takes users who all train all parts: leave adversarial_game.labelled out"
        )
    if setting.mechanism == "update_gaussian" and labelled is not None:
        yield (
            "its server sees of which groups users are who train the task's part, and mechanism "
            "update_gaussian protects these: leave adversarial_game.labelled or the mechanism out"
        )
    every_group = groups is not None and {*range(groups)} <= {*(labelled or ())}
    if setting.unlabelled_loss != "none" and (labelled is None or every_group):
        yield (
            "all its users have labels: give adversarial_game.labelled, or leave unlabelled_loss "
            "out"
        )
    if groups is not None and labelled is not None and max(labelled) >= groups:
        last = (groups or 1) - 1
        yield f"adversarial_game.labelled names a group that is not there: give some of 0 to {last}"


def number_of_groups(task: Block) -> int | None:
    """Return how many groups a task has: 0 for none, None where only its files tell."""
    data, of_domains = task["data"], task["clients"]["groups"]
    if of_domains is not None:
        return len(set(of_domains))
    if data["kind"] == "groups":
        return len(data["rates"])
    return None if data.get("group_column") else 0


def size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield what a task has too few samples for."""
    users, samples = setting.majority_users or 0, dealt.samples
    if samples is not None and users > samples:
        yield (
            f"has {users} users of a group among {samples} samples; give majority_users at most "
            f"{samples}"
        )


RECORD = MethodRecord(
    "fade", "FADE", "#17BECF", "$F$", "thesis-fade",
    place=250,
    reads="clients and source",
    sends="local",
    axes=(*NOISE, "network", *SUMS, FADEAxes),
    mechanisms=("none", "update_gaussian"),
    compresses=False,
    faults=faults,
    task_faults=task_faults,
    size_faults=size_faults,
    block=keys("adversarial_game"),
    together=alike_in("adversary"),
    ignores=("annealing", "absent_classes"),
)  # fmt: skip
