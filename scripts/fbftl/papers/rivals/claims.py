"""What sentences of FbFTL's one-shot rivals compare, and hypotheses of ours about such uploads.

Margins of ours stood before the first run. Where a hypothesis is about the best head of a message,
that is the one with the best mean.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

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

PLAIN = {"method": "fbftl"}
ONE_SHOT = {"method": "one_shot"}
MEANS = ONE_SHOT | {"message": "means"}
STATISTICS = ONE_SHOT | {"message": "statistics"}
FEDNCM, LDA = MEANS | {"head": "fedncm"}, STATISTICS | {"head": "lda"}

BITS = "uplink_payload_bits"
NUMBERS = "numbers_per_batch"


def _best(runs: Runs, **axes: Any) -> BySeed:
    """Return the accuracy of the head that is best on average, all else as asked."""
    accuracies = [
        runs.accuracy(**setting)
        for setting in runs.settings
        if {axis: value for axis, value in setting.items() if axis != "head"} == axes
    ]
    accuracies = [accuracy for accuracy in accuracies if len(accuracy.values)]
    return max(accuracies, key=lambda accuracy: float(accuracy.values.mean()), default=NOTHING)


def _message(message: str) -> Compared:
    def sides(runs: Runs) -> Sides:
        axes = ONE_SHOT | {"message": message}
        if message == "projected":
            sizes = {s["projection"] for s in runs.settings if "projection" in s}
            axes |= {"projection": max(sizes, default=None)}
        return runs.accuracy(**PLAIN), _best(runs, **axes)

    return sides


def _edge(runs: Runs) -> tuple[float, list[int]] | None:
    """Return the K at which features and statistics cost the same, and the K at hand."""
    heads = [s for s in runs.settings if s == LDA]
    batch, clients = (runs.measured(name, **PLAIN).values for name in (NUMBERS, "upload_batches"))
    offered = runs.measured("offered", **PLAIN).values
    sizes = runs.shared("samples_per_client", PLAIN, LDA)
    if not heads or batch.empty or not sizes:
        return None
    width = float((batch * clients / offered).iloc[0])
    whole = float(runs.measured(NUMBERS, **heads[0]).values.iloc[0])
    return whole / width, [int(size) for size in sizes]


def _below(runs: Runs) -> Sides:
    """Return numbers per client of features, then of statistics, at the greatest K below."""
    edge = _edge(runs)
    sizes = [] if edge is None else [size for size in edge[1] if size < edge[0]]
    if not sizes:
        return NOTHING, NOTHING
    at = {"samples_per_client": max(sizes)}
    return runs.measured(NUMBERS, **PLAIN | at), runs.measured(NUMBERS, **LDA | at)


def _above(runs: Runs) -> Sides:
    """Return numbers per client of statistics, then of features, at the least K above."""
    edge = _edge(runs)
    sizes = [] if edge is None else [size for size in edge[1] if size > edge[0]]
    if not sizes:
        return NOTHING, NOTHING
    at = {"samples_per_client": min(sizes)}
    return runs.measured(NUMBERS, **LDA | at), runs.measured(NUMBERS, **PLAIN | at)


def _noised(runs: Runs, masked: bool, strict: bool) -> Sides:
    """Return the accuracy of noised features, then of noised statistics, at one epsilon."""
    trust = {"aggregation": "masked"} if masked else {}
    noise = {"mechanism": "gaussian"}
    statistics = STATISTICS | trust | noise
    shared = runs.shared("epsilon", PLAIN | noise, statistics | {"head": "lda"})
    if not shared:
        return NOTHING, NOTHING
    at = noise | {"epsilon": shared[0 if strict else -1]}
    return runs.accuracy(**PLAIN | at), _best(runs, **STATISTICS | trust | at)


FEDCOF, MIXTURES = MEANS | {"head": "fedcof"}, ONE_SHOT | {"message": "mixtures"}
RIDGE, FED3R, FEDCGS = (STATISTICS | {"head": head} for head in ("ridge", "fed3r", "fedcgs"))


def skewed(alpha: float) -> dict[str, Any]:
    """Return the axes of clients that draw their labels, the more unlike the smaller alpha."""
    return {"partition": "dirichlet_equal", "alpha": alpha}


NCM = MEANS | {"head": "ncm"}
SHARDS = {"partition": "shards"}
FEDPFT = MIXTURES | {"covariance": "spherical", "bits": 16, "components": 0}
MANY = {"samples_per_client": 128}
"""Where skewed clients have several samples of a class, without which FedPFT does not send it."""

GRADIENTS: Mapping[str, Mapping[str, Any]] = {
    f"{method}_{samples}": {"method": method, "samples_per_client": samples}
    for method in ("fl", "ftl_c")
    for samples in (8, 128)
}
FRAMEWORKS: Mapping[str, Mapping[str, Any]] = {
    "fedavg": {"method": "fedavg", "network": "mlp_64"},
    "fd": {"method": "fd", "network": "mlp_64", "distillation_weight": 1.0},
    "fedmd": {
        "method": "fedmd",
        "local_epochs": 5,
        "transfer_epochs": 40,
        "digest_rate": 0.3,
    },
    "ftl_c": {"method": "ftl_c"},
}
"""The survey's, and the one that trains on the features that AFL solves."""

GROUNDS: Mapping[str, Mapping[str, Any]] = {
    "": ALL,
    "_0.1": skewed(0.1),
    "_100": skewed(0.1) | {"samples_per_client": 500},
}
"""Clients as the task has them, and as skewed as in FedCOF's tables; the last are its 100 clients,
where there are 50,000 samples."""


def _on_grounds(
    part: str, first: Mapping[str, Any], second: Mapping[str, Any]
) -> dict[str, Compared]:
    """Return what compares the accuracies of two heads, each on all grounds."""
    return {
        f"{part}{name}": accuracies({**first, **clients}, {**second, **clients})
        for name, clients in GROUNDS.items()
    }


def _fewer_bits(solved: Mapping[str, Any], setting: Mapping[str, Any]) -> Compared:
    """Return what compares the uplinks of a solved head and of gradients at as many samples."""
    return measures(BITS, {**solved, "samples_per_client": setting["samples_per_client"]}, setting)


def _front(**clients: Any) -> Compared:
    """Return the best accuracy of other messages at no more bits, then that of FedPFT's."""

    def sides(runs: Runs) -> Sides:
        ours = {**FEDPFT, **clients}
        bits = runs.measured(BITS, **ours).values
        if bits.empty or runs.table.empty:
            return NOTHING, NOTHING
        others = [
            setting
            for setting in runs.settings
            if setting.get("message") != "mixtures"
            and {k: v for k, v in setting.items() if k not in ("method", "message", "head")}
            == clients
            and setting["method"] in ("one_shot", "fbftl")
            and runs.measured(BITS, **setting).values.mean() <= bits.mean()
        ]
        best = [runs.accuracy(**setting) for setting in others]
        return (
            max(best, key=lambda accuracy: float(accuracy.values.mean()), default=NOTHING),
            runs.accuracy(**ours),
        )

    return sides


PRIVATE = MIXTURES | {"covariance": "spherical", "bits": 16}
"""One Gaussian of each class, which clients can noise; labels are covered, as features' are not."""


def _noise_at(epsilon: float) -> dict[str, Any]:
    return {"mechanism": "gaussian", "epsilon": epsilon}


def _inverted(runs: Runs, measure: str) -> BySeed:
    """Return how close pictures drawn of plain features come, or the guess without any."""
    return runs.measured(f"inversion_{measure}", **PLAIN)


SENTENCES: Mapping[str, ByPart] = {
    "r-02": {name: _fewer_bits(NCM, setting) for name, setting in GRADIENTS.items()},
    "r-04": {
        **_on_grounds("least", FEDNCM, FEDCOF),
        **_on_grounds("most", FEDCOF, FEDNCM),
        "bits": measures(BITS, FEDNCM, FEDCOF),
    },
    "r-05": _on_grounds("ridge", RIDGE, FEDCOF) | _on_grounds("fed3r", FED3R, FEDCOF),
    "r-06": _on_grounds("ridge", FEDNCM, RIDGE) | _on_grounds("fed3r", FEDNCM, FED3R),
    "r-07": _on_grounds("between", MEANS | {"head": "fedcof_between"}, FEDCOF),
    "r-09": _on_grounds("oracle", STATISTICS | {"head": "fedcof_oracle"}, FEDCOF),
    "r-11": {name: _fewer_bits(RIDGE, setting) for name, setting in GRADIENTS.items()},
    "r-13": {
        name: accuracies({**setting, **SHARDS}, RIDGE | SHARDS)
        for name, setting in FRAMEWORKS.items()
    },
    "r-16": {
        "8": _front(),
        **{str(samples): _front(samples_per_client=samples) for samples in (128, 1024)},
    },
    "r-08": {
        **{
            str(size): accuracies(
                FEDCOF | {"samples_per_client": more}, FEDCOF | {"samples_per_client": size}
            )
            for more, size in pairwise((1024, 128, 32, 8, 1))
        },
        "alpha": accuracies(FEDCOF | skewed(0.1), FEDCOF | skewed(10.0)),
    },
    "r-15": {
        "fedcgs": accuracies(FEDCGS | skewed(0.1), LDA | skewed(0.1)),
        "fedcof": accuracies(FEDCOF | skewed(0.1), LDA | skewed(0.1)),
        "fedncm": accuracies(FEDNCM | skewed(0.1), LDA | skewed(0.1)),
        "mixtures": accuracies(FEDPFT | MANY | skewed(0.1), LDA | MANY | skewed(0.1)),
    },
    "r-19": {
        f"{epsilon:g}_{samples}": accuracies(
            PLAIN | _noise_at(epsilon),
            PRIVATE | _noise_at(epsilon) | {"samples_per_client": samples},
        )
        for epsilon in (1.0, 4.0, 16.0)
        for samples in (128, 1024)
    },
    "r-18": {"blind": lambda runs: (_inverted(runs, "blind"), _inverted(runs, "psnr"))},
    "r-17": {
        f"fedpft_{samples}": accuracies(
            *(FEDPFT | {"samples_per_client": samples} | skewed(alpha) for alpha in (0.1, 10.0))
        )
        for samples in (128, 1024)
    },
}

HYPOTHESES: ByPart = {
    "R1": measures(BITS, FEDNCM, PLAIN),
    "every_rival": measures(BITS, PLAIN, FEDNCM),
    **{
        f"R2_{message}": _message(message)
        for message in ("means", "statistics", "projected", "mixtures")
    },
    "R3_afl": accuracies(STATISTICS | {"head": "afl"}, LDA),
    "R3_fedcgs": accuracies(FEDCGS, LDA),
    "R4_below": _below,
    "R4_above": _above,
    "R5_local_strictest": lambda runs: _noised(runs, masked=False, strict=True)[::-1],
    "R5_masked_strictest": lambda runs: _noised(runs, masked=True, strict=True),
    "R5_local_loosest": lambda runs: _noised(runs, masked=False, strict=False)[::-1],
    "R5_masked_loosest": lambda runs: _noised(runs, masked=True, strict=False),
}
