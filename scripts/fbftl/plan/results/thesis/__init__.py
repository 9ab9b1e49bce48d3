"""Thesis: noise, fairness, models of every width, and bought public samples (ch. 2 to 5)."""

from fbftl.plan import paths
from fbftl.plan.entries import CLAIMS_OF_PAPER, Entry, Result
from fbftl.plan.results.thesis import noise, purchases, widths

OF_EXPERIMENT = noise.OF_EXPERIMENT | widths.OF_EXPERIMENT | purchases.OF_EXPERIMENT

OF_PAPER: list[Entry] = [
    *CLAIMS_OF_PAPER,
    Result("tabulate_thesis.budget_bounds", "privacy", "Bounds by condition number"),
    Result(
        "plot_thesis.budget_bounds", "privacy", "Bounds by condition number",
        {"table": paths.of_paper("thesis", "tables/budget_bounds.csv")},
    ),
]  # fmt: skip
