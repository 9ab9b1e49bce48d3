"""Progress: what a log of Snakemake says, and the time that is left."""

from pathlib import Path

import pytest
from fbftl.ground.errors import UserError
from fbftl.ground.pace import Pace, spoken
from tell_progress import main

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
    assert pace.line({"all": [0.0]}, 60.0).endswith(
        "0 s left, and 3 jobs of which none was measured"
    )


def test_a_run_that_has_no_plan_and_one_that_has_ended() -> None:
    assert not Pace.read("Building DAG of jobs...\n").planned
    ended = LOG + "".join(f"Finished jobid: 0 (Rule: {rule})\n" for rule in ["train"] * 3 + ["all"])
    assert Pace.read(ended).line({}, 1.0) == "6 of 6 jobs done"


@pytest.mark.parametrize(
    ("seconds", "said"),
    [(0.4, "0 s"), (59.6, "1 min 0 s"), (3600, "1 h 0 min"), (90061, "25 h 1 min")],
)
def test_durations_are_spoken(seconds: float, said: str) -> None:
    assert spoken(seconds) == said


def test_a_folder_without_a_run_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="has no run to tell of"):
        main(tmp_path)
