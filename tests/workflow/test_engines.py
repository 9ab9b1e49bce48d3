"""Other engines plan the same jobs from the same rules; nothing is submitted."""

import shutil
from collections import Counter
from importlib.util import find_spec

import pytest

ENGINES = {
    "--workflow-profile=profiles/slurm": "snakemake_executor_plugin_slurm",
    "--sdm=conda": "conda",
    "--profile=profiles/slurm --workflow-profile=profiles/cluster": (
        "snakemake_executor_plugin_cluster_generic"
    ),
}
"""Options, and what has to be installed for each."""


def test_an_engine_plans_what_a_local_run_does(untouched, wanted):
    options = [o for o, needed in ENGINES.items() if shutil.which(needed) or find_spec(needed)]
    if not options:
        pytest.skip(f"none is installed of {', '.join(ENGINES.values())}")
    here = Counter(wanted)
    batches = here.pop("train")
    for option in options:
        planned = untouched.planned(*option.split())
        # Batches follow the places that there are.
        assert 0 < planned.pop("train") <= batches, option
        assert planned == here, option


def test_containers_need_an_image(untouched):
    done = untouched.call("--dry-run", "--sdm=apptainer")
    assert done.returncode != 0
    assert "--sdm apptainer needs an image; build envs/Dockerfile" in done.stderr
