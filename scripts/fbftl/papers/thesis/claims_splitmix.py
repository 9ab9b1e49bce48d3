"""Claims of Split-Mix (paper thesis, ch. 4), on clients whose budgets follow their domains."""

from typing import Any

from fbftl.findings.comparison import MORE, Claimed
from fbftl.papers.claims import NOTHING, BySeed, Claim, Runs, Sides

SECTION = "Sec. 4.5, Table 4.1"
SEEDS = 5

BASE = {"network": "mlp", "width": 0.125}
NARROWER = (0.125, 0.25, 0.5)


def at(runs: Runs, method: str, width: float, **axes: Any) -> BySeed:
    """Return a method's accuracy in percent at a width; a diverged seed has 0."""
    found = runs.measured(f"accuracy_x{width:g}", method=method, **BASE, **axes)
    return BySeed(100 * found.values, found.diverged)


def best_narrower(runs: Runs, method: str) -> BySeed:
    """Return the accuracy at the narrower width that is best in the mean over seeds."""
    found = [at(runs, method, width) for width in NARROWER]
    run = [one for one in found if not one.values.empty]
    return max(run, key=lambda one: one.values.mean()) if run else NOTHING


def _by_method(runs: Runs, **axes: Any) -> Sides:
    return at(runs, "sheterofl", 1, **axes), at(runs, "splitmix", 1, **axes)


def _wider(width: float) -> Claim:
    return Claim(
        f"Split-Mix at twice the width {width:g} loses less than a point",
        SECTION,
        lambda r: (at(r, "splitmix", width), at(r, "splitmix", 2 * width)),
        Claimed(low=-1, seeds=SEEDS),
    )


SPLITMIX = (
    Claim(
        "SHeteroFL is at full width at least 10 points below its best narrower width",
        SECTION,
        lambda r: (at(r, "sheterofl", 1), best_narrower(r, "sheterofl")),
        Claimed(low=10, seeds=SEEDS),
    ),
    Claim(
        "Split-Mix is at full width at least 15 points above SHeteroFL",
        SECTION,
        _by_method,
        Claimed(low=15, seeds=SEEDS),
    ),
    Claim(
        "Split-Mix is at full width above SHeteroFL, in every seed",
        SECTION,
        _by_method,
        Claimed(share=1, seeds=SEEDS),
    ),
    *map(_wider, NARROWER),
    Claim(
        "Split-Mix gains at least 10 points from one base to full width",
        SECTION,
        lambda r: (at(r, "splitmix", 0.125), at(r, "splitmix", 1)),
        Claimed(low=10, seeds=SEEDS),
    ),
    Claim(
        "Split-Mix is at full width at least 10 points above the one FedAvg that fits all budgets",
        SECTION,
        lambda r: (r.accuracy(method="fedavg", **BASE), at(r, "splitmix", 1)),
        Claimed(low=10, seeds=SEEDS),
    ),
    Claim(
        "With budgets spread over the domains SHeteroFL is at full width above Split-Mix "
        "(ours: a negative control)",
        SECTION,
        lambda r: _by_method(r, budget_order="spread")[::-1],
        Claimed(low=MORE.low, seeds=SEEDS),
    ),
)
