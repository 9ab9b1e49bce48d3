"""What sentences about private budgets (paper thesis, ch. 2) compare, and what is ours.

Settings are fixed beforehand: rows, steps and decay are the same for every seed, and none was
chosen on what the claims look at.
"""

from collections.abc import Mapping
from typing import Any

from fbftl.papers.quantities import ByPart, BySeed, Runs, Sides, accuracies, measures

EVEN = {"method": "private_gd", "mechanism": "dp_gd", "epsilon": 4.0, "accountant": "zcdp"}
"""Noisy descent under the paper's budget, in 100 steps."""

ROWS: Mapping[str, Mapping[str, Any]] = {
    "100": {"fraction": 0.3333},
    "200": {"fraction": 0.6667},
    "300": {},
}
"""Of 300 rows."""

BY_3, BY_10 = ({"schedule": "exp", "decay": decay} for decay in (3.0, 10.0))
"""Noise whose variance falls by a factor."""

MOMENTUM = {"descent_momentum": 0.9}


def _gain(runs: Runs, schedule: Mapping[str, Any], axes: Mapping[str, Any]) -> BySeed:
    """Return how many times a schedule's training loss even noise leaves."""
    even, falling = (
        runs.measured("training_loss", **EVEN, **axes, **more) for more in ({}, schedule)
    )
    return even / falling


def _by_rows(runs: Runs) -> Sides:
    return _gain(runs, BY_3, ROWS["300"]), _gain(runs, BY_3, ROWS["100"])


def _by_momentum(runs: Runs) -> Sides:
    rows = ROWS["200"]
    return _gain(runs, BY_3, {**rows, **MOMENTUM}), _gain(runs, BY_3, rows)


SENTENCES: Mapping[str, ByPart] = {
    "c2-01": {
        rows: measures("training_loss", EVEN | BY_3 | dict(axes), EVEN | dict(axes))
        for rows, axes in ROWS.items()
    },
    "c2-02": {
        rows: accuracies(EVEN | dict(axes), EVEN | BY_3 | dict(axes)) for rows, axes in ROWS.items()
    },
    "c2-03": {"rows": _by_rows},
    "c2-08": {"exp": _by_momentum},
    "c2-09": {
        "loss": measures(
            "training_loss", EVEN | dict(ROWS["200"]) | MOMENTUM, EVEN | dict(ROWS["200"])
        )
    },
}

FEW = {"fraction": 0.3333, "descent_steps": 150}

HYPOTHESES: ByPart = {
    "budget_too_fast": measures("training_loss", EVEN | FEW | BY_3, EVEN | FEW | BY_10),
}
