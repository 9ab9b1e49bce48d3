"""What sentences about ECOS (paper thesis, ch. 5) compare.

The clients' domain is a ninth of what is sold. R, σ and B were fixed beforehand; none was chosen on
what the claims look at.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from fbftl.papers.quantities import ByPart, Compared, Runs, accuracies, measures

PURCHASES = (150, 300, 600)
BASELINES = ("random", "kcenter")


def bought(rule: str = "ecos", purchase: int = 300, **axes: Any) -> dict[str, Any]:
    """Return the setting that buys so many rows by a rule; scores are sent under noise of 10."""
    setting = {"method": "ecos", "purchase": purchase} | axes
    if rule in ("ecos", "proximity"):
        setting |= {"count_sampling": 0.8, "mechanism": "counts", "sigma": 10.0, "centroids": 50}
    return setting if rule == "ecos" else setting | {"purchase_rule": rule}


def scored(centroids: int, sigma: float | None) -> dict[str, Any]:
    """Return the setting of so many clusters and so much noise on their scores."""
    setting = {"method": "ecos", "purchase": 300, "count_sampling": 0.8}
    # 100 is the default.
    setting |= {} if centroids == 100 else {"centroids": centroids}
    return setting if sigma is None else setting | {"mechanism": "counts", "sigma": sigma}


COMPRESSED: dict[str, Any] = {"purchase_purpose": "compress"}
BY_CLIENT: dict[str, Any] = {"label_source": "client"}

SCENARIOS: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "label": (300, {}),
    "compress": (300, COMPRESSED),
    "client": (600, BY_CLIENT),
}
"""What rows are bought for: how many, and the axes of it."""


def _over(rule: str, purchase: int = 300, **axes: Any) -> Compared:
    """Return what compares ECOS with another rule at one purchase."""
    return accuracies(bought(rule, purchase, **axes), bought(purchase=purchase, **axes))


def _over_inherent(setting: dict[str, Any]) -> Compared:
    """Return what compares the share of own rows with that in the cloud."""
    return lambda runs: (
        runs.measured("inherent_share", **setting),
        runs.measured("own_share", **setting),
    )


def _gains(rule: str) -> Compared:
    """Return what compares ECOS's gains over a rule at the least and the greatest purchase."""

    def sides(runs: Runs) -> tuple[Any, Any]:
        by_purchase = (_over(rule, purchase)(runs) for purchase in (PURCHASES[0], PURCHASES[-1]))
        least, greatest = (ecos - other for other, ecos in by_purchase)
        return least, greatest

    return sides


def _power(power: int) -> dict[str, Any]:
    return bought() if power == 1 else bought(score_power=float(power))


SENTENCES: Mapping[str, ByPart] = {
    "c5-01": {
        f"{scenario}_{rule}": _over(rule, purchase, **axes)
        for scenario, (purchase, axes) in SCENARIOS.items()
        for rule in BASELINES
    },
    "c5-02": {
        f"{rule}_{purchase}": _over(rule, purchase) for rule in BASELINES for purchase in PURCHASES
    },
    "c5-03": {"random": _gains("random")},
    "c5-04": {
        f"{rule}_{half}": accuracies(bought(rule, 2 * half), bought(purchase=half))
        for rule in BASELINES
        for half in PURCHASES[:2]
    },
    "c5-05": {rule: _over(rule, **COMPRESSED) for rule in BASELINES},
    "c5-06": {"ecos": accuracies(bought(**COMPRESSED), bought())},
    "c5-07": {rule: _over(rule, 600, **BY_CLIENT) for rule in BASELINES},
    "c5-08": {
        "client": accuracies(
            bought("random", 600, **BY_CLIENT), bought("kcenter", 600, **BY_CLIENT)
        )
    },
    "c5-09": {
        str(purchase): accuracies(bought("random", purchase), bought("kcenter", purchase))
        for purchase in PURCHASES
    },
    "c5-10": {
        str(purchase): accuracies(bought("proximity", purchase), bought("random", purchase))
        for purchase in PURCHASES
    },
    "c5-11": {str(purchase): _over("proximity", purchase) for purchase in PURCHASES},
    "c5-12": {
        f"{centroids}_{sigma or 0:g}": _over_inherent(scored(centroids, sigma))
        for centroids in (25, 50, 100)
        for sigma in (None, 10.0, 25.0)
    },
    "c5-14": {
        "share": measures("own_share", scored(100, 25.0), scored(50, 25.0)),
        "accuracy": accuracies(scored(50, 25.0), scored(100, 25.0)),
    },
    "c5-15": {
        str(more): measures("own_share", _power(less), _power(more))
        for less, more in pairwise((1, 2, 5))
    },
    "c5-18": {"ideal": accuracies(bought("ideal", 600), bought(purchase=600))},
    "c5-19": {
        str(purchase): accuracies(bought("random", purchase), bought("ideal", purchase))
        for purchase in PURCHASES
    },
}
