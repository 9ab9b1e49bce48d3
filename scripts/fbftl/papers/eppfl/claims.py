"""What sentences of paper eppfl compare, and hypotheses of ours beside them."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from fbftl.papers.quantities import ByPart, Compared, Runs, Sides, accuracies, measures

VANILLA2 = {"method": "eppfl", "network": "cnn", "local_epochs": 2}
HALVES = {"keep_activations": 0.5, "keep_gradients": 0.5}
LARGE = VANILLA2 | {"keep_gradients": 0.5}
SMALL = LARGE | {"kept_gradients": "small"}
LATER = {"client_part": "relu2_1"}


def dpfl(epsilon: float) -> dict[str, Any]:
    """Return the setting of noise alone, as the paper calls it by epsilon."""
    noise = {"mechanism": "laplace", "laplace_sensitivity": "channel_maximum"}
    return VANILLA2 | noise | {"epsilon": float(epsilon)}


EPPFL = dpfl(5) | HALVES


def _protected(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares accuracies in percent under protected inference."""
    return measures("protected_accuracy", first, second, 100)


def _gains(runs: Runs) -> Sides:
    """Return what protected accuracy gains from epsilon 5 to 10, and from 1 to 5."""
    at_1, at_5, at_10 = (
        100 * runs.measured("protected_accuracy", **dpfl(epsilon)) for epsilon in (1, 5, 10)
    )
    return at_10 - at_5, at_5 - at_1


EPOCHS = tuple(pairwise((2, 5, 10)))
"""Local epochs, fewer and more."""

SENTENCES: Mapping[str, ByPart] = {
    "eppfl-01": {
        str(many): measures(
            "rounds_to_90", VANILLA2 | {"local_epochs": many}, VANILLA2 | {"local_epochs": few}
        )
        for few, many in EPOCHS
    },
    "eppfl-02": {
        str(many): accuracies(VANILLA2 | {"local_epochs": many}, VANILLA2 | {"local_epochs": few})
        for few, many in EPOCHS
    },
    "eppfl-08": {
        **{str(more): _protected(dpfl(less), dpfl(more)) for less, more in pairwise((1, 3, 5, 10))},
        "range": _protected(dpfl(1), dpfl(10)),
    },
    "eppfl-09": {"10": _protected(VANILLA2, dpfl(10))},
    "eppfl-10": {"gains": _gains},
    "eppfl-14": {
        "dpfl5": _protected(EPPFL, dpfl(5)),
        "dpfl5_most": _protected(dpfl(5), EPPFL),
        "vanilla2": _protected(EPPFL, VANILLA2),
        "vanilla2_most": _protected(VANILLA2, EPPFL),
    },
    "eppfl-15": {"vanilla2": _protected(VANILLA2, EPPFL)},
    "eppfl-18": {
        "all": measures("rounds_to_90", LARGE, VANILLA2),
        "small": measures("rounds_to_90", LARGE, SMALL),
        "random": measures(
            "rounds_to_90", VANILLA2 | HALVES, VANILLA2 | HALVES | {"kept_gradients": "random"}
        ),
    },
}

HYPOTHESES: ByPart = {
    **{
        f"clean_{more}": accuracies(dpfl(less), dpfl(more))
        for less, more in pairwise((1, 3, 5, 10))
    },
    "half_costs": _protected(VANILLA2 | HALVES, VANILLA2),
    "larger_half": measures("kept_norm", SMALL, LARGE),
    "paper_cut": accuracies(SMALL, LARGE),
    "later_cut": accuracies(SMALL | LATER, LARGE | LATER),
}
