"""Measures of claims that paper survey alone makes."""

from collections.abc import Mapping

from fbftl.papers.measures import Measured, plain

MEASURES: Mapping[str, Measured] = {
    f"matched_{index}": plain(f"matched_{index}") for index in ("cka", "cca", "regression")
}
"""Share of models whose most similar other model has their labels, by index of similarity."""
