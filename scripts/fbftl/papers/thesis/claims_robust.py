"""What sentences about networks that are made robust after training compare (paper thesis, ch. 4).

Two normalisations, trained once and mixed by λ, against one, trained at every weight of the loss on
disturbed inputs. A task has one network, whatever its name, and one number of local epochs.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pandas as pd

from fbftl.papers.quantities import ByPart, BySeed, Compared, Runs, Sides
from fbftl.papers.thesis.claims_splitmix import WIDTHS, same_everywhere

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
        setting = {"method": "robust"} | same_everywhere(runs) | axes
        return 100 * runs.measured(f"{kind}_accuracy_at_{share:g}", **setting)

    return score


def _baseline(kind: str, weight: float) -> Any:
    """Return what gives it of adversarial FedAvg, whose one normalisation makes λ mean nothing."""
    weighted = {} if weight == HALF else {"robust_weight": float(weight)}
    return _scored(kind, 0, disturbed_normalisation="shared", **weighted)


def best_shares(runs: Runs, weight: float) -> dict[int, float]:
    """Return by seed the λ at which two normalisations do best beside one of some weight.

    A curve passes above a point if both its accuracies somewhere exceed the point's: best is where
    the lesser of the two leads is greatest, by means over all other seeds, so that no seed is
    judged at a λ that it chose itself. Of a single seed it is nan.
    """

    def lesser_lead(share: float) -> pd.Series:
        leads = [
            _over_others((_scored(kind, share)(runs) - _baseline(kind, weight)(runs)).values)
            for kind in KINDS
        ]
        return pd.concat(leads, axis=1).min(axis=1)

    by_share = pd.DataFrame({share: lesser_lead(share) for share in SHARES})
    return {
        seed: float("nan") if leads.isna().any() else max(SHARES, key=leads.get)
        for seed, leads in by_share.iterrows()
    }


def _over_others(values: pd.Series) -> pd.Series:
    """Return the mean over all other seeds, by seed; of a single seed nan."""
    return (values.sum() - values) / (len(values) - 1)


def _over(kind: str, weight: float) -> Compared:
    """Return what compares adversarial FedAvg of one weight with two normalisations."""

    def sides(runs: Runs) -> Sides:
        by_share = {share: _scored(kind, share)(runs) for share in SHARES}
        shares = best_shares(runs, weight)
        values = {
            seed: by_share[share].values[seed] if share in by_share else None
            for seed, share in shares.items()
        }
        mixed = BySeed(pd.Series(values, dtype=float), by_share[0].diverged)
        return _baseline(kind, weight)(runs), mixed

    return sides


def _costs(weight: float) -> Compared:
    """Return what compares adversarial FedAvg with that of weight 0, plain FedAvg, on clean inputs.

    Both are trained and tested in the same way.
    """
    return lambda runs: (_baseline("standard", weight)(runs), _baseline("standard", 0)(runs))


def _step(kind: str, less: float, more: float) -> Compared:
    """Return what compares accuracies at two shares λ."""
    return lambda runs: (_scored(kind, less)(runs), _scored(kind, more)(runs))


BASES = {"width": 0.125, "rescaled_init": True}


def _mixed(kind: str, less: tuple[float, float], more: tuple[float, float]) -> Compared:
    """Return what compares mixtures of robust bases, each by its width and share λ."""

    def score(runs: Runs, width: float, share: float) -> BySeed:
        setting = {"method": "robust"} | same_everywhere(runs) | BASES
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
    "c4-25": {"clean_1": _costs(1)},
}
