"""The toy study through a real Slurm: a local run's results byte for byte, a dead node or not."""

import time
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest
from project import Project
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


def test_a_node_that_dies_costs_time_and_nothing_else(
    slurm: Slurm, fresh: Project, reference: Project
) -> None:
    call = fresh.start(*SUBMIT)
    while not (fresh.results / "digits/logs/source.log").exists():
        assert call.poll() is None, fresh.console()
        time.sleep(0.2)
    slurm.kill_node()
    slurm.start_node()
    assert call.wait(PATIENCE) == 0, fresh.console()
    restarts = slurm.restarts()
    assert any(restarts.values()), "the node died while no job ran on it"
    assert len(restarts) <= 6, f"short jobs are to share a Slurm job, not to be {list(restarts)}"
    assert fresh.science() == reference.science()
    assert not fresh.planned()


def test_features_at_a_url_give_the_same_runs(
    slurm: Slurm, bucket: Any, fresh: Project, reference: Project
) -> None:
    """The store goes through an object store instead of the shared disk."""
    study = {"tasks": {"digits": {"features": {"store": "s3://features/digits.zarr"}}}}
    tidy = "results/digits/experiments/scarcity.csv"
    fresh.finish(*SUBMIT, tidy, study=study)
    assert not list((fresh.results / "digits/features.zarr").rglob("zarr.json"))
    assert "digits.zarr/zarr.json" in {
        item["Key"] for item in bucket.list_objects_v2(Bucket="features")["Contents"]
    }
    runs = {name: digest for name, digest in fresh.science().items() if "/runs/" in name}
    assert len(runs) == 4 * 2
    assert runs.items() <= reference.science().items()
    assert not fresh.planned(*SUBMIT, tidy, study=study)


def test_settings_share_a_process_on_a_node(
    slurm: Slurm, fresh: Project, reference: Project
) -> None:
    """The node reads the rules again, when it is unknown there what has to be trained."""
    two = {"settings_per_process": 2}
    fresh.finish(*SUBMIT, "runs", study=two)
    (first, second) = fresh.results.glob("digits/logs/runs/scarcity-*.log")
    assert first.read_text(encoding="utf-8") != second.read_text(encoding="utf-8")
    runs = {name: digest for name, digest in fresh.science().items() if "/runs/" in name}
    assert len(runs) == 4 * 2
    assert runs.items() <= reference.science().items()
    assert not fresh.planned(*SUBMIT, "runs", study=two)
