"""What sentences about ECOS (paper thesis, ch. 5) compare.

R and σ are those that a task's purchases have: the printed 100 and 25, and 50 and 10 in the quick
study. Every task has three purchases. Nothing was chosen on what the claims look at.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any

from fbftl.papers.quantities import NOTHING, ByPart, Compared, Runs

SIZES = ("least", "middle", "most")
"""Purchases of a task, by size."""

PURCHASES = (150, 300, 600)
"""Those of the digits, and of a task that has no three."""

PRINTED = {"count_sampling": 0.8, "mechanism": "counts", "sigma": 25.0}
"""How counts are scored, by 100 clusters, which is the default."""

BASELINES = ("random", "kcenter")
COUNTING = ("ecos", "proximity")

Setting = Callable[[Runs], dict[str, Any]]
"""What names a setting of a task."""


def scoring(runs: Runs, by_client: bool = False) -> dict[str, Any]:
    """Return how a task's counts are scored: as of those who buy by proximity, else as printed.

    Proximity is not raised to a power. ECOS has the one under which it buys all that is bought by
    proximity.

    Args:
        runs: of a task.
        by_client: whether the client labels what is bought, for which the thesis has another noise
            on its larger images.
    """
    settings = [
        setting
        for setting in runs.settings
        if (setting.get("label_source") == "client") == by_client
        and "purchase_purpose" not in setting
    ]
    near = [setting for setting in settings if setting.get("purchase_rule") == "proximity"]
    if not near:
        return PRINTED
    counted = {axis: near[0][axis] for axis in (*PRINTED, "centroids") if axis in near[0]}
    for power in (None, *sorted({s["score_power"] for s in settings if "score_power" in s})):
        raised = counted | ({} if power is None else {"score_power": power})
        by_ecos = {s["purchase"] for s in settings if _scored_so(s, raised)}
        if {setting["purchase"] for setting in near} <= by_ecos:
            return raised
    return counted


def _scored_so(setting: Mapping[str, Any], scored_by: Mapping[str, Any]) -> bool:
    """Tell whether ECOS buys in a setting and scores counts so, and in no other way."""
    axes = (*PRINTED, "centroids", "score_power")
    same = {axis: setting[axis] for axis in axes if axis in setting} == scored_by
    return same and "purchase_rule" not in setting and "purchase" in setting


def purchases(runs: Runs) -> dict[str, float]:
    """Return how many rows each size of purchase is."""
    found = runs.shared("purchase", {"method": "ecos"} | scoring(runs))
    return dict(zip(SIZES, found if len(found) == len(SIZES) else PURCHASES, strict=True))


def bought(rule: str = "ecos", size: str = "middle", **axes: Any) -> Setting:
    """Return the setting that buys so many rows by a rule."""

    def setting(runs: Runs) -> dict[str, Any]:
        named = {"method": "ecos", "purchase": purchases(runs)[size]} | axes
        by_client = axes.get("label_source") == "client"
        counted = scoring(runs, by_client) if rule in COUNTING else {}
        if rule != "ecos":
            named |= {"purchase_rule": rule}
            counted = {axis: value for axis, value in counted.items() if axis != "score_power"}
        return counted | named

    return setting


def scored(centroids: int, sigma: float | None, purchase: float = 300) -> dict[str, Any]:
    """Return the setting of so many clusters and so much noise on their scores."""
    setting = {"method": "ecos", "purchase": purchase, "count_sampling": 0.8}
    # 100 is the default.
    setting |= {} if centroids == 100 else {"centroids": centroids}
    return setting if sigma is None else setting | {"mechanism": "counts", "sigma": sigma}


def clustered(centroids: int, size: str) -> Setting:
    """Return the setting of so many clusters under the printed noise."""
    return lambda runs: scored(centroids, 25.0, purchases(runs)[size])


def alone(_runs: Runs) -> dict[str, Any]:
    """Return the setting in which nothing is bought: the client's own rows train the head."""
    return {"method": "ecos", "uploaders": 1}


COMPRESSED: dict[str, Any] = {"purchase_purpose": "compress"}
BY_CLIENT: dict[str, Any] = {"label_source": "client"}

SCENARIOS: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "label": ("middle", {}),
    "compress": ("middle", COMPRESSED),
    "client": ("most", BY_CLIENT),
}
"""What rows are bought for: how many, and the axes of it."""


def _accurate(first: Setting, second: Setting) -> Compared:
    """Return what compares the accuracies of two settings."""
    return lambda runs: (runs.accuracy(**first(runs)), runs.accuracy(**second(runs)))


def _of(column: str, first: Setting, second: Setting) -> Compared:
    """Return what compares another measure of them."""
    return lambda runs: (
        runs.measured(column, **first(runs)),
        runs.measured(column, **second(runs)),
    )


def _over(rule: str, size: str = "middle", **axes: Any) -> Compared:
    """Return what compares ECOS with another rule at one purchase."""
    return _accurate(bought(rule, size, **axes), bought(size=size, **axes))


def _over_inherent(centroids: int, sigma: float | None) -> Compared:
    """Return what compares the share of own rows with that in the cloud."""

    def sides(runs: Runs) -> tuple[Any, Any]:
        setting = scored(centroids, sigma, purchases(runs)["middle"])
        return runs.measured("inherent_share", **setting), runs.measured("own_share", **setting)

    return sides


def _gains(rule: str) -> Compared:
    """Return what compares ECOS's gains over a rule at the least and the greatest purchase."""

    def sides(runs: Runs) -> tuple[Any, Any]:
        by_size = (_over(rule, size)(runs) for size in (SIZES[0], SIZES[-1]))
        least, most = (ecos - other for other, ecos in by_size)
        return least, most

    return sides


def _on_digits(compared: Compared) -> Compared:
    """Return what compares the same on tasks of digits, which their names begin with."""

    def sides(runs: Runs) -> tuple[Any, Any]:
        of_digits = "task" in runs.table and runs.table["task"].str.startswith("digits").all()
        return compared(runs) if of_digits else (NOTHING, NOTHING)

    return sides


def _power(power: int, size: str, **axes: Any) -> Setting:
    """Return the setting that buys by scores of some power; 1 is the axis' default."""

    def setting(runs: Runs) -> dict[str, Any]:
        plain = bought(size=size, **axes)(runs)
        plain.pop("score_power", None)
        return plain if power == 1 else plain | {"score_power": float(power)}

    return setting


PRINTED_RULE = {"purchase_allocation": "printed"}

SENTENCES: Mapping[str, ByPart] = {
    "c5-01": {
        f"{scenario}_{rule}": _over(rule, size, **axes)
        for scenario, (size, axes) in SCENARIOS.items()
        for rule in BASELINES
    },
    # Said of a small budget.
    "c5-02": {f"{rule}_least": _over(rule, "least") for rule in BASELINES},
    # Said of the digits; on DomainNet the printed gains fall.
    "c5-03": {"random": _on_digits(_gains("random"))},
    "c5-04": {
        f"{rule}_{half}": _accurate(bought(rule, whole), bought(size=half))
        for rule in BASELINES
        for half, whole in pairwise(SIZES)
    },
    "c5-05": {rule: _over(rule, **COMPRESSED) for rule in BASELINES},
    "c5-07": {rule: _over(rule, "most", **BY_CLIENT) for rule in BASELINES},
    "c5-08": {
        "client": _accurate(
            bought("random", "most", **BY_CLIENT), bought("kcenter", "most", **BY_CLIENT)
        )
    },
    "c5-09": {
        **{size: _accurate(bought("random", size), bought("kcenter", size)) for size in SIZES},
        **{f"ecos_{size}": _over("kcenter", size) for size in SIZES},
    },
    # Table 5.5 has labels by the client.
    "c5-10": {
        "client": _accurate(
            bought("proximity", "most", **BY_CLIENT), bought("random", "most", **BY_CLIENT)
        )
    },
    "c5-11": {"client": _over("proximity", "most", **BY_CLIENT)},
    "c5-12": {
        f"{centroids}_{sigma or 0:g}": _over_inherent(centroids, sigma)
        for centroids in (25, 50, 100)
        for sigma in (None, 10.0, 25.0)
    },
    "c5-13": {
        f"{name}_{more}": of(clustered(less, "least"), clustered(more, "least"))
        for name, of in (
            ("share", lambda *sides: _of("own_share", *sides)),
            ("accuracy", _accurate),
        )
        for less, more in pairwise((25, 50, 100))
    },
    "c5-14": {
        "share": _of("own_share", clustered(100, "most"), clustered(50, "most")),
        "accuracy": _accurate(clustered(50, "most"), clustered(100, "most")),
    },
    "c5-15": {
        str(more): _of("own_share", _power(less, "least"), _power(more, "least"))
        for less, more in pairwise((1, 2, 5))
    },
    "c5-16": {"most": _accurate(_power(5, "most"), _power(1, "most"))},
    "c5-17": {
        "bought": _of(
            "bought", _power(5, "most", **PRINTED_RULE), _power(1, "most", **PRINTED_RULE)
        )
    },
    "c5-18": {
        "ideal": _accurate(bought("ideal", "most"), bought(size="most")),
        **{rule: _accurate(bought(rule, "most"), bought("ideal", "most")) for rule in BASELINES},
    },
    # Table 5.1 has labels by the client.
    "c5-19": {
        "client": _accurate(
            bought("random", "most", **BY_CLIENT), bought("ideal", "most", **BY_CLIENT)
        )
    },
    "c5-23": {"alone": _accurate(alone, bought(size="most"))},
}

HYPOTHESES: ByPart = {
    "foreign_rows": _accurate(bought("random"), bought("ideal")),
    "proximity": _accurate(bought("proximity"), bought("random")),
    "diversity": _over("proximity"),
}
"""What Tables 5.1 and 5.5 say of labels by the client, where labels are bought."""
