"""What sentences about FADE (paper thesis, ch. 3) compare, and hypotheses of ours beside them.

Groups of people are told apart at He's initial values, at torch's, and as the public code begins:
torch's with a discriminator at Xavier's. Initial values, clip and rates were fixed beforehand.
"""

from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

import pandas as pd

from fbftl.papers.quantities import ByPart, BySeed, Compared, Runs, Sides, measures

NETWORKS = ("he", "torch")
USERS = (1, 4, 9)
"""Users of the majority beside one of the minority."""

BEGINNINGS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    **{network: (network, {}) for network in NETWORKS},
    "public": ("torch", {"discriminator_init": "xavier"}),
}
"""Network, and how its discriminator begins."""

STRONG = {"local_steps": 5, "discriminator_rate": 5.0}
MASKED = {"aggregation": "masked"}


def game(network: str, adversary: str, users: int, **axes: Any) -> dict[str, Any]:
    """Return a setting of the game against so many users of the majority."""
    played = {} if adversary == "none" else {"adversary": adversary}
    return {"method": "fade", "network": network, "majority_users": users} | played | axes


def between(measure: str, beginning: str, first: str, second: str, users: int) -> Compared:
    """Return what compares a measure under two adversaries."""
    network, begins = BEGINNINGS[beginning]
    sides = (
        game(network, adversary, users, **({} if adversary == "none" else begins))
        for adversary in (first, second)
    )
    return measures(measure, *sides)


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
        f"{start}_{users}": between("delta_eo", start, "squared", "plain", users)
        for start, users in product(BEGINNINGS, (4, 9))
    },
    "c3-03": {start: between("delta_eo", start, "plain", "squared", 1) for start in BEGINNINGS},
    "c3-04": {
        f"{start}_{adversary}_{users}": between(
            "balanced_accuracy", start, "none", adversary, users
        )
        for start, adversary, users in product(BEGINNINGS, ("plain", "squared"), USERS)
    },
    "c3-05": {"open": _leaked("leak", 9)},
    "c3-06": {
        "open": _leaked("leak", 9),
        "masked": _leaked("leak", 1, **MASKED),
        "masked_over_rounds": _leaked("leak_over_rounds", 9, **MASKED),
    },
}


PER_ROUND = (2, 5, 10, 20)
"""Users of a round, of 26; fewer than ten are few."""


def _clinic(adversary: str, per_round: int) -> dict[str, Any]:
    """Return a setting of six users of the minority and twenty of the majority."""
    return game("torch", adversary, 20, minority_users=6, users_per_round=per_round)


def _unfair_clinic(adversary: str, runs: Runs) -> BySeed:
    """Return the difference in equalised odds, as the mean over users in a round."""
    by_users = [runs.measured("delta_eo", **_clinic(adversary, n)) for n in PER_ROUND]
    values = pd.concat([of.values for of in by_users], axis=1, join="inner").mean(axis=1)
    return BySeed(values, frozenset().union(*(of.diverged for of in by_users)))


def _plain_fails(runs: Runs) -> Sides:
    return _unfair_clinic("none", runs), _unfair_clinic("plain", runs)


CLINIC: Mapping[str, ByPart] = {
    "c3-18": {
        f"squared_{users}": measures("delta_eo", _clinic("squared", users), _clinic("none", users))
        for users in PER_ROUND
    }
    | {"plain": _plain_fails},
    "c3-19": {
        f"{few}_{many}": measures("delta_eo", _clinic("none", few), _clinic("none", many))
        for few, many in product((2, 5), (10, 20))
    },
}


def adapted(adversary: str, **axes: Any) -> dict[str, Any]:
    """Return a setting of the adaptation to a domain without labels."""
    played = {} if adversary == "none" else {"adversary": adversary}
    return {"method": "fade", "network": "mlp"} | played | axes


def _on_target(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares accuracies in percent in the domain without labels."""
    return measures("accuracy_1", first, second, 100)


def _taking_part(runs: Runs, adversary: str, share: float) -> dict[str, Any]:
    """Return the setting of one user a round, with the thesis's ten steps where these were run."""
    ten = adapted(adversary, minority_participation=share, local_steps=10)
    once = adapted(adversary, minority_participation=share)
    return ten if len(runs.measured("diverged", **ten).values) else once


def _on_target_taking_part(first: tuple[str, float], second: tuple[str, float]) -> Compared:
    """Return what compares accuracies in percent of two adversaries and shares of the rounds."""

    def sides(runs: Runs) -> Sides:
        one, other = (_taking_part(runs, *side) for side in (first, second))
        return _on_target(one, other)(runs)

    return sides


def _ignored_loss(share: float) -> Compared:
    """Return what compares the discriminator's loss on the user who takes part more seldom."""
    rarer = 0 if share < 0.5 else 1

    def sides(runs: Runs) -> Sides:
        settings = (_taking_part(runs, adversary, share) for adversary in ("squared", "plain"))
        return measures(f"adversary_loss_{rarer}", *settings)(runs)

    return sides


def _until_both(share: float) -> Compared:
    """Return what compares rounds to the least loss of the task that both games reach."""

    def sides(runs: Runs) -> Sides:
        squared, plain = (
            {
                level: runs.measured(
                    f"rounds_to_loss_{level}", **_taking_part(runs, adversary, share)
                )
                for level in LEVELS
            }
            for adversary in ("squared", "plain")
        )
        first, second = pd.Series(dtype=float), pd.Series(dtype=float)
        for level in LEVELS:
            both = squared[level].values.index.intersection(plain[level].values.index)
            first = squared[level].values[both].combine_first(first)
            second = plain[level].values[both].combine_first(second)
        diverged = squared[LEVELS[0]].diverged | plain[LEVELS[0]].diverged
        return BySeed(first, diverged), BySeed(second, diverged)

    return sides


LEVELS = (100, 50, 20, 10, 5, 2, 1)
"""Losses of the task in hundredths of a nat, falling."""

SHOT = {"unlabelled_loss": "shot"}
CONDITIONAL = {"product": "product", "weighted": "cdan"}
"""What the discriminator of CDAN sees, without and with weights by certainty."""

IID = {"majority_users": 3}
NON_IID = {**IID, "majority_classes": 6}
"""Three users of the domain without labels, with all classes and with six of ten each."""


def _cdan(sees: str, users: Mapping[str, int], **axes: Any) -> dict[str, Any]:
    return adapted("plain", discriminator_sees=CONDITIONAL[sees], **users, **axes)


def _lost_to_heterogeneity(runs: Runs, adversary: str, **axes: Any) -> BySeed:
    """Return the points of accuracy that users with six classes each cost."""
    iid, non_iid = (
        100 * runs.measured("accuracy_1", **adapted(adversary, **users, **axes))
        for users in (IID, NON_IID)
    )
    return iid - non_iid


def _stands_users_better(**axes: Any) -> Compared:
    return lambda runs: (
        _lost_to_heterogeneity(runs, "plain", **axes),
        _lost_to_heterogeneity(runs, "none", **SHOT),
    )


CENTRAL: Mapping[str, int] = {}
"""Two users who take part in every round with one step each, as training on both at once does."""

ADAPTATION: Mapping[str, ByPart] = {
    "c3-09": {
        f"{share:g}": _on_target_taking_part(("plain", share), ("plain", 0.5))
        for share in (0.05, 0.95)
    },
    "c3-10": {
        f"{share:g}": _on_target_taking_part(("plain", share), ("squared", share))
        for share in (0.05, 0.95)
    },
    "c3-11": {f"{share:g}": _ignored_loss(share) for share in (0.05, 0.95)},
    "c3-12": {f"{share:g}": _until_both(share) for share in (0.05, 0.5, 0.95)},
    "c3-13": {"dann": _on_target(adapted("plain", **NON_IID), adapted("plain", **IID))},
    "c3-14": {
        name: _on_target(adapted("plain", **users), adapted("plain", **users, **SHOT))
        for name, users in {"dann": {}, "non_iid": NON_IID}.items()
    },
    "c3-15": {
        name: _on_target(adapted("none", **users, **SHOT), adapted("plain", **users, **SHOT))
        for name, users in {"shot": {}, "non_iid": NON_IID}.items()
    },
    "c3-16": {
        f"{sees}_{name}": _on_target(other, _cdan(sees, NON_IID, **SHOT))
        for sees in CONDITIONAL
        for name, other in {
            "dann": adapted("plain", **NON_IID),
            "shot": adapted("none", **NON_IID, **SHOT),
            "central": _cdan(sees, CENTRAL),
        }.items()
    },
    "c3-17": {
        "cdan": _stands_users_better(discriminator_sees="product"),
        "dann": _stands_users_better(),
    },
}

SENTENCES = FAIRNESS | CLINIC | ADAPTATION


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
    "fade_at_once": _on_target(adapted("plain"), adapted("plain", discriminator_start="at_once")),
    "fade_strong": measures(
        "probe", game("he", "plain", 9, **STRONG), game("he", "none", 9, local_steps=5)
    ),
}
