"""Claims about FADE (paper thesis, ch. 3), at He's initial values and at torch's.

Initial values, clip and rates were fixed beforehand. A claim about what z says of the group is of a
linear probe; "fair" and "group unreadable" are two claims, for they part ways.
"""

import math
from collections.abc import Callable

from fbftl.findings.comparison import MORE, Claimed, within
from fbftl.papers.claims import BySeed, Claim, Runs, Sides

SOURCE = "Ch. 3, Fig. 3.3"
NAMED = {"he": "He's initial values", "torch": "torch's initial values"}
STRONG = {"local_steps": 5, "discriminator_rate": 5.0}
EIGHT = 8


def game(runs: Runs, measure: str, network: str, adversary: str, users: int, **axes) -> BySeed:
    """Return a measure of a game by seed."""
    played = {} if adversary == "none" else {"adversary": adversary}
    return runs.measured(
        measure, method="fade", network=network, majority_users=users, **played, **axes
    )


def between(
    measure: str, network: str, first: str, second: str, users: int, **axes
) -> Callable[[Runs], Sides]:
    """Return the two sides of a claim: a measure under two adversaries."""

    def sides(runs: Runs) -> Sides:
        return (
            game(runs, measure, network, first, users, **axes),
            game(runs, measure, network, second, users, **axes),
        )

    return sides


def certain(runs: Runs) -> Sides:
    """Return the attack's accuracy on open updates of few and many users beside certainty."""
    found = game(runs, "leak", "he", "plain", 9)
    return BySeed(found.values * 0 + 1), found


def by_chance(runs: Runs) -> Sides:
    """Return what the attack knows without looking, and what it reads off a sum of two."""
    masked = {"aggregation": "masked"}
    return tuple(
        game(runs, measure, "he", "plain", 1, **masked) for measure in ("leak_by_chance", "leak")
    )


def stronger(runs: Runs) -> Sides:
    """Return the probe under a plain strong adversary, and without one."""
    return (
        game(runs, "probe", "he", "plain", 9, **STRONG),
        game(runs, "probe", "he", "none", 9, local_steps=5),
    )


def at(network: str) -> tuple[Claim, ...]:
    """Return the claims at one network's initial values."""
    where = NAMED[network]
    return (
        Claim(
            f"A1: against one user of the majority a plain adversary leaves at most 0.6 of the "
            f"difference in equalised odds ({where})",
            SOURCE,
            between("delta_eo", network, "plain", "none", 1),
            Claimed(low=1 / 0.6),
            ratio=True,
        ),
        Claim(
            f"A1: it costs at most 2 points of accuracy, the mean of both groups ({where})",
            SOURCE,
            between("balanced_accuracy", network, "none", "plain", 1),
            within(0.02),
            unit="share",
        ),
        Claim(
            f"A2: against one user of the majority a probe reads the group at least 10 points "
            f"less ({where})",
            SOURCE,
            between("probe", network, "plain", "none", 1),
            Claimed(low=0.10),
            unit="share",
        ),
        Claim(
            f"A3: against nine a squared loss leaves the group less readable than a plain one, in "
            f"6 of 8 seeds ({where})",
            SOURCE,
            between("probe", network, "squared", "plain", 9),
            Claimed(share=0.75, seeds=EIGHT),
            unit="share",
        ),
        Claim(
            f"A4: against one a squared loss is no more than 1 point better than a plain one "
            f"({where})",
            SOURCE,
            between("probe", network, "squared", "plain", 1),
            Claimed(low=-math.inf, high=0.01),
            unit="share",
        ),
        Claim(
            f"Against nine a squared loss leaves less difference in equalised odds than a plain "
            f"one ({where})",
            SOURCE,
            between("delta_eo", network, "squared", "plain", 9),
            MORE,
            unit="rates",
        ),
        Claim(
            f"Against nine a weak plain adversary makes the group more readable than none "
            f"({where})",
            "here",
            between("probe", network, "none", "plain", 9),
            MORE,
            unit="share",
        ),
    )


FADE = (
    *at("he"),
    *at("torch"),
    Claim(
        "A5: every open update tells its sender's group",
        "Sec. 3.1, which claims the contrary",
        certain,
        within(0.001),
        unit="share",
    ),
    Claim(
        "A5: a sum of two users, one of each group, tells no more than chance",
        "here",
        by_chance,
        within(0.02),
        unit="share",
    ),
    Claim(
        "A6: against nine a plain adversary five times as fast, in five steps a round, has a probe "
        "read at least 5 points less (He's initial values)",
        "here",
        stronger,
        Claimed(low=0.05),
        unit="share",
    ),
)
