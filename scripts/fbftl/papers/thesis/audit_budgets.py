"""Findings about private budgets (paper thesis, ch. 2)."""

from math import floor, log, sqrt

import numpy as np

from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.record import PaperRecord
from fbftl.privacy.accounting import loose_zcdp_rho, schedule_budget
from fbftl.privacy.schedules import best_steps, dynamic_bound, printed_steps, spent, uniform

PAGE = "thesis-budgets"

GAMMA, STEPS = 0.9, 50
"""Where A2 evaluates a schedule."""

KAPPA, ALPHA = 100, 1e-4
"""Where A3 evaluates the number of steps."""


def a1(record: PaperRecord) -> AuditFinding:
    """The inverse conversion as it is printed."""
    printed = record.numbers("ch2")
    epsilon, least = float(printed["epsilon"]), log(1 / float(printed["delta"]))
    by_plus = (sqrt(least + epsilon) + sqrt(least)) ** 2
    return finding([printed["rho"]], [by_plus], "{:.1f}")


def a2(record: PaperRecord) -> AuditFinding:
    """The closed form of the best schedule as it is printed."""
    printed = record.numbers("ch2")
    budget, root = float(printed["budget"]), sqrt(GAMMA)
    factor = sqrt(GAMMA**-STEPS - 1) / (1 - root) / budget
    cost = spent(np.sqrt(factor * root ** np.arange(1, STEPS + 1)))
    return finding([printed["budget"]], [cost], "{:.3f}", steps=STEPS, gamma=GAMMA)


def a3(record: PaperRecord) -> AuditFinding:
    """The best number of steps as it is printed."""
    printed = record.numbers("ch2")
    gamma, steps = 1 - 1 / KAPPA, floor(printed_steps(ALPHA, KAPPA))
    best = best_steps(dynamic_bound, ALPHA, gamma, 2 * steps)
    at_printed, at_best = (dynamic_bound(t, ALPHA, gamma) for t in (steps, best))
    words = {"kappa": KAPPA, "alpha": ALPHA, "steps": steps, "best": best, "at_best": at_best}
    most = [printed["bound_at_most"]]
    return finding(most, [at_printed], "{:.1f}", printed="at most {}", **words)


def a4(record: PaperRecord) -> AuditFinding:
    """The strict test of the budget."""
    printed = record.numbers("ch2")
    budget, steps = float(printed["budget"]), int(printed["most_steps"])
    left, taken = budget, 0
    for cost in uniform(budget, steps) ** -2.0:
        # To the rounding of sums, which would decide on the last step.
        if cost >= left * (1 - 1e-9):
            break
        left, taken = left - cost, taken + 1
    return finding([steps], [taken])


def a5(record: PaperRecord) -> AuditFinding:
    """The worked example of the momentum bound."""
    printed = record.numbers("ch2")
    beta, gamma = float(printed["example_beta"]), float(printed["example_gamma"])
    inside = 1 + 64 * beta * gamma * (gamma - beta) ** -2 * (1 - beta) ** -3
    most = 8 / (sqrt(inside) + 1)
    return finding([printed["example_rate"]], [most], "{:.4f}")


def a6(record: PaperRecord) -> AuditFinding:
    """The budget by zCDP."""
    printed = record.numbers("ch2")
    rho = loose_zcdp_rho(float(printed["epsilon"]), float(printed["delta"]))
    both = [printed["rho"], printed["budget"]]
    return finding(both, [rho, 2 * rho], "{:.6f}", between=", ")


def a7(record: PaperRecord) -> AuditFinding:
    """The budget by the exact accountant."""
    printed = record.numbers("ch2")
    exact = schedule_budget(float(printed["epsilon"]), float(printed["delta"]), "exact")
    more = exact / float(printed["budget"]) - 1
    return finding([printed["budget"]], [exact], "{:.5f}", more=more)


def a8(record: PaperRecord) -> AuditFinding:
    """What the stability bounds leave out."""
    printed = record.numbers("ch2")
    clip, rate = float(printed["clip"]), float(printed["learning_rate"])
    steps, samples = int(printed["most_steps"]), int(printed["samples"])
    left_out = clip**2 * rate * steps / samples
    inputs, hidden = int(printed["components"]), int(printed["hidden_units"])
    weights = (inputs + 1) * hidden + hidden + 1
    kept = weights / (samples**2 * float(printed["budget"]))
    return finding("left out", f"{left_out:.2f} beside {kept:.2f}")


def a9(record: PaperRecord) -> AuditFinding:
    """What the budget does not cover."""
    printed = record.numbers("ch2")
    return finding([printed["epsilon"]], "without a bound")
