"""Rates are tried on samples that train nothing, and an end of the grid is called one."""

from pathlib import Path

import numpy as np
import pytest
from fbftl.ground.errors import UserError
from pick_rates import AtRate, at_rate, best_of, jobs_of, main, trials
from unit.methods.frameworks.framework_toys import job_of, make_inputs


def tried(*accuracies: float) -> list[AtRate]:
    return [AtRate(10.0**place, np.array([mean])) for place, mean in enumerate(accuracies)]


def test_an_end_of_the_grid_is_no_optimum():
    assert best_of(tried(0.1, 0.9, 0.2)) == "best 10"
    assert best_of(tried(0.9, 0.1, 0.2)) == "best 1, at an end of the grid: try beyond it"
    assert best_of(tried(0.1, 0.2, 0.9)) == "best 100, at an end of the grid: try beyond it"


def test_a_job_at_another_rate_differs_in_nothing_else_that_trains():
    job = job_of("fedavg")
    other = at_rate(job, 0.5, 0.25)
    assert other.network_training.learning_rate == 0.5
    assert (other.setting, other.seeds, other.block) == (job.setting, job.seeds, job.block)
    assert at_rate(other, 0.1, 0.0) == job


def test_held_out_samples_decide_and_a_diverged_seed_counts_as_nothing(tmp_path: Path):
    inputs = make_inputs(tmp_path)
    usual, absurd = trials(job_of("fedavg"), [0.1, 1e30], inputs, share=0.3)
    assert 0 < usual.mean <= 1
    assert absurd.mean == 0


def test_errors_of_a_mean_are_over_seeds():
    assert AtRate(1.0, np.array([0.4, 0.6])).error == pytest.approx(0.1)
    assert AtRate(1.0, np.array([0.4])).error == 0


def test_a_pilot_names_its_settings(root: Path):
    jobs = jobs_of("dpsgd", "digits-dpsgd-pilot", [], 2, root)
    assert {job.setting.method for job in jobs.values()} == {"fl"}
    assert all(job.seeds == (0, 1) for job in jobs.values())


def test_what_is_not_there_is_one_sentence(root: Path, linked: Path):
    with pytest.raises(UserError, match="no digits-dpsgd; name a task"):
        jobs_of("dpsgd", "digits-dpsgd", [], 2, root)
    with pytest.raises(UserError, match="no fbftl; name a task"):
        jobs_of("dpsgd", "digits-dpsgd-pilot", ["fbftl"], 2, root)
    (linked / "studies" / "full").rmdir()
    (linked / "studies" / "full").symlink_to(root / "studies" / "full")
    with pytest.raises(UserError, match=r"features\.json is not there"):
        main(["dpsgd", "digits-dpsgd-pilot"], linked)
