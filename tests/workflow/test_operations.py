"""Logs, repetition and growth."""

from project import Project


def test_every_job_leaves_a_log_and_what_computes_a_benchmark(reference: Project) -> None:
    task = reference.results / "digits"
    runs = {path.stem for path in (task / "runs").glob("*.parquet")}
    assert {path.stem for path in (task / "logs/runs").iterdir()} == runs
    assert {path.stem for path in (task / "benchmarks/runs").iterdir()} == runs
    for stage in ("clients", "source", "extract"):
        assert (task / f"logs/{stage}.log").is_file()
        assert (task / f"benchmarks/{stage}.tsv").read_text().startswith("s\t")


def test_the_scheduler_looks_for_jobs_only_when_one_has_ended(reference: Project) -> None:
    (log,) = (reference.folder / ".snakemake/log").glob("*.log")
    text = log.read_text()
    assert 0 < text.count("Ready jobs") <= text.count("Finished jobid") + 1


def test_a_failed_job_says_one_sentence_and_logs_its_traceback(fresh: Project) -> None:
    """256 letters make no batch of 1,000: only the job can tell."""
    study = {"tasks": {"digits": {"source": {"batch_size": 1000}}}}
    done = fresh.call("results/digits/source.json", study=study)
    assert done.returncode != 0
    sentences = [line for line in done.stderr.splitlines() if "source.batch_size" in line]
    assert len(sentences) == 1
    assert "(details: results/digits/logs/source.log)" in sentences[0]
    assert "Traceback" not in done.stdout + done.stderr
    log = (fresh.results / "digits/logs/source.log").read_text()
    assert "Traceback" in log
    assert "UserError" in log
    assert fresh.science().keys() == {"README.md"}


def test_a_bug_says_where_its_traceback_is(fresh: Project) -> None:
    fresh.append("scripts/fbftl/data/partition.py", "\n\ndef partition(*_):\n    return 1 / 0\n")
    done = fresh.call("results/digits/clients.h5")
    assert done.returncode != 0
    assert "unexpected error: ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    log = (fresh.results / "digits/logs/clients.log").read_text()
    assert "Traceback" in log
    assert "in partition" in log


def test_the_same_study_elsewhere_gives_the_same_files(fresh: Project, reference: Project) -> None:
    """Another folder, another order of jobs, another number of cores."""
    fresh.finish("--cores", "1", "--scheduler", "greedy")
    assert fresh.science() == reference.science()
    assert fresh.models() == reference.models()


def test_ten_thousand_settings_are_planned(untouched: Project) -> None:
    """By default eight short ones share a process."""
    grid = {
        "fraction": [(1 + i) / 100 for i in range(100)],
        "plr": [i / 100 for i in range(100)],
    }
    study = {
        "settings_per_process": "auto",
        "experiments": {"scarcity": {"grids": [grid]}},
    }
    planned = untouched.planned("--quiet", "rules", study=study)
    assert planned["train"] == 0
    assert sum(rule.startswith("train_heads_") for rule in planned) == 1250
