"""What sentences of paper eppfl compare, and hypotheses of ours beside them."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from fbftl.papers.curves import rounds_to_converge
from fbftl.papers.quantities import (
    ByPart,
    BySeed,
    Compared,
    Runs,
    Sides,
    accuracies,
    measures,
)

VANILLA2 = {"method": "eppfl", "network": "cnn", "local_epochs": 2}
HALVES = {"keep_activations": 0.5, "keep_gradients": 0.5}
LARGE = VANILLA2 | {"keep_gradients": 0.5}
SMALL = LARGE | {"kept_gradients": "small"}
RANDOM = LARGE | {"kept_gradients": "random"}
LATER = {"client_part": "relu2_1"}
BASELINE = VANILLA2 | {"clients": 1}
ALL_DATA = {"method": "eppfl", "network": "cnn", "clients": 10}
"""Ten clients that hold all data and always take part, with one local epoch."""


def dpfl(epsilon: float) -> dict[str, Any]:
    """Return the setting of noise alone, as the paper calls it by epsilon."""
    noise = {"mechanism": "laplace", "laplace_sensitivity": "channel_maximum"}
    return VANILLA2 | noise | {"epsilon": float(epsilon)}


EPPFL = dpfl(5) | HALVES


def _protected(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares accuracies in percent under protected inference."""
    return measures("protected_accuracy", first, second, 100)


def _rounds(runs: Runs, setting: Mapping[str, Any]) -> BySeed:
    """Return the rounds after which a setting has converged, tested as it is trained."""
    return runs.along("protected_accuracy", rounds_to_converge, **setting)


def _sooner(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares the rounds to convergence, the sooner setting first."""
    return lambda runs: (_rounds(runs, first), _rounds(runs, second))


def _bits(runs: Runs, setting: Mapping[str, Any]) -> BySeed:
    """Return the bits up and down until a setting has converged; all rounds send as many."""
    sent = runs.measured("uplink_bits", **setting) + runs.measured("downlink_bits", **setting)
    rounds = runs.along("protected_accuracy", len, **setting)
    return sent / rounds * _rounds(runs, setting)


def _gains(runs: Runs) -> Sides:
    """Return what protected accuracy gains from epsilon 5 to 10, and from 1 to 5."""
    at_1, at_5, at_10 = (
        100 * runs.measured("protected_accuracy", **dpfl(epsilon)) for epsilon in (1, 5, 10)
    )
    return at_10 - at_5, at_5 - at_1


def _blindly(attack: str, setting: Mapping[str, Any]) -> Compared:
    """Return what compares a blind guess with the attack, which comes first."""
    return lambda runs: (
        runs.measured(attack, **setting),
        runs.measured(f"{attack}_blind", **setting),
    )


EPOCHS = tuple(pairwise((2, 5, 10)))
"""Local epochs, fewer and more."""

SENTENCES: Mapping[str, ByPart] = {
    "eppfl-01": {
        str(many): _sooner(VANILLA2 | {"local_epochs": many}, VANILLA2 | {"local_epochs": few})
        for few, many in EPOCHS
    },
    "eppfl-02": {
        str(many): accuracies(VANILLA2 | {"local_epochs": many}, VANILLA2 | {"local_epochs": few})
        for few, many in EPOCHS
    },
    "eppfl-05": {"2": accuracies(VANILLA2, BASELINE)},
    "eppfl-06": {
        "accuracy": accuracies(VANILLA2, ALL_DATA | {"local_epochs": 2}),
        "rounds": _sooner(ALL_DATA | {"local_epochs": 2}, VANILLA2),
    },
    "eppfl-07": {"2": accuracies(ALL_DATA, ALL_DATA | {"local_epochs": 2})},
    "eppfl-08": {
        **{str(more): _protected(dpfl(less), dpfl(more)) for less, more in pairwise((1, 3, 5, 10))},
        "range": _protected(dpfl(1), dpfl(10)),
    },
    "eppfl-09": {"10": _protected(VANILLA2, dpfl(10))},
    "eppfl-10": {"gains": _gains},
    "eppfl-11": {"pictures": _blindly("psnr", dpfl(10))},
    "eppfl-12": {
        "psnr": measures("psnr", VANILLA2 | HALVES, VANILLA2),
        "ssim": measures("ssim", VANILLA2 | HALVES, VANILLA2),
        "psnr_noised": measures("psnr", EPPFL, dpfl(5)),
        "ssim_noised": measures("ssim", EPPFL, dpfl(5)),
    },
    # That it falls at all is a hypothesis below: a fall by too much would hold in the one part.
    "eppfl-14": {
        "dpfl5_most": _protected(dpfl(5), EPPFL),
        "vanilla2_most": _protected(VANILLA2, EPPFL),
    },
    "eppfl-15": {"vanilla2": _protected(VANILLA2, EPPFL)},
    "eppfl-16": {
        "dpfl5": _sooner(EPPFL, dpfl(5)),
        "eppfl_vanilla2": _sooner(EPPFL, VANILLA2),
        "dpfl5_vanilla2": _sooner(dpfl(5), VANILLA2),
    },
    "eppfl-17": {"vanilla2": lambda runs: (_bits(runs, EPPFL), _bits(runs, VANILLA2))},
    "eppfl-18": {
        "all": _sooner(LARGE, VANILLA2),
        "small": _sooner(LARGE, SMALL),
        "random": _sooner(LARGE, RANDOM),
    },
    "eppfl-23": {
        "vanilla2": _blindly("membership", VANILLA2),
        "eppfl": _blindly("membership", EPPFL),
    },
}

HYPOTHESES: ByPart = {
    **{
        f"clean_{more}": accuracies(dpfl(less), dpfl(more))
        for less, more in pairwise((1, 3, 5, 10))
    },
    "below_dpfl5": _protected(EPPFL, dpfl(5)),
    "below_vanilla2": _protected(EPPFL, VANILLA2),
    "half_costs": _protected(VANILLA2 | HALVES, VANILLA2),
    "larger_half": measures("kept_norm", SMALL, LARGE),
    "paper_cut": accuracies(SMALL, LARGE),
    "later_cut": accuracies(SMALL | LATER, LARGE | LATER),
}
