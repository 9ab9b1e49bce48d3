"""What the audit rows of paper fbftl read."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import pandas as pd

from fbftl.cost.payload import Federation
from fbftl.papers.fbftl.setup import federation


@dataclass(frozen=True)
class Evidence:
    """What the rows read.

    published: tables of `published/fbftl/` by name.
    mean_tokens: mean length of real dialogues, a lower bound if counted in words.
    """

    published: Mapping[str, pd.DataFrame]
    mean_tokens: Fraction | None = None

    @property
    def cifar10(self) -> Federation:
        """The clients of the CIFAR-10 experiment."""
        return federation(self.published["setup"], "cifar10")

    @property
    def samsum(self) -> Federation:
        """The clients of the SAMSum experiment."""
        return federation(self.published["setup"], "samsum")
