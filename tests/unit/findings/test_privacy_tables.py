"""Tables and figures of the privacy and noise experiments, from made-up runs."""

from dataclasses import asdict
from typing import Any

import pandas as pd
import pytest
import tabulate_fbftl_privacy
from fbftl.findings.runs import guarantees, tidy, write_tidy
from fbftl.privacy import mechanisms
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.study.job import name_of
from fbftl.study.methods import rows
from fbftl.training.curves import MEASURES
from unit.findings.made_up import AXES, client_file

DELTA = 1e-6

SETUP = {"task": "cifar10", "backbone": "own", "size": "224", "data": "all", "encoding": "original"}
METHODS = rows(["ftl_c", "fbftl"])


def document(
    setting: dict[str, Any], accuracies: list[float], *records: PrivacyRecord
) -> dict[str, Any]:
    """Return a run file's document; an accuracy of 0 is of a seed that diverged."""
    repetitions = [
        {
            "seed": seed,
            "test_accuracy": accuracy,
            "diverged": accuracy == 0,
            "privacy": [asdict(record) for record in records],
        }
        for seed, accuracy in enumerate(accuracies)
    ]
    name = name_of(setting)
    measures = {"test_accuracy": asdict(MEASURES["test_accuracy"])}
    return {
        "task": "toy",
        "name": name,
        "setting": setting,
        "measures": measures,
        "repetitions": repetitions,
    }


@pytest.fixture(scope="module")
def documents() -> list[dict[str, Any]]:
    """FbFTL clean and under gaussian, FTL_c under DP-FedAvg at two K."""
    upload = {"method": "fbftl", "mechanism": "gaussian", "epsilon": 4.0}
    gaussian = mechanisms.gaussian(clip_norm=2.0, sigma=2.0, delta=DELTA)
    rounds = {
        samples: mechanisms.dp_fedavg(clip_norm=1.0, sigma=sigma, delta=DELTA, rate=1.0, rounds=4)
        for samples, sigma in ((4, 3.0), (100, 8.0))
    }
    by_rounds = {"method": "ftl_c", "mechanism": "dp_fedavg", "epsilon": 4.0}
    return [
        document({"method": "fbftl"}, [0.9, 0.9], mechanisms.no_mechanism()),
        document(upload, [0.5, 0.7], *gaussian),
        document(
            upload | {"label_epsilon": 2.0},
            [0.4, 0.6],
            *gaussian,
            mechanisms.randomised_response(2.0),
        ),
        document(by_rounds | {"samples_per_client": 4}, [0.8, 0.8], *rounds[4]),
        document(by_rounds | {"samples_per_client": 100}, [0.0, 0.2], *rounds[100]),
    ]


TEST_CLASSES = [0, 1] * 200


@pytest.fixture(scope="module")
def table(documents, tmp_path_factory, root) -> pd.DataFrame:
    folder = tmp_path_factory.mktemp("privacy")
    write_tidy(folder / "runs.csv", tidy(documents, AXES))
    write_tidy(folder / "guarantees.csv", guarantees(documents, AXES))
    tabulate_fbftl_privacy.privacy(
        str(folder / "runs.csv"),
        str(folder / "guarantees.csv"),
        client_file(folder, TEST_CLASSES),
        root / "published" / "fbftl" / "fig12.csv",
        root / "published" / "setups.csv",
        AXES,
        SETUP,
    ).write(folder / "privacy.csv")
    text = (folder / "privacy.tex").read_text(encoding="utf-8")
    assert "client replaced" in text
    assert "sample replaced" in text
    return pd.read_csv(folder / "privacy.csv")


def of(table: pd.DataFrame, **values: Any) -> pd.Series:
    """Return the one row with these values; None stands for a missing one."""
    for name, value in values.items():
        table = table[table[name].isna() if value is None else table[name] == value]
    assert len(table) == 1
    return table.iloc[0]


def test_a_guarantee_is_a_row_under_its_own_name(documents):
    table_rows = guarantees(documents, AXES)
    assert table_rows.columns.is_unique  # an axis is called `accountant` too
    assert len(table_rows) == 1 + 2 + 3 + 3 + 3
    row = table_rows[
        (table_rows["method"] == "ftl_c") & (table_rows["adjacency"] == "add-remove")
    ].iloc[0]
    assert row["epsilon"] == 4.0
    assert row["given_mechanism"] == "dp_fedavg"
    assert 0 < row["given_epsilon"] != 4.0


def test_uploads_stand_at_every_size_of_client(table):
    assert len(table) == 2 * 3 + 2
    for samples in (4, 100):
        row = of(table, method="fbftl", epsilon=4.0, label_epsilon=None, samples_per_client=samples)
        assert row["accuracy"] == pytest.approx(0.6)
        assert row["unit"] == "sample"
        assert row["clip"] == 2.0
        per_client = mechanisms.gaussian_per_client(
            clip_norm=2.0, sigma=2.0, delta=DELTA, samples=samples
        )
        assert row["epsilon_client"] == pytest.approx(per_client.epsilon)
        assert row["epsilon_sample"] == pytest.approx(row["reached"])
        assert row["epsilon_client"] > row["epsilon_sample"]


def test_rows_carry_the_guarantee_that_the_noise_is_calibrated_to(table):
    row = of(table, method="ftl_c", samples_per_client=100)
    assert (row["unit"], row["adjacency"], row["accountant"]) == (
        "client",
        "add-remove",
        "exact Gaussian",
    )
    assert row["sigma"] == 8.0
    assert row["delta"] == DELTA
    assert row["diverged"] == 1
    assert row["epsilon_client"] == row["epsilon_sample"] > row["reached"]
    clean = of(table, method="fbftl", epsilon=None, samples_per_client=4)
    assert clean[["unit", "reached", "epsilon_client", "delta"]].isna().all()


def test_published_accuracies_stand_beside_the_same_setting(table):
    assert of(table, method="ftl_c", samples_per_client=100)["published"] == 0.7511
    assert of(table, method="ftl_c", samples_per_client=4)["published"] == 0.0


def test_relative_noise_has_no_guarantee_but_a_footnote(tmp_path, root):
    relative = {"method": "fbftl", "mechanism": "relative", "sigma": 0.2}
    documents = [
        document({"method": "fbftl"}, [0.9], mechanisms.no_mechanism()),
        document(relative, [0.7], mechanisms.relative(0.2)),
        document(relative | {"noise_draw": "redrawn"}, [0.8], mechanisms.relative(0.2)),
    ]
    write_tidy(tmp_path / "runs.csv", tidy(documents, AXES))
    tabulate_fbftl_privacy.noise(
        str(tmp_path / "runs.csv"),
        client_file(tmp_path, TEST_CLASSES),
        root / "published" / "fbftl" / "notebook_noise.csv",
        root / "published" / "setups.csv",
        AXES,
        SETUP,
    ).write(tmp_path / "noise.csv")
    table = pd.read_csv(tmp_path / "noise.csv")
    assert table["guarantee"].isna().all()
    assert of(table, sigma=0.0)["test_set_error"] == pytest.approx(0.3 / len(TEST_CLASSES) ** 0.5)
    noisy = of(table, sigma=0.2, noise_draw="redrawn")
    assert noisy["footnote"] == mechanisms.RELATIVE_NOTE
    assert noisy["published"] == 0.8429
    assert (noisy["verdict"], noisy["reason"]) == ("not comparable", "another backbone")
