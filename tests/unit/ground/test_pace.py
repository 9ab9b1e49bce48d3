"""Progress: what a log of Snakemake says, and the time that is left."""

from pathlib import Path

import pytest
from fbftl.features.store.lock import exclusive
from fbftl.ground.errors import UserError
from fbftl.ground.pace import Pace, spoken
from tell_progress import RUNNING, main

LOG = """Building DAG of jobs...
Job stats:
job        count
-------  -------
all            1
train          4
extract_digits       1
total          6

[Sun Nov 22 07:16:12 2026]
Finished jobid: 3 (Rule: extract_digits)
1 of 6 steps (17%) done
Finished jobid: 4 (Rule: train)
"""


def test_a_log_says_what_is_planned_and_done() -> None:
    pace = Pace.read(LOG)
    assert pace.planned == {"all": 1, "train": 4, "extract_digits": 1}
    assert pace.left == {"all": 1, "train": 3}


def test_time_left_follows_from_measured_durations() -> None:
    pace = Pace.read(LOG)
    took = {"extract_digits": [40.0], "train": [10.0, 30.0], "all": [0.0]}
    assert pace.line(took, 60.0) == "2 of 6 jobs done, about 1 min 0 s left"
    # The same jobs in half the time: two at once.
    assert pace.line(took, 30.0) == "2 of 6 jobs done, about 30 s left"


def test_jobs_of_a_rule_that_was_not_measured_take_what_others_take() -> None:
    pace = Pace.read(LOG)
    took = {"extract_digits": [40.0], "all": [1.0, 2.0, 60.0]}
    # The medians are 40 s and 2 s, and 21 s between them: 2 s and three times 21 s are left.
    assert pace.line(took, 300.0) == (
        "2 of 6 jobs done, about 1 min 5 s left, 3 jobs guessed by those of other rules"
    )
    assert (
        pace.line({}, 60.0)
        == "2 of 6 jobs done; how long the rest takes is known once a job has ended"
    )


def logged(folder: Path, stamp: str, log: str) -> str:
    """Write a log and return its name."""
    (folder / ".snakemake" / "log").mkdir(parents=True, exist_ok=True)
    name = f"{stamp}.123456.snakemake.log"
    (folder / ".snakemake" / "log" / name).write_text(log)
    return name


def test_a_run_that_died_is_not_said_to_go_on(tmp_path: Path) -> None:
    logged(tmp_path, "2026-11-22T071600", LOG)
    with exclusive(tmp_path / RUNNING):
        assert main(tmp_path) == (
            "2 of 6 jobs done; how long the rest takes is known once a job has ended"
        )
    assert "2 of 6 jobs done; the run has ended before the rest" in main(tmp_path)


def test_a_second_call_beside_a_run_hides_nothing(tmp_path: Path) -> None:
    name = logged(tmp_path, "2026-11-22T071600", LOG)
    logged(tmp_path, "2026-11-22T071700", LOG.partition("\n\n[")[0])
    with exclusive(tmp_path / RUNNING):
        (tmp_path / RUNNING / "log").write_text(name)
        assert main(tmp_path).startswith("2 of 6 jobs done")


def test_a_run_that_has_no_plan_and_one_that_has_ended() -> None:
    assert not Pace.read("Building DAG of jobs...\n").planned
    ended = LOG + "".join(f"Finished jobid: 0 (Rule: {rule})\n" for rule in ["train"] * 3 + ["all"])
    assert Pace.read(ended).line({}, 1.0) == "6 of 6 jobs done"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (3600, "1 h 0 min"), (90061, "25 h 1 min")],
)
def test_durations_are_spoken(seconds: float, text: str) -> None:
    assert spoken(seconds) == text


def test_a_folder_without_a_run_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no run to report"):
        main(tmp_path)
