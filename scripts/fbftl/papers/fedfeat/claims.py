"""What sentences of paper fedfeat (FedFeat+) compare, and hypotheses of ours beside them."""

from collections.abc import Callable, Mapping
from functools import reduce
from itertools import pairwise, product
from operator import add
from typing import Any

import numpy as np

from fbftl.papers.curves import (
    end_of,
    points_fallen,
    rounds_falling,
    rounds_to_converge,
    rounds_until,
)
from fbftl.papers.fedfeat.grounds import MNIST, grounded, unless_all_guess
from fbftl.papers.fedfeat.settings import (
    EPSILONS,
    HEADLINE,
    MANY,
    NETWORKS,
    OF_MNIST,
    PAIRED,
    PARTITIONS,
    SERVER_STEPS,
    noised,
    noised_by,
    retrained,
    setting_of,
)
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


def _epsilon(runs: Runs) -> float:
    """Return the noise under which Tables II and III have the data of a task."""
    return OF_MNIST if runs.task.startswith(MNIST) else HEADLINE


def _over_fedavg(partition: str, network: str = "cnn", step: str = PAIRED, **more: Any) -> Compared:
    """Return what compares FedFeat+ with FedAvg, where more axes are those of both."""
    return accuracies(
        setting_of("fedavg", partition, network, **more),
        retrained(partition, network, step, **more),
    )


def _as_printed(partition: str, network: str) -> Compared:
    """Return what compares FedFeat+ under the noise of Tables II and III with FedAvg."""
    return lambda runs: (
        runs.accuracy(**setting_of("fedavg", partition, network)),
        runs.accuracy(**noised_by(_epsilon(runs), partition, network)),
    )


def _by_step(partition: str, network: str) -> ByPart:
    """Return what compares FedFeat+ with FedAvg, by network and the server's step.

    Further parts have the paper's larger number of clients a round, and its noise.
    """
    steps = {f"{network}_{step}": _over_fedavg(partition, network, step) for step in SERVER_STEPS}
    return {
        **steps,
        f"{network}_many": _over_fedavg(partition, network, clients_per_round=MANY),
        f"{network}_noised": _as_printed(partition, network),
    }


def _every_cell() -> ByPart:
    """Return what compares FedFeat+ with FedAvg in MNIST's cells of Tables II and III.

    Without noise, with more clients a round, and under the paper's noise on MNIST's features.
    """
    cells = {f"{cell[0]}_{cell[1]}": cell for cell in product(PARTITIONS, NETWORKS)}
    return {
        **{name: _over_fedavg(*cell) for name, cell in cells.items()},
        **{f"{name}_many": _over_fedavg(*c, clients_per_round=MANY) for name, c in cells.items()},
        **{f"{name}_noised": _as_printed(*cell) for name, cell in cells.items()},
    }


def _gain(
    runs: Runs,
    partition: str,
    network: str,
    clients: int | None = None,
    epsilon: float | None = None,
) -> BySeed:
    """Return what FedFeat+ gains over FedAvg.

    Args:
        runs: of a task.
        partition: of the clients' samples.
        network: that they train.
        clients: a round; None has the task's own.
        epsilon: of the noise on features; None has no noise.
    """
    more = {} if clients is None else {"clients_per_round": clients}
    noise = {} if epsilon is None else {"mechanism": "feature_gaussian", "epsilon": epsilon}
    fedavg = runs.accuracy(**setting_of("fedavg", partition, network, **more))
    return runs.accuracy(**retrained(partition, network, **more, **noise)) - fedavg


def _gain_by_clients(network: str) -> Compared:
    """Return what compares the gains on shards with the task's clients a round and with `MANY`."""
    return lambda runs: (
        _gain(runs, "shards", network),
        _gain(runs, "shards", network, MANY),
    )


def _gains(first: tuple[str, str], second: tuple[str, str]) -> Compared:
    """Return what compares two gains over FedAvg, each of a partition and a network."""
    return lambda runs: (_gain(runs, *first), _gain(runs, *second))


def _printed_gains(first: tuple[str, str], second: tuple[str, str]) -> Compared:
    """Return what compares two gains over FedAvg under the noise of Tables II and III."""
    return lambda runs: tuple(
        _gain(runs, *cell, epsilon=_epsilon(runs)) for cell in (first, second)
    )


def _cells_ahead(runs: Runs) -> Sides:
    """Return half of Table II's cells, and the share in which FedFeat+ is ahead; a tie is half.

    Ten clients a round are under the table's noise, fifty without.
    """
    cells = [
        compared(runs)
        for network in NETWORKS
        for compared in (
            _as_printed("iid", network),
            _over_fedavg("iid", network, clients_per_round=MANY),
        )
    ]
    leads = [fedfeat - fedavg for fedavg, fedfeat in cells]
    ahead = [BySeed((1 + np.sign(lead.values)) / 2, lead.diverged) for lead in leads]
    share = (1 / len(ahead)) * reduce(add, ahead)
    return share.constant(0.5), share


def _rounds(runs: Runs, partition: str, network: str) -> Sides:
    """Return the rounds until FedFeat+ and FedAvg are as accurate as FedAvg is in the end."""
    fedavg = setting_of("fedavg", partition, network)
    first, second = (
        runs.until("test_accuracy", fedavg, end_of, rounds_until, **setting)
        for setting in (retrained(partition, network), fedavg)
    )
    return first, second


def _sooner(partition: str, network: str) -> Compared:
    """Return what compares these rounds."""
    return lambda runs: _rounds(runs, partition, network)


def _speed(runs: Runs, network: str) -> BySeed:
    """Return how many times sooner FedFeat+ is there on iid clients."""
    first, second = _rounds(runs, "iid", network)
    return second / first


def _falling(comes_to: Callable[[Any], float], network: str) -> Compared:
    """Return what compares how FedFeat+'s curve and FedAvg's fall on shards."""
    fedfeat, fedavg = retrained("shards", network), setting_of("fedavg", "shards", network)
    return unless_all_guess(
        lambda runs: tuple(
            runs.along("test_accuracy", comes_to, **setting) for setting in (fedfeat, fedavg)
        ),
        fedfeat,
    )


def _as_soon(partition: str) -> Compared:
    """Return what compares the rounds to convergence of FedAvg with and without noise."""
    noise = {"mechanism": "feature_gaussian", "epsilon": HEADLINE}
    settings = (
        setting_of("fedfeat", partition, server_epochs=0, **noise),
        setting_of("fedavg", partition),
    )
    return lambda runs: tuple(
        runs.along("test_accuracy", rounds_to_converge, **setting) for setting in settings
    )


def _metric(column: str, partition: str) -> Compared:
    """Return what compares a metric of the noise at the least and at the greatest epsilon."""
    least, *_, greatest = (noised_by(epsilon, partition) for epsilon in EPSILONS)
    return unless_all_guess(measures(column, least, greatest), least, greatest)


def _if_one_learns(first: dict[str, Any], second: dict[str, Any]) -> Compared:
    """Return what compares two accuracies of FedFeat+, of which one at least is no guess."""
    return unless_all_guess(accuracies(first, second), first, second)


def _blindly(attack: str, epsilon: float) -> Compared:
    """Return what compares a blind guess with an attack on features on shards, which is first."""
    setting = noised_by(epsilon, "shards")
    return unless_all_guess(
        lambda runs: (
            runs.measured(attack, **setting),
            runs.measured(f"{attack}_blind", **setting),
        ),
        setting,
    )


def _of_noise(column: str, lesser: float, greater: float, **more: Any) -> Compared:
    """Return what compares a metric of the noise at two epsilons."""
    return measures(column, noised(lesser, **more), noised(greater, **more))


ON_SHARDS = setting_of("fedfeat", "shards")

COMPARED: Mapping[str, ByPart] = {
    "fedfeat-01": {
        f"{partition}_{step}": accuracies(
            setting_of("fedavg", partition), noised_by(HEADLINE, partition, step=step)
        )
        for partition, step in product(PARTITIONS, SERVER_STEPS)
    },
    "fedfeat-02": {
        partition: measures(
            "test_accuracy_best",
            setting_of("fedavg", partition, **clients),
            noised_by(HEADLINE, partition, **clients),
            100,
        )
        for partition, clients in (("iid", {}), ("shards", {"clients_per_round": MANY}))
    },
    "fedfeat-05": _by_step("iid", "mlp"),
    "fedfeat-06": _by_step("iid", "cnn"),
    "fedfeat-07": {
        **_by_step("shards", "cnn"),
        **_by_step("shards", "mlp"),
        **{f"{network}_rounds": _sooner("shards", network) for network in NETWORKS},
    },
    "fedfeat-08": {
        **{f"{network}_rounds": _sooner("iid", network) for network in NETWORKS},
        "networks": lambda runs: (_speed(runs, "mlp"), _speed(runs, "cnn")),
    },
    "fedfeat-10": {
        **{network: _gain_by_clients(network) for network in NETWORKS},
        **{f"{network}_ten": _over_fedavg("shards", network) for network in NETWORKS},
        **{f"{n}_fifty": _over_fedavg("shards", n, clients_per_round=MANY) for n in NETWORKS},
    },
    "fedfeat-11": _every_cell(),
    "fedfeat-12": _every_cell(),
    "fedfeat-14": {"share": _cells_ahead},
    # The larger gain is to be one: where both methods fail, what FedAvg loses would look like it.
    "fedfeat-16": {
        **{p: _printed_gains((p, "mlp"), (p, "cnn")) for p in PARTITIONS},
        **{f"{p}_ahead": _as_printed(p, "cnn") for p in PARTITIONS},
        **{f"{p}_plain": _gains((p, "mlp"), (p, "cnn")) for p in PARTITIONS},
    },
    "fedfeat-17": {
        **{n: _printed_gains(("iid", n), ("shards", n)) for n in NETWORKS},
        **{f"{n}_ahead": _as_printed("shards", n) for n in NETWORKS},
        **{f"{n}_plain": _gains(("iid", n), ("shards", n)) for n in NETWORKS},
    },
    "fedfeat-18": {
        **{f"{network}_falling": _falling(rounds_falling, network) for network in NETWORKS},
        **{f"{network}_fallen": _falling(points_fallen, network) for network in NETWORKS},
    },
    "fedfeat-19": {
        "extractor_of_cnn": _gains(("iid", "cnn_one"), ("iid", "cnn")),
        "extractor_of_mlp": _gains(("iid", "mlp"), ("iid", "mlp_two")),
    },
    "fedfeat-20": {
        f"{partition}_{network}_{name}": _if_one_learns(
            noised_by(lesser, partition, network), noised_by(greater, partition, network)
        )
        for partition, network in product(PARTITIONS, NETWORKS)
        for name, (lesser, greater) in STEPS.items()
    },
    "fedfeat-21": {
        column: _metric(column, "iid") for column in ("mutual_information", "feature_correlation")
    },
    "fedfeat-22": {
        column: _metric(column, "shards") for column in ("mutual_information", "kl_divergence")
    },
    "fedfeat-23": {"2": _if_one_learns(retrained("shards"), noised_by(HEADLINE, "shards"))},
    "fedfeat-24": {partition: _as_soon(partition) for partition in PARTITIONS},
    "fedfeat-25": {
        f"{attack}_{epsilon:g}": _blindly(attack, epsilon)
        for attack in ("psnr", "ssim", "membership")
        for epsilon in (EPSILONS[0], HEADLINE)
    },
    "fedfeat-26": {
        partition: measures(
            "probe_accuracy",
            setting_of("fedfeat", partition, server_epochs=0, probed=True),
            retrained(partition, probed=True),
            100,
        )
        for partition in PARTITIONS
    },
}


SENTENCES: Mapping[str, ByPart] = {
    sentence: {part: grounded(sentence, compared) for part, compared in parts.items()}
    for sentence, parts in COMPARED.items()
}


def _norms(runs: Runs) -> Sides:
    sides = measures("feature_norm", noised(32.0), noised(0.5))(runs)
    return sides if all(not side.values.empty for side in sides) else (NOTHING, NOTHING)


HYPOTHESES: ByPart = {
    "without_retraining": accuracies(
        setting_of("fedavg", "shards", network="mlp"),
        setting_of("fedfeat", "shards", network="mlp", server_epochs=0),
    ),
    "averaged": accuracies(ON_SHARDS, ON_SHARDS | {"features_from": "averaged"}),
    "ccvr": accuracies(setting_of("ccvr", "shards"), ON_SHARDS),
    **{
        f"from_{low:g}": accuracies(noised(low), noised(high))
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
