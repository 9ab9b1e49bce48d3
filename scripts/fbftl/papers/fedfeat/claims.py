"""What sentences of paper fedfeat (FedFeat+) compare, and hypotheses of ours beside them."""

from collections.abc import Mapping
from itertools import pairwise, product
from typing import Any

from fbftl.papers.quantities import (
    NOTHING,
    ByPart,
    BySeed,
    Compared,
    Runs,
    Sides,
    accuracies,
    measures,
)

NETWORKS, PARTITIONS = ("cnn", "mlp"), ("iid", "shards")

EPSILONS = (0.5, 1.0, 1.5, 2.0)
"""Those that the paper prints."""

STEPS = {
    **{f"{more:g}": (less, more) for less, more in pairwise(EPSILONS)},
    "range": (EPSILONS[0], EPSILONS[-1]),
}
"""From one epsilon to a greater one."""

METRICS = {
    "mutual_information": True,
    "feature_correlation": True,
    "kl_divergence": False,
    "entropy_difference": False,
}
"""What the paper measures of its noise, and whether its tables have it rise with epsilon."""

CLIPPED = {"feature_clip": 1.0}


def _setting(method: str, partition: str, network: str = "cnn", **more: Any) -> dict[str, Any]:
    retrained = {} if method == "fedavg" else {"server_epochs": 5}
    base = {"method": method, "partition": partition, "network": network, "local_epochs": 5}
    return base | retrained | more


def _noised(
    epsilon: float, partition: str = "shards", network: str = "cnn", **more: Any
) -> dict[str, Any]:
    noise = {"mechanism": "feature_gaussian", "epsilon": epsilon}
    return _setting("fedfeat", partition, network, **noise, **more)


def _over_fedavg(partition: str, network: str = "cnn") -> Compared:
    """Return what compares FedFeat+ with FedAvg."""
    return accuracies(
        _setting("fedavg", partition, network), _setting("fedfeat", partition, network)
    )


def _gain(runs: Runs, partition: str, network: str) -> BySeed:
    fedavg, fedfeat = _over_fedavg(partition, network)(runs)
    return fedfeat - fedavg


def _gains(first: tuple[str, str], second: tuple[str, str]) -> Compared:
    """Return what compares two gains over FedAvg, each of a partition and a network."""
    return lambda runs: (_gain(runs, *first), _gain(runs, *second))


def _of_noise(column: str, lesser: float, greater: float, **more: Any) -> Compared:
    """Return what compares a metric of the noise at two epsilons."""
    return measures(column, _noised(lesser, **more), _noised(greater, **more))


ON_SHARDS = _setting("fedfeat", "shards")

SENTENCES: Mapping[str, ByPart] = {
    "fedfeat-01": {
        partition: accuracies(_setting("fedavg", partition), _noised(2.0, partition))
        for partition in PARTITIONS
    },
    "fedfeat-05": {"mlp": _over_fedavg("iid", "mlp")},
    "fedfeat-06": {"cnn": _over_fedavg("iid")},
    "fedfeat-07": {network: _over_fedavg("shards", network) for network in NETWORKS},
    "fedfeat-14": {network: _over_fedavg("iid", network) for network in NETWORKS},
    "fedfeat-16": {
        partition: _gains((partition, "mlp"), (partition, "cnn")) for partition in PARTITIONS
    },
    "fedfeat-17": {network: _gains(("iid", network), ("shards", network)) for network in NETWORKS},
    "fedfeat-20": {
        f"{partition}_{network}_{name}": accuracies(
            _noised(lesser, partition, network), _noised(greater, partition, network)
        )
        for partition, network in product(PARTITIONS, NETWORKS)
        for name, (lesser, greater) in STEPS.items()
    },
    "fedfeat-21": {
        column: _of_noise(column, 0.5, 2.0)
        for column in ("mutual_information", "feature_correlation")
    },
    "fedfeat-22": {"kl_divergence": _of_noise("kl_divergence", 0.5, 2.0)},
    "fedfeat-23": {"2": accuracies(ON_SHARDS, _noised(2.0))},
}


def _norms(runs: Runs) -> Sides:
    sides = measures("feature_norm", _noised(32.0), _noised(0.5))(runs)
    return sides if all(not side.values.empty for side in sides) else (NOTHING, NOTHING)


HYPOTHESES: ByPart = {
    "without_retraining": accuracies(
        _setting("fedavg", "shards", network="mlp"),
        _setting("fedfeat", "shards", network="mlp", server_epochs=0),
    ),
    "averaged": accuracies(ON_SHARDS, ON_SHARDS | {"features_from": "averaged"}),
    "ccvr": accuracies(_setting("ccvr", "shards"), ON_SHARDS),
    **{
        f"from_{low:g}": accuracies(_noised(low), _noised(high))
        for low, high in pairwise((2.0, 8.0, 32.0))
    },
    "kl_falls": _of_noise("kl_divergence", 2.0, 0.5),
    "entropy_falls": _of_noise("entropy_difference", 2.0, 0.5),
    **{
        f"{column}_clipped": _of_noise(column, *((0.5, 2.0) if rises else (2.0, 0.5)), **CLIPPED)
        for column, rises in METRICS.items()
    },
    "norms": _norms,
}
