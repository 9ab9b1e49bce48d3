"""What sentences of paper 000 (FbFTL) compare, and hypotheses of ours beside them."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from fbftl.findings.uplink import COMMON, SELECTED
from fbftl.papers.quantities import (
    ALL,
    NOTHING,
    ByPart,
    Compared,
    Runs,
    Sides,
    accuracies,
    measures,
)

FL, SFL, FTL_F, FTL_C, FBFTL = (
    {"method": method} for method in ("fl", "sfl", "ftl_f", "ftl_c", "fbftl")
)
COMPETITORS = ("fl", "ftl_f", "ftl_c")


def _sent(less: str, more: str, until: str = SELECTED) -> Compared:
    return lambda runs: (runs.sent(less, until), runs.sent(more, until))


def _images(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares accuracies in percent; dialogues have none."""
    return measures("test_accuracy", first, second, 100)


def _dialogues(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares ROUGE-1, which is in percent; images have none."""
    return measures("rouge1", first, second)


METHODS: Mapping[str, ByPart] = {
    "fbftl-04": {method: _sent("fbftl", method) for method in COMPETITORS},
    "fbftl-07": {
        method: measures("downlink_bits", FBFTL, {"method": method})
        for method in ("fl", "sfl", "ftl_f", "ftl_c")
    },
    "fbftl-11": {"fl": _images(FTL_C, FL), "ftl_f": _images(FTL_C, FTL_F)},
    "fbftl-13": {
        "ftl_c": _sent("fbftl", "ftl_c"),
        "ftl_f": _sent("ftl_c", "ftl_f"),
        "fl": _sent("ftl_f", "fl"),
    },
    "fbftl-14": {
        "ftl_c_fl": measures("epoch", FTL_C, FL),
        "ftl_f_fl": measures("epoch", FTL_F, FL),
        "ftl_c_ftl_f": measures("epoch", FTL_C, FTL_F),
    },
    "fbftl-32": {
        "1": _dialogues(FBFTL, FBFTL | {"cut": 2}),
        "0": _dialogues(FBFTL | {"cut": 0}, FBFTL),
    },
    "fbftl-33": {"cut_2": _dialogues(FTL_C | {"cut": 2}, FTL_F)},
}


def _then(axis: str, near: float, far: float, among: Mapping[str, Any] = ALL) -> Compared:
    """Return what FbFTL loses up to a value of an axis, and from there to one farther off."""

    def sides(runs: Runs) -> Sides:
        at_near = runs.lost("fbftl", among, **{axis: near})
        return at_near, runs.lost("fbftl", among, **{axis: far}) - at_near

    return sides


TENTH = {"fraction": 0.1}
"""A tenth of the clients: where all of them bring a task to its ceiling, accuracy can fall here."""

SHARES = {"all": ALL, "tenth": TENTH, "hundredth": {"fraction": 0.01}}
"""Shares of the clients that take part."""


def _lost(less: str, more: str, among: Mapping[str, Any] = ALL, **axes: Any) -> Compared:
    return lambda runs: (runs.lost(less, among, **axes), runs.lost(more, among, **axes))


ROBUSTNESS: Mapping[str, ByPart] = {
    "fbftl-18": {str(bits): accuracies(FBFTL, FBFTL | {"bits": bits}) for bits in (8, 2)},
    "fbftl-21": {
        f"{sigma:g}": _lost("fbftl", "ftl_c", mechanism="relative", sigma=sigma)
        for sigma in (0.1, 0.3)
    },
    "fbftl-22": {"2": accuracies(FTL_C | {"bits": 2, "feedback": False}, FTL_C | {"bits": 2})},
    "fbftl-27": {"tenth": accuracies(FBFTL, FBFTL | TENTH)},
    "fbftl-29": {name: _then("plr", 0.9, 0.99, among) for name, among in SHARES.items()},
    "fbftl-30": {f"{plr:g}": _dialogues(FBFTL, FBFTL | {"plr": plr}) for plr in (0.5, 0.9)},
}

SENTENCES: Mapping[str, ByPart] = METHODS | ROBUSTNESS


def _at_greatest_loss(among: Mapping[str, Any]) -> Compared:
    """Return what is lost at the greatest block loss rate that both methods were run at."""
    methods = ("fbftl", "ftl_c")

    def lost(runs: Runs) -> Sides:
        rates = runs.shared("blr", *({"method": method, **among} for method in methods))
        if not rates:
            return NOTHING, NOTHING
        fbftl, ftl_c = (runs.lost(method, among, blr=rates[-1]) for method in methods)
        return fbftl, ftl_c

    return lost


BY_SHARE = {
    f"{name}{of_clients}": compared
    for of_clients, among in (("", ALL), ("_tenth", TENTH))
    for name, compared in {
        "bits": _lost("fbftl", "ftl_c", among, bits=2),
        "keep": _lost("fbftl", "ftl_c", among, keep=0.1),
        "keep_less": _lost("ftl_c", "fbftl", among, keep=0.01),
        "bits_above": accuracies(FTL_C | dict(among, bits=2), FBFTL | dict(among, bits=2)),
        "block_loss": _at_greatest_loss(among),
    }.items()
}
"""Hypotheses about compression and loss, which are tested where accuracy can fall too."""


def _under_noise(runs: Runs, last: bool) -> Sides:
    """Return FbFTL's and FTL_c's accuracy at the strictest epsilon, K smallest or greatest."""
    of_sizes = [
        sides for size in _batch_sizes(runs.table) if (sides := _under_noise_at(runs, size))
    ]
    return of_sizes[-1 if last else 0] if of_sizes else (NOTHING, NOTHING)


def _under_noise_at(runs: Runs, samples: int) -> Sides | None:
    """Return both accuracies at one K and the strictest epsilon of both, if both were run."""
    ftl_c = {"method": "ftl_c", "mechanism": "dp_fedavg", "samples_per_client": samples}
    # What FbFTL uploads does not depend on K: its run on the task's own clients does as well.
    for clients in ({"samples_per_client": samples}, {}):
        fbftl = {"method": "fbftl", "mechanism": "gaussian"} | clients
        for epsilon in runs.shared("epsilon", fbftl, ftl_c)[:1]:
            return tuple(runs.accuracy(**side, epsilon=epsilon) for side in (fbftl, ftl_c))
    return None


def _batch_sizes(table: pd.DataFrame) -> list[int]:
    if "samples_per_client" not in table:
        return []
    return sorted({int(size) for size in table["samples_per_client"].dropna()})


HYPOTHESES: ByPart = {
    "agree": _images(FTL_C, FBFTL),
    "uplink_ftl_c": _sent("fbftl", "ftl_c"),
    "uplink_fl": _sent("fbftl", "fl"),
    "common_ftl_c": _sent("fbftl", "ftl_c", COMMON),
    "common_fl": _sent("fbftl", "fl", COMMON),
    "tenth_suffices": _then("fraction", 0.1, 0.01),
    **BY_SHARE,
    "smallest_k": lambda runs: _under_noise(runs, last=False)[::-1],
    "greatest_k": lambda runs: _under_noise(runs, last=True),
}
