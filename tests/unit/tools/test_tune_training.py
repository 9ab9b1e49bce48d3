"""Rates are tried on held-out samples; schedules on points in which nothing is private."""

from pathlib import Path

import numpy as np
import pytest
import torch
from fbftl.ground.errors import UserError
from fbftl.plan.opened import Prepared
from fbftl.study.config import Study
from tune_training import Clouds, best_of, jobs_of, main, trials
from unit.methods.frameworks.framework_toys import job_of, make_inputs

RATES = [1.0, 10.0, 100.0]
CLOUDS = Clouds(rows=30, columns=6, hidden=4, scale=10.0, epsilon=4.0, momentum=0.0, seeds=2)


def test_an_end_of_the_grid_is_no_optimum():
    assert best_of(RATES, [0.1, 0.9, 0.2]) == "best 10"
    assert best_of(RATES, [0.9, 0.1, 0.2]) == "best 1, at an end of the grid: try beyond it"
    assert best_of(RATES, [0.1, 0.2, 0.9]) == "best 100, at an end of the grid: try beyond it"


def test_held_out_samples_decide_and_a_diverged_seed_counts_as_nothing(tmp_path: Path):
    inputs = make_inputs(tmp_path)
    usual, absurd = trials(job_of("fedavg"), [0.1, 1e30], inputs, share=0.3)
    assert 0 < usual.mean() <= 1
    assert absurd.mean() == 0


def study_of(root: Path) -> Study:
    return Prepared.of_files(root, more={"size": "full", "system": "dpsgd"}).call.study


def test_a_full_study_names_its_settings_and_lends_no_seed(root: Path):
    jobs = jobs_of(study_of(root), "dpsgd", "digits-dpsgd-full", [], 2)
    assert {job.setting.method for job in jobs.values()} == {"fl"}
    assert all(job.seeds == (0, 1) for job in jobs.values())


def test_what_is_not_there_is_one_sentence(root: Path, linked: Path, monkeypatch):
    with pytest.raises(UserError, match="no digits-dpsgd; name a task"):
        jobs_of(study_of(root), "dpsgd", "digits-dpsgd", [], 2)
    with pytest.raises(UserError, match="no fbftl; name a task"):
        jobs_of(study_of(root), "dpsgd", "digits-dpsgd-full", ["fbftl"], 2)
    (linked / "studies" / "full").rmdir()
    (linked / "studies" / "full").symlink_to(root / "studies" / "full")
    monkeypatch.chdir(linked)
    with pytest.raises(UserError, match=r"of this study is missing .*; run it first"):
        main(["rates", "dpsgd", "digits-dpsgd-full"])


def test_points_are_centred_and_as_long_as_the_scale():
    samples = CLOUDS.points()
    for rows in samples.rows:
        values = samples.values[torch.from_numpy(rows)]
        assert float(values.norm(dim=1).max()) == pytest.approx(10, rel=1e-5)
        assert values.mean(0).abs().max() < 1e-5
        spread = values.std(0)
        torch.testing.assert_close(spread, spread[:1].expand_as(spread), rtol=1e-4, atol=0)
        assert np.bincount(samples.labels[torch.from_numpy(rows)]).tolist() == [15, 15]


def test_a_larger_budget_leaves_less_loss():
    strict, loose = (Clouds(200, 6, 4, 10.0, epsilon, 0.0, 2) for epsilon in (0.05, 8.0))
    points = strict.points()
    assert loose.loss(points, "uniform", 50, 1.0) < strict.loss(points, "uniform", 50, 1.0)


def test_every_schedule_names_its_best(capsys):
    small = "--rows 30 --columns 6 --hidden 4 --seeds 2 --steps 5 10 --decays 3"
    main(["schedules", *small.split()])
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(":")[0] for line in printed if "best" in line] == [
        "best uniform",
        "best exp",
    ]
    assert len(printed) == 6
