"""Claims of ECOS (paper thesis, ch. 5), with the client's domain a ninth of what the cloud sells.

R, σ and B are the brief's; none was chosen on what the claims look at.
"""

from typing import Any

from fbftl.findings.comparison import Claimed
from fbftl.papers.claims import BySeed, Claim, Runs, Sides

SECTION = "Sec. 5.4, Table 5.2"
SEEDS = 6

AT = {"purchase": 300}
COUNTED = {"sampling": 0.8}
NOISE = {"mechanism": "counts", "sigma": 10.0}


def by_counts(runs: Runs, centroids: int = 50, choice: str = "ecos", **noise: Any) -> Sides:
    """Return the accuracy in percent and the share of own rows of a choice by counts."""
    shown = {} if centroids == 100 else {"centroids": centroids}
    shown |= {} if choice == "ecos" else {"choice": choice}
    axes = {"method": "ecos", **shown, **AT, **COUNTED, **noise}
    return runs.accuracy(**axes), runs.measured("own_share", **axes)


def of(runs: Runs, choice: str) -> BySeed:
    """Return the accuracy of a choice that rests on no counts."""
    return runs.accuracy(method="ecos", choice=choice, **AT)


def _shares(runs: Runs) -> Sides:
    inherent = runs.measured(
        "inherent_share", method="ecos", centroids=50, **AT, **COUNTED, **NOISE
    )
    return inherent, by_counts(runs, **NOISE)[1]


def _above(choice: str, name: str, points: float) -> tuple[Claim, Claim]:
    """Return that ECOS is so many points above a choice, and above it in nearly every seed."""

    def sides(runs: Runs) -> Sides:
        return of(runs, choice), by_counts(runs, **NOISE)[0]

    return (
        Claim(
            f"ECOS is at least {points:g} points above {name} (R 50, σ 10)",
            SECTION,
            sides,
            Claimed(low=points, seeds=SEEDS),
        ),
        Claim(
            f"ECOS is above {name} in nine seeds of ten (R 50, σ 10)",
            SECTION,
            sides,
            Claimed(share=0.9, seeds=SEEDS),
        ),
    )


ECOS = (
    Claim(
        "ECOS buys at least 2.5 times the share of own rows that the cloud has (R 50, σ 10)",
        "App. D.2.2, Fig. D.1",
        _shares,
        Claimed(low=2.5, seeds=SEEDS),
        ratio=True,
    ),
    Claim(
        "ECOS buys at least twice that share in every seed (R 50, σ 10)",
        "App. D.2.2, Fig. D.1",
        _shares,
        Claimed(low=2, share=1, seeds=SEEDS),
        ratio=True,
    ),
    *_above("random", "a random purchase", 10),
    *_above("kcenter", "K-Center", 5),
    Claim(
        "Too many centroids for the noise: at R 100, σ 25 costs at least 15 points",
        "App. D.2.2, Fig. D.1",
        lambda r: (
            by_counts(r, 100, mechanism="counts", sigma=25.0)[0],
            by_counts(r, 100)[0],
        ),
        Claimed(low=15, seeds=SEEDS),
    ),
    Claim(
        "Proximity without diversity is less accurate than a random purchase (R 50, σ 10)",
        "Sec. 5.4.2, Table 5.5",
        lambda r: (by_counts(r, choice="proximity", **NOISE)[0], of(r, "random")),
        Claimed(seeds=SEEDS),
    ),
)
