"""Findings about private budgets (paper thesis, ch. 2)."""

from collections.abc import Mapping
from decimal import Decimal
from math import floor, log, sqrt

import numpy as np
import pandas as pd

from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged
from fbftl.privacy.accounting import schedule_budget, zcdp_rho
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
    printed = {
        name: lookup(published["ch2"], quantity=name) for name in published["ch2"]["quantity"]
    }
    return [row(printed) for row in (a1, a2, a3, a4, a5, a6, a7, a8, a9)]


def a1(printed: Mapping[str, Decimal]) -> AuditRow:
    """The inverse conversion as it is printed."""
    epsilon, least = float(printed["epsilon"]), log(1 / float(printed["delta"]))
    by_plus = (sqrt(least + epsilon) + sqrt(least)) ** 2
    return AuditRow(
        "A1",
        "Lemma 4, inverse conversion",
        str(printed["rho"]),
        f"{by_plus:.1f}",
        "ρ",
        judged([printed["rho"]], [by_plus]),
        "Printed with a plus between the roots; the minus gives the ρ that the experiments use.",
    )


def a2(printed: Mapping[str, Decimal]) -> AuditRow:
    """The closed form of the best schedule as it is printed."""
    budget, root = float(printed["budget"]), sqrt(GAMMA)
    factor = sqrt(GAMMA**-STEPS - 1) / (1 - root) / budget
    cost = spent(np.sqrt(factor * root ** np.arange(1, STEPS + 1)))
    return AuditRow(
        "A2",
        f"Thm 4, schedule at T = {STEPS}, γ = {GAMMA}",
        str(printed["budget"]),
        f"{cost:.3f}",
        "Σ 1/σ²",
        judged([printed["budget"]], [cost]),
        "The -1 stands under the root and belongs outside; part of the budget stays unspent.",
    )


def a3(printed: Mapping[str, Decimal]) -> AuditRow:
    """The best number of steps as it is printed."""
    gamma, steps = 1 - 1 / KAPPA, floor(printed_steps(ALPHA, KAPPA))
    best = best_steps(dynamic_bound, ALPHA, gamma, 2 * steps)
    at_printed, at_best = (dynamic_bound(t, ALPHA, gamma) for t in (steps, best))
    return AuditRow(
        "A3",
        f"Thm 4, best T at κ = {KAPPA}, α = {ALPHA:g}",
        f"at most {printed['bound_at_most']}",
        f"{at_printed:.1f}",
        "bound",
        judged([printed["bound_at_most"]], [at_printed]),
        f"The logarithm lacks a κ: T = {steps} instead of {best}, where the bound is "
        f"{at_best:.2f}; no step at all leaves 1.",
    )


def a4(printed: Mapping[str, Decimal]) -> AuditRow:
    """The strict test of the budget."""
    budget, steps = float(printed["budget"]), int(printed["most_steps"])
    left, taken = budget, 0
    for cost in uniform(budget, steps) ** -2.0:
        # To the rounding of sums, which would decide on the last step.
        if cost >= left * (1 - 1e-9):
            break
        left, taken = left - cost, taken + 1
    return AuditRow(
        "A4",
        "Alg. 2.1, even noise that spends R",
        str(steps),
        str(taken),
        "steps",
        judged([steps], [taken]),
        "A step is refused unless it costs less than what is left, so the last one is lost.",
    )


def a5(printed: Mapping[str, Decimal]) -> AuditRow:
    """The worked example of the momentum bound."""
    beta, gamma = float(printed["example_beta"]), float(printed["example_gamma"])
    inside = 1 + 64 * beta * gamma * (gamma - beta) ** -2 * (1 - beta) ** -3
    most = 8 / (sqrt(inside) + 1)
    return AuditRow(
        "A5",
        "Thm 5, largest η₀ at β = 0.9, γ = 0.99",
        str(printed["example_rate"]),
        f"{most:.4f}",
        "η₀",
        judged([printed["example_rate"]], [most]),
        "The formula beside the example gives a rate two orders of magnitude smaller.",
    )


def a6(printed: Mapping[str, Decimal]) -> AuditRow:
    """The budget by zCDP."""
    rho = zcdp_rho(float(printed["epsilon"]), float(printed["delta"]))
    return AuditRow(
        "A6",
        "Sec. 2.5, budget at (4, 1e-8)",
        f"{printed['rho']}, {printed['budget']}",
        f"{rho:.6f}, {2 * rho:.6f}",
        "ρ, R",
        judged([printed["rho"], printed["budget"]], [rho, 2 * rho]),
        "ρ = (√(ln 1/δ + ε) − √(ln 1/δ))², R = 2ρ. It is less than ε²/ln(1/δ) = 0.87, though the "
        "text says more.",
    )


def a7(printed: Mapping[str, Decimal]) -> AuditRow:
    """The budget by the exact accountant."""
    exact = schedule_budget(float(printed["epsilon"]), float(printed["delta"]), "exact")
    more = exact / float(printed["budget"]) - 1
    return AuditRow(
        "A7",
        "Sec. 2.5, budget at (4, 1e-8)",
        str(printed["budget"]),
        f"{exact:.5f}",
        "R",
        judged([printed["budget"]], [exact]),
        f"Full-batch Gaussian steps are one Gaussian release; exactly, (4, 1e-8) pays for "
        f"{more:.0%} more.",
    )


def a8(printed: Mapping[str, Decimal]) -> AuditRow:
    """What the stability bounds leave out."""
    clip, rate = float(printed["clip"]), float(printed["learning_rate"])
    steps, samples = int(printed["most_steps"]), int(printed["samples"])
    left_out = clip**2 * rate * steps / samples
    inputs, hidden = int(printed["components"]), int(printed["hidden_units"])
    weights = (inputs + 1) * hidden + hidden + 1
    kept = weights / (samples**2 * float(printed["budget"]))
    return AuditRow(
        "A8",
        "Table 2.2, stability",
        "left out",
        f"{left_out:.2f} beside {kept:.2f}",
        "G²ηT/N beside D/(N²R)",
        judged([], [left_out]),
        "The rows drop G²ηT/N, which at the paper's own settings is larger than what they keep.",
    )


def a9(printed: Mapping[str, Decimal]) -> AuditRow:
    """What the budget does not cover."""
    return AuditRow(
        "A9",
        "Sec. 2.4 and 2.5",
        str(printed["epsilon"]),
        "without a bound",
        "ε",
        judged([printed["epsilon"]], []),
        "PCA, centring, spread and largest norm are taken from private data, and T, η and the best "
        "of several runs are chosen on them; none of it is charged.",
    )
