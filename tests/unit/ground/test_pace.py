"""Progress: what a log of Snakemake and its plan say, and the time that is left."""

import json
import time
from base64 import b64encode
from io import StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from fbftl.features.store.lock import exclusive
from fbftl.findings.origins import NOTES
from fbftl.ground.errors import UserError
from fbftl.ground.job_kinds import JobKind, plan_beside, read_plan, write_plan
from fbftl.ground.pace import (
    HALF_LIFE,
    OVERDUE,
    STARTUP,
    Durations,
    Pace,
    jobs_at_once,
    makespan,
    read_durations,
    recent_mean,
    remaining,
    spoken,
)
from fbftl.ground.run_log import FailedJob, RunLog
from fbftl.ground.screen import BAR, Screen, progress_line
from hypothesis import given
from hypothesis import strategies as st
from measure_durations import main as write_durations
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
EXTRACT = JobKind("extract", "digits")
FBFTL, FTL_C = (JobKind("train", "digits", method) for method in ("fbftl", "ftl_c"))
PLAN = {3: EXTRACT, 4: FBFTL, 5: FTL_C, 6: FBFTL, 7: FTL_C}
TAKES = {EXTRACT: 40.0, FBFTL: 20.0, FTL_C: 50.0}


def test_a_log_says_what_is_planned_at_work_and_done() -> None:
    log = RunLog.of(LOG, PLAN)
    assert log.planned == {"all": 1, "train": 4, "extract_digits": 1}
    assert log.left == {EXTRACT: 0, FBFTL: 1, FTL_C: 2}
    assert [(job.title, job.kind) for job in log.running.values()] == [
        ("Train ftl_c on digits", FTL_C)
    ]
    assert log.seconds == {EXTRACT: [40.0], FBFTL: [20.0]}
    assert log.spans == [(LAST - 60, LAST - 20), (LAST - 20, LAST)]
    assert log.cores == 2


@pytest.mark.parametrize(
    ("rule", "output", "kind"),
    [
        ("train", "results/digits/runs/fl+blr=0.001.meta.json", ("train", "digits", "fl")),
        ("train_heads_digits_noise-89bebbcd", "results/digits/runs/fbftl.json",
         ("train_heads_noise", "digits", "fbftl")),
        ("train_heads_digits-source_seeds-2_noise-89bebbcd",
         "results/digits/source_seeds/2/runs/fbftl.json", ("train_heads_noise", "digits", "fbftl")),
        ("extract_digits-cloud", "results/digits-cloud/features.json",
         ("extract", "digits-cloud", "")),
        ("extract_digits-cloud", "store/results/digits-cloud/features.json",
         ("extract", "digits-cloud", "")),
        ("tabulate_audit", "results/papers/audit.csv", ("tabulate_audit", "papers", "")),
        ("make_index", "results/index.html", ("make_index", "", "")),
    ],
)  # fmt: skip
def test_the_kind_of_a_job_is_its_rule_task_and_method(
    rule: str, output: str, kind: tuple[str, str, str]
) -> None:
    assert JobKind.of(rule, output) == kind


def test_a_plan_is_read_back_and_none_is_empty(tmp_path: Path) -> None:
    path = plan_beside(tmp_path / "2026-11-22T071600.snakemake.log")
    assert read_plan(path) == {}
    write_plan(path, PLAN)
    assert read_plan(path) == PLAN


@given(st.lists(st.integers(0, len(LOG + FAILURE)), max_size=8))
def test_a_log_says_the_same_in_whichever_pieces_it_comes(cuts: list[int]) -> None:
    whole, text, pieces = RunLog.of(LOG + FAILURE, PLAN), LOG + FAILURE, RunLog()
    pieces.follow(PLAN)
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


def test_time_left_is_that_of_the_kinds_that_are_left() -> None:
    """One FbFTL of 20 s is left, and two FTL_c of 50 s, of which one has been at work for 38 s."""
    log, now = RunLog.of(LOG, PLAN), LAST + 18
    pace = Pace.of(log, Durations(TAKES), now)
    work, longest = 20 + 50 + (50 - 38), 50
    assert pace.left == pytest.approx(makespan(work, longest, jobs_at_once(log, now)))
    assert (pace.jobs, pace.planned) == (2, 6)
    assert pace.share == pytest.approx((40 + 20 + 38) / (40 + 20 + 38 + work))


def test_jobs_at_once_are_those_of_the_later_half_of_a_run() -> None:
    """In the last 39 of 78 s one job ended after 1 s, one took 20 s, one was at work for 38 s."""
    at_once = jobs_at_once(RunLog.of(LOG, PLAN), LAST + 18)
    assert at_once == pytest.approx((1 + 20 + 38 + 2 * STARTUP) / (39 + STARTUP))
    assert jobs_at_once(RunLog(cores=3), LAST) == 3


def test_without_a_plan_jobs_are_counted_and_no_time_is_named() -> None:
    pace = Pace.of(RunLog.of(LOG), Durations(TAKES), LAST)
    assert (pace.left, pace.share) == (None, 2 / 6)
    assert pace.sentence == "2 of 6 jobs done"
    assert progress_line(pace, "", 80).endswith("2 of 6 jobs")


@given(st.lists(st.floats(0.1, 100), min_size=1, max_size=20), st.integers(1, 8))
def test_the_time_left_is_between_the_longest_job_first_and_last(
    jobs: list[float], places: int
) -> None:
    left = makespan(sum(jobs), max(jobs), places)
    alone = sum(jobs) / places
    assert max(jobs) <= left * (1 + 1e-9)
    assert alone <= left * (1 + 1e-9) <= alone + max(jobs) + 1e-6
    assert makespan(sum(jobs), max(jobs), 1) == pytest.approx(sum(jobs))


def test_no_job_at_work_is_taken_for_done() -> None:
    assert remaining(50.0, 20.0) == 30.0
    assert remaining(50.0, 49.0) == pytest.approx(OVERDUE * 50)
    assert remaining(50.0, 500.0) == pytest.approx(OVERDUE * 500)


def test_a_machine_that_is_slower_is_expected_to_stay_so() -> None:
    measured = {EXTRACT: [80.0], FBFTL: [40.0]}
    assert Durations(TAKES, measured).by_kind(TAKES) == {
        EXTRACT: pytest.approx(80.0), FBFTL: pytest.approx(40.0), FTL_C: pytest.approx(100.0)
    }  # fmt: skip


def test_the_latest_jobs_of_a_kind_tell_most_of_those_to_come() -> None:
    assert recent_mean([], 3.0) == 3.0
    assert recent_mean([7.0] * 20, 7.0) == pytest.approx(7.0)
    rising, falling = recent_mean([1.0, 9.0], 5.0), recent_mean([9.0, 1.0], 5.0)
    assert rising > 5 > falling
    halved = 0.5 ** (1 / HALF_LIFE)
    assert rising == pytest.approx((5 + 9 + halved) / (2 + halved))


def test_a_job_that_takes_longer_than_is_expected_of_it_tells_before_it_ends() -> None:
    tenfold = {kind: 10 * seconds for kind, seconds in TAKES.items()}
    assert Durations(TAKES).by_kind(TAKES, [(FBFTL, 20.0)]) == TAKES
    assert Durations(TAKES).by_kind(TAKES, [(FBFTL, 200.0)]) == tenfold
    here = {EXTRACT: [400.0]}
    assert Durations(TAKES, here).by_kind(TAKES, [(FBFTL, 200.0)]) == tenfold


def test_a_kind_that_is_not_shipped_counts_as_those_nearest_to_it() -> None:
    elsewhere = Durations(
        {
            JobKind("train", "digits", "fl"): 4.0,
            JobKind("train", "photos", "fl"): 8.0,
            JobKind("train", "photos", "fbftl"): 3.0,
            JobKind("train_heads_noise", "digits", "fbftl"): 1.0,
        }
    ).elsewhere
    assert elsewhere(JobKind("train", "photos", "fl")) == 8.0
    assert elsewhere(JobKind("train", "letters", "fl")) == 6.0
    assert elsewhere(JobKind("train", "letters", "sfl")) == 5.0
    assert elsewhere(JobKind("train_heads_loss", "digits", "fbftl")) == 1.0
    assert elsewhere(JobKind("plot", "digits")) == 4.0
    assert Durations({}).elsewhere(FBFTL) == 1.0


def test_every_kind_of_the_shipped_durations_takes_some_time() -> None:
    shipped = read_durations()
    assert len(shipped) > 200
    assert all(seconds >= 0 for seconds in shipped.values())
    assert shipped[EXTRACT] > 0
    methods = {kind.method for kind in shipped if kind.rule == "train"}
    assert methods >= {"fbftl", "fl", "ftl_c", "ftl_f", "one_shot"}


def test_durations_of_further_folders_are_brought_to_the_speed_of_the_first(
    tmp_path: Path,
) -> None:
    quiet, busy = tmp_path / "quiet", tmp_path / "busy"
    noted(quiet, {"results/digits/runs/fl.json": 4.0, "results/digits/runs/fl+a=1.json": 6.0})
    noted(busy, {"results/digits/runs/fl.json": 15.0, "results/photos/runs/fl.json": 30.0})
    write_durations([quiet, busy], tmp_path / "durations.csv")
    assert read_durations(tmp_path / "durations.csv") == {
        JobKind("train", "digits", "fl"): 5.0,
        JobKind("train", "photos", "fl"): 10.0,
    }


def noted(folder: Path, seconds: dict[str, float]) -> None:
    """Leave Snakemake's notes of trainings that took so long."""
    notes = folder / NOTES
    notes.mkdir(parents=True)
    for path, took in seconds.items():
        note = {"rule": "train", "starttime": 7.0, "endtime": 7.0 + took, "log": [f"{path}.log"]}
        (notes / b64encode(path.encode()).decode()).write_text(json.dumps(note))


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
    """Write a log with its plan and return its name."""
    (folder / ".snakemake" / "log").mkdir(parents=True, exist_ok=True)
    name = f"{stamp}.123456.snakemake.log"
    (folder / ".snakemake" / "log" / name).write_text(log)
    write_plan(plan_beside(folder / ".snakemake" / "log" / name), PLAN)
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
    pace = Pace.of(RunLog.of(ended, PLAN), Durations(TAKES), LAST)
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
