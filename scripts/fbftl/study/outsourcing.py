"""What settings of ECOS may ask of a cloud, and which of their axes mean nothing."""

from typing import Any

COUNTING = ("ecos", "proximity")
"""Choices of public rows that rest on counts of the clients' rows."""

OF_ROWS = ("choice", "labels", "purpose")
"""Axes of what is bought, whichever way it is chosen."""

OF_SHARES = ("allocation", "score_power")
"""Axes of a purchase that is shared out over clusters."""

OF_COUNTS = ("centroids", "sampling", "mechanism", "sigma", "epsilon", "aggregation")
"""Axes of counts, which nobody sends for other choices."""


def idle(setting: Any) -> list[str]:
    """Return the axes of a setting that mean nothing beside its others."""
    if setting.method != "ecos":
        return []
    axes: list[str] = []
    if setting.purchase == 0:
        axes += OF_ROWS
    if setting.purchase == 0 or setting.choice != "ecos":
        axes += OF_SHARES
    if setting.purchase == 0 or setting.choice not in COUNTING:
        axes += OF_COUNTS
        if setting.uploaders == 0:
            axes.append("bits")
    return axes


def faults(setting: Any) -> dict[str, bool]:
    """Return what a setting says against itself."""
    return {
        "buys nothing and has nobody upload, so that there is nothing to train on; give purchase "
        "or uploaders": setting.method == "ecos" and setting.purchase == setting.uploaders == 0,
    }
