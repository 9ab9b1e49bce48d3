"""The toy study through a real Slurm: a local run's bytes, though a node dies."""

import shutil
import time
from collections.abc import Iterator
from importlib.util import find_spec

import pytest
from slurm import Slurm, missing

SUBMIT = [
    "--workflow-profile=profiles/slurm",
    "--slurm-no-account",
    # A node of its own keeps no accounts, and answers at once.
    "--slurm-status-command=squeue",
    "--slurm-init-seconds-before-status-checks=3",
    "--seconds-between-status-checks=3",
    "--latency-wait=10",
]

PATIENCE = 900
"""Seconds after which a study that does not move on is a failure."""


@pytest.fixture(scope="module")
def slurm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Slurm]:
    if find_spec("snakemake_executor_plugin_slurm") is None:
        pytest.skip("snakemake-executor-plugin-slurm is not installed")
    if (reason := missing()) is not None:
        pytest.skip(reason)
    with (
        Slurm(tmp_path_factory.mktemp("slurm") / "node") as node,
        pytest.MonkeyPatch.context() as patch,
    ):
        for name, value in node.environment.items():
            patch.setenv(name, value)
        yield node


STUDY = {"tasks": {"digits": {"features": {"store": "s3://features/digits"}}}}
"""Features go through an object store instead of the shared disk."""

TABLE = "digits/tables/scarcity.csv"


def test_a_node_that_dies_costs_time_and_nothing_else(slurm, bucket, fresh, reference):
    """Nodes plan nothing: they read notes, with a configuration that was changed meanwhile."""
    for kind in ("clients", "sources"):
        shutil.copytree(reference.results / "store" / kind, fresh.results / "store" / kind)
    call = fresh.start(*SUBMIT, f"results/{TABLE}", study=STUDY)
    while not list(fresh.results.glob("logs/extract/*.log")):
        assert call.poll() is None, fresh.console()
        time.sleep(0.2)
    fresh.append("config.yaml", "\nnothing: of this is read by nodes\n")
    slurm.kill_node()
    slurm.start_node()
    assert call.wait(PATIENCE) == 0, fresh.console()
    assert any(slurm.restarts().values()), "the node died while no job ran on it"
    fresh.edit("config.yaml", "\nnothing: of this is read by nodes\n", "")
    assert not list(fresh.results.glob("store/features/*/features.zarr"))
    listed = bucket.list_objects_v2(Bucket="features")["Contents"]
    (key,) = fresh.stored("features") - {"locks"}
    assert f"digits/{key}/zarr.json" in {item["Key"] for item in listed}
    science = fresh.science()
    same = {name: d for name, d in science.items() if "/runs/" in name or name == TABLE}
    assert len(same) == 4 * 2 * 2 + 1
    assert same.items() <= reference.science().items()
