"""What sentences of paper 000 (FbFTL) compare, and hypotheses of ours beside them."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from fbftl.findings.uplink import COMMON, SELECTED
from fbftl.papers.curves import rounds_to_converge
from fbftl.papers.quantities import (
    ALL,
    NOTHING,
    ByPart,
    BySeed,
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


def _of_fig8(compared: Compared) -> Compared:
    """Return what compares on the photographs that Fig. 8 is of.

    A tenth of the digits, which have a tenth for other sentences, is 144 samples.
    """

    def sides(runs: Runs) -> Sides:
        return (NOTHING, NOTHING) if runs.task.startswith("digits") else compared(runs)

    return sides


def _converged(first: Mapping[str, Any], second: Mapping[str, Any]) -> Compared:
    """Return what compares the first epochs whose test accuracy is near where it ends."""
    return lambda runs: (
        runs.along("test_accuracy", rounds_to_converge, **first),
        runs.along("test_accuracy", rounds_to_converge, **second),
    )


METHODS: Mapping[str, ByPart] = {
    "fbftl-04": {method: _sent("fbftl", method) for method in COMPETITORS},
    "fbftl-11": {"fl": _images(FTL_C, FL), "ftl_f": _images(FTL_C, FTL_F)},
    "fbftl-13": {
        "ftl_c": _sent("fbftl", "ftl_c"),
        "ftl_f": _sent("ftl_c", "ftl_f"),
        "fl": _sent("ftl_f", "fl"),
    },
    "fbftl-14": {
        "ftl_c_fl": _converged(FTL_C, FL),
        "ftl_f_fl": _converged(FTL_F, FL),
        "ftl_c_ftl_f": _converged(FTL_C, FTL_F),
    },
    "fbftl-32": {
        "1": _dialogues(FBFTL, FBFTL | {"cut": 2}),
        "0": _dialogues(FBFTL | {"cut": 0}, FBFTL),
        "sent_1": measures("uplink_payload_bits", FTL_C | {"cut": 2}, FTL_C),
        "sent_0": measures("uplink_payload_bits", FTL_C, FTL_C | {"cut": 0}),
    },
    "fbftl-33": {"cut_2": _dialogues(FTL_C | {"cut": 2}, FTL_F)},
}


Curve = tuple[dict[str, Any], dict[str, Any], dict[str, Any]]
"""Settings along a curve: where it starts, near its end, and at its end."""


def _then(start: Mapping[str, Any], near: Mapping[str, Any], end: Mapping[str, Any]) -> Compared:
    """Return what is lost from the first setting to the second, and from there to the third."""

    def sides(runs: Runs) -> Sides:
        at_start, at_near, at_end = (runs.accuracy(**setting) for setting in (start, near, end))
        return at_start - at_near, at_near - at_end

    return sides


TENTH, HUNDREDTH = {"fraction": 0.1}, {"fraction": 0.01}
"""Shares of the clients. Where all of them bring a task to its ceiling, a tenth can fall below."""


def _over_loss(among: Mapping[str, Any], lost: Mapping[str, Any] = ALL) -> Curve:
    """Return FbFTL where nothing is lost, and at packet loss rates of 0.9 and 0.99."""
    start = {**FBFTL, **among}
    return start, {**start, "plr": 0.9, **lost}, {**start, "plr": 0.99, **lost}


CURVES: Mapping[str, Curve] = {
    "all": _over_loss(ALL),
    "tenth": _over_loss(TENTH),
    "hundredth": _over_loss(HUNDREDTH),
    "mini_batches": _over_loss(ALL, {"loss": "reshuffled"}),
}
"""Those of Fig. 8 by share of the clients, and all clients as the public script loses them."""


EPSILONS = (1.0, 4.0, 16.0)
"""Those of Fig. 12."""

LAST_CELL: Mapping[str, Any] = {"bits": 2, "keep": 0.001}
"""The last row of Table V."""

SHARES_SENT = (0.1, 0.01, 0.001)
"""Those of Table V beside all, r."""

GUESS = 10.0
"""Accuracy of a guess in percent: all tasks of images have ten classes."""

KEPT = 0.95
"""What counts as keeping the accuracy where 82 % is out of reach; ours."""


def _paper_noise(method: str, epsilon: float, samples: int) -> dict[str, Any]:
    """Return a setting under the paper's own noise, on every upload before it is sent.

    What FbFTL uploads does not depend on how many samples a client has.
    """
    noised = {"method": method, "mechanism": "relative", "epsilon": epsilon}
    return noised if method == "fbftl" else noised | {"samples_per_client": samples}


def _ahead(less: str, more: str, epsilon: float, samples: int) -> Compared:
    """Return what compares two methods' accuracies under the paper's own noise."""
    return accuracies(*(_paper_noise(method, epsilon, samples) for method in (less, more)))


def _fails(method: str, epsilon: float, samples: int) -> Compared:
    """Return a method's accuracy under the paper's own noise, and that of a guess."""

    def sides(runs: Runs) -> Sides:
        accuracy = runs.accuracy(**_paper_noise(method, epsilon, samples))
        return accuracy, accuracy.constant(GUESS)

    return sides


def _least_share(method: str) -> Callable[[Runs], BySeed]:
    """Return the least share r that keeps `KEPT` of the accuracy without sparsifying, by seed.

    It is 1 where no share that was run keeps it; nothing where none was run.
    """

    def least(runs: Runs) -> BySeed:
        clean = {"method": method, **TENTH}
        whole = runs.accuracy(**clean)
        run = [runs.accuracy(**clean, keep=keep) for keep in SHARES_SENT]
        ratios = pd.DataFrame(
            {keep: kept.values / whole.values for keep, kept in zip(SHARES_SENT, run, strict=True)}
        ).dropna()
        kept = (ratios >= KEPT).mul(ratios.columns.to_numpy(dtype=float), axis="columns")
        share = kept.where(kept > 0, 1.0).min(axis="columns")
        return BySeed(share, whole.diverged.union(*(of.diverged for of in run)))

    return least


def _needed_shares(runs: Runs) -> Sides:
    """Return the least shares of FTL_c and FbFTL; nothing where no share was run."""
    return _least_share("ftl_c")(runs), _least_share("fbftl")(runs)


def _lost(less: str, more: str, among: Mapping[str, Any] = ALL, **axes: Any) -> Compared:
    return lambda runs: (runs.lost(less, among, **axes), runs.lost(more, among, **axes))


LOW_CELLS: Mapping[str, Mapping[str, Any]] = {
    **{f"2_{keep:g}": {"bits": 2, "keep": keep} for keep in SHARES_SENT},
    **{f"tenth_2_{keep:g}": {**TENTH, "bits": 2, "keep": keep} for keep in SHARES_SENT[1:]},
}
"""Few bits of few elements, from all clients or from a tenth."""

HALF_LOST: Mapping[str, Any] = {"fraction": 0.001, "plr": 0.5}
"""A thousandth of the samples, half of the packets lost."""

ROBUSTNESS: Mapping[str, ByPart] = {
    "fbftl-16": {
        **{
            method: accuracies({"method": method} | dict(LAST_CELL), FBFTL)
            for method in COMPETITORS
        },
        "ftl_c_tenth": accuracies(FTL_C | TENTH | dict(LAST_CELL), FBFTL | TENTH),
    },
    "fbftl-17": {
        **{
            f"{bits}_{method}": accuracies(
                {"method": method} | dict(LAST_CELL), FBFTL | {"bits": bits}
            )
            for bits in (8, 2)
            for method in COMPETITORS
        },
        "2_ftl_c_tenth": accuracies(FTL_C | TENTH | dict(LAST_CELL), FBFTL | TENTH | {"bits": 2}),
    },
    "fbftl-19": {"share": _needed_shares},
    "fbftl-18": {str(bits): accuracies(FBFTL, FBFTL | {"bits": bits}) for bits in (8, 2)},
    "fbftl-21": {
        f"{method}_{sigma:g}": _lost("fbftl", method, mechanism="relative", sigma=sigma)
        for method in COMPETITORS
        for sigma in (0.1, 0.3)
    },
    "fbftl-22": {
        name: accuracies(FTL_C | dict(cell) | {"feedback": False}, FTL_C | dict(cell))
        for name, cell in LOW_CELLS.items()
    },
    "fbftl-27": {"tenth": _of_fig8(accuracies(FBFTL, FBFTL | TENTH))},
    "fbftl-28": {
        "persistent": accuracies(FBFTL, FBFTL | dict(HALF_LOST)),
        "mini_batches": accuracies(FBFTL, FBFTL | dict(HALF_LOST) | {"loss": "reshuffled"}),
    },
    "fbftl-29": {
        **{name: _then(*curve) for name, curve in CURVES.items()},
        **{f"flat_{name}": _images(*curve[:2]) for name, curve in CURVES.items()},
    },
    "fbftl-30": {f"{plr:g}": _dialogues(FBFTL, FBFTL | {"plr": plr}) for plr in (0.5, 0.9)},
}

NEAR_INPUT = ({"cut": "pool1"}, {"cut": "pool2"}, ALL)
"""Cuts of the digits' network, from input to output; the last is the task's own."""


def _more_private(nearer: Mapping[str, Any], farther: Mapping[str, Any]) -> Compared:
    """Return what compares how close inversion comes at two cuts, the farther one first."""
    return measures("inversion_psnr", FBFTL | dict(farther), FBFTL | dict(nearer))


CUTS: Mapping[str, ByPart] = {
    "fbftl-34": {
        "private_pool1": _more_private(*NEAR_INPUT[:2]),
        "private_pool2": _more_private(*NEAR_INPUT[1:]),
        "trains_2": METHODS["fbftl-32"]["1"],
        "trains_1": METHODS["fbftl-32"]["0"],
    },
}

MANY = {"clients_per_round": 128}

CLIENTS: Mapping[str, ByPart] = {
    "fbftl-35": {
        method: _images({"method": method} | MANY, {"method": method}) for method in COMPETITORS
    },
    "fbftl-42": {
        f"{says}{method}_{epsilon:g}": compared
        for method in COMPETITORS
        for epsilon in EPSILONS
        for says, compared in {
            "": _ahead(method, "fbftl", epsilon, 4),
            "fails_": _fails(method, epsilon, 4),
        }.items()
    },
    "fbftl-43": {
        "1": _ahead("ftl_c", "fbftl", 1.0, 100),
        **{f"{epsilon:g}": _ahead("fbftl", "ftl_c", epsilon, 100) for epsilon in EPSILONS[1:]},
    },
    "fbftl-45": {
        **{f"ahead_{epsilon:g}": _ahead("ftl_c", "fbftl", epsilon, 4) for epsilon in EPSILONS},
        **{f"behind_{epsilon:g}": _ahead("fbftl", "ftl_c", epsilon, 600) for epsilon in EPSILONS},
    },
}

SENTENCES: Mapping[str, ByPart] = METHODS | ROBUSTNESS | CUTS | CLIENTS


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
    """Return FbFTL's and FTL_c's accuracy at the strictest epsilon, K smallest or greatest.

    Nothing where K is to be the greatest and a single one was run.
    """
    of_sizes = [
        sides for size in _batch_sizes(runs.table) if (sides := _under_noise_at(runs, size))
    ]
    if len(of_sizes) < 1 + last:
        return NOTHING, NOTHING
    return of_sizes[-1 if last else 0]


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
    "tenth_suffices": _then(FBFTL, FBFTL | TENTH, FBFTL | HUNDREDTH),
    **BY_SHARE,
    "smallest_k": lambda runs: _under_noise(runs, last=False)[::-1],
    "greatest_k": lambda runs: _under_noise(runs, last=True),
}
