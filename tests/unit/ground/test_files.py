"""Files are written whole or not at all."""

import math

import pytest
from fbftl.ground.files import (
    remove_leftovers,
    remove_leftovers_of,
    replacing,
    write_json,
    write_text,
)


def test_what_a_killed_process_left_is_removed_and_nothing_else(tmp_path):
    kept = ["a,part=1.json", ".location", "x.part.csv", "README.md"]
    for name in kept:
        write_text(tmp_path / "runs" / name, "kept")
    with replacing(tmp_path / "runs" / "b,plr=0.5.json") as temporary:
        temporary.write_text("half")
        remove_leftovers(tmp_path)
        assert not temporary.exists()
        temporary.write_text("whole")
    assert sorted(path.name for path in (tmp_path / "runs").iterdir()) == sorted(
        [*kept, "b,plr=0.5.json"]
    )


def test_of_one_path_only_its_own_leftovers_are_removed(tmp_path):
    with replacing(tmp_path / "loss[1].csv") as left, replacing(tmp_path / "loss1.csv") as other:
        left.write_text("half")
        other.write_text("half")
        remove_leftovers_of(tmp_path / "loss[1].csv")
        assert (left.exists(), other.exists()) == (False, True)
        left.write_text("whole")


def test_json_is_the_same_whatever_the_order_of_its_keys(tmp_path):
    write_json(tmp_path / "one", {"b": 1, "a": "µ"})
    write_json(tmp_path / "other", {"a": "µ", "b": 1})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "other").read_bytes()
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "nan", {"a": math.nan})
    assert not (tmp_path / "nan").exists()
