"""The profile for machines without a shared disk, planned against an S3 server of the tests."""

import os
from typing import Any

import pytest
from project import Project


def test_a_study_is_planned_with_its_results_in_a_bucket(untouched: Project, bucket: Any) -> None:
    for plugin in ("executor_plugin_aws_batch", "storage_plugin_s3"):
        pytest.importorskip(f"snakemake_{plugin}")
    arguments = [
        "--profile=profiles/slurm", "--workflow-profile=profiles/cloud",
        "--default-storage-prefix=s3://features/fbftl", "--container-image=registry/fbftl:1",
        f"--storage-s3-endpoint-url={os.environ['AWS_ENDPOINT_URL']}",
        "--storage-s3-access-key=test", "--storage-s3-secret-key=test",
        *(f"--aws-batch-{what}=some" for what in ("region", "job-queue", "job-role")),
    ]  # fmt: skip
    done = untouched.call("--dry-run", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    bucket_of = "s3://features/fbftl"
    for result in ("features.json", "runs/fbftl.json", "runs/fbftl.parquet"):
        assert f"{bucket_of}/results/digits/{result} (send to storage)" in done.stdout
    assert f"{bucket_of}/published" not in done.stdout
