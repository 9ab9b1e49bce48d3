"""Findings about FADE (paper thesis, ch. 3)."""

from decimal import Decimal
from math import log

import numpy as np

from fbftl.methods.fade.group_leakage import guessed
from fbftl.papers.audit import AuditFinding, finding, judged
from fbftl.papers.record import PaperRecord

PAGE = "thesis-fade"

LOSSES = (0.1, 2.0)
"""Of two samples of a mini-batch, at which A32 takes both powers."""

STEP = 1e-3
"""Of A30, along the scale of two samples' logits."""

USERS, PICKED = 10, 2
"""Of A34: users with equally many samples, and how many a round picks."""


def a30(record: PaperRecord) -> AuditFinding:
    """The sign of the information in what the encoder minimises."""
    printed = record.numbers("ch3")
    # Which sign has a step down its gradient sharpen what z says of the class.
    slope = (information(1 + STEP) - information(1 - STEP)) / (2 * STEP)
    kept = next(s for s in (1, -1) if information(1 - STEP * s * slope) > information(1))
    return finding([printed["sign_of_information"]], [kept], printed="+{}")


def information(scale: float) -> float:
    """Return the information between two samples, of logits plus and minus a scale, and class."""
    certain = 1 / (1 + np.exp(-scale))
    return log(2) + certain * log(certain) + (1 - certain) * log(1 - certain)


def a31(record: PaperRecord) -> AuditFinding:
    """The least value of the adversarial objective, by the printed formula and by the right one."""

    def least(a1: float, a2: float, sign: int) -> float:
        return a1 * log(a1) + a2 * log(a2) + sign * (a1 + a2) * log(a1 + a2)

    printed = f"{least(1, 1, +1):.3f}"

    return finding([printed], [least(1, 1, -1)], "{:.3f}", printed="{} by its formula")


def a32(record: PaperRecord) -> AuditFinding:
    """The expectation of a power, and the power of an expectation."""
    power_of_mean = f"{np.mean(LOSSES) ** 2 / 2:.4f}"
    general = float(np.mean([loss**2 / 2 for loss in LOSSES]))
    forms = {"form": "{:.4f} by Eq. (3.7)", "printed": "{} by Eq. (3.6)"}
    return finding([power_of_mean], [general], **forms, low=LOSSES[0], high=LOSSES[1])


def a33(record: PaperRecord) -> AuditFinding:
    """The learning rate without its beginning."""
    printed = record.numbers("ch3")
    at_first = (1 + 10 * 0) ** -0.75
    return finding([printed["learning_rate"]], [at_first], "{:g}")


def a34(record: PaperRecord) -> AuditFinding:
    """The sum of the weights of an average."""
    printed = record.numbers("ch3")
    weights = PICKED * (1 / USERS)
    return finding([printed["sum_of_weights"]], [weights], "{:g}", picked=PICKED, users=USERS)


def a35(record: PaperRecord) -> AuditFinding:
    """Rows that the prose compares and no table has."""
    there = sum("+SHOT" in method for method in record.published["table3_1"]["method"].unique())
    return finding([record.number("ch3", quantity="rows_with_shot")], [there])


def a36(record: PaperRecord) -> AuditFinding:
    """What the discriminator's update gives away."""
    printed = record.numbers("ch3")
    chances = np.linspace(0.001, 0.999, 999)  # that D gives group 0
    moves = np.concatenate([1 - chances, -chances])[:, None]  # of its bias, from users of 0 and 1
    recovered = float((guessed(moves) == np.repeat([0, 1], len(chances))).mean())
    return finding([printed["updates_that_tell"]], [recovered], "{:g}")


def a37(record: PaperRecord) -> AuditFinding:
    """The averages of the nine tasks."""
    table = record.published["table3_1"]
    exact = table.assign(value=table["printed"].map(Decimal))
    of_tasks = exact[exact["transfer"] != "average"].groupby(["users", "method"], sort=False)
    means = of_tasks["value"].agg(lambda values: float(sum(values) / len(values)))
    averages = exact[exact["transfer"] == "average"].set_index(["users", "method"])["value"]
    off = [key for key in means.index if judged([averages[key]], [means[key]], "%") != "reproduced"]
    printed, computed = ([f"{of[key]:.1f}" for key in off] for of in (averages, means))
    shown = "; ".join(printed) or "all", "; ".join(computed) or "all"
    named = ", ".join(" ".join(key) for key in off)
    which = f"Off: {named}." if off else "Every average is that of its nine tasks."
    words = {"shown": shown, "rows": len(means), "which": which}
    return finding(list(averages[means.index]), list(means), unit="%", **words)
