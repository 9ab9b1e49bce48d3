"""Tables of FedFeat+: gains by seed, printed values beside, what noise comes to."""

from itertools import product

import pandas as pd
import pytest
import tabulate_fedfeat
from fbftl.findings.published import Verdict, read
from fbftl.study.job import name_of

SEEDS = range(5)
AXES = {
    "network": None,
    "partition": None,
    "local_epochs": 1,
    "features_from": "last_epoch",
    "server_epochs": 1,
    "server_step": "clients",
    "mechanism": "none",
    "epsilon": None,
    "feature_clip": None,
}


def run(accuracy: float, spread: float = 0.002, **axes: object) -> list[dict]:
    """Return a tidy row per seed, the seeds' accuracies spread around one."""
    shown = {axis: value for axis, value in axes.items() if value is not None}
    return [
        AXES
        | shown
        | {
            "setting": name_of(shown),
            "seed": seed,
            "diverged": False,
            "test_accuracy": accuracy + spread * (seed - 2),
            "test_accuracy_best": accuracy + 0.01,
            "feature_norm": {0.5: 40.0, 2.0: 20.0, 32.0: 5.0}.get(axes.get("epsilon"), 5.0),
            "mutual_information": 0.1 + 0.01 * (axes.get("epsilon") or 0) + 0.001 * seed,
        }
        for seed in SEEDS
    ]


def base(method: str, partition: str, network: str = "cnn", **more: object) -> dict:
    retrained = {} if method == "fedavg" else {"server_epochs": 5}
    axes = {"method": method, "network": network, "partition": partition, "local_epochs": 5}
    return axes | retrained | more


@pytest.fixture(scope="module")
def table() -> pd.DataFrame:
    rows = []
    for partition, network in product(("iid", "shards"), ("cnn", "mlp")):
        gain = 0.1 if partition == "shards" else 0.01
        rows += run(0.7, **base("fedavg", partition, network))
        rows += run(0.7 + gain, **base("fedfeat", partition, network))
        rows += run(0.72, **base("ccvr", partition, network))
    rows += run(0.9, **base("fedfeat", "shards", features_from="averaged"))
    rows += run(0.7, **base("fedfeat", "shards", "mlp", server_epochs=0))
    for epsilon, accuracy in ((0.5, 0.2), (2.0, 0.5), (8.0, 0.7), (32.0, 0.695)):
        noise = {"mechanism": "feature_gaussian", "epsilon": epsilon}
        rows += run(accuracy, **base("fedfeat", "shards", **noise))
    return pd.DataFrame(rows)


def test_gains_are_over_the_same_network_and_clients(table):
    table_rows = tabulate_fedfeat.retraining_rows(table[table["mechanism"] == "none"])
    gains = table_rows.set_index(
        ["method", "partition", "network", "features_from", "server_epochs"]
    ).sort_index()
    assert gains.loc[("fedfeat", "shards", "cnn", "last_epoch", 5), "gain"] == pytest.approx(0.1)
    assert gains.loc[("fedfeat", "iid", "cnn", "last_epoch", 5), "effect"] == "raises"
    assert gains.loc[("fedfeat", "shards", "cnn", "averaged", 5), "gain"] == pytest.approx(0.2)
    assert gains.loc[("fedfeat", "shards", "mlp", "last_epoch", 0), "effect"] == "undecided"
    assert gains.loc[("fedavg", "shards", "cnn"), "gain"].isna().all()


def test_printed_rounds_stand_beside_the_papers_own_reading_only(table, root):
    rows = tabulate_fedfeat.retraining_rows(table[table["mechanism"] == "none"])
    printed = read(root / "published/fedfeat/tables.csv")
    numbers = tabulate_fedfeat.accuracies(printed, "cifar10", 10)
    beside = tabulate_fedfeat.beside_best_rounds(rows, numbers, {"cnn": "", "mlp": "another size"})
    shown = beside.dropna(subset="published").set_index(["method", "partition", "network"])
    assert len(shown) == 8
    assert shown.loc[("fedfeat", "shards", "cnn"), "published"] == pytest.approx(0.6482)
    assert shown.loc[("fedfeat", "shards", "cnn"), "verdict"] == Verdict.DIFFERS
    assert set(shown.xs("mlp", level="network")["verdict"]) == {Verdict.NOT_COMPARABLE}
    assert set(shown.xs("mlp", level="network")["reason"]) == {"another size"}


@pytest.mark.parametrize(
    ("row", "once", "rounds"),
    [
        ({"mechanism": "feature_gaussian", "noise_std": 2.399}, 1.63, 25.8),
        ({"mechanism": "feature_laplace", "epsilon": 2.0}, 2.0, 200.0),
        ({"mechanism": "gaussian", "given_sigma": 2 * 2.399, "given_epsilon": 7.0}, 1.63, 7.0),
    ],
)
def test_what_noise_comes_to(row, once, rounds):
    epsilons = tabulate_fedfeat.epsilons(row, 1e-5, 100)
    assert epsilons == pytest.approx((once, rounds), rel=5e-3)
