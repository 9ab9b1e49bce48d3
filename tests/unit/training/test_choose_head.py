"""The script that picks head and epochs, on a toy task."""

import choose_head
import pandas as pd
import pytest
from fbftl.study.methods import axes_by_method
from unit.tasks.toy_task import params


def job(method: str) -> dict[str, object]:
    return params({"method": method}, None, (0, 1), epochs=12, validation=0.2)


def test_the_head_is_picked_and_given_to_the_others(files, tmp_path):
    csv = tmp_path / "heads.csv"
    choose_head.main(
        files, [[], [8]], job("fbftl"), [job("ftl_f")], axes_by_method(), "cpu", 1
    ).write(csv)
    table = pd.read_csv(csv, keep_default_na=False)
    assert table["method"].tolist() == ["fbftl", "fbftl", "ftl_f"]
    assert table["validation"].astype(float).iloc[:2].nunique() == 2
    picked = table[table["picked"] == "yes"]
    assert picked["method"].tolist() == ["fbftl", "ftl_f"]
    assert picked["head"].nunique() == 1
    assert table["epochs"].isin([8, 12]).all()
    # FTL_c's uplink is the head's parameters for every client and epoch.
    ratio = table[table["method"] == "fbftl"].astype({"times_fbftl": float, "uplink": float})
    assert (ratio["uplink"] / ratio["parameters"] / ratio["epochs"] / 32 % 1 == 0).all()
    assert (ratio["times_fbftl"] > 0).all()
    # A linear head (10 classes, 6 features): 16 clients send it each epoch, and 124 samples once.
    linear = table[table["head"] == "none"].iloc[0]
    per_epoch = 10 * (6 + 1) * 16 / (6 * 124)
    assert float(linear["times_fbftl"]) == pytest.approx(per_epoch * float(linear["epochs"]))
    assert float(linear["common_times"]) == pytest.approx(
        per_epoch * float(linear["common_epochs"])
    )
