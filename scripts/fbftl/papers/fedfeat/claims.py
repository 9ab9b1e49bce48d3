"""The claims of paper fedfeat (FedFeat+), and what stands against them."""

from itertools import pairwise
from typing import Any

from fbftl.findings.comparison import Claimed, within
from fbftl.papers.claims import NOTHING, BySeed, Claim, Runs, Sides

EXACT = 1e-6
"""Points up to which two runs that are the same count as equal."""

EPSILONS = (0.5, 2.0)
"""Ends of the range of epsilon that the paper prints."""

METRICS = {
    "mutual_information": ("mutual information", True),
    "feature_correlation": ("correlation", True),
    "kl_divergence": ("KL divergence", False),
    "entropy_difference": ("entropy difference", False),
}
"""What the paper measures of its noise: name, and whether it is to rise with epsilon."""


def _setting(method: str, partition: str, network: str = "cnn", **more: Any) -> dict[str, Any]:
    retrained = {} if method == "fedavg" else {"server_epochs": 5}
    base = {"method": method, "partition": partition, "network": network, "local_epochs": 5}
    return base | retrained | more


def _accuracy(runs: Runs, method: str, partition: str, **more: Any) -> BySeed:
    return runs.accuracy(**_setting(method, partition, **more))


def _gain(runs: Runs, partition: str) -> BySeed:
    fedfeat, fedavg = (_accuracy(runs, method, partition) for method in ("fedfeat", "fedavg"))
    return fedfeat - fedavg


def _noised(column: str, epsilon: float, clip: float | None) -> Any:
    more = {} if clip is None else {"feature_clip": clip}
    asked = _setting("fedfeat", "shards", mechanism="feature_gaussian", epsilon=epsilon, **more)
    if column == "accuracy":
        return lambda runs: runs.accuracy(**asked)
    return lambda runs: runs.measured(column, **asked)


def _both(column: str, clip: float | None, rising: bool) -> Any:
    """Return a metric at both ends of the printed range, the lesser first if the paper is right."""
    ends = EPSILONS if rising else EPSILONS[::-1]
    sides = [_noised(column, epsilon, clip) for epsilon in ends]
    return lambda runs: tuple(side(runs) for side in sides)


def _with_epsilon(clip: float | None) -> tuple[Claim, ...]:
    where = "as printed" if clip is None else f"on features clipped to {clip:g}"
    return tuple(
        Claim(
            f"F3b: under noise {where}, {name} {'rises' if rising else 'falls'} from epsilon "
            f"{EPSILONS[0]:g} to {EPSILONS[1]:g}",
            "Sec. VIII-B, Tables IV and V",
            _both(column, clip, rising),
            unit="correlation" if column == "feature_correlation" else "nats",
        )
        for column, (name, rising) in METRICS.items()
    )


def _norms(runs: Runs) -> Sides:
    sides = [_noised("feature_norm", epsilon, None)(runs) for epsilon in (32.0, 0.5)]
    return tuple(sides) if all(not side.values.empty for side in sides) else (NOTHING, NOTHING)


RETRAINING = (
    Claim(
        "F1: on shards, FedFeat+ ends at least 3 points more accurate than FedAvg",
        "Sec. VIII-B, Table III",
        lambda runs: (_accuracy(runs, "fedavg", "shards"), _accuracy(runs, "fedfeat", "shards")),
        Claimed(low=3.0),
    ),
    Claim(
        "F2: FedFeat+ gains less over FedAvg on iid clients than on shards",
        "Sec. VIII-B",
        lambda runs: (_gain(runs, "iid"), _gain(runs, "shards")),
    ),
    Claim(
        "F4: without retraining FedFeat+ is FedAvg",
        "Sec. III, Algorithm 1",
        lambda runs: (
            _accuracy(runs, "fedavg", "shards", network="mlp"),
            _accuracy(runs, "fedfeat", "shards", network="mlp", server_epochs=0),
        ),
        within(EXACT),
    ),
    Claim(
        "F5: on shards, features of the averaged extractor end at least 3 points more accurate "
        "than those of the last local epoch",
        "Sec. III, Algorithm 1",
        lambda runs: (
            _accuracy(runs, "fedfeat", "shards"),
            _accuracy(runs, "fedfeat", "shards", features_from="averaged"),
        ),
        Claimed(low=3.0),
    ),
    Claim(
        "On shards, FedFeat+ ends more accurate than CCVR, which sends statistics once",
        "Sec. II, of rivals that it does not compare with",
        lambda runs: (
            _accuracy(runs, "ccvr", "shards"),
            _accuracy(runs, "fedfeat", "shards"),
        ),
    ),
)

NOISE = (
    *(
        Claim(
            f"F3a: accuracy under noise as printed does not fall from epsilon {low:g} to {high:g}, "
            "to a point",
            "Sec. VIII-B, Tables IV and V",
            lambda runs, low=low, high=high: (
                _noised("accuracy", low, None)(runs),
                _noised("accuracy", high, None)(runs),
            ),
            Claimed(low=-1.0),
        )
        for low, high in pairwise((0.5, 2.0, 8.0, 32.0))
    ),
    *_with_epsilon(None),
    *_with_epsilon(1.0),
    Claim(
        "F6: features at epsilon 0.5 are at least 3 times as long as at epsilon 32, the extractor "
        "drowning the noise",
        "Eq. (3)-(5), Sec. VIII-B",
        _norms,
        Claimed(low=3.0),
        ratio=True,
    ),
)

CLAIMS = (*RETRAINING, *NOISE)
