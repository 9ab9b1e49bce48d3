"""The claims of paper 000 (FbFTL)."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fbftl.findings.comparison import Claimed, within
from fbftl.findings.printed import NEAR
from fbftl.findings.uplink import COMMON, SELECTED
from fbftl.papers.claims import ALL, NOTHING, Claim, Runs, Sides

TABLE3 = "Sec. III-D, Table III"
TABLE5 = "Sec. IV-D, Table V"
FIG8 = "Sec. IV-D, Fig. 8"

THOUSAND = Claimed(low=1000)
"""Three orders of magnitude, as a ratio."""


def _sent(less: str, more: str, claimed: Claimed, until: str, sentence: str) -> Claim:
    return Claim(
        sentence, TABLE3, lambda r: (r.sent(less, until), r.sent(more, until)), claimed, ratio=True
    )


METHODS = (
    Claim(
        "FTL_c and FbFTL agree in accuracy, to a point",
        TABLE3,
        lambda r: (r.accuracy(method="ftl_c"), r.accuracy(method="fbftl")),
        within(NEAR),
    ),
    Claim(
        "SFL reaches FL's accuracy, to a point",
        TABLE3,
        lambda r: (r.accuracy(method="fl"), r.accuracy(method="sfl")),
        within(NEAR),
    ),
    Claim(
        "FTL_f, which trains every layer, ends more accurate than FTL_c",
        TABLE3,
        lambda r: (r.accuracy(method="ftl_c"), r.accuracy(method="ftl_f")),
    ),
    Claim(
        "FTL_f converges in fewer epochs than FL",
        TABLE3,
        lambda r: (r.measured("epoch", method="ftl_f"), r.measured("epoch", method="fl")),
        unit="epochs",
    ),
    _sent("fbftl", "ftl_c", Claimed(low=1), SELECTED, "FbFTL needs fewer uplink bits than FTL_c"),
    _sent(
        "fbftl",
        "ftl_c",
        THOUSAND,
        SELECTED,
        "FbFTL needs at least 1,000 times fewer uplink bits than FTL_c",
    ),
    _sent(
        "fbftl",
        "fl",
        THOUSAND,
        SELECTED,
        "FbFTL needs at least 1,000 times fewer uplink bits than FL",
    ),
    _sent(
        "fbftl",
        "ftl_c",
        THOUSAND,
        COMMON,
        "To the same accuracy FbFTL needs at least 1,000 times fewer uplink bits than FTL_c",
    ),
    _sent(
        "fbftl",
        "fl",
        THOUSAND,
        COMMON,
        "To the same accuracy FbFTL needs at least 1,000 times fewer uplink bits than FL",
    ),
)

SCARCITY = (
    Claim(
        "Accuracy falls sharply only as PLR approaches 1: less from 0 to 0.9 than from 0.9 to 0.99",
        FIG8,
        lambda r: (
            r.lost("fbftl", plr=0.9),
            r.lost("fbftl", plr=0.99) - r.lost("fbftl", plr=0.9),
        ),
    ),
    Claim(
        "A tenth of the samples suffices: less is lost from all to a tenth than from there to a "
        "hundredth",
        FIG8,
        lambda r: (
            r.lost("fbftl", fraction=0.1),
            r.lost("fbftl", fraction=0.01) - r.lost("fbftl", fraction=0.1),
        ),
    ),
)

TENTH = {"fraction": 0.1}
"""A tenth of the clients: where all of them bring a task to its ceiling, accuracy can fall here."""


def _compression(among: Mapping[str, Any], who: str) -> tuple[Claim, ...]:
    """Return the claims about compression, among all clients or a share of them."""
    return (
        Claim(
            f"FbFTL loses less accuracy than FTL_c from q = 32 to q = 2{who}",
            TABLE5,
            lambda r: (r.lost("fbftl", among, bits=2), r.lost("ftl_c", among, bits=2)),
        ),
        Claim(
            f"FbFTL loses less accuracy than FTL_c from r = 1 to r = 0.1{who}",
            TABLE5,
            lambda r: (r.lost("fbftl", among, keep=0.1), r.lost("ftl_c", among, keep=0.1)),
        ),
        Claim(
            f"FbFTL loses more accuracy than FTL_c from r = 1 to r = 0.01{who}",
            TABLE5,
            lambda r: (r.lost("ftl_c", among, keep=0.01), r.lost("fbftl", among, keep=0.01)),
        ),
        Claim(
            f"FbFTL at q = 2 is more accurate than FTL_c at q = 2{who}",
            TABLE5,
            lambda r: (
                r.accuracy(method="ftl_c", **among, bits=2),
                r.accuracy(method="fbftl", **among, bits=2),
            ),
        ),
    )


def _loss(among: Mapping[str, Any], who: str) -> Claim:
    """Return the claim about block losses, among all clients or a share of them."""
    methods = ("fbftl", "ftl_c")

    def lost(runs: Runs) -> Sides:
        rates = runs.shared("blr", *({"method": method, **among} for method in methods))
        if not rates:
            return NOTHING, NOTHING
        return tuple(runs.lost(method, among, blr=rates[-1]) for method in methods)

    return Claim(
        f"At the greatest block loss rate that both were run at, FbFTL loses less than FTL_c{who}",
        "Sec. IV-A, IV-D, Fig. 6",
        lost,
    )


BY_SHARE = (
    *_compression(ALL, ""),
    *_compression(TENTH, ", with a tenth of the clients"),
    _loss(ALL, ""),
    _loss(TENTH, ", with a tenth of the clients"),
)
"""Claims about compression and loss, which are tested where accuracy can fall too."""


def _under_noise(runs: Runs, last: bool) -> Sides:
    """Return FbFTL's and FTL_c's accuracy at the strictest epsilon, K smallest or greatest."""
    found = [sides for size in _batch_sizes(runs.table) if (sides := _under_noise_at(runs, size))]
    return found[-1 if last else 0] if found else (NOTHING, NOTHING)


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
    Claim(
        "At the smallest K and the same epsilon, each for what it protects, "
        "FbFTL is more accurate than FTL_c",
        "Sec. V-D, Fig. 12a",
        lambda r: _under_noise(r, last=False)[::-1],
    ),
    Claim(
        "At the greatest K and the same epsilon, each for what it protects, "
        "FTL_c is more accurate than FbFTL",
        "Sec. V-D, Fig. 12c",
        lambda r: _under_noise(r, last=True),
    ),
)

CLAIMS = (*METHODS, *SCARCITY, *BY_SHARE, *PRIVACY)
