"""What sentences about Split-Mix (paper thesis, ch. 4) compare, robust training among them.

Unless it is said otherwise, clients' budgets follow their domains.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from fbftl.papers.quantities import (
    NOTHING,
    ByPart,
    BySeed,
    Compared,
    Runs,
    Sides,
    accuracies,
    measures,
)

NETWORK = {"network": "mlp"}
BASE = NETWORK | {"width": 0.125}
WIDTHS = (0.125, 0.25, 0.5, 1)
RESCALED = {"rescaled_init": True}


def at(runs: Runs, method: str, width: float, **axes: Any) -> BySeed:
    """Return a method's accuracy in percent at a width; a diverged seed has 0."""
    return 100 * runs.measured(f"accuracy_x{width:g}", method=method, **BASE, **axes)


def fedavg(width: float) -> dict[str, Any]:
    """Return the setting of FedAvg with a network of one width."""
    return {"method": "fedavg"} | NETWORK | ({} if width == 1 else {"width": width})


def best(runs: Runs, method: str) -> BySeed:
    """Return the accuracy at the width that is best in the mean over seeds."""
    by_width = [at(runs, method, width) for width in WIDTHS]
    run = [accuracy for accuracy in by_width if not accuracy.values.empty]
    return max(run, key=lambda accuracy: accuracy.values.mean()) if run else NOTHING


def _ahead(width: float, **axes: Any) -> Compared:
    """Return what compares SHeteroFL with Split-Mix at one width."""
    return lambda r: (at(r, "sheterofl", width, **axes), at(r, "splitmix", width, **axes))


def _to_fedavg(width: float) -> Compared:
    """Return what compares FedAvg of one width with Split-Mix at full width."""
    return lambda runs: (runs.accuracy(**fedavg(width)), at(runs, "splitmix", 1))


def _mixed(narrow: float, wide: float) -> Compared:
    return lambda runs: (at(runs, "splitmix", narrow), at(runs, "splitmix", wide))


def _rescaled(width: float) -> Compared:
    return lambda runs: (at(runs, "splitmix", width), at(runs, "splitmix", width, **RESCALED))


def _rescaled_ahead(runs: Runs) -> Sides:
    """Return the accuracy of SHeteroFL and of Split-Mix that starts rescaled, at full width."""
    return at(runs, "sheterofl", 1), at(runs, "splitmix", 1, **RESCALED)


WIDER = {f"{wide:g}": _mixed(narrow, wide) for narrow, wide in pairwise(WIDTHS)}

SPLITMIX: Mapping[str, ByPart] = {
    "c4-01": {f"{width:g}": _ahead(width) for width in WIDTHS},
    "c4-02": {
        f"{budgets}_{width:g}": _ahead(width, budgets=budgets)
        for budgets in ("rich", "steps", "uniform", "lognormal")
        for width in (0.5, 1)
    },
    "c4-03": {
        "quarter": lambda r: (at(r, "sheterofl", 1), at(r, "sheterofl", 0.25)),
        "fedavg": lambda r: (at(r, "sheterofl", 1), r.accuracy(**fedavg(1))),
    },
    "c4-04": {
        f"{wide:g}": accuracies(fedavg(narrow), fedavg(wide)) for narrow, wide in pairwise(WIDTHS)
    },
    "c4-06": {"one_base": lambda r: (best(r, "sheterofl"), at(r, "splitmix", 0.125))},
    "c4-07": {"fedavg": _to_fedavg(1)},
    "c4-08": {"fedavg": _to_fedavg(0.125)},
    "c4-09": {
        "bits": measures(
            "uplink_bits", {"method": "splitmix"} | BASE, {"method": "sheterofl"} | BASE
        ),
        "accuracy": _ahead(1),
    },
    "c4-13": WIDER,
    "c4-16": {f"{width:g}": _rescaled(width) for width in WIDTHS},
    "c4-17": {"rescaled": _rescaled_ahead, "plain": lambda r: _ahead(1)(r)[::-1]},
}

OWN = {"method": "robust"} | NETWORK
SHARED = OWN | {"disturbed_normalisation": "shared"}


def _kinds(shares: tuple[float, ...]) -> list[tuple[str, float]]:
    return [(kind, share) for kind in ("standard", "robust") for share in shares]


ROBUST: Mapping[str, ByPart] = {
    "c4-22": {
        f"{kind}_{share:g}": measures(f"{kind}_accuracy_at_{share:g}", SHARED, OWN, 100)
        for kind, share in _kinds((0, 1))
    },
    "c4-23": {
        "robust": lambda r: (
            100 * r.measured("robust_accuracy_at_0", **OWN),
            100 * r.measured("robust_accuracy_at_1", **OWN),
        ),
        "clean": lambda r: (
            100 * r.measured("standard_accuracy_at_1", **OWN),
            100 * r.measured("standard_accuracy_at_0", **OWN),
        ),
    },
    "c4-25": {
        "clean": lambda r: (
            100 * r.measured("standard_accuracy_at_0", **SHARED),
            r.accuracy(**fedavg(1)),
        )
    },
}

SENTENCES = SPLITMIX | ROBUST

HYPOTHESES: ByPart = {
    "splitmix_gain": _mixed(0.125, 1),
    "splitmix_spread": lambda r: _ahead(1, budget_order="spread")(r)[::-1],
}
