"""Whatever a file holds, it is read as it was written or refused in one sentence.

Messages of the codec are damaged and forged in test_codec_damage.py.
"""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from collect_runs import main as collect_runs
from fbftl.findings.run_file import read_run
from fbftl.findings.runs import read_tidy
from fbftl.ground.errors import UserError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from unit.study.test_fuzz_config import VALUES, places, require_sentence

RUN = {
    "schema": 3,
    "task": "digits",
    "name": "fbftl+plr=0.5",
    "setting": {"method": "fbftl", "plr": 0.5},
    "training": {"epochs": 2},
    "inputs": {"features": "0"},
    "measures": {
        "test_accuracy": {"unit": "share", "better": "higher", "diverged": 0.0},
        "seen": {"unit": "samples", "better": None, "diverged": None},
    },
    "series": {"loss": {"unit": "nats", "by": "epoch"}},
    "repetitions": [
        {
            "seed": 0,
            "epoch": 1,
            "test_accuracy": 0.5,
            "validation_accuracy": None,
            "diverged": False,
            "offered": 160,
            "received": 80,
            "seen": 72,
            "series": {"loss": [2.0, 1.0]},
        }
    ],
}
FUZZ = settings(suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("fuzz")


@settings(FUZZ, max_examples=200)
@given(data=st.data())
def test_run_files_with_other_values(data: st.DataObject, folder: Path) -> None:
    run: Any = copy.deepcopy(RUN)
    *above, key = data.draw(st.sampled_from(places(run)))
    node = run
    for step in above:
        node = node[step]
    node[key] = data.draw(VALUES)
    path = folder / "run.json"
    path.write_text(json.dumps(run, default=str, skipkeys=True))
    refused_or_sensible(path)


def test_a_seed_that_no_table_holds_is_refused(tmp_path: Path) -> None:
    run: Any = copy.deepcopy(RUN)
    run["repetitions"][0]["seed"] = 2**63
    path = tmp_path / "run.json"
    path.write_text(json.dumps(run))
    with pytest.raises(UserError, match="no run has the seed 9223372036854775808"):
        read_run(path)


def refused_or_sensible(path: Path) -> None:
    """Either no table comes out, or one whose numbers can be."""
    table = path.with_name("table.csv")
    table.unlink(missing_ok=True)
    try:
        collect_runs([str(path)], str(table), str(table) + ".series", {"plr": 0.0})
    except UserError as error:
        require_sentence(error)
    if table.exists():
        tidy = read_tidy(table)
        shares = [n for n, m in read_run(path)["measures"].items() if m["unit"] == "share"]
        assert ((tidy[shares].isna()) | (tidy[shares] >= 0) & (tidy[shares] <= 1)).all(axis=None)


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"schema": 1e999}', "NaN", "", "\x00", "1" * 9999]
)
def test_hostile_run_files(tmp_path: Path, content: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(content)
    with pytest.raises(UserError, match=r"is damaged .* remove it and it is made again"):
        read_run(path)
