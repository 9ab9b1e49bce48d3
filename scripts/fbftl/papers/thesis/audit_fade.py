"""Findings about FADE (paper thesis, ch. 3)."""

from collections.abc import Mapping
from decimal import Decimal
from math import log

import numpy as np
import pandas as pd

from fbftl.findings.published import Numbers, by_quantity
from fbftl.methods.fade.group_leakage import guessed
from fbftl.papers.audit import AuditRow, finding, judged

LOSSES = (0.1, 2.0)
"""Of two samples of a mini-batch, at which A32 takes both powers."""

STEP = 1e-3
"""Of A30, along the scale of two samples' logits."""

USERS, PICKED = 10, 2
"""Of A34: users with equally many samples, and how many a round picks."""


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return this system's rows, from `ch3` and `table3_1`."""
    printed, table = by_quantity(published["ch3"]), published["table3_1"]
    untabled = [a30(printed), a31(), a32(), a33(printed), a34(printed)]
    return [*untabled, a35(printed, table), a36(printed), a37(table)]


def a30(printed: Numbers) -> AuditRow:
    """The sign of the information in what the encoder minimises."""
    # Which sign has a step down its gradient sharpen what z says of the class.
    slope = (information(1 + STEP) - information(1 - STEP)) / (2 * STEP)
    kept = next(s for s in (1, -1) if information(1 - STEP * s * slope) > information(1))
    return finding("A30", [printed["sign_of_information"]], [kept], printed="+{}")


def information(scale: float) -> float:
    """Return the information between two samples, of logits plus and minus a scale, and class."""
    certain = 1 / (1 + np.exp(-scale))
    return log(2) + certain * log(certain) + (1 - certain) * log(1 - certain)


def a31() -> AuditRow:
    """The least value of the adversarial objective, by the printed formula and by the right one."""

    def least(a1: float, a2: float, sign: int) -> float:
        return a1 * log(a1) + a2 * log(a2) + sign * (a1 + a2) * log(a1 + a2)

    printed = f"{least(1, 1, +1):.3f}"

    return finding("A31", [printed], [least(1, 1, -1)], "{:.3f}", printed="{} by its formula")


def a32() -> AuditRow:
    """The expectation of a power, and the power of an expectation."""
    power_of_mean = f"{np.mean(LOSSES) ** 2 / 2:.4f}"
    general = float(np.mean([loss**2 / 2 for loss in LOSSES]))
    return finding(
        "A32",
        [power_of_mean],
        [general],
        "{:.4f} by Eq. (3.7)",
        printed="{} by Eq. (3.6)",
        low=LOSSES[0],
        high=LOSSES[1],
    )


def a33(printed: Numbers) -> AuditRow:
    """The learning rate without its beginning."""
    at_first = (1 + 10 * 0) ** -0.75
    return finding("A33", [printed["learning_rate"]], [at_first], "{:g}")


def a34(printed: Numbers) -> AuditRow:
    """The sum of the weights of an average."""
    weights = PICKED * (1 / USERS)
    return finding(
        "A34", [printed["sum_of_weights"]], [weights], "{:g}", picked=PICKED, users=USERS
    )


def a35(printed: Numbers, table: pd.DataFrame) -> AuditRow:
    """Rows that the prose compares and no table has."""
    there = sum("+SHOT" in method for method in table["method"].unique())
    return finding("A35", [printed["rows_with_shot"]], [there])


def a36(printed: Numbers) -> AuditRow:
    """What the discriminator's update gives away."""
    chances = np.linspace(0.001, 0.999, 999)  # that D gives group 0
    moves = np.concatenate([1 - chances, -chances])[:, None]  # of its bias, from users of 0 and 1
    recovered = float((guessed(moves) == np.repeat([0, 1], len(chances))).mean())
    return finding("A36", [printed["updates_that_tell"]], [recovered], "{:g}")


def a37(table: pd.DataFrame) -> AuditRow:
    """The averages of the nine tasks."""
    exact = table.assign(value=table["printed"].map(Decimal))
    of_tasks = exact[exact["transfer"] != "average"].groupby(["users", "method"], sort=False)
    means = of_tasks["value"].agg(lambda values: float(sum(values) / len(values)))
    averages = exact[exact["transfer"] == "average"].set_index(["users", "method"])["value"]
    off = [key for key in means.index if judged([averages[key]], [means[key]], "%") != "reproduced"]
    printed, computed = ([f"{of[key]:.1f}" for key in off] for of in (averages, means))
    named = ", ".join(" ".join(key) for key in off)
    verdict = judged(list(averages[means.index]), list(means), "%")
    shown = "; ".join(printed) or "all", "; ".join(computed) or "all"
    which = f"Off: {named}." if off else "Every average is that of its nine tasks."
    return AuditRow("A37", *shown, verdict, {"rows": len(means), "which": which})
