"""Findings about private budgets (paper thesis, ch. 2)."""

from collections.abc import Mapping
from math import floor, log, sqrt

import numpy as np
import pandas as pd

from fbftl.findings.published import Numbers, by_quantity
from fbftl.papers.audit import AuditRow, finding
from fbftl.privacy.accounting import loose_zcdp_rho, schedule_budget
from fbftl.privacy.schedules import (
    best_steps,
    dynamic_bound,
    printed_steps,
    spent,
    uniform,
)

GAMMA, STEPS = 0.9, 50
"""Where A2 evaluates a schedule."""

KAPPA, ALPHA = 100, 1e-4
"""Where A3 evaluates the number of steps."""


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return this system's rows, from `ch2`, what the chapter prints."""
    printed = by_quantity(published["ch2"])
    return [row(printed) for row in (a1, a2, a3, a4, a5, a6, a7, a8, a9)]


def a1(printed: Numbers) -> AuditRow:
    """The inverse conversion as it is printed."""
    epsilon, least = float(printed["epsilon"]), log(1 / float(printed["delta"]))
    by_plus = (sqrt(least + epsilon) + sqrt(least)) ** 2
    return finding("A1", [printed["rho"]], [by_plus], "{:.1f}")


def a2(printed: Numbers) -> AuditRow:
    """The closed form of the best schedule as it is printed."""
    budget, root = float(printed["budget"]), sqrt(GAMMA)
    factor = sqrt(GAMMA**-STEPS - 1) / (1 - root) / budget
    cost = spent(np.sqrt(factor * root ** np.arange(1, STEPS + 1)))
    return finding("A2", [printed["budget"]], [cost], "{:.3f}", steps=STEPS, gamma=GAMMA)


def a3(printed: Numbers) -> AuditRow:
    """The best number of steps as it is printed."""
    gamma, steps = 1 - 1 / KAPPA, floor(printed_steps(ALPHA, KAPPA))
    best = best_steps(dynamic_bound, ALPHA, gamma, 2 * steps)
    at_printed, at_best = (dynamic_bound(t, ALPHA, gamma) for t in (steps, best))
    return finding(
        "A3",
        [printed["bound_at_most"]],
        [at_printed],
        "{:.1f}",
        printed="at most {}",
        kappa=KAPPA,
        alpha=ALPHA,
        steps=steps,
        best=best,
        at_best=at_best,
    )


def a4(printed: Numbers) -> AuditRow:
    """The strict test of the budget."""
    budget, steps = float(printed["budget"]), int(printed["most_steps"])
    left, taken = budget, 0
    for cost in uniform(budget, steps) ** -2.0:
        # To the rounding of sums, which would decide on the last step.
        if cost >= left * (1 - 1e-9):
            break
        left, taken = left - cost, taken + 1
    return finding("A4", [steps], [taken])


def a5(printed: Numbers) -> AuditRow:
    """The worked example of the momentum bound."""
    beta, gamma = float(printed["example_beta"]), float(printed["example_gamma"])
    inside = 1 + 64 * beta * gamma * (gamma - beta) ** -2 * (1 - beta) ** -3
    most = 8 / (sqrt(inside) + 1)
    return finding("A5", [printed["example_rate"]], [most], "{:.4f}")


def a6(printed: Numbers) -> AuditRow:
    """The budget by zCDP."""
    rho = loose_zcdp_rho(float(printed["epsilon"]), float(printed["delta"]))
    both = [printed["rho"], printed["budget"]]
    return finding("A6", both, [rho, 2 * rho], "{:.6f}", between=", ")


def a7(printed: Numbers) -> AuditRow:
    """The budget by the exact accountant."""
    exact = schedule_budget(float(printed["epsilon"]), float(printed["delta"]), "exact")
    more = exact / float(printed["budget"]) - 1
    return finding("A7", [printed["budget"]], [exact], "{:.5f}", more=more)


def a8(printed: Numbers) -> AuditRow:
    """What the stability bounds leave out."""
    clip, rate = float(printed["clip"]), float(printed["learning_rate"])
    steps, samples = int(printed["most_steps"]), int(printed["samples"])
    left_out = clip**2 * rate * steps / samples
    inputs, hidden = int(printed["components"]), int(printed["hidden_units"])
    weights = (inputs + 1) * hidden + hidden + 1
    kept = weights / (samples**2 * float(printed["budget"]))
    return finding("A8", "left out", f"{left_out:.2f} beside {kept:.2f}")


def a9(printed: Numbers) -> AuditRow:
    """What the budget does not cover."""
    return finding("A9", [printed["epsilon"]], "without a bound")
