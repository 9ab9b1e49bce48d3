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
        (
            "--profile=profiles/slurm --workflow-profile=profiles/cluster",
            "snakemake_executor_plugin_cluster_generic",
        ),
    ],
)
def test_an_engine_plans_what_a_local_run_does(fresh: Project, option: str, needed: str) -> None:
    if not (shutil.which(needed) or find_spec(needed)):
        pytest.skip(f"{needed} is not installed")
    planned, here = fresh.planned(*option.split()), fresh.planned()
    # Batches follow the places that there are.
    assert 0 < planned.pop("train") <= here.pop("train")
    assert planned == here


def test_containers_need_an_image(untouched: Project) -> None:
    done = untouched.call("--dry-run", "--sdm=apptainer")
    assert done.returncode != 0
    assert "--sdm apptainer needs an image; build envs/Dockerfile" in done.stderr
