"""What claims of the thesis compare or are decided by: its measures, and its bounds and counts."""

import math
from collections.abc import Callable, Mapping
from itertools import pairwise, product, starmap

import numpy as np
import pandas as pd

from fbftl.papers.claim_rows import Side
from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.measures import (
    NOTHING,
    ClaimMeasure,
    Measured,
    PairedMeasure,
    column,
    curves,
    plain,
    share_right,
)
from fbftl.papers.quantities import Runs
from fbftl.papers.thesis import audit_splitmix
from fbftl.privacy.schedules import best_steps, dynamic_bound, fitted_gamma, uniform_bound

KAPPA = 100
"""Condition number at which the bounds are evaluated."""


MOST_STEPS = 4000
"""Among which the best number of steps is looked for."""

NEAR = 0.1
"""Share up to which growth from one N to the next counts as the same."""

Bound = Callable[[int, float, float], float]


def _at_best(bound: Bound, samples: int) -> tuple[int, float, float]:
    """Return the best number of steps, the bound there, and alpha."""
    alpha, gamma = KAPPA / samples**2, 1 - 1 / KAPPA
    steps = best_steps(bound, alpha, gamma, MOST_STEPS)
    return steps, bound(steps, alpha, gamma), alpha


def _steady(values: list[float]) -> bool:
    """Tell whether values at N that grow tenfold grow by the same, as a logarithm does."""
    first, *others = (later - earlier for earlier, later in pairwise(values))
    return first > 0 and all(abs(other / first - 1) <= NEAR for other in others)


def ratio_of_bounds(case: FormulaCase) -> Decision:
    """Decide whether the bound of even noise over the dynamic one's grows as ln N."""
    sizes = list(map(int, case.part.along))
    ratios = [_at_best(uniform_bound, n)[1] / _at_best(dynamic_bound, n)[1] for n in sizes]
    pairs = zip(ratios, sizes, strict=True)
    shown = "; ".join(f"{ratio:.2f} at N = {samples:,}" for ratio, samples in pairs)
    return Decision("bound of Theorem 3 over Theorem 4's", shown, _steady(ratios))


def trained_by_client(case: FormulaCase) -> Decision:
    """Decide by multiplications of a gradient step, mean over budgets, of two methods."""
    counted = {
        method: audit_splitmix.trained_by_client(data, method)
        for method, data in (side.split(": ") for side in (case.a, case.b))
    }
    more, fewer = counted.values()
    shown = "; ".join(f"{name} {count:,.0f}" for name, count in counted.items())
    return Decision("multiplications of an image's way forward", shown, more > fewer)


SAME_WEIGHT = 1e-5
"""Up to which two weights in single precision are the same after some steps."""


def as_central(case: FormulaCase) -> Decision:
    """Decide by the weights of FADE and of pooled training after equal steps."""
    # It trains, and nothing else here needs torch.
    from fbftl.papers.thesis.fade_central import ROUNDS, largest_difference

    apart = largest_difference()
    quantity = f"largest difference of a weight after {ROUNDS} rounds of one step each"
    return Decision(quantity, f"{apart:.1e}", apart <= SAME_WEIGHT)


def group_not_sent(case: FormulaCase) -> Decision:
    """Decide by the kinds of message that the ledger knows: none of them is a group."""
    from fbftl.messages.ledger import PARTS

    shown = ", ".join(sorted(PARTS))
    return Decision("what messages may hold", shown, not {"group", "groups"} & PARTS)


# --- ch. 2: schedules of noise ----------------------------------------------------------------

LOUDER = (1, 25, 50, 75, 100)
"""Steps whose noise is doubled, each alone, of 100."""


def influence_slope(runs: Runs, setting: str) -> pd.Series:
    """Return pseudo-values, one a seed, of the slope by step of the logarithm of influence.

    Influence is what doubled noise at one step adds to the loss at the end, over what it adds to
    the step's variance, which is the same at every step of even noise. Its mean over seeds is
    fitted by an exponential of the step, whose logarithm is a line (`fitted_gamma`, as in the
    figure of influence), so that the slope has no value of a single seed; the jackknife's
    pseudo-values n s - (n - 1) s_i have it as their mean, and Student's interval from their spread.
    """
    before = column(runs, "training_loss", setting)
    after = {
        step: column(runs, "training_loss", f"{setting}+louder_step={step}") for step in LOUDER
    }
    return pseudo_slopes(pd.DataFrame(after).sub(before, axis="index").dropna())


def pseudo_slopes(added: pd.DataFrame) -> pd.Series:
    """Return the pseudo-values of the slope, by seed.

    Args:
        added: what doubled noise adds to the loss, a row for each seed and a column for each step.
    """
    steps, count, values = np.array(added.columns), len(added), added.to_numpy(dtype=float)
    if count < 2 or not values.any():
        return NOTHING
    errors = values.std(0, ddof=1) / count**0.5
    # Where a step adds the same to all seeds, steps weigh alike.
    errors = errors if errors.all() else np.ones(len(steps))

    def slope(influence: np.ndarray) -> float:
        return -math.log(fitted_gamma(steps.max(), steps, influence, errors))

    whole, without = slope(values.mean(0)), (values.sum(0) - values) / (count - 1)
    pseudo_values = [count * whole - (count - 1) * slope(influence) for influence in without]
    return pd.Series(pseudo_values, added.index)


def log_training_loss(runs: Runs, setting: str) -> pd.Series:
    """Return the logarithm of the training loss, whose differences are ratios."""
    return np.log(column(runs, "training_loss", setting))


# --- ch. 4: networks of several widths --------------------------------------------------------

WIDTHS = ("0.125", "0.25", "0.5", "1")
DOMAINS = (1, 2, 3, 4)
"""Places of the domains in a task's list."""

HARDEST, STEPS = 0.05, 19
"""Accuracies to which rounds are counted: so many steps of this size."""


def _by_domain(runs: Runs, setting: str) -> pd.DataFrame:
    """Return accuracies in percent of full width, a row for each seed, a column for each domain.

    Of a task with one domain there are none.
    """
    series = "domain_accuracy" if setting.startswith("fedavg") else "domain_accuracy_x1"
    accuracies = 100 * curves(runs, series, setting)
    return accuracies if len(accuracies.columns) > 1 else pd.DataFrame()


def spread_over_domains(runs: Runs, setting: str) -> pd.Series:
    """Return the standard deviation of accuracy over domains, each of as many clients."""
    accuracies = _by_domain(runs, setting)
    return NOTHING if accuracies.empty else accuracies.std(axis=1, ddof=0)


def spread_of_drops(runs: Runs, setting: str) -> pd.Series:
    """Return the standard deviation over domains of what FedAvg of full width has more."""
    network = next((axis for axis in setting.split("+") if axis.startswith("network=")), "")
    whole, accuracies = _by_domain(runs, f"fedavg+{network}"), _by_domain(runs, setting)
    drops = (whole - accuracies).dropna(how="all")
    return NOTHING if drops.empty else drops.std(axis=1, ddof=0)


def _domain_accuracy(domain: int, width: str) -> ClaimMeasure:
    def values(runs: Runs, setting: str) -> pd.Series:
        accuracies = curves(runs, f"domain_accuracy_x{width}", setting)
        return 100 * accuracies[domain] if domain in accuracies else NOTHING

    return ClaimMeasure(values, 1 / len(DOMAINS))


def rounds_to_common(runs: Runs, first: Side, second: Side) -> tuple[pd.Series, pd.Series]:
    """Return the rounds in which each side first reaches one accuracy, by seed.

    It is the highest of 5 %, 10 %, ... 95 % that both reach in every seed; where they reach none,
    nothing is compared.
    """
    of_sides = [curves(runs, "test_accuracy", side.settings[0]) for side in (first, second)]
    if any(of.empty for of in of_sides):
        return NOTHING, NOTHING
    reached = min(float(of.max(axis=1).min()) for of in of_sides)
    targets = [HARDEST * step for step in range(1, STEPS + 1) if HARDEST * step <= reached]
    if not targets:
        return NOTHING, NOTHING
    one, other = ((of >= targets[-1]).idxmax(axis=1).astype(float) for of in of_sides)
    return one, other


# --- ch. 4: robust networks -------------------------------------------------------------------

KINDS = ("standard", "robust")
"""Accuracies on clean and on disturbed inputs."""

SHARES = ("0", "0.2", "0.5", "0.8", "1")
"""Shares of the two normalisations at which a network is evaluated."""


def lead_at_best_share(runs: Runs, first: Side, second: Side) -> tuple[pd.Series, pd.Series]:
    """Return the lesser of two leads in percent, clean and robust, and 0, by seed.

    A curve passes above a point if both its accuracies somewhere exceed the point's: the share is
    the one whose lesser lead is greatest by means over all other seeds, so that no seed is compared
    at a share that it chose itself.
    """
    leads = {
        share: {kind: _lead(runs, first, second, kind, share) for kind in KINDS} for share in SHARES
    }
    by_share = pd.DataFrame(
        {share: pd.DataFrame(of).apply(_over_others).min(axis=1) for share, of in leads.items()}
    ).dropna()
    best = by_share.idxmax(axis=1) if len(by_share) else pd.Series(dtype=object)
    lesser = {seed: min(leads[share][kind][seed] for kind in KINDS) for seed, share in best.items()}
    values = pd.Series(lesser, dtype=float)
    return values, 0 * values


def _lead(runs: Runs, first: Side, second: Side, kind: str, share: str) -> pd.Series:
    """Return the lead at a share; the second's one normalisation makes a share mean nothing."""
    ours = column(runs, f"{kind}_accuracy_at_{share}", first.settings[0])
    return 100 * (ours - column(runs, f"{kind}_accuracy_at_0", second.settings[0]))


def _over_others(values: pd.Series) -> pd.Series:
    """Return the mean over all other seeds, by seed; of a single seed nan."""
    return (values.sum() - values) / (len(values) - 1)


# --- all --------------------------------------------------------------------------------------

MEASURES: Mapping[str, Measured] = {
    "log_training_loss": ClaimMeasure(log_training_loss),
    "influence_slope": ClaimMeasure(influence_slope),
    "delta_eo": plain("delta_eo"),
    "balanced_accuracy": share_right("balanced_accuracy"),
    "accuracy_1": share_right("accuracy_1", 0.5, answered=True),
    "leak": plain("leak"),
    "leak_by_chance": plain("leak_by_chance"),
    # What runs keep of their answers is the whole network's.
    **{
        f"accuracy_x{width}": share_right(f"accuracy_x{width}", answered=width == "1")
        for width in WIDTHS
    },
    **{
        f"domain_{domain}_accuracy_x{width}": _domain_accuracy(domain, width)
        for domain, width in product(DOMAINS, WIDTHS)
    },
    "spread_over_domains_x1": ClaimMeasure(spread_over_domains),
    "spread_of_drops_x1": ClaimMeasure(spread_of_drops),
    "rounds_to_common": PairedMeasure(rounds_to_common),
    **{
        name: share_right(name)
        for name in starmap("{}_accuracy_x{}_at_{}".format, product(KINDS, WIDTHS, ("0", "1")))
    },
    "lead_at_best_share": PairedMeasure(lead_at_best_share),
    "own_share": plain("own_share", factor=100),
    "inherent_share": plain("inherent_share", factor=100),
}
