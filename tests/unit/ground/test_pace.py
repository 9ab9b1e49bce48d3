"""Progress: what a log of Snakemake says, and the time that is left."""

import time
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from fbftl.features.store.lock import exclusive
from fbftl.ground.errors import UserError
from fbftl.ground.pace import (
    HALF_LIFE,
    STARTUP,
    Durations,
    Pace,
    read_durations,
    recent_mean,
    spoken,
)
from fbftl.ground.run_log import FailedJob, RunLog
from fbftl.ground.screen import BAR, Screen, progress_line
from hypothesis import given
from hypothesis import strategies as st
from tell_progress import RUNNING, main

LOG = """Building DAG of jobs...
Provided cores: 2 (use --cores to define parallelism)
Job stats:
job        count
-------  -------
all            1
train          4
extract_digits       1
total          6

[Sun Nov 22 07:16:00 2026]
Job 3: Extract the features of digits
Reason: Missing output files: results/digits/features.json
[Sun Nov 22 07:16:40 2026]
Finished jobid: 3 (Rule: extract_digits)
1 of 6 steps (17%) done
[Sun Nov 22 07:16:40 2026]
Job 4: Train fbftl on digits
Job 5: Train ftl_c on digits
[Sun Nov 22 07:17:00 2026]
Finished jobid: 4 (Rule: train)
2 of 6 steps (33%) done
"""
FAILURE = """[Sun Nov 22 07:17:10 2026]
Error in rule train:
    message: None
    jobid: 5
    output: results/digits/runs/ftl_c.json
    log: results/digits/logs/runs/ftl_c.log (check log file(s) for error details)
"""
LAST = time.mktime(time.strptime("Sun Nov 22 07:17:00 2026"))
TAKES = {"extract_digits": 40.0, "train": 20.0, "all": 0.0}


def test_a_log_says_what_is_planned_at_work_and_done() -> None:
    log = RunLog.of(LOG)
    assert log.planned == {"all": 1, "train": 4, "extract_digits": 1}
    assert log.left == {"all": 1, "train": 3}
    assert [job.title for job in log.running.values()] == ["Train ftl_c on digits"]
    assert log.seconds == {"extract_digits": [40.0], "train": [20.0]}
    assert log.cores == 2


@given(st.lists(st.integers(0, len(LOG + FAILURE)), max_size=8))
def test_a_log_says_the_same_in_whichever_pieces_it_comes(cuts: list[int]) -> None:
    whole, text, pieces = RunLog.of(LOG + FAILURE), LOG + FAILURE, RunLog()
    edges = [0, *sorted(cuts), len(text)]
    for start, end in pairwise(edges):
        pieces.read(text[start:end])
    assert pieces == whole


def test_a_failed_job_has_its_work_and_its_log_and_one_that_is_mended_is_none() -> None:
    log = RunLog.of(LOG + FAILURE)
    path = "results/digits/logs/runs/ftl_c.log"
    assert log.failed == {5: FailedJob("Train ftl_c on digits", path)}
    assert not log.running
    log.read("Finished jobid: 5 (Rule: train)\n")
    assert not log.failed


def test_a_plan_is_none_before_its_total() -> None:
    head, total, _ = LOG.partition("total ")
    assert not RunLog.of("Building DAG of jobs...\n").has_plan
    assert not RunLog.of(head).has_plan
    assert RunLog.of(head + total + "         6\n").has_plan


def test_time_left_is_the_work_left_over_the_jobs_at_once() -> None:
    """60 s of work are left, of which one job has done 18 s; 60 + 18 s were worked in 78 s."""
    pace = Pace.of(RunLog.of(LOG), Durations(TAKES), LAST + 18)
    worked, elapsed = 40 + 20 + 38, 78
    at_once = (worked + 2 * STARTUP) / (elapsed + STARTUP)
    typical = 60 / 4
    assert pace.left == pytest.approx((60 - 0.9 * typical) / at_once)
    assert (pace.jobs, pace.planned) == (2, 6)
    assert pace.share == pytest.approx(1 - (60 - 0.9 * typical) / 120)


def test_a_machine_that_is_slower_is_expected_to_stay_so() -> None:
    measured = {"extract_digits": [80.0], "train": [40.0]}
    expected = Durations(TAKES, measured).by_rule(["extract_digits", "train"])
    assert expected == {"extract_digits": pytest.approx(80.0), "train": pytest.approx(40.0)}
    assert Durations({"a": 1.0, "b": 7.0}, {"a": [2.0, 2.0]}).by_rule(["b"]) == {"b": 14.0}


def test_the_latest_jobs_of_a_rule_tell_most_of_those_to_come() -> None:
    assert recent_mean([], 3.0) == 3.0
    assert recent_mean([7.0] * 20, 7.0) == pytest.approx(7.0)
    rising, falling = recent_mean([1.0, 9.0], 5.0), recent_mean([9.0, 1.0], 5.0)
    assert rising > 5 > falling
    halved = 0.5 ** (1 / HALF_LIFE)
    assert rising == pytest.approx((5 + 9 + halved) / (2 + halved))


def test_a_job_that_takes_longer_than_any_is_expected_to_tells_before_it_ends() -> None:
    shipped = {"short": 1.0, "long": 4.0}
    tenfold = {"short": 10.0, "long": 40.0}
    assert Durations(shipped, at_work=[4.0]).by_rule(shipped) == shipped
    assert Durations(shipped, at_work=[40.0]).by_rule(shipped) == tenfold
    here = {"short": [10.0, 10.0]}
    assert Durations(shipped, here, at_work=[40.0]).by_rule(shipped) == tenfold


def test_a_rule_that_is_not_shipped_counts_as_those_whose_names_begin_as_its_own() -> None:
    shipped = {"train_heads_digits_noise": 4.0, "train_heads_digits_loss": 8.0, "plot": 1.0}
    by_rule = Durations(shipped).by_rule(
        ["train_heads_digits_noise-89bebbcd", "train_heads_mnist_noise-0123abcd", "tabulate"]
    )
    assert list(by_rule.values()) == [4.0, 6.0, pytest.approx(13 / 3)]


def test_every_rule_of_the_shipped_durations_takes_some_time() -> None:
    shipped = read_durations()
    assert len(shipped) > 30
    assert all(seconds >= 0 for seconds in shipped.values())
    assert shipped["extract_digits"] > 0


@given(
    st.floats(0, 1), st.integers(0, 99_999), st.integers(1, 99_999),
    st.floats(0, 1e7), st.text(max_size=200), st.integers(BAR + 4, 120),
)  # fmt: skip
def test_a_line_of_progress_is_never_wider_than_the_terminal(
    share: float, jobs: int, further: int, left: float, job: str, width: int
) -> None:
    line = progress_line(Pace(jobs, jobs + further, share, left), job, width)
    assert len(line) <= width
    assert line.startswith("[" + "#" * int(share * BAR))


def test_a_file_gets_a_line_for_each_tenth_and_a_terminal_one_line() -> None:
    class Terminal(StringIO):
        def isatty(self) -> bool:
            return True

    file, terminal = StringIO(), Terminal()
    for stream in (file, terminal):
        screen = Screen(stream)
        screen.say("Planning")
        for done in range(1001):
            screen.show(Pace(done, 1000, done / 1000, 1000.0 - done), "Train fbftl on digits")
        screen.clear()
    assert len(file.getvalue().splitlines()) == 11
    assert "\x1b" not in terminal.getvalue()
    assert terminal.getvalue().count("\n") == 1
    assert terminal.getvalue().endswith("\r")


def logged(folder: Path, stamp: str, log: str) -> str:
    """Write a log and return its name."""
    (folder / ".snakemake" / "log").mkdir(parents=True, exist_ok=True)
    name = f"{stamp}.123456.snakemake.log"
    (folder / ".snakemake" / "log" / name).write_text(log)
    return name


def test_a_run_that_died_is_not_said_to_go_on(tmp_path: Path) -> None:
    logged(tmp_path, "2026-11-22T071600", LOG)
    with exclusive(tmp_path / RUNNING):
        assert main(tmp_path).startswith("2 of 6 jobs done, about ")
    assert "2 of 6 jobs done; the run has ended before the rest" in main(tmp_path)


def test_a_second_call_beside_a_run_hides_nothing(tmp_path: Path) -> None:
    name = logged(tmp_path, "2026-11-22T071600", LOG)
    logged(tmp_path, "2026-11-22T071700", LOG.partition("\n\n[")[0] + "\n")
    with exclusive(tmp_path / RUNNING):
        (tmp_path / RUNNING / "log").write_text(name)
        assert main(tmp_path).startswith("2 of 6 jobs done")


def test_a_run_that_has_ended() -> None:
    ended = LOG + "".join(
        f"Finished jobid: {number} (Rule: {rule})\n"
        for number, rule in {5: "train", 6: "train", 7: "train", 0: "all"}.items()
    )
    pace = Pace.of(RunLog.of(ended), Durations(TAKES), LAST)
    assert (pace.sentence, pace.share) == ("6 of 6 jobs done", 1.0)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (3600, "1 h 0 min"), (90061, "25 h 1 min")],
)
def test_durations_are_spoken(seconds: float, text: str) -> None:
    assert spoken(seconds) == text


def test_a_folder_without_a_run_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no run to report"):
        main(tmp_path)
