"""Ledger against closed form on a toy task, for every method, and what is made of the two."""

import json
from pathlib import Path

import describe_network
import pandas as pd
import plot_fbftl
import pytest
import tabulate_fbftl_cost
from drawn import unrendered
from fbftl.findings.exchanged import COMMON, SELECTED, Exchanged, read_exchanged, read_methods
from fbftl.ground.errors import UserError
from fbftl.models.cost.compute import SCHEMES, scheme_cost
from fbftl.models.cost.layers import Network, parameters, read_network
from fbftl.study.methods import rows
from unit.training.tasks.toy_task import FEATURES, TRAINING, train

EPOCHS = TRAINING["epochs"]
PUBLISHED = Path(__file__).parents[3] / "published"
SETUP = {"task": "toy", "backbone": "toy", "size": "8", "data": "all", "encoding": "original"}


def tabulate(
    runs: dict[str, tuple], network: str | list[str], clients: str, csv: Path
) -> pd.DataFrame:
    """Write the table of methods, and what each sends by seed beside it; return the table."""
    networks = [network] * len(runs) if isinstance(network, str) else network
    tabulate_fbftl_cost.methods(
        *zip(*runs.values(), strict=True),
        networks,
        clients,
        PUBLISHED / "fbftl" / "table3.csv",
        PUBLISHED / "setups.csv",
        csv.with_name("uplink.csv"),
        rows(runs),
        {},
        SETUP,
    ).write(csv)
    return pd.read_csv(csv).set_index("method")


@pytest.fixture(scope="module")
def network(files: dict[str, str]) -> Network:
    return read_network(files["network"])


@pytest.fixture(scope="module")
def runs(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple]:
    folder = tmp_path_factory.mktemp("runs")
    return {method: train(files, folder, method) for method in SCHEMES}


@pytest.fixture(scope="module")
def by_seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("tables") / "uplink.csv"


@pytest.fixture(scope="module")
def table(files: dict[str, str], runs: dict[str, tuple], by_seed: Path) -> pd.DataFrame:
    return tabulate(runs, files["network"], files["clients"], by_seed.with_name("methods.csv"))


def agrees(run: Exchanged, network: Network) -> bool:
    """Whether ledger and formula are equal to the bit after every epoch, for every seed."""
    for epoch in range(1, EPOCHS + 1):
        until = [epoch] * len(run.seeds)
        costs = [
            scheme_cost(network, federation, run.method, epoch) for federation in run.federations
        ]
        # Eq. (12) leaves out that FTL_c's clients are sent the extractor once.
        once = 32 * parameters(network.extractor) if run.method == "ftl_c" else 0
        sums = {
            ("up", "messages"): [cost.upload_batches for cost in costs],
            ("up", "payload_bits"): [cost.uplink_bits for cost in costs],
            ("down", "payload_bits"): [cost.downlink_bits + once for cost in costs],
        }
        for (direction, total), wanted in sums.items():
            if run.until(direction, total, until).tolist() != wanted:
                return False
    return True


@pytest.mark.parametrize("method", SCHEMES)
def test_ledger_equals_the_formula_to_the_bit(runs, network, method):
    """Eq. (2)-(4) and (6) up, Eq. (10)-(13) down."""
    assert agrees(read_exchanged(*runs[method], {}), network)


def test_an_accuracy_that_a_seed_never_reaches_has_no_epoch(runs):
    run = read_exchanged(*runs["fbftl"], {})
    assert run.reaching(0.0) == [1, 1]
    with pytest.raises(ValueError, match="a value is missing"):
        run.reaching(1.01)


def test_the_table_sets_formula_beside_ledger(table, network):
    assert (table["uplink_formula"] == table["uplink_ledger"]).all()
    assert (table["uplink_sent"] > table["uplink_ledger"]).all()
    broadcast = 32 * parameters(network.extractor)
    beyond = table["downlink_ledger"] - table["downlink_formula"]
    assert beyond.drop("ftl_c").eq(0).all()
    assert beyond["ftl_c"] == table.at["ftl_c", "downlink_once"] == broadcast
    assert table.at["fbftl", "downlink_ledger"] == broadcast
    assert table.at["fbftl", "upload_batches"] == 124
    assert table.at["fbftl", "times_fbftl"] == 1


def with_curves(
    runs: dict[str, tuple],
    folder: Path,
    curves: dict[str, list[list[float]]],
    stops: tuple[int, int] | None = None,
) -> dict[str, tuple]:
    """Return runs whose test accuracies by seed and epoch are replaced by known ones.

    Args:
        runs: run file and ledger by method.
        folder: where the changed run files are written.
        curves: by method.
        stops: the epoch that each seed selects; None leaves them as they are.
    """
    pairs = {}
    for method, by_seed in curves.items():
        document = json.loads(runs[method][0].read_text())
        for repetition, curve in zip(document["repetitions"], by_seed, strict=True):
            if stops is not None:
                repetition["epoch"] = stops[repetition["seed"]]
            repetition["series"]["test_accuracy"] = curve
            repetition["test_accuracy"] = curve[repetition["epoch"] - 1]
            repetition.pop("right")
        pairs[method] = (folder / f"{method}.json", runs[method][1])
        pairs[method][0].write_text(json.dumps(document))
    return pairs


def test_a_run_cut_short_stops_where_it_reaches_ftl_c(files, runs, tmp_path):
    """The curves are replaced by known ones: FL reaches FTL_c's 0.5 in epoch 2, FTL_f never."""
    curves = {"ftl_c": [0.5, 0.5, 0.5], "fl": [0.4, 0.6, 0.7], "ftl_f": [0.1, 0.2, 0.3]}
    pairs = with_curves(runs, tmp_path, {method: [curve] * 2 for method, curve in curves.items()})
    table = tabulate(pairs, files["network"], files["clients"], tmp_path / "t.csv")
    assert table.index.tolist() == ["fl", "fl_low", "ftl_f", "ftl_c"]
    assert table.at["fl_low", "epochs"] == 2
    assert table.at["fl_low", "upload_batches"] == 2 * 16
    assert table.at["fl_low", "accuracy"] == pytest.approx(0.6)
    assert table.at["fl_low", "published"] == 0.8664


def test_uplink_is_told_by_seed_and_once(files, runs, tmp_path):
    """FL reaches 0.6 in all seeds and FTL_c 0.5: that is the common accuracy."""
    curves = {
        "fbftl": [[0.9, 0.9, 0.9], [0.9, 0.9, 0.9]],
        "ftl_c": [[0.5, 0.5, 0.5], [0.1, 0.1, 0.5]],
        "fl": [[0.4, 0.6, 0.7], [0.6, 0.1, 0.1]],
    }
    pairs = with_curves(runs, tmp_path, curves)
    table = tabulate(pairs, files["network"], files["clients"], tmp_path / "methods.csv")
    sent = pd.read_csv(tmp_path / "uplink.csv").set_index(["method", "until", "seed"]).sort_index()
    assert set(table["common_accuracy"].dropna()) == {0.5}
    assert list(sent.loc[("ftl_c", COMMON), "epoch"]) == [1, 3]
    assert list(sent.loc[("fl", COMMON), "epoch"]) == [2, 1]
    for method in curves:
        for until, prefix in ((SELECTED, ""), (COMMON, "common_")):
            by_seed = sent.loc[(method, until), "times_fbftl"]
            assert table.at[method, f"{prefix}times_fbftl"] == pytest.approx(by_seed.mean())
            assert table.at[method, f"{prefix}times_fbftl_spread"] == pytest.approx(by_seed.std())
    assert (sent["times_fbftl"].loc["fbftl"] == 1).all()
    assert table["reason"].str.contains("another task").all()


def test_the_figure_marks_what_the_table_reports(files, runs, tmp_path):
    """Two seeds stop after epochs 1 and 3 at 0.5 and 0.8: in the mean at 0.65, after 2 epochs.

    The mean curve is at 0.25 there.
    """
    curves = {method: [[0.5, 0.4, 0.1], [0.2, 0.1, 0.8]] for method in runs}
    pairs = with_curves(runs, tmp_path, curves, stops=(1, 3))
    table = tabulate(pairs, files["network"], files["clients"], tmp_path / "methods.csv")
    svg = tmp_path / "figure.svg"
    reported_uplink = tmp_path / "uplink.csv"
    of_runs = (*zip(*pairs.values(), strict=True), reported_uplink)
    unrendered(plot_fbftl.uplink, *of_runs, svg, rows(pairs), {})
    points = pd.read_csv(svg.with_suffix(".csv"))
    marks = points[points["selected"]].set_index("method")
    assert marks["accuracy"].tolist() == pytest.approx([0.65] * len(pairs))
    assert marks["epoch"].eq(2).all()
    reported = table[["epochs", "uplink_sent", "accuracy", "spread", "diverged"]]
    marked = marks[["epoch", "uplink", "accuracy", "spread", "diverged"]]
    assert marked.loc[table.index].to_numpy() == pytest.approx(reported.to_numpy())


@pytest.mark.parametrize("method", ["fbftl", "fl"])
def test_a_diverged_run_is_recorded_and_no_table_shows_nan(files, tmp_path, method):
    """As Fig. 12 marks it: accuracy 0 and a flag."""
    run, ledger = train(files, tmp_path, method, learning_rate=1e30)
    for repetition in json.loads(run.read_text())["repetitions"]:
        assert repetition["diverged"]
        assert repetition["test_accuracy"] == 0
    csv = tmp_path / "methods.csv"
    row = tabulate({method: (run, ledger)}, files["network"], files["clients"], csv).loc[method]
    assert row["diverged"] == 2
    assert row["accuracy"] == row["spread"] == 0
    for suffix in (".csv", ".md", ".tex"):
        assert "nan" not in csv.with_suffix(suffix).read_text().lower()


def test_two_settings_of_a_method_are_refused(runs):
    run, ledger = runs["fl"]
    with pytest.raises(UserError, match="several settings of one method"):
        read_methods([run, run], [ledger, ledger], {})


def test_every_row_counts_the_network_that_its_run_trained(files, runs, tmp_path):
    block = {"kind": "mlp", "fc": [4], "cut": "relu_fc1"}
    named = str(tmp_path / "mlp.json")
    describe_network.named(files["clients"], files["source"], named, FEATURES, "mlp", block)
    fl = train(files, tmp_path, "fl", network=block)
    both = {"fl": fl, "sfl": runs["sfl"]}
    table = tabulate(both, [named, files["network"]], files["clients"], tmp_path / "methods.csv")
    assert (
        table.at["fl", "uplink_formula"]
        == 32 * (65 * 4 + 5 * 10) * table.at["fl", "upload_batches"]
    )
    assert (table["uplink_formula"] == table["uplink_ledger"]).all()
    assert table.at["fl", "client_multiplications"] > 0
