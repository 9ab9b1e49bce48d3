"""The table of split training: formulas beside the ledger, FedAvg's bytes, both inferences."""

import json
from pathlib import Path

import pandas as pd
import plot_eppfl
import pytest
import tabulate_eppfl
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.models.cost.layers import Network, convolution, dense, write_network
from fbftl.study.settings import DEFAULTS
from unit.training.tasks.toy_task import CLIENTS, train

CNN = {
    "kind": "cnn", "channels": [[2], [3]], "kernel": 3, "padding": "same", "pool": 2,
    "fc": [6], "norm": "none", "dropout": 0.0, "pool_dropout": 0.0, "cut": "relu1_1",
}  # fmt: skip
OWN, REST = 2 * 10, 3 * 19 + 6 * 13 + 10 * 7
ROUNDS = {"rounds": 2, "local_batch": 3, "clients_per_round": 4, "validation": 0.0}
HALVES = {"keep_activations": 0.5, "keep_gradients": 0.5, "local_epochs": 2, "clients": 31}


@pytest.fixture(scope="module")
def table(files: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("task")
    equal = CLIENTS | {"clients": 31, "samples_per_client": None}
    axes = {"network": "cnn"} | HALVES
    run, ledger = train(files, folder, "eppfl", network=CNN, clients=equal, axes=axes, **ROUNDS)
    csv = folder / "table.csv"
    tabulate_eppfl.eppfl([str(run)], [str(ledger)], DEFAULTS).write(csv)
    assert json.loads(Path(run).read_text())["measures"]["protected_accuracy"]["unit"] == "share"
    return pd.read_csv(csv)


def test_bytes_of_a_client_and_round_by_hand(table):
    """Four samples in two epochs, 128 activations of which 64 are kept."""
    (row,) = table.to_dict("records")
    assert row["formula_up"] == 4 * 4 * 2 * (64 + 1)
    assert row["activations"] == 4 * 2 * 64 * 4 + 8 + HEADER_BYTES
    assert row["labels"] == 4 * 2 * 4
    assert row["formula_down"] == 4 * 2 * 2 * 64  # two mini-batches of at most three
    assert row["gradients"] == 4 * 2 * (64 * 4 + 128 / 8) + HEADER_BYTES
    assert row["weights"] == 4 * OWN + HEADER_BYTES
    assert row["edge_weights"] == 4 * REST + HEADER_BYTES
    assert row["uplink"] == row["activations"] + row["labels"] + row["weights"]
    assert row["uplink_with_positions"] == row["uplink"] + 4 * 2 * 128 / 8
    assert row["fedavg"] == 4 * (OWN + REST)
    assert row["over_fedavg"] == row["uplink"] / row["fedavg"]


def test_the_papers_points_are_those_whose_epsilon_is_printed(root):
    printed = plot_eppfl.published.read(root / "published/eppfl/printed.csv")
    assert plot_eppfl.of_paper(printed).to_numpy().tolist() == [[1, 54.59], [10, 72.53]]


def test_the_papers_client_multiplies_twice_its_convolution_of_27_weights(root):
    """A client needs no gradient of its images: a pass forward, and the gradients of weights."""
    files = [root / f"published/eppfl/{name}.csv" for name in ("setup", "script")]
    setting = plot_eppfl.setup_of(plot_eppfl.PaperRecord.of(files))
    points = plot_eppfl.by_closed_form(setting).set_index("name")
    convolved = 27 * 64 * 32**2
    whole = 3 * sum(layer.products for layer in setting.layers) - convolved
    subject = points.loc[plot_eppfl.HALVED]
    assert subject["multiplications"] == pytest.approx(2 * convolved / whole)
    sent = 4 * 500 * 2 * (65_536 / 2 + 1) + 4 * 28 * 64
    assert subject["uplink"] == pytest.approx(sent / (4 * 21_341_258))


def test_points_of_the_runs_are_named_settings_by_their_ledgers(tmp_path):
    layers = (convolution("conv1_1", 1, 2, 3, 8), dense("output", 128, 10))
    path = tmp_path / "cnn.json"
    write_network(path, Network("cnn", layers, cut=1))
    settings = ["eppfl+network=cnn+local_epochs=5", "eppfl+network=cnn+local_epochs=1"]
    table = pd.DataFrame({"setting": settings, "over_fedavg": [2.5, 0.5]})
    points = plot_eppfl.by_ledger(table, [str(path)], epochs=2).set_index("name")
    assert points["uplink"].to_dict() == {"FedAvg": 1.0, "5 local epochs": 2.5}
    share = 2 * 1152 / (2 * 1152 + 3 * 1280)
    assert points.at["5 local epochs", "multiplications"] == pytest.approx(share * 5 / 2)
    assert plot_eppfl.by_ledger(table.iloc[1:], [str(path)], epochs=2).empty
