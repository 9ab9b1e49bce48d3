"""What the server and results of FADE say of a user's group: nothing."""

import json
from collections.abc import Iterator
from typing import Any

import h5py
import torch
from fbftl.features.store.reader import open_store
from fbftl.study.job import from_params
from fbftl.study.methods import axes_by_method
from unit.methods.fade.fade_toys import PLAIN, job, params, ready, trained
from unit.training.tasks.training import train_setting


def test_masked_sums_change_nothing_but_the_last_digits_and_what_is_seen(files):
    opened, masked = (trained(files, PLAIN | {"aggregation": how}) for how in ("open", "masked"))
    torch.testing.assert_close(opened.networks.flat(), masked.networks.flat(), atol=1e-5, rtol=0)
    assert [trial.server.leaked()["leak"] for trial in opened.trials] == [1.0, 1.0]
    for trial in masked.trials:
        assert trial.server.leaked()["leak"] < 1
    ledger = masked.ledgers[0].table().to_pandas()
    assert {"share", "mask", "weights"} == set(ledger["part"])


def test_nobody_says_which_user_is_in_which_group(files, tmp_path):
    """No store, run file or ledger has groups."""
    job_params = params(PLAIN, seeds=(0, 1, 2))
    run_file, _ = train_setting(files, tmp_path / "run.json", job_params)
    training_run = ready(files, from_params(job_params, axes_by_method()))
    with h5py.File(files["clients"]) as file:
        published: list[str] = []
        file["train/samples"].visit(published.append)
    store = open_store(files["manifest"]).read("train")
    ledger = training_run.ledgers[0]
    list(training_run.train())
    ledger = ledger.table().to_pandas()
    for name in [
        *published,
        *ledger.columns,
        *vars(store),
        *_keys(json.loads(run_file.read_text())),
    ]:
        # Measures over the test set name groups by number; nothing else has the word.
        assert "group" not in name


def test_numbers_of_users_say_nothing(files):
    first = [trial.users.group[0] for trial in ready(files, job(PLAIN, seeds=range(12))).trials]
    assert 0 < sum(first) < 12


def _keys(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from _keys(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _keys(inner)
