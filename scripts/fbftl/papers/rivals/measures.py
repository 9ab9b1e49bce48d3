"""Measures of claims that one-shot rivals alone make: none."""

from collections.abc import Mapping

from fbftl.papers.measures import Measured

MEASURES: Mapping[str, Measured] = {}
