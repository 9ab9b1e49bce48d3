"""Other engines plan the same jobs from the same rules; nothing is submitted."""

import shutil
from importlib.util import find_spec

import pytest
from project import Project


@pytest.mark.parametrize(
    ("option", "needed"),
    [
        ("--workflow-profile=profiles/slurm", "snakemake_executor_plugin_slurm"),
        ("--sdm=conda", "conda"),
    ],
)
def test_an_engine_plans_what_a_local_run_does(fresh: Project, option: str, needed: str) -> None:
    if not (shutil.which(needed) or find_spec(needed)):
        pytest.skip(f"{needed} is not installed")
    assert fresh.planned(option) == fresh.planned()
