"""FADE: users of one group each play a game of encoder and discriminator with the server."""

from collections.abc import Iterator
from typing import Any

from fbftl.study.axes import NETWORK, NOISE, SUMS
from fbftl.study.axis import Axis, AxisValues, Needs, Numbers
from fbftl.study.record import Block, MethodRecord, keys
from fbftl.study.rings import updates_bound

PLAYED = Needs("an adversary", lambda setting: setting.adversary != "none")

DEALT = Needs("majority_users", lambda setting: setting.majority_users is not None)

AXES = (
    Axis(
        "adversary", str, "none",
        "loss of a discriminator of groups: none, plain, or squared.",
        ("none", "plain", "squared"),
    ),
    Axis(
        "majority_users", int, None,
        "users of each group but group 0, which has minority_users; none takes the task's clients.",
        Numbers(least=1),
    ),
    Axis(
        "minority_users", int, 1,
        "users of group 0, whose samples they share.",
        Numbers(least=1),
        (DEALT,),
    ),
    Axis(
        "majority_classes", int, None,
        "classes of each user of the other groups, in ranges that overlap and wrap around; none "
        "deals all classes.",
        Numbers(least=1),
        (DEALT,),
    ),
    Axis(
        "users_per_round", int, None,
        "users of a round; none takes training.clients_per_round.",
        Numbers(least=1),
    ),
    Axis(
        "minority_participation", float, None,
        "probability that a round is of a user of group 0, one user a round; none picks users by "
        "chance.",
        Numbers(above=0, below=1),
    ),
    Axis(
        "opt_out", float, 0.0,
        "share of the rounds in which a user declines the game with the discriminator.",
        Numbers(least=0, most=1),
        (PLAYED,),
    ),
    Axis(
        "local_steps", int, 1,
        "steps K that a user takes in a round before it sends.",
        Numbers(least=1, most=1000),
    ),
    Axis(
        "discriminator_rate", float, 1.0,
        "the discriminator's learning rate over the others'.",
        Numbers(above=0, most=1000),
        (PLAYED,),
    ),
    Axis(
        "discriminator_steps", int, 1,
        "steps of the discriminator for each step of the others.",
        Numbers(least=1, most=1000),
        (PLAYED,),
    ),
    Axis(
        "discriminator_init", str, None,
        "initial weights of the discriminator: he, torch, or xavier; none takes its network's.",
        ("he", "torch", "xavier"),
        (PLAYED,),
    ),
    Axis(
        "discriminator_start", str, "with_weight",
        "whether the discriminator begins to learn with lambda's rise, or at_once, while it is 0.",
        ("with_weight", "at_once"),
        (PLAYED,),
    ),
    Axis(
        "discriminator_sees", str, "z",
        "z, the product of class probabilities and z, or cdan: the product with samples weighted "
        "by their certainty, through which gradients come back.",
        ("z", "product", "cdan"),
        (PLAYED,),
    ),
    Axis(
        "unlabelled_loss", str, "none",
        "what users without labels lower: nothing, or that of shot.",
        ("none", "shot"),
    ),
)  # fmt: skip


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
    if training["annealing"] != "none" or training["absent_classes"] != "counted":
        yield (
            "its rate falls by adversarial_game.falling_rate alone, and it counts all classes: "
            "leave training.annealing and training.absent_classes out"
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


def together(setting: AxisValues) -> tuple[Any, ...]:
    """Return what settings have in common that train in one process: the discriminator's loss."""
    return (setting.adversary,)


def size_faults(
    setting: AxisValues, _task: Block, samples: int | None, _clients: int | None
) -> Iterator[str]:
    """Yield what a task has too few samples for."""
    users = setting.majority_users or 0
    if samples is not None and users > samples:
        yield (
            f"has {users} users of a group among {samples} samples; give majority_users at most "
            f"{samples}"
        )


def largest_sum(setting: AxisValues, task: Block, samples: int) -> float | None:
    """Return the bound on a masked sum of updates; what epsilon comes to only a job knows."""
    if setting.mechanism == "none":
        return None
    clip_norm = task["privacy"]["update_clip"]
    return updates_bound(samples, clip_norm, (setting.sigma or 0.0) * clip_norm)


RECORD = MethodRecord(
    "fade", "FADE", "#17BECF", "$F$", "thesis",
    reads="clients and source",
    sends="local",
    axes=(*NOISE, NETWORK, *SUMS, *AXES),
    mechanisms=("none", "update_gaussian"),
    compresses=False,
    faults=faults,
    task_faults=task_faults,
    size_faults=size_faults,
    largest_sum=largest_sum,
    block=keys("adversarial_game"),
    together=together,
)  # fmt: skip
