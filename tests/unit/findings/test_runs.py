"""What runs declare, and the tables made of it."""

from dataclasses import asdict

import pandas as pd
import pytest
from collect_runs import main as collect
from fbftl.findings.run_file import run_document, weakest_privacy, with_digests
from fbftl.findings.runs import VERSION, counted, mean_and_spread, per_seed, read_tidy
from fbftl.ground.artefacts import Store, canonical, key_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json
from fbftl.training.curves import MEASURES, SERIES, Measure, Series
from make_results import documents
from unit.papers.test_effects import runs


def document(setting, accuracy, **more):
    repetitions = [
        {
            "seed": seed,
            "diverged": False,
            "test_accuracy": accuracy + seed / 10,
            "clients": 20,
            "series": {"loss": [2.0, None], **more.get("lists", {})},
        }
        | more.get("measured", {})
        for seed in (0, 1)
    ]
    declared = (MEASURES | more.get("measures", {}), SERIES | more.get("series", {}))
    job = {"task": "toy", "setting": setting, "training": {}}
    return run_document(job, {}, repetitions, *declared)


@pytest.fixture
def collected(tmp_path):
    def collect_these(*documents, axes):
        paths = [tmp_path / f"{number}.json" for number in range(len(documents))]
        for path, content in zip(paths, documents, strict=True):
            write_json(path, content)
        tables = tmp_path / "t.csv", tmp_path / "t.series.csv"
        collect([str(path) for path in paths], *map(str, tables), axes)
        return tuple(map(read_tidy, tables))

    return collect_these


def test_tables_hold_what_was_declared_and_axes_in_which_a_run_deviates(collected):
    lossy = document({"method": "fbftl", "plr": 0.5}, 0.5)
    measured = document(
        {"method": "fbftl"},
        0.6,
        measured={"decibels": 3.5},
        measures={"decibels": Measure("dB", "higher")},
        lists={"heard": [1, 2, 3]},
        series={"heard": Series("dB", by="round")},
    )
    table, series = collected(lossy, measured, axes={"plr": 0.0})
    assert list(table) == [
        "task", "setting", "method", "plr", "seed", "diverged", "test_accuracy", "decibels",
    ]  # fmt: skip
    assert table["plr"].tolist() == [0.5, 0.5, 0.0, 0.0]
    assert table["decibels"].isna().tolist() == [True, True, False, False]
    assert list(series) == ["task", "setting", "seed", "series", "by", "step", "value"]
    assert len(series) == 2 * (2 + 2 + 3)
    last = series[(series["series"] == "heard") & (series["seed"] == 1)]
    assert last[["by", "step", "value"]].to_numpy().tolist() == [
        ["round", 1, 1.0], ["round", 2, 2.0], ["round", 3, 3.0],
    ]  # fmt: skip
    assert series.loc[series["step"] == 2, "value"].isna().sum() == 4


def test_an_axis_without_a_column_reads_as_its_default(collected, tmp_path):
    collected(document({"method": "fbftl"}, 0.5), axes={})
    table = read_tidy(tmp_path / "t.csv", {"plr": 0.0, "cut": None})
    assert table["plr"].tolist() == [0.0, 0.0]
    assert table["cut"].isna().all()


def test_a_run_that_deviates_in_an_unknown_axis_is_refused(collected):
    with pytest.raises(UserError, match=r"run fbftl\+plr=0\.5 of toy deviates in plr"):
        collected(document({"method": "fbftl", "plr": 0.5}, 0.5), axes={})


def test_tables_name_their_layout_and_those_of_the_first_are_read(collected, tmp_path):
    table, series = collected(document({"method": "fbftl"}, 0.5), axes={})
    for name, read in (("t", table), ("t.series", series)):
        path = tmp_path / f"{name}.csv"
        lines = path.read_text().splitlines()
        assert {line.rpartition(",")[2] for line in lines} == {"layout", str(VERSION)}
        path.write_text("\n".join(line.rpartition(",")[0] for line in lines))
        pd.testing.assert_frame_equal(read_tidy(path), read)
        path.write_text("\n".join([lines[0], *(f"{line[:-1]}9" for line in lines[1:])]))
        with pytest.raises(UserError, match=rf"{name}\.csv has another layout than {VERSION};"):
            read_tidy(path)
    path.write_text("task,seed\n007,1\n")
    assert read_tidy(path)["task"].tolist() == ["007"]


def test_a_run_that_was_changed_or_moved_is_refused(tmp_path):
    store, recipe = Store(tmp_path), {"seed": 0}
    key = key_of(canonical(recipe))
    run = with_digests({"recipe": recipe, "repetitions": [{"test_accuracy": 0.5}]}, "")
    store.put_json("runs", key, run)
    assert list(documents([key], store)) == [run]
    for name, bad, reason in (
        ("a", run | {"repetitions": [{"test_accuracy": 0.6}]}, "a.json has changed"),
        ("b", {}, "b.json has changed"),
        ("c", run, "c.json is of another recipe"),
    ):
        store.put_json("runs", name, bad)
        with pytest.raises(UserError, match=reason):
            list(documents([name], store))


def test_the_weakest_guarantee_of_a_runs_seeds_is_shown():
    def repetition(epsilon):
        return {"privacy": [{"epsilon": epsilon}]}

    some = [repetition(epsilon) for epsilon in (1.0, 3.0, 2.0)]
    assert weakest_privacy({"repetitions": some}) == [{"epsilon": 3.0}]
    without = [repetition(None), {"privacy": [{"epsilon": None, "unit": "sample"}]}]
    assert weakest_privacy({"repetitions": without}) is without[0]["privacy"]


@pytest.fixture
def broken() -> pd.DataFrame:
    """Three seeds, of which the last diverged after an epoch that had 0.97."""
    return runs(({}, [0.98, 0.96, None]))


def test_a_diverged_seed_is_0_whatever_its_epoch_had(broken):
    (row,) = mean_and_spread(broken, ["method"]).to_dict("records")
    assert row["accuracy"] == pytest.approx((0.98 + 0.96) / 3)
    assert row["accuracy_converged"] == pytest.approx(0.97)
    assert (row["seeds"], row["diverged"]) == (3, 1)


def test_every_score_and_every_reader_counts_it_so(broken):
    assert list(per_seed(broken, "fbftl")) == [0.98, 0.96, 0.0]
    assert list(per_seed(broken, "fbftl", "test_accuracy_best"))[2] == 0
    assert list(broken["rouge1"]) == [50, 50, 0]
    assert list(broken["seen"]) == [4, 4, 4]


def test_what_was_not_measured_is_not_made_up():
    declared = {"validation_accuracy": asdict(MEASURES["validation_accuracy"])}
    lost = {"diverged": True, "validation_accuracy": None}
    assert counted(lost, declared) == {"validation_accuracy": None}
    assert counted(lost | {"validation_accuracy": 0.5}, declared) == {"validation_accuracy": 0.0}


def test_a_mean_is_of_one_setting():
    """Two sizes of clients at one skew are two rows, or none."""
    runs = pd.DataFrame(
        {
            "setting": ["fedavg+alpha=1.0", "fedavg+alpha=1.0+clients=9"], "seed": [0, 0],
            "alpha": [1.0, 1.0], "clients": [None, 9], "test_accuracy": [0.5, 0.7],
            "diverged": [0, 0],
        }
    )  # fmt: skip
    with pytest.raises(UserError, match=r"clients=9 would be one row.* none of alpha"):
        mean_and_spread(runs, ["alpha"])
    assert mean_and_spread(runs, ["alpha", "clients"])["accuracy"].tolist() == [0.7, 0.5]
