"""What sentences about networks that are made robust after training compare (paper thesis, ch. 4).

Two normalisations, trained once and mixed by λ, against one, trained at every weight of the loss on
disturbed inputs. A task has one network, whatever its name.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from fbftl.papers.quantities import ByPart, BySeed, Compared, Runs, Sides
from fbftl.papers.thesis.claims_splitmix import WIDTHS, fedavg, network_of

HALF = 0.5
WEIGHTS = (0, 0.1, 0.2, 0.3, HALF, 1)
"""Weights of the loss on disturbed inputs."""

KINDS = ("standard", "robust")
"""Accuracies on clean and on disturbed inputs."""

SHARES = (0, 0.2, 0.5, 0.8, 1)
"""λ at which a network is evaluated."""


def _scored(kind: str, share: float, **axes: Any) -> Any:
    """Return what gives an accuracy in percent, clean or robust, at a share λ."""

    def score(runs: Runs) -> BySeed:
        setting = {"method": "robust"} | network_of(runs) | axes
        return 100 * runs.measured(f"{kind}_accuracy_at_{share:g}", **setting)

    return score


def _baseline(kind: str, weight: float) -> Any:
    """Return what gives it of adversarial FedAvg, whose one normalisation makes λ mean nothing."""
    weighted = {} if weight == HALF else {"robust_weight": float(weight)}
    return _scored(kind, 0, disturbed_normalisation="shared", **weighted)


def best_share(runs: Runs, weight: float) -> float:
    """Return the λ at which two normalisations do best beside adversarial FedAvg of one weight.

    A curve passes above a point if both its accuracies somewhere exceed the point's: best is where
    the lesser of the two leads is greatest, by means over seeds.
    """

    def lesser_lead(share: float) -> float:
        leads = (
            _scored(kind, share)(runs).values.mean() - _baseline(kind, weight)(runs).values.mean()
            for kind in KINDS
        )
        return float(min(leads))

    return max(SHARES, key=lesser_lead)


def _over(kind: str, weight: float) -> Compared:
    """Return what compares adversarial FedAvg of one weight with two normalisations."""

    def sides(runs: Runs) -> Sides:
        share = best_share(runs, weight)
        return _baseline(kind, weight)(runs), _scored(kind, share)(runs)

    return sides


def _step(kind: str, less: float, more: float) -> Compared:
    """Return what compares accuracies at two shares λ."""
    return lambda runs: (_scored(kind, less)(runs), _scored(kind, more)(runs))


BASES = {"width": 0.125, "rescaled_init": True}


def _mixed(kind: str, less: tuple[float, float], more: tuple[float, float]) -> Compared:
    """Return what compares mixtures of robust bases, each by its width and share λ."""

    def score(runs: Runs, width: float, share: float) -> BySeed:
        setting = {"method": "robust"} | network_of(runs) | BASES
        return 100 * runs.measured(f"{kind}_accuracy_x{width:g}_at_{share:g}", **setting)

    return lambda runs: (score(runs, *less), score(runs, *more))


ENDS = (("standard", 0), ("robust", 1))
"""Where two normalisations are made for one kind of inputs."""

SENTENCES: Mapping[str, ByPart] = {
    "c4-22": {
        f"{kind}_weight_{weight:g}": _over(kind, weight) for kind in KINDS for weight in WEIGHTS
    },
    "c4-23": {
        "robust": _step("robust", 0, 1),
        "clean": _step("standard", 1, 0),
        **{f"robust_{more:g}": _step("robust", less, more) for less, more in pairwise(SHARES)},
        **{f"clean_{less:g}": _step("standard", more, less) for less, more in pairwise(SHARES)},
    },
    "c4-24": {
        **{
            f"{kind}_{wide:g}": _mixed(kind, (narrow, share), (wide, share))
            for kind, share in ENDS
            for narrow, wide in pairwise(WIDTHS)
        },
        **{
            f"traded_{kind}_{width:g}": _mixed(kind, (width, 1 - share), (width, share))
            for kind, share in ENDS
            for width in WIDTHS
        },
    },
    "c4-25": {
        "clean": lambda r: (_baseline("standard", HALF)(r), r.accuracy(**fedavg(r, 1))),
        "clean_1": lambda r: (_baseline("standard", 1)(r), r.accuracy(**fedavg(r, 1))),
    },
}
