"""What a call finds stale or removed though Snakemake's own records are gone or of other files."""

import json
import shutil
from collections import Counter

from project import Project

FASTER = {"tasks": {"digits": {"training": {"learning_rate": 0.02}}}}


def test_without_snakemakes_records_nothing_is_stale(finished: Project) -> None:
    shutil.rmtree(finished.folder / ".snakemake")
    assert finished.planned() == Counter()


def test_a_changed_rate_is_noticed_without_snakemakes_records(finished: Project) -> None:
    shutil.rmtree(finished.folder / ".snakemake")
    planned = finished.planned(study=FASTER)
    assert planned["train"] == 4
    assert planned["collect"] == planned["tabulate_scarcity"] == 1
    assert planned["clients"] == planned["source"] == planned["extract_digits"] == 0
    warning = finished.call("--dry-run", study=FASTER).stderr
    assert "stale: 12 results were made from something else" in warning
    assert "results/digits/runs/fbftl" in warning
    assert "(jobs)" in warning
    run = finished.results / "digits/runs/fbftl.json"
    old = run.read_bytes()
    finished.finish("--", "results/digits/runs/fbftl.json", study=FASTER)
    assert json.loads(run.read_bytes())["training"]["learning_rate"] == 0.02
    aside = finished.folder / ".snakemake/aside/results/digits/runs"
    assert [path.name for path in aside.glob("*.json")] == ["fbftl.json", "fbftl.meta.json"]
    assert (aside / "fbftl.json").read_bytes() == old
    assert finished.planned(study=FASTER)["train"] == 3


def test_changed_seeds_and_code_are_noticed_without_snakemakes_records(finished: Project) -> None:
    shutil.rmtree(finished.folder / ".snakemake")
    assert finished.planned(study={"seeds": [0, 1, 2]})["train"] == 4
    finished.append("scripts/fbftl/methods/fbftl/run.py", "\nCHANGED = 1\n")
    assert finished.planned()["train"] == 4


ATTACKED = {
    "study": {"tasks": ["digits"], "experiments": ["scarcity", "privacy"]},
    "experiments": {"privacy": {"grids": [{"method": ["fbftl"]}]}},
    "tasks": {"digits": {"privacy": {"shadows": 4}}},
}


def test_changed_code_of_an_attack_is_noticed_without_snakemakes_records(finished: Project) -> None:
    wanted = ("--", "results/digits/attacks/membership.csv")
    finished.finish(*wanted, study=ATTACKED)
    shutil.rmtree(finished.folder / ".snakemake")
    assert finished.planned(*wanted, study=ATTACKED) == Counter()
    finished.append("scripts/fbftl/attacks/head_membership.py", "\nCHANGED = 1\n")
    assert finished.planned(*wanted, study=ATTACKED)["attack_membership"] == 1


def test_results_of_another_study_put_in_place_are_noticed(finished: Project) -> None:
    """Snakemake's records stay those of the first study, and say that its results are current."""
    shutil.copytree(finished.results, finished.folder / "first")
    finished.finish("--", "results/digits/experiments/scarcity.csv", study=FASTER)
    shutil.rmtree(finished.results)
    (finished.folder / "first").rename(finished.results)
    planned = finished.planned(study=FASTER)
    assert (planned["train"], planned["collect"]) == (4, 1)


def test_a_table_of_other_runs_is_noticed(finished: Project) -> None:
    """The runs fit and the table does not: it lay in other results."""
    kept = finished.folder / "kept"
    for name in ("experiments", "records/collect"):
        shutil.copytree(finished.results / "digits" / name, kept / name)
    finished.finish("--", "results/digits/experiments/scarcity.csv", study=FASTER)
    for name in ("experiments", "records/collect"):
        shutil.rmtree(finished.results / "digits" / name)
        shutil.move(kept / name, finished.results / "digits" / name)
    planned = finished.planned(study=FASTER)
    assert (planned["train"], planned["collect"]) == (0, 1)


def test_what_cannot_be_told_is_said(finished: Project) -> None:
    shutil.rmtree(finished.results / "digits/records/runs")
    done = finished.call("--dry-run")
    assert done.returncode == 0
    assert "4 results have no record, so that it is unknown whether" in done.stderr
    assert "other versions" not in done.stderr


REMOVED = ("experiments/scarcity.series.csv", "runs/fbftl.meta.json", "network.json")


def test_whatever_is_removed_is_made_again(finished: Project, reference: Project) -> None:
    for name in REMOVED:
        (finished.results / "digits" / name).unlink()
    finished.finish()
    assert all((finished.results / "digits" / name).is_file() for name in REMOVED)
    assert finished.science() == reference.science()


def test_a_removed_chunk_is_refused_and_mended(finished: Project) -> None:
    store = finished.results / "digits/features.zarr"
    chunk = next(path for path in sorted(store.rglob("c/*")) if path.is_file())
    chunk.unlink()
    done = finished.call("--dry-run")
    assert done.returncode != 0
    assert "results/digits/features.zarr has other files than its job wrote" in done.stderr
    finished.finish("repair_features")
    assert finished.planned() == Counter()


def test_removed_logs_switch_no_seal_off(finished: Project) -> None:
    for logs in list(finished.results.rglob("logs")):
        shutil.rmtree(logs)
    assert finished.planned() == Counter()
    with open(finished.results / "digits/runs/fbftl.json", "a", encoding="utf-8") as file:
        file.write(" ")
    done = finished.call("--dry-run")
    assert done.returncode != 0
    assert "changed after the workflow wrote it: results/digits/runs/fbftl.json" in done.stderr


def test_results_of_other_versions_are_told_and_made_again_on_request(finished: Project) -> None:
    record = finished.results / "digits/records/clients.json"
    pinned = json.loads(record.read_bytes())["lock"]
    finished.append("envs/requirements.lock", "\n")
    done = finished.call("--dry-run")
    assert "results were made with other versions of packages than envs/requirements.lock" in (
        done.stderr
    )
    assert "Nothing to be done" in done.stdout + done.stderr
    planned = finished.planned(study={"renew_versions": True})
    assert planned["train"] == 4
    assert planned["clients"] == planned["source"] == planned["extract_digits"] == 1
    finished.finish("--", "results/digits/clients.h5", study={"renew_versions": True})
    assert json.loads(record.read_bytes())["lock"] not in ("", pinned)
