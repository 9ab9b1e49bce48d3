"""Functions of claims of paper thesis: bounds and counts, which need no runs."""

from collections.abc import Callable
from itertools import pairwise

from fbftl.papers.formulas import Decision, FormulaCase
from fbftl.papers.thesis import work_of_widths
from fbftl.privacy.schedules import best_steps, dynamic_bound, uniform_bound

KAPPA = 100
"""Condition number at which the bounds are evaluated."""


MOST_STEPS = 4000
"""Among which the best number of steps is looked for."""

NEAR = 0.1
"""Share up to which growth from one N to the next counts as the same."""

STEPS, DECAY = 100, 3.0
"""Where the schedules' cost is evaluated."""

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
        method: work_of_widths.trained_by_client(data, method)
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
