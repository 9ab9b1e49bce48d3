"""What a job that fails leaves: one sentence, its log, and everything that the others made."""

from pathlib import Path


def test_a_failed_job_says_one_sentence_and_logs_its_traceback(fresh):
    """256 letters make no batch of 1,000: only the job can tell."""
    study = {"tasks": {"digits": {"source": {"batch_size": 1000}}}}
    done = fresh.call("--until", "source", study=study)
    assert done.returncode != 0
    sentences = [line for line in done.stderr.splitlines() if "source.batch_size" in line]
    assert len(sentences) == 1
    log = Path(sentences[0].partition("(details: ")[2].rstrip(")"))
    assert log.parent == Path("results/logs/source")
    assert "Traceback" not in done.stdout + done.stderr
    text = (fresh.folder / log).read_text()
    assert "Traceback" in text
    assert "UserError" in text
    assert not [name for name in fresh.stored("sources") if "." not in name]


def test_a_bug_says_where_its_traceback_is(fresh):
    fresh.append("scripts/fbftl/data/partition.py", "\n\ndef deal(*_, **__):\n    return 1 / 0\n")
    done = fresh.call("--until", "clients")
    assert done.returncode != 0
    assert "unexpected error: ZeroDivisionError" in done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    (log,) = (fresh.results / "logs/clients").iterdir()
    assert "in deal" in log.read_text()


RAISING = """

_steps = run_together


def run_together(jobs, inputs):
    if any(job.setting.plr > 0 and 1 in job.seeds for job in jobs):
        raise ValueError("no luck")
    yield from _steps(jobs, inputs)
"""


def test_a_run_that_raises_ends_no_other_and_is_tried_alone_next(finished):
    """What failed is named, and the next call would make it and nothing else."""
    finished.append("scripts/fbftl/methods/fbftl/run.py", RAISING)
    before = finished.stored()
    done = finished.call("runs")
    assert done.returncode != 0
    assert "plr=0.5, seed 1" in done.stderr
    assert "no luck" in done.stderr
    assert len(finished.stored() - before) == 2 * (8 - 2)
    failed = finished.stored("failed")
    assert len(failed) == 2
    assert finished.left().jobs["train"] == 2
