"""Tables and figures of FbFTL's compression, packet loss, scarcity and dialogues."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from fbftl.findings.run_file import run_document
from fbftl.findings.tables import ResultTable, undertrained
from fbftl.messages.channel import GILBERT_ELLIOTT, burst_packet_loss_rate, packet_loss_rate
from fbftl.messages.ledger import BROADCAST, Ledger
from fbftl.models.cost.layers import Layer, Network, write_network
from fbftl.study.methods import rows
from fbftl.study.settings import Setting, from_axes
from plot_fbftl import marked as on_fronts
from tabulate_fbftl_cost import COUNTED, ROUGE, by_method
from tabulate_fbftl_cost import beside_table4 as beside_published
from tabulate_fbftl_loss import EQ_18, as_printed, loss_rate, side_by_side
from tabulate_fbftl_loss import beside_fig8 as with_published
from tabulate_fbftl_loss import compression as tabulate_compression
from tabulate_fbftl_loss import packet_loss as tabulate_packet_loss
from unit.findings.made_up import AXES, client_file
from unit.papers.test_effects import runs

X, ROUNDS, CLIENTS = 100, 4, 3
LABELS = {row["name"]: row["label"] for row in rows(["fl", "ftl_f", "ftl_c", "fbftl"])}
SETUPS = str(Path(__file__).parents[3] / "published" / "setups.csv")
SETUP = {"task": "toy", "backbone": "toy", "size": "8", "data": "all", "encoding": "original"}


def write_run(folder: Path, axes: dict, accuracies: list[float]) -> tuple[str, str]:
    """Write a made-up run of FTL_c and its ledger: a round an epoch, every client in it."""
    setting = from_axes({"method": "ftl_c"} | axes)
    repetitions = [
        {
            "seed": seed,
            "epoch": 2,
            "test_accuracy": accuracy,
            "diverged": accuracy == 0,
            "clients": CLIENTS,
            "series": {"test_accuracy": [accuracy / 2] * (ROUNDS - 1) + [accuracy]},
        }
        for seed, accuracy in enumerate(accuracies)
    ]
    training = {"epochs": ROUNDS, "clients_per_round": CLIENTS}
    job = {"task": "toy", "setting": setting.deviations(), "training": training}
    document = run_document(job, {}, repetitions)
    run, entries = folder / f"{setting.name}.json", folder / f"{setting.name}.parquet"
    run.write_text(json.dumps(document), encoding="utf-8")
    ledger = Ledger(method="ftl_c")
    for seed in range(len(accuracies)):
        ledger.add(
            ROUNDS * CLIENTS,
            seed=seed,
            direction="up",
            round=np.repeat(np.arange(1, ROUNDS + 1), CLIENTS),
            client=np.tile(np.arange(CLIENTS), ROUNDS),
            payload_bits=int(setting.bits * setting.keep * X),
            bits=1000,
            packets=5,
            attempts=6,
            lost=np.arange(ROUNDS * CLIENTS) < 4,
        )
        broadcast = {"client": BROADCAST, "payload_bits": 7 * 32, "bits": 7 * 32 + 192}
        rounds = np.arange(1, ROUNDS + 1)
        ledger.add(ROUNDS, seed=seed, direction="down", round=rounds, lost=False, **broadcast)
    ledger.write(entries)
    return str(run), str(entries)


@pytest.fixture
def network(tmp_path: Path) -> str:
    layers = (
        Layer("front", "dense", parameters=5, inputs=1, outputs=10),
        Layer("head", "dense", parameters=X, inputs=10, outputs=3),
    )
    write_network(tmp_path / "network.json", Network("toy", layers, cut=1))
    return str(tmp_path / "network.json")


def test_compression_counts_until_the_selected_epoch(tmp_path, network, clients):
    axes = [{}, {"bits": 2, "keep": 0.1}, {"bits": 2, "keep": 0.1, "feedback": False}]
    runs, ledgers = zip(*(write_run(tmp_path, a, [0.9, 0.8]) for a in axes), strict=True)
    csv = tmp_path / "compression.csv"
    table5 = tmp_path / "table5.csv"
    table5.write_text("method,bits,keep,printed,unit,source\nftl_c,2,0.1,79.5,%,a paper\n")
    tabulate_compression(
        list(runs), list(ledgers), [network] * 3, clients, str(table5), SETUPS, rows(["ftl_c"]),
        AXES, SETUP,
    ).write(csv)  # fmt: skip
    plain, feedback, without = pd.read_csv(csv).to_dict("records")
    assert plain["q"] == 32
    assert np.isnan(plain["feedback"])
    assert (feedback["feedback"], without["feedback"]) == (True, False)
    assert (feedback["kept"], feedback["elements"]) == (10, X)
    assert feedback["uplink_bits"] == 2 * CLIENTS * 1000
    assert feedback["accuracy"] == pytest.approx(0.85)
    assert feedback["published"] == 0.795
    assert feedback["verdict"] == "not comparable"
    assert feedback["reason"] == "another task, another backbone, another size"
    assert feedback["uplink_bits_spread"] == 0
    assert np.isnan(plain["published"])
    assert np.isnan(without["published"])
    assert "FTL<sub>c</sub>, no error feedback" in csv.with_suffix(".md").read_text()
    assert "FTL\\_c, no error feedback" in csv.with_suffix(".tex").read_text()


def test_the_kept_page_arranges_the_kept_rows_as_the_paper_does(root, tmp_path):
    kept = root / "docs" / "results" / "digits" / "tables" / "compression.csv"
    table = pd.read_csv(kept)
    arranged, columns = as_printed(table, LABELS)
    ResultTable(table, columns, arranged).write(tmp_path / "table.csv")
    assert (tmp_path / "table.md").read_text() == kept.with_suffix(".md").read_text()


def test_settings_that_a_further_axis_tells_apart_share_a_cell(root):
    first = pd.read_csv(root / "docs" / "results" / "digits" / "tables" / "compression.csv").head(1)
    both = pd.concat([first, first.assign(accuracy=0.4, diverged=1)])
    assert as_printed(both, LABELS)[0].iloc[0]["r=1"].endswith(" / 40.0% ± 0.6%† [89.4%]")


def test_of_points_that_coincide_the_first_is_on_the_front():
    points = pd.DataFrame(
        [("a", 2, 0.5), ("a", 2, 0.5), ("b", 1, 0.5), ("b", 1, 0.4)],
        columns=["method", "uplink_bits", "accuracy"],
    )
    apart, together = points.assign(fraction=[1.0, 1.0, 0.1, 0.1]), points.assign(fraction=1.0)
    assert on_fronts(apart)["pareto"].tolist() == [True, False, True, False]
    assert on_fronts(together)["pareto"].tolist() == [False, False, True, False]


def test_loss_rates_by_formula():
    assert loss_rate(Setting(blr=0.1), 7) == (packet_loss_rate(0.1, 7), EQ_18)
    again, formula = loss_rate(Setting(blr=0.1, retransmissions=2), 7)
    assert (again, formula) == (pytest.approx(1 - 0.999**7), EQ_18)
    bursts = loss_rate(Setting(blr=0.1, burst=3.0), 7)
    assert bursts == (burst_packet_loss_rate(0.1, 3.0, 7), GILBERT_ELLIOTT)
    assert loss_rate(Setting(blr=0.1, burst=3.0, retransmissions=1), 7) == (None, "")
    assert loss_rate(Setting(), 7) == (0, EQ_18)


@pytest.fixture
def clients(tmp_path: Path) -> str:
    """The path of a client file with a hundred test samples."""
    return client_file(tmp_path, list(range(10)) * 10)


def test_what_loss_does_is_paired_by_seed(tmp_path, clients):
    clean = write_run(tmp_path, {}, [0.5, 0.7, 0.9])
    lossy = write_run(tmp_path, {"blr": 0.1}, [0.4, 0.6, 0.8])
    csv = tmp_path / "packet_loss.csv"
    runs, ledgers = zip(clean, lossy, strict=True)
    tabulate_packet_loss(list(runs), list(ledgers), clients, rows(["ftl_c"]), AXES).write(csv)
    without, worse = pd.read_csv(csv, keep_default_na=False).to_dict("records")
    assert (without["difference"], without["effect"]) == ("", "")
    assert float(worse["difference"]) == pytest.approx(-0.1)
    assert float(worse["difference_spread"]) == pytest.approx(0)
    assert worse["effect"] == "lowers"
    assert without["test_set_error"] == pytest.approx(0.7**0.5 * 0.3**0.5 / 10)
    assert without["test_set_error_of_difference"] == ""
    most = (0.3 + 0.4 - 0.1**2) ** 0.5 / 10
    assert float(worse["test_set_error_of_difference"]) == pytest.approx(most)


def test_packet_loss_counts_the_whole_ledger(tmp_path, clients):
    run, ledger = write_run(tmp_path, {"blr": 0.1, "retransmissions": 1}, [0.9, 0.0])
    csv = tmp_path / "packet_loss.csv"
    tabulate_packet_loss([run], [ledger], clients, rows(["ftl_c"]), AXES).write(csv)
    (row,) = pd.read_csv(csv).to_dict("records")
    assert row["messages"] == 2 * ROUNDS * CLIENTS
    assert row["blocks"] == 5
    assert row["plr_ledger"] == pytest.approx(4 / 12)
    assert row["plr_formula"] == pytest.approx(1 - 0.99**5)
    assert row["attempts_ledger"] == pytest.approx(6 / 5)
    assert row["attempts_formula"] == pytest.approx(1.1)
    assert row["diverged"] == 1
    assert csv.with_suffix(".md").exists()
    assert csv.with_suffix(".tex").exists()


LOSSES = {"plr": 0.9}, {"plr": 0.9, "loss": "reshuffled"}
FIG8 = pd.DataFrame(
    {"series": "plotted", "plr": [0.9], "printed": ["0.8570"], "unit": "1", "source": "a paper"}
)


def scarcity(lost: list[float | None], shuffled: list[float | None]) -> pd.DataFrame:
    table = runs((LOSSES[0], lost), (LOSSES[1], shuffled))
    return side_by_side(table.assign(fraction=1.0))


@pytest.mark.parametrize(
    ("shuffled", "effect"),
    [([0.95] * 3, "raises"), ([0.99, 0.7, 0.9], "undecided"), ([0.8, 0.8, 0.8], "lowers")],
)
def test_what_reshuffling_adds_is_paired_by_seed(shuffled, effect):
    assert scarcity([0.9, 0.85, 0.87], shuffled)["effect"].item() == effect


def test_a_head_far_behind_ridge_regression_is_told_of():
    """Three points and a half behind, then two and a half."""
    lost = runs((LOSSES[0], [0.9, 0.9])).assign(fraction=1.0, ridge_accuracy=[0.94, 0.93])
    table = side_by_side(lost.assign(loss="persistent"))
    assert table["undertrained"].tolist() == ["ridge regression has 93.5%"]
    assert undertrained(0.9, 0.925) == undertrained(0.9, None) == ""


def test_methods_that_share_rates_have_rows_of_their_own():
    """A grid of methods and rates alone names no loss: every run's losses are for good."""
    table = side_by_side(
        runs(
            ({"method": "fbftl", "plr": 0.9}, [0.8, 0.6]),
            ({"method": "ftl_c", "plr": 0.9}, [0.5, 0.3]),
        ).assign(fraction=1.0, loss="persistent")
    )
    assert table[["method", "plr", "accuracy", "seeds"]].to_numpy().tolist() == [
        ["fbftl", 0.9, pytest.approx(0.7), 2],
        ["ftl_c", 0.9, pytest.approx(0.4), 2],
    ]
    published = with_published(table, FIG8, "")["published"].tolist()
    assert published == [0.857, pytest.approx(float("nan"), nan_ok=True)]


@pytest.mark.parametrize("further", [{"bits": 8}, {"sigma": 0.5, "mechanism": "relative"}])
def test_a_further_axis_is_not_averaged_over(further):
    table = side_by_side(
        runs(
            (LOSSES[0], [0.8]), (LOSSES[1], [0.9]),
            (LOSSES[0] | further, [0.5]), (LOSSES[1] | further, [0.5]),
        ).assign(fraction=1.0)
    )  # fmt: skip
    assert sorted(table["difference"]) == pytest.approx([0, 0.1])
    assert list(with_published(table, FIG8, "")["published"].dropna()) == [0.857]


def test_rouge_of_a_diverged_seed_is_nothing_beside_the_printed_score():
    printed = {"method": ["fbftl"], "trained_encoders": 4, "quantity": "rouge1"}
    table4 = pd.DataFrame(printed | {"printed": "50.0000", "unit": "points", "source": "a paper"})
    measured = dict.fromkeys([*COUNTED, *ROUGE], 50.0) | {"trained_encoders": 4}
    table = runs(({}, [0.5, 0.5, None])).pipe(
        lambda frame: frame.assign(**{k: v for k, v in measured.items() if k not in frame})
    )
    row = beside_published(by_method(table), table4, "").iloc[0]
    assert row["rouge1"] == pytest.approx(100 / 3)
    assert (row["seeds"], row["diverged"]) == (3, 1)
    assert (row["published"], row["verdict"]) == (50, "undecided")
