"""A batch has a run a seed, as the setting finds it with all seeds; an error is of one run."""

from pathlib import Path
from typing import Any

import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
import train_batch
from fbftl.findings.run_file import join_ledgers, joined, read_run
from fbftl.ground.artefacts import Store
from fbftl.ground.errors import UserError
from fbftl.study.methods import axes_by_method
from unit.training.tasks.toy_task import params, train

SEEDS = [0, 1]


def of_setting(key: str, **axes: Any) -> dict[str, Any]:
    """Return what a note says of a setting."""
    job = params({"method": "fbftl"} | axes, privacy={})
    return {"job": job, "recipe": {"of": key}, "keys": [f"{key}{seed}" for seed in SEEDS]}


def make(folder: Path, files: dict[str, str], *settings: dict[str, Any]) -> Store:
    """Make a batch of one unit; return the store."""
    store = Store(folder)
    unit = {"task": "toy", "files": files, "settings": settings, "seeds": SEEDS, "work": 1.0}
    study = {"axes": axes_by_method(), "device": "cpu", "data_folder": None, "exact": False}
    room = {"memory": None, "scratch_folder": None}
    note = {"artefacts": [], "units": [unit], "study": study, "room": room}
    store.put_note("notes", "note", note)
    again(store)
    return store


def again(store: Store) -> None:
    """Make what the note in a store says."""
    train_batch.main(store.json("notes", "note"), store, 1)


def test_every_seed_has_a_run_of_its_own_equal_to_that_of_all_seeds(files, tmp_path):
    store = make(tmp_path / "store", files, of_setting("a"), of_setting("b", bits=4))
    whole, ledger = train(files, tmp_path, "fbftl")
    expected, messages = read_run(whole), pq.read_table(ledger)
    for index, seed in enumerate(SEEDS):
        run = store.json("runs", f"a{seed}", {"seed": seed, "setting": {"of": "a"}})
        assert run["repetitions"] == [expected["repetitions"][index]]
        assert {key: run[key] for key in ("setting", "training", "inputs", "measures")} == {
            key: expected[key] for key in ("setting", "training", "inputs", "measures")
        }
        sent = pq.read_table(store.path("runs", f"a{seed}", ".parquet"))
        assert sent.to_pylist() == messages.filter(pc.equal(messages["seed"], seed)).to_pylist()
    assert store.keys("runs", ".json") == {"a0", "a1", "b0", "b1"}
    assert joined([store.json("runs", f"a{seed}") for seed in SEEDS], "toy") == expected
    of_seeds = [store.path("runs", f"a{seed}", ".parquet") for seed in SEEDS]
    join_ledgers(of_seeds, tmp_path / "joined.parquet")
    assert pq.read_table(tmp_path / "joined.parquet").to_pylist() == messages.to_pylist()


def test_what_is_there_is_not_made_again(files, tmp_path, monkeypatch):
    store = make(tmp_path / "store", files, of_setting("a"))
    monkeypatch.setattr(train_batch.by_name, "trained", lambda *_: pytest.fail("trained again"))
    again(store)


def test_an_error_of_a_run_ends_no_other_and_is_noted(files, tmp_path, monkeypatch):
    trained = train_batch.by_name.trained

    def failing(jobs, inputs):
        if any(job.setting.bits == 4 and 1 in job.seeds for job in jobs):
            raise UserError("no luck")
        return trained(jobs, inputs)

    monkeypatch.setattr(train_batch.by_name, "trained", failing)
    settings = of_setting("a"), of_setting("b", bits=4)
    with pytest.raises(UserError, match=r"^1 runs failed: fbftl\+bits=4, seed 1 \(b1\): no luck$"):
        make(tmp_path / "store", files, *settings)
    store = Store(tmp_path / "store")
    assert store.keys("runs", ".json") == {"a0", "a1", "b0"}
    assert store.json("failed", "b1")["error"] == "no luck"
    monkeypatch.setattr(train_batch.by_name, "trained", trained)
    again(store)
    assert store.keys("runs", ".json") == {"a0", "a1", "b0", "b1"}
    assert store.keys("failed", ".json") == set()
