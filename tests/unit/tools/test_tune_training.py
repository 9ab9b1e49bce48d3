"""Rates are tried on held-out samples."""

from pathlib import Path

from fbftl.plan.opened import Prepared
from fbftl.study.config import Study
from tune_training import best_of, jobs_of, trials
from unit.methods.framework_toys import job_of

RATES = [1.0, 10.0, 100.0]


def test_an_end_of_the_grid_is_no_optimum():
    assert best_of(RATES, [0.1, 0.9, 0.2]) == "best 10"
    assert best_of(RATES, [0.9, 0.1, 0.2]) == "best 1, at an end of the grid: try beyond it"
    assert best_of(RATES, [0.1, 0.2, 0.9]) == "best 100, at an end of the grid: try beyond it"


def test_held_out_samples_decide_and_a_diverged_seed_counts_as_nothing(frameworks):
    usual, absurd = trials(job_of("fedavg"), [0.1, 1e30], frameworks, share=0.3)
    assert 0 < usual.mean() <= 1
    assert absurd.mean() == 0


def study_of(root: Path) -> Study:
    return Prepared.of_files(root, more={"size": "full", "system": "dpsgd"}).call.study


def test_a_full_study_names_its_settings_and_lends_no_seed(root):
    jobs = jobs_of(study_of(root), "dpsgd", "digits-dpsgd-full", [], 2)
    assert {job.setting.method for job in jobs.values()} == {"fl"}
    assert all(job.seeds == (0, 1) for job in jobs.values())
