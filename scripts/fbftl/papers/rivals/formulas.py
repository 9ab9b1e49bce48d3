"""What decides sentences of one-shot rivals that need no runs: nothing computes any yet."""

from collections.abc import Mapping

from fbftl.papers.formulas import Decides

FORMULAS: Mapping[str, Decides] = {}
