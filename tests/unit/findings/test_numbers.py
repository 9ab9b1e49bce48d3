"""Single numbers by name."""

import json

import pandas as pd
import pytest
import write_numbers
from fbftl.findings.exchanged import COMMON, SELECTED
from fbftl.findings.numbers import of_runs, of_uplink
from unit.papers.test_effects import runs


def test_every_setting_has_its_accuracy():
    numbers = dict(of_runs(runs(({}, [0.9, 0.8]), ({"plr": 0.5}, [0.5, 0.5]))))
    assert numbers["toy/fbftl/accuracy"] == pytest.approx(85)
    assert numbers["toy/fbftl/spread"] == pytest.approx(50**0.5)
    assert numbers["toy/fbftl+plr=0.5/accuracy"] == pytest.approx(50)


def test_dialogues_have_their_rouge_and_both_uplinks():
    table = runs(({}, [0.4, 0.2]))
    scored = table.assign(
        rouge1=100 * table.pop("test_accuracy"),
        uplink_payload_bits=[10, 30],
        uplink_bits=[1000.0, 2000.0],
    )
    assert dict(of_runs(scored)) == pytest.approx(
        {
            "toy/fbftl/rouge1": 30,
            "toy/fbftl/rouge1 spread": 200**0.5,
            "toy/fbftl/uplink as counted": 20,
            "toy/fbftl/uplink as sent": 1500,
        }
    )


def test_uplinks_are_compared_with_fbftl():
    rows = [("fbftl", 10, 1.0), ("fbftl", 10, 1.0), ("fl", 10_000, 1000.0), ("fl", 30_000, 3000.0)]
    table = pd.DataFrame(rows, columns=["method", "payload_bits", "times_fbftl"])
    both = pd.concat([table.assign(until=SELECTED), table.assign(until=COMMON)])
    numbers = dict(of_uplink("toy", both))
    for name in ("uplink", "uplink to common accuracy"):
        assert numbers[f"toy/fl/{name}"] == 20_000
        assert numbers[f"toy/fl/{name} over fbftl"] == 2000
        assert numbers[f"toy/fl/{name} over fbftl/spread"] == pytest.approx(2e6**0.5)
        assert f"toy/fbftl/{name} over fbftl" not in numbers


def test_files_are_written(tmp_path):
    table = runs(({}, [0.9, 0.8])).assign(epoch=1)
    table.to_csv(tmp_path / "a.csv", index=False)
    write_numbers.main([str(tmp_path / "a.csv")] * 2, tmp_path / "n.json")
    assert json.loads((tmp_path / "n.json").read_text())["toy/fbftl/accuracy"] == pytest.approx(85)
