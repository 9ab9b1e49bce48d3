"""Shards: every setting is planned once, in parts that one plan holds, and joined whole."""

from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.study.grid import expand
from fbftl.study.shards import (
    LARGEST_PLAN,
    WHOLE,
    Shard,
    require_made,
    require_plannable,
    shard_named,
)
from hypothesis import given
from hypothesis import strategies as st
from join_shards import main as join

GRIDS = [
    {"fraction": [1.0, 0.1, 0.01], "plr": [0.0, 0.5, 0.9], "loss": ["persistent", "reshuffled"]},
    {"bits": [32, 8, 2], "fraction": [0.1]},
]


def counting(settings: int) -> list[list[dict]]:
    """Return the grids of one experiment with so many settings."""
    return [[{"plr": list(range(settings))}]]


@given(st.integers(0, 1000), st.integers(1, 50))
def test_stretches_follow_each_other_and_leave_nothing_out(settings: int, of: int) -> None:
    stretches = [part.stretch(settings) for part in Shard(None, of).parts]
    assert [index for stretch in stretches for index in stretch] == list(range(settings))
    assert max(map(len, stretches)) <= -(-settings // of)


@pytest.mark.parametrize("of", [1, 2, 5, 40])
def test_all_shards_together_hold_the_whole_study(of: int) -> None:
    parts = [expand(GRIDS, part) for part in Shard(None, of).parts]
    assert {setting for part in parts for setting in part} == set(expand(GRIDS))
    assert expand(GRIDS, Shard(None, of)) == []


def test_a_value_is_refused_in_every_shard_or_in_none() -> None:
    """Losses have an effect beside some rates only, which may all lie in another shard."""
    for part in Shard(None, 18).parts:
        expand(GRIDS[:1], part)
        with pytest.raises(UserError, match=r"burst 2\.0, which has no effect"):
            expand([{"plr": [0.0, 0.5, 0.9], "burst": [1.0, 2.0]}], part)


@pytest.mark.parametrize("name", ["", "3", "3/", "/4", "0/4", "5/4", "-1/4", "1/0", "all/0", "½/2"])
def test_what_is_no_shard_is_one_sentence(name: str) -> None:
    with pytest.raises(UserError, match=r"config: shard is '.*'; give a part and their number"):
        shard_named(name)


def test_shards_are_called_what_the_configuration_calls_them() -> None:
    assert shard_named(None) == WHOLE
    assert [shard_named(name).name for name in ("3/100", "all/7")] == ["3/100", "all/7"]


@pytest.mark.parametrize(("settings", "least"), [(LARGEST_PLAN + 1, 2), (10**6, 100)])
def test_a_plan_that_is_too_large_names_the_shards_that_do(settings: int, least: int) -> None:
    grids = counting(settings)
    with pytest.raises(UserError, match=f"shard=1/{least} to shard={least}/{least}"):
        require_plannable(grids, WHOLE)
    for part in Shard(None, least).parts:
        require_plannable(grids, part)
    with pytest.raises(UserError, match="is more than 10,000"):
        require_plannable(grids, Shard(1, least - 1))


def test_a_shard_without_its_neighbours_is_not_joined(tmp_path: Path) -> None:
    finished = tmp_path / "1-of-2.csv"
    finished.touch()
    with pytest.raises(UserError, match=r"shard 2/2 has not been made .*--config shard=2/2"):
        require_made({str(finished): Shard(1, 2), str(tmp_path / "2-of-2.csv"): Shard(2, 2)})


def test_joined_rows_are_whole_and_stand_once(tmp_path: Path) -> None:
    texts = ["setting,seed,plr\na,0,0.0\na,1,0.0\nb,0,0.5\n", "setting,seed,f1\nb,0,9\nc,0,8\n"]
    parts = [str(tmp_path / f"{number}.csv") for number in (1, 2)]
    for part, text in zip(parts, texts, strict=True):
        Path(part).write_text(text)
    table, series = str(tmp_path / "table.csv"), str(tmp_path / "series.csv")
    join(parts, parts, table, series)
    joined = "setting,seed,plr,f1\na,0,0.0,\na,1,0.0,\nb,0,0.5,\nc,0,,8\n"
    assert Path(table).read_text() == Path(series).read_text() == joined
