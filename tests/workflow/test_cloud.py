"""The profiles for machines without a shared disk, planned against an S3 server of the tests."""

import os
from typing import Any

import pytest
from project import Project

BUCKET_OF = "s3://features/fbftl"


def options(profile: str) -> list[str]:
    """Return what a call needs to plan with a profile; skip where a plugin is missing."""
    executor = {"cloud": "aws_batch", "kubernetes": "kubernetes"}[profile]
    for plugin in (f"executor_plugin_{executor}", "storage_plugin_s3"):
        pytest.importorskip(f"snakemake_{plugin}")
    of_executor = {
        "cloud": [f"--aws-batch-{what}=some" for what in ("region", "job-queue", "job-role")],
        "kubernetes": ["--kubernetes-namespace=fbftl"],
    }
    return [
        "--profile=profiles/slurm", f"--workflow-profile=profiles/{profile}",
        f"--default-storage-prefix={BUCKET_OF}", "--container-image=registry/fbftl:1",
        f"--storage-s3-endpoint-url={os.environ['AWS_ENDPOINT_URL']}",
        "--storage-s3-access-key=test", "--storage-s3-secret-key=test", *of_executor[profile],
    ]  # fmt: skip


@pytest.mark.parametrize("profile", ["cloud", "kubernetes"])
def test_a_study_is_planned_with_its_results_in_a_bucket(
    untouched: Project, bucket: Any, profile: str
) -> None:
    done = untouched.call("--dry-run", *options(profile))
    assert done.returncode == 0, done.stdout + done.stderr
    for result in ("features.json", "runs/fbftl.json"):
        assert f"{BUCKET_OF}/results/digits/{result} (in storage)" in done.stdout
    assert f"{BUCKET_OF}/published" not in done.stdout
