"""The study and its plan, which only the call that plans makes; `begin`, which writes its notes."""

import os
import sys
from importlib.util import find_spec
from math import inf
from pathlib import Path

from snakemake.settings.types import DeploymentMethod

BASE = Path(os.fspath(workflow.current_basedir)).parent
"""The project's folder, which is not where a study runs if the workflow is a module."""

DEPLOYED = workflow.deployment_settings.deployment_method

if find_spec("numpy") is None:
    sys.exit(
        "the plan needs packages beside Snakemake; pip install --requirement "
        f"{BASE}/envs/requirements.txt --constraint {BASE}/envs/requirements.lock"
    )

sys.path.insert(0, str(BASE / "scripts"))

from fbftl.ground.errors import UserError
from fbftl.study.yaml_files import read_config_file

if workflow.is_main_process:
    # Snakemake lets the last of two equal keys win, and ends in a traceback over other faults.
    files = ["config.yaml"] if Path(workflow.basedir) == BASE else []
    try:
        for path in [*files, *workflow.configfiles]:
            read_config_file(path)
    except UserError as error:
        sys.exit(str(error))


configfile: "config.yaml"


from fbftl.plan.opened import Opened, store_of
from fbftl.plan.planned import OfNode


def opened():
    """Return the plan of this call and what else it was opened with, or stop in one sentence."""
    # Of a cluster, also in a dry run, which is executed nowhere else.
    nodes = workflow.resource_settings.nodes
    try:
        return Opened.of(
            config,
            BASE,
            places=nodes or workflow.resource_settings.cores or 1,
            longest=inf if nodes is None else 60 * config.get("batch_minutes", 30),
        )
    except UserError as error:
        sys.exit(str(error))


def begin():
    """Take the folder of results and write what jobs read; nothing is written before."""
    try:
        CALL.begin()
    except UserError as error:
        sys.exit(str(error))
    if workflow.local_exec:
        # To keep a limit, Snakemake's scheduler plans another pass a second after each pass.
        workflow.scheduler.job_rate_limiter = None


if workflow.is_main_process:
    if not workflow.modifier.is_main_snakefile():
        # Snakemake forgets what a module does when a call starts.
        workflow._onstart = lambda log: begin()
    CALL = opened()
    PLAN = CALL.plan
    STORE = CALL.plan.store
    config.update(CALL.for_report)
    if DeploymentMethod.APPTAINER in DEPLOYED and config.get("container") is None:
        sys.exit(
            "config: container is null, and --sdm apptainer needs an image; build envs/Dockerfile "
            "and name what came out"
        )
else:
    STORE = store_of(config)
    PLAN = OfNode(STORE)

config.setdefault("container", None)

GPU = int(config.get("device") == "cuda")
"""What a job that computes takes of the resource `gpu`, whose total stands in the profile."""


def needs(wildcards):
    """Return the markers that a job waits for."""
    return PLAN.note(wildcards.job).get("needs", [])


def summary(wildcards):
    """Return what a job does, in words."""
    return PLAN.note(wildcards.job).get("message", wildcards.job)


def threads_of(wildcards):
    """Return how many cores a job takes."""
    return PLAN.note(wildcards.job).get("threads", 1)
