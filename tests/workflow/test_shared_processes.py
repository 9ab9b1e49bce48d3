"""Settings that share a process: the files of one process each, and what a change costs."""

from collections import Counter

from fbftl.ground.departures import first_point
from project import Project

TWO = {"settings_per_process": 2}


def shared(planned: Counter[str]) -> set[str]:
    """Return the processes with several settings among the planned jobs."""
    return {rule for rule in planned if rule.startswith("train_heads_")}


def test_a_shared_process_leaves_what_processes_of_their_own_leave(
    finished: Project, reference: Project
) -> None:
    finished.finish(study=TWO)
    assert finished.planned(study=TWO) == Counter()
    ours, alone = finished.science(), reference.science()
    ledgers = {path for path in alone if path.endswith(".parquet")}
    assert len(ledgers) == 4
    assert ours.keys() == alone.keys()
    assert {path: ours[path] for path in ledgers} == {path: alone[path] for path in ledgers}
    for run, found in finished.models().items():
        departed = first_point(found, reference.models()[run])
        assert departed is None, "{}: models part at seed {}, point {}".format(run, *departed)


def test_a_new_setting_trains_the_processes_that_it_changes(finished: Project) -> None:
    finished.finish(study=TWO)
    grid = {"fraction": [1.0, 0.5], "plr": [0.0, 0.5, 0.7]}
    more = TWO | {"experiments": {"scarcity": {"grids": [grid]}}}
    planned = finished.planned(study=more)
    assert shared(planned) == {"train_heads_digits_scarcity-2", "train_heads_digits_scarcity-3"}
    assert planned["train"] == 0


def test_settings_go_back_to_processes_of_their_own(finished: Project, reference: Project) -> None:
    """Both logs then speak of the same files, which is no damage."""
    finished.finish(study=TWO)
    finished.finish()
    assert finished.planned() == Counter()
    assert finished.science() == reference.science()
