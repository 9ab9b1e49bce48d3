"""Uploads side by side: kinds, kilobytes a client, the cheapest within a point, the front."""

import pandas as pd
import plot_front
import pytest
from drawn import unrendered
from fbftl.findings.upload_kinds import compared, kind_of, skew_of

PLAIN = {
    "task": "t", "method": "one_shot", "message": "batch", "head": "lda", "bits": 32, "keep": 1.0,
    "samples_per_client": None, "partition": None, "alpha": None, "seed": 0, "diverged": False,
    "upload_batches": 10, "downlink_bits": 0,
}  # fmt: skip
CLIENTS = {"samples_per_client": 8, "partition": "iid", "alpha": 0.1}


def runs(*settings: dict) -> pd.DataFrame:
    """Tidy rows of settings, of 10 clients that send so many kilobytes each."""
    return pd.DataFrame(
        [
            PLAIN | {"setting": str(n)} | of | {"uplink_bits": 8e3 * 10 * of["kB"]}
            for n, of in enumerate(settings)
        ]
    )


SETTINGS = (
    {"kB": 32, "test_accuracy": 0.90},
    {"kB": 32, "test_accuracy": 0.88, "head": "ncm"},
    {"kB": 2, "test_accuracy": 0.895, "bits": 2},
    {"kB": 1, "test_accuracy": 0.87, "bits": 1},
    {"kB": 3, "test_accuracy": 0.899, "message": "means"},
    {"kB": 4, "test_accuracy": 0.95, "message": "own"},
    {"kB": 50, "test_accuracy": 0.99, "method": "fedavg", "upload_batches": 700},
)


@pytest.fixture
def table(monkeypatch) -> pd.DataFrame:
    monkeypatch.setattr("fbftl.findings.upload_kinds.declared", lambda message, _: message)
    return compared(runs(*SETTINGS), CLIENTS, 100).set_index("setting")


def test_a_kind_is_what_is_sent_and_a_message_of_ones_own_is_one(table):
    kinds = table.loc[list("0123456"), "kind"].tolist()
    assert kinds[:2] == ["raw features"] * 2
    assert kinds[2:4] == ["quantised features"] * 2
    assert kinds[4:] == ["class means", "own", "rounds"]
    assert kind_of(PLAIN | {"method": "fbftl", "keep": 0.5}) == "quantised features"


def test_each_is_held_against_raw_features_with_their_best_head(table):
    assert table.loc["2", "below_raw"] == pytest.approx(0.005)
    assert table.loc["5", "below_raw"] == pytest.approx(-0.05)
    cheapest = set(table.index[table["cheapest"] == "yes"])
    assert cheapest == {"0", "2", "4", "5", "6"}
    assert set(table.index[table["pareto"] == "yes"]) == {"3", "2", "4", "5", "6"}


def test_rounds_are_shared_out_over_the_clients_that_send_once(table):
    assert table.loc["6", "kilobytes"] == pytest.approx(50)
    assert table.loc["0", "kilobytes"] == pytest.approx(32)
    assert table.loc["0", "multiplications"] == 800


def test_clients_dealt_otherwise_are_compared_apart():
    other = [of | {"samples_per_client": 128, "kB": 10 * of["kB"]} for of in SETTINGS[:4]]
    skewed = {"partition": "dirichlet_equal", "alpha": 0.1, "kB": 1, "test_accuracy": 0.1}
    table = compared(runs(*SETTINGS[:4], *other, skewed), CLIENTS, 1)
    cheapest = table[table["cheapest"] == "yes"].groupby(["skew", "samples_per_client"]).size()
    counts = {("Dirichlet 0.1", 8): 1, ("iid labels", 8): 2, ("iid labels", 128): 2}
    assert cheapest.to_dict() == counts
    assert skew_of("shards", None) == "one class a client"


def test_figures_show_sizes_and_the_front(tmp_path):
    other = [of | {"samples_per_client": 128, "kB": 10 * of["kB"]} for of in SETTINGS[:5]]
    table = compared(runs(*SETTINGS[:5], *other), CLIENTS, 1)
    table.to_csv(tmp_path / "front.csv", index=False)
    for draw in (plot_front.upload_sizes, plot_front.upload_front):
        svg = str(tmp_path / f"{draw.__name__}.svg")
        unrendered(draw, str(tmp_path / "front.csv"), svg)
    sizes = pd.read_csv(tmp_path / "upload_sizes.csv")
    assert sizes.loc[sizes["kind"] == "quantised features", "kilobytes"].tolist() == [2, 20]
    front = pd.read_csv(tmp_path / "upload_front.csv")
    assert len(front) == 8
    assert front["kind"].value_counts()["quantised features"] == 4


def test_what_the_page_says_of_cifar10_holds_in_the_kept_table(root):
    """Features of two bits come within a point of raw ones, for every K and skew; nothing else."""
    table = pd.read_csv(root / "docs/results/front-images-full/tables/front.csv")
    for _, among in table.groupby(["skew", "samples_per_client"]):
        cheapest = among[among["cheapest"] == "yes"].sort_values("kilobytes")
        assert cheapest["name"].tolist() == ["quantised features, MLP, q = 2", "raw features, MLP"]
        assert cheapest["below_raw"].abs().max() < 0.0025
        raw_lda = among.set_index("name").loc["raw features, LDA", "accuracy"]
        means = among[among["kind"].isin(["class means", "means and variances"])]
        lost = means[(means["head"] == "lda") & (means["samples_per_client"] == 8)]
        assert (lost["accuracy"].max() > raw_lda - 0.015) or lost.empty
