"""Claims about private budgets (paper thesis, ch. 2).

Settings are fixed beforehand: rows, steps and decay are the same for every seed, and none was
chosen on what the claims look at. Schedules are about training loss, and so is the claim.
"""

from fbftl.findings.comparison import Claimed, within
from fbftl.papers.claims import BySeed, Claim, Runs

SECTION = "Ch. 2, Fig. 2.1"

FEW, MANY = 0.3333, 0.6667
"""Shares of 300 rows: 100 and 200 of them."""


def descent(runs: Runs, measure: str, **axes: object) -> BySeed:
    """Return a measure of noisy descent under the paper's budget, by seed."""
    printed = {"mechanism": "dp_gd", "epsilon": 4.0, "accountant": "zcdp"}
    return runs.measured(measure, method="private_gd", **printed, **axes)


def falling(decay: float) -> dict[str, object]:
    """Return the axes of noise whose variance falls by a factor."""
    return {"schedule": "exp", "decay": decay}


def _losses(runs: Runs) -> tuple[BySeed, BySeed]:
    return (
        descent(runs, "training_loss", fraction=MANY, **falling(3.0)),
        descent(runs, "training_loss", fraction=MANY),
    )


def _accuracy(runs: Runs, **axes: object) -> BySeed:
    share = descent(runs, "test_accuracy", **axes)
    return BySeed(100 * share.values, share.diverged)


BUDGET = (
    Claim(
        "Noise that falls by 3 in variance leaves at most 0.93 of even noise's training loss "
        "(200 rows, 100 steps)",
        SECTION,
        _losses,
        Claimed(low=1 / 0.93),
        ratio=True,
    ),
    Claim(
        "Noise that falls by 3 leaves less training loss than even noise, in 80 % of the seeds "
        "(200 rows, 100 steps)",
        SECTION,
        _losses,
        Claimed(low=1.0, share=0.8),
        ratio=True,
    ),
    Claim(
        "Noise may fall too fast: by 10 it leaves more training loss than by 3 "
        "(100 rows, 150 steps)",
        SECTION,
        lambda r: (
            descent(r, "training_loss", fraction=FEW, steps=150, **falling(3.0)),
            descent(r, "training_loss", fraction=FEW, steps=150, **falling(10.0)),
        ),
        Claimed(low=1.0),
        ratio=True,
    ),
    Claim(
        "In test accuracy falling noise makes less than a point of difference "
        "(200 rows, 100 steps)",
        SECTION,
        lambda r: (
            _accuracy(r, fraction=MANY),
            _accuracy(r, fraction=MANY, **falling(3.0)),
        ),
        within(1.0),
    ),
)
