"""What the audit rows of paper fbftl read."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import pandas as pd

from fbftl.cost.payload import Federation
from fbftl.findings.published import Numbers, by_quantity
from fbftl.papers.fbftl.setup import federation


@dataclass(frozen=True)
class Evidence:
    """What the rows read.

    published: tables of `published/fbftl/` by name.
    mean_tokens: mean length of real dialogues, a lower bound if counted in words.
    """

    published: Mapping[str, pd.DataFrame]
    mean_tokens: Fraction | None = None

    @cached_property
    def stated(self) -> Numbers:
        """What the paper's text says in numbers."""
        return by_quantity(self.published["statements"])

    @cached_property
    def script(self) -> Numbers:
        """What the public script does, in numbers."""
        return by_quantity(self.published["script"])

    @property
    def cifar10(self) -> Federation:
        """The clients of the CIFAR-10 experiment."""
        return federation(self.published["setup"], "cifar10")

    @property
    def samsum(self) -> Federation:
        """The clients of the SAMSum experiment."""
        return federation(self.published["setup"], "samsum")
