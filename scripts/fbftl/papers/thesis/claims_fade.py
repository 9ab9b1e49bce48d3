"""What sentences about FADE (paper thesis, ch. 3) compare, and hypotheses of ours beside them.

Groups of people are told apart at He's initial values and at torch's. Initial values, clip and
rates were fixed beforehand.
"""

from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

from fbftl.papers.quantities import ByPart, Compared, Runs, Sides, measures

NETWORKS = ("he", "torch")
USERS = (1, 4, 9)
"""Users of the majority beside one of the minority."""

STRONG = {"local_steps": 5, "discriminator_rate": 5.0}
MASKED = {"aggregation": "masked"}


def game(network: str, adversary: str, users: int, **axes: Any) -> dict[str, Any]:
    """Return a setting of the game against so many users of the majority."""
    played = {} if adversary == "none" else {"adversary": adversary}
    return {"method": "fade", "network": network, "majority_users": users} | played | axes


def between(measure: str, network: str, first: str, second: str, users: int) -> Compared:
    """Return what compares a measure under two adversaries."""
    return measures(measure, game(network, first, users), game(network, second, users))


def _unfair(network: str, fewer: int, more: int) -> Compared:
    """Return what compares unfairness without adversary against fewer users and against more."""
    return measures("delta_eo", game(network, "none", fewer), game(network, "none", more))


def _leaked(column: str, users: int, **axes: Any) -> Compared:
    """Return what an attack reads, and what is right without looking."""

    def sides(runs: Runs) -> Sides:
        setting = game("he", "plain", users, **axes)
        return runs.measured(column, **setting), runs.measured("leak_by_chance", **setting)

    return sides


FAIRNESS: Mapping[str, ByPart] = {
    "c3-01": {
        f"{network}_{more}": _unfair(network, fewer, more)
        for network, (fewer, more) in product(NETWORKS, pairwise(USERS))
    },
    "c3-02": {
        f"{network}_{users}": between("delta_eo", network, "squared", "plain", users)
        for network, users in product(NETWORKS, (4, 9))
    },
    "c3-03": {network: between("delta_eo", network, "plain", "squared", 1) for network in NETWORKS},
    "c3-04": {
        f"{network}_{adversary}_{users}": between(
            "balanced_accuracy", network, "none", adversary, users
        )
        for network, adversary, users in product(NETWORKS, ("plain", "squared"), USERS)
    },
    "c3-05": {"open": _leaked("leak", 9)},
    "c3-06": {
        "open": _leaked("leak", 9),
        "masked": _leaked("leak", 1, **MASKED),
        "masked_over_rounds": _leaked("leak_over_rounds", 9, **MASKED),
    },
}


def adapted(adversary: str, **axes: Any) -> dict[str, Any]:
    """Return a setting of the adaptation to a domain without labels."""
    played = {} if adversary == "none" else {"adversary": adversary}
    return {"method": "fade", "network": "mlp"} | played | axes


def _on_target(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares accuracies in percent in the domain without labels."""
    return measures("accuracy_1", first, second, 100)


def _taking_part(adversary: str, share: float) -> dict[str, Any]:
    return adapted(adversary, minority_participation=share)


SHOT = {"unlabelled_loss": "shot"}
CDAN = adapted("plain", discriminator_sees="product", **SHOT)

ADAPTATION: Mapping[str, ByPart] = {
    "c3-09": {
        f"{share:g}": _on_target(_taking_part("plain", share), _taking_part("plain", 0.5))
        for share in (0.05, 0.95)
    },
    "c3-10": {
        f"{share:g}": _on_target(_taking_part("plain", share), _taking_part("squared", share))
        for share in (0.05, 0.95)
    },
    "c3-14": {"dann": _on_target(adapted("plain"), adapted("plain", **SHOT))},
    "c3-15": {"shot": _on_target(adapted("none", **SHOT), adapted("plain", **SHOT))},
    "c3-16": {
        "dann": _on_target(adapted("plain"), CDAN),
        "shot": _on_target(adapted("none", **SHOT), CDAN),
    },
}

SENTENCES = FAIRNESS | ADAPTATION


def _of_a_sum(runs: Runs) -> Sides:
    """Return what the attack knows without looking, and what it reads off a sum of two."""
    masked = game("he", "plain", 1, **MASKED)
    return runs.measured("leak_by_chance", **masked), runs.measured("leak", **masked)


def _read_by_probe(network: str) -> ByPart:
    """Return what is compared of what a linear probe reads of the group."""
    return {
        f"fade_odds_{network}": between("delta_eo", network, "plain", "none", 1),
        f"fade_probe_{network}": between("probe", network, "plain", "none", 1),
        f"fade_squared_{network}": between("probe", network, "squared", "plain", 9),
        f"fade_equal_{network}": between("probe", network, "squared", "plain", 1),
        f"fade_weak_{network}": between("probe", network, "none", "plain", 9),
    }


HYPOTHESES: ByPart = {
    **_read_by_probe("he"),
    **_read_by_probe("torch"),
    "fade_sum": _of_a_sum,
    "fade_strong": measures(
        "probe", game("he", "plain", 9, **STRONG), game("he", "none", 9, local_steps=5)
    ),
}
