"""The paper's claims as sentences that can fail, tested on the runs of one task.

A claim says that one quantity is smaller than another. Both are found per seed in the tidy table
of all experiments; a claim whose settings are not in the study is not run. On a task that is not
the paper's only the direction is compared (see `comparison`), so no sentence names an accuracy.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from fbftl.findings.comparison import Claim, Measured
from fbftl.findings.runs import per_seed, settings_in

NEAR = 1.0
"""Points of accuracy up to which two methods count as equal."""


@dataclass(frozen=True)
class Runs:
    """What claims are tested on.

    table: tidy table of all of a task's experiments.
    uplink: bits that each method sends until convergence; empty if the methods were not compared.
    """

    table: pd.DataFrame
    uplink: dict[str, float]

    def accuracy(self, **axes: Any) -> pd.Series:
        """Return a setting's test accuracy in percent by seed; empty if it was not run."""
        return 100 * per_seed(self.table, axes)

    def epochs(self, **axes: Any) -> pd.Series:
        """Return the epochs that a setting takes by seed."""
        return per_seed(self.table, axes, "epoch")

    def lost(self, method: str, **axes: Any) -> pd.Series:
        """Return the points of accuracy that a method loses from the clean setting by seed."""
        return self.accuracy(method=method) - self.accuracy(method=method, **axes)

    def shared(self, axis: str, *sides: dict[str, Any]) -> list[Any]:
        """Return the values of an axis, ascending, for which every side was run; not the default.

        Args:
            axis: name of the axis.
            sides: axes of each side, without `axis`.
        """
        found = [
            {
                setting[axis]
                for setting in settings_in(self.table).values()
                if axis in setting and setting == side | {axis: setting[axis]}
            }
            for side in sides
        ]
        return sorted(set.intersection(*found))


Sides = tuple[Sequence[float] | pd.Series, Sequence[float] | pd.Series]
"""The smaller and the greater quantity, a value per seed each."""


def claims(runs: Runs) -> list[Claim]:
    """Return every claim with what was measured of it."""
    return [_claim(runs, *entry) for entry in (*COMPARED, *SCARCITY, *COMPRESSION, *LOSS, *PRIVACY)]


def _claim(runs: Runs, sentence: str, source: str, sides: Callable[[Runs], Sides]) -> Claim:
    lesser, greater = (pd.Series(side, dtype=float).dropna() for side in sides(runs))
    if not len(lesser) or not len(greater):
        return Claim(sentence, source, None, None)
    return Claim(sentence, source, Measured.of(list(lesser)), Measured.of(list(greater)))


def _gap(runs: Runs, one: str, other: str) -> Sides:
    gap = (runs.accuracy(method=one) - runs.accuracy(method=other)).abs()
    return gap, np.full(len(gap.dropna()), NEAR)


def _bits(runs: Runs, less: str, more: str, times: float = 1) -> Sides:
    if not {less, more} <= runs.uplink.keys():
        return [], []
    return [times * runs.uplink[less]], [runs.uplink[more]]


COMPARED = (
    (
        "FTL_c and FbFTL agree in accuracy, to a point",
        "Sec. III-D, Table III",
        lambda r: _gap(r, "ftl_c", "fbftl"),
    ),
    (
        "SFL reaches FL's accuracy, to a point",
        "Sec. III-D, Table III",
        lambda r: _gap(r, "sfl", "fl"),
    ),
    (
        "FTL_f, which trains every layer, ends more accurate than FTL_c",
        "Sec. III-D, Table III",
        lambda r: (r.accuracy(method="ftl_c"), r.accuracy(method="ftl_f")),
    ),
    (
        "FTL_f converges in fewer epochs than FL",
        "Sec. III-D, Table III",
        lambda r: (r.epochs(method="ftl_f"), r.epochs(method="fl")),
    ),
    (
        "FbFTL needs fewer uplink bits than FTL_c",
        "Sec. III-D, Table III",
        lambda r: _bits(r, "fbftl", "ftl_c"),
    ),
    (
        "FbFTL needs at least 1,000 times fewer uplink bits than FTL_c",
        "Sec. III-D, Table III",
        lambda r: _bits(r, "fbftl", "ftl_c", times=1000),
    ),
    (
        "FbFTL needs at least 1,000 times fewer uplink bits than FL",
        "Sec. III-D, Table III",
        lambda r: _bits(r, "fbftl", "fl", times=1000),
    ),
)

SCARCITY = (
    (
        "Accuracy falls sharply only as PLR approaches 1: less from 0 to 0.9 than from 0.9 to 0.99",
        "Sec. IV-D, Fig. 8",
        lambda r: (
            r.lost("fbftl", plr=0.9),
            r.lost("fbftl", plr=0.99) - r.lost("fbftl", plr=0.9),
        ),
    ),
    (
        "A tenth of the samples suffices: less is lost from all to a tenth than from there to a "
        "hundredth",
        "Sec. IV-D, Fig. 8",
        lambda r: (
            r.lost("fbftl", fraction=0.1),
            r.lost("fbftl", fraction=0.01) - r.lost("fbftl", fraction=0.1),
        ),
    ),
)

COMPRESSION = (
    (
        "FbFTL loses less accuracy than FTL_c from q = 32 to q = 2",
        "Sec. IV-D, Table V",
        lambda r: (r.lost("fbftl", bits=2), r.lost("ftl_c", bits=2)),
    ),
    (
        "FbFTL loses less accuracy than FTL_c from r = 1 to r = 0.1",
        "Sec. IV-D, Table V",
        lambda r: (r.lost("fbftl", keep=0.1), r.lost("ftl_c", keep=0.1)),
    ),
    (
        "FbFTL loses more accuracy than FTL_c from r = 1 to r = 0.01",
        "Sec. IV-D, Table V",
        lambda r: (r.lost("ftl_c", keep=0.01), r.lost("fbftl", keep=0.01)),
    ),
    (
        "FbFTL at q = 2 is more accurate than FTL_c at q = 2",
        "Sec. IV-D, Table V",
        lambda r: (r.accuracy(method="ftl_c", bits=2), r.accuracy(method="fbftl", bits=2)),
    ),
)


def _at_equal_loss(runs: Runs) -> Sides:
    rates = runs.shared("blr", {"method": "fbftl"}, {"method": "ftl_c"})
    if not rates:
        return [], []
    return runs.lost("fbftl", blr=rates[-1]), runs.lost("ftl_c", blr=rates[-1])


LOSS = (
    (
        "At the greatest block loss rate that both were run at, FbFTL loses less than FTL_c",
        "Sec. IV-A, IV-D, Fig. 6",
        _at_equal_loss,
    ),
)


def _under_noise(runs: Runs, last: bool) -> Sides:
    """Return FbFTL's and FTL_c's accuracy at the strictest epsilon, K smallest or greatest."""
    found = [sides for size in _batch_sizes(runs.table) if (sides := _under_noise_at(runs, size))]
    return found[-1 if last else 0] if found else ([], [])


def _under_noise_at(runs: Runs, samples: int) -> Sides | None:
    """Return both accuracies at one K and the strictest epsilon of both, if both were run."""
    ftl_c = {"method": "ftl_c", "mechanism": "dp_fedavg", "samples_per_client": samples}
    # What FbFTL uploads does not depend on K: its run on the task's own clients does as well.
    for own in ({"samples_per_client": samples}, {}):
        fbftl = {"method": "fbftl", "mechanism": "gaussian"} | own
        for epsilon in runs.shared("epsilon", fbftl, ftl_c)[:1]:
            return tuple(runs.accuracy(**side, epsilon=epsilon) for side in (fbftl, ftl_c))
    return None


def _batch_sizes(table: pd.DataFrame) -> list[int]:
    if "samples_per_client" not in table:
        return []
    return sorted({int(size) for size in table["samples_per_client"].dropna()})


PRIVACY = (
    (
        "At the smallest K and the same epsilon, each for what it protects, "
        "FbFTL is more accurate than FTL_c",
        "Sec. V-D, Fig. 12a",
        lambda r: _under_noise(r, last=False)[::-1],
    ),
    (
        "At the greatest K and the same epsilon, each for what it protects, "
        "FTL_c is more accurate than FbFTL",
        "Sec. V-D, Fig. 12c",
        lambda r: _under_noise(r, last=True),
    ),
)
