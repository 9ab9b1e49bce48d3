"""Findings about FADE (paper thesis, ch. 3)."""

from collections.abc import Mapping
from decimal import Decimal
from math import log

import numpy as np
import pandas as pd

from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged
from fbftl.privacy.group_leakage import guessed

LOSSES = (0.1, 2.0)
"""Of two samples of a mini-batch, at which A32 takes both powers."""

STEP = 1e-3
"""Of A30, along the scale of two samples' logits."""

USERS, PICKED = 10, 2
"""Of A34: users with equally many samples, and how many a round picks."""


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return this system's rows, from `ch3` and the chapter's tables."""
    told = published["ch3"]
    printed = {name: lookup(told, quantity=name) for name in told["quantity"]}
    found = [a30(printed), a31(), a32(), a33(printed), a34(printed)]
    tables = published["table3_1"], published["table3_2"]
    return [*found, a35(printed, tables[0]), a36(printed), a37(tables[0])]


def a30(printed: Mapping[str, Decimal]) -> AuditRow:
    """The sign of the information in what the encoder minimises."""
    # Which sign has a step down its gradient sharpen what z says of the class.
    slope = (information(1 + STEP) - information(1 - STEP)) / (2 * STEP)
    kept = next(s for s in (1, -1) if information(1 - STEP * s * slope) > information(1))
    return AuditRow(
        "A30",
        "Sec. 3.4.4, loss against collapse",
        f"+{printed['sign_of_information']}",
        str(kept),
        "sign of the information",
        judged([printed["sign_of_information"]], [kept]),
        "Printed with a plus in a sum that the encoder minimises, which would remove the class.",
    )


def information(scale: float) -> float:
    """Return the information between two samples, of logits plus and minus a scale, and class."""
    certain = 1 / (1 + np.exp(-scale))
    return log(2) + certain * log(certain) + (1 - certain) * log(1 - certain)


def a31() -> AuditRow:
    """The least value of the adversarial objective, by the printed formula and by the right one."""

    def least(a1: float, a2: float, sign: int) -> float:
        return a1 * log(a1) + a2 * log(a2) + sign * (a1 + a2) * log(a1 + a2)

    printed = f"{least(1, 1, +1):.3f}"

    return AuditRow(
        "A31",
        "Thm 13, minimum at a1 = a2 = 1",
        f"{printed} by its formula",
        f"{least(1, 1, -1):.3f}",
        "nats",
        judged([printed], [least(1, 1, -1)]),
        "Both numbers are computed here: the thesis prints the formula, its last term with a plus; "
        "at D = 1/2 both expectations are ln 1/2.",
    )


def a32() -> AuditRow:
    """The expectation of a power, and the power of an expectation."""
    power_of_mean = f"{np.mean(LOSSES) ** 2 / 2:.4f}"
    general = float(np.mean([loss**2 / 2 for loss in LOSSES]))
    return AuditRow(
        "A32",
        f"Eqs. (3.6) and (3.7), q = 2 on losses {LOSSES[0]:g} and {LOSSES[1]:g}",
        f"{power_of_mean} by Eq. (3.6)",
        f"{general:.4f} by Eq. (3.7)",
        "nats squared",
        judged([power_of_mean], [general]),
        "Both numbers are computed here, of two losses that are ours. The squared loss takes the "
        "mean first, its general form the power first; the code takes the mean.",
    )


def a33(printed: Mapping[str, Decimal]) -> AuditRow:
    """The learning rate without its beginning."""
    at_first = (1 + 10 * 0) ** -0.75
    return AuditRow(
        "A33",
        "App. B, learning rate at t = 0",
        str(printed["learning_rate"]),
        f"{at_first:g}",
        "per step",
        judged([printed["learning_rate"]], [at_first]),
        "The schedule is printed without eta_0, so that every experiment would begin at 1.",
    )


def a34(printed: Mapping[str, Decimal]) -> AuditRow:
    """The sum of the weights of an average."""
    weights = PICKED * (1 / USERS)
    return AuditRow(
        "A34",
        f"Alg. 3.2, weights n_i / N, {PICKED} of {USERS} equal users",
        str(printed["sum_of_weights"]),
        f"{weights:g}",
        "of the weights",
        judged([printed["sum_of_weights"]], [weights]),
        "N is not defined; the samples of all users shrink the model, those of the picked do not.",
    )


def a35(printed: Mapping[str, Decimal], table: pd.DataFrame) -> AuditRow:
    """Rows that the prose compares and no table has."""
    there = sum("+SHOT" in method for method in table["method"].unique())
    return AuditRow(
        "A35",
        "Table 3.1, rows with +SHOT",
        str(printed["rows_with_shot"]),
        str(there),
        "rows",
        judged([printed["rows_with_shot"]], [there]),
        "Wins on 8 of 9 tasks at one user a round, and averages at 1 to 4, cannot be checked.",
    )


def a36(printed: Mapping[str, Decimal]) -> AuditRow:
    """What the discriminator's update gives away."""
    chances = np.linspace(0.001, 0.999, 999)  # that D gives group 0
    moves = np.concatenate([1 - chances, -chances])[:, None]  # of its bias, from users of 0 and 1
    told = float((guessed(moves) == np.repeat([0, 1], len(chances))).mean())
    return AuditRow(
        "A36",
        "Sec. 3.1, the group stays with the user",
        str(printed["updates_that_tell"]),
        f"{told:g}",
        "of open updates tell the group",
        judged([printed["updates_that_tell"]], [told]),
        "A user of one group pushes the output bias towards it at any weights; only a sum of "
        "several users, or noise on the update, can hide it.",
    )


def a37(table: pd.DataFrame) -> AuditRow:
    """The averages of the nine tasks."""
    exact = table.assign(value=table["printed"].map(Decimal))
    of_tasks = exact[exact["transfer"] != "average"].groupby(["users", "method"], sort=False)
    means = of_tasks["value"].agg(lambda own: float(sum(own) / len(own)))
    averages = exact[exact["transfer"] == "average"].set_index(["users", "method"])["value"]
    off = [key for key in means.index if judged([averages[key]], [means[key]], "%") != "reproduced"]
    printed, computed = ([f"{of[key]:.1f}" for key in off] for of in (averages, means))
    named = ", ".join(" ".join(key) for key in off)
    return AuditRow(
        "A37",
        f"Table 3.1, averages of {len(means)} rows",
        "; ".join(printed) or "all",
        "; ".join(computed) or "all",
        "%",
        judged(list(averages[means.index]), list(means), "%"),
        f"Off: {named}." if off else "Every average is that of its nine tasks.",
    )
