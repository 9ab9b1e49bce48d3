"""Helpers for rules: the checked study, the source files of scripts, the paths of runs."""

import re
import sys
from functools import partial
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(workflow.basedir, "scripts")))

from fbftl import datasets
from fbftl.code import sources
from fbftl.config import resolve
from fbftl.datasets import KINDS
from fbftl.errors import UserError
from fbftl.seq2seq import data as dialogues


def checked_study():
    """Return the study that the configuration describes, or stop with one sentence.

    Data files are looked at too, so that a missing one stops the run before its first job.
    """
    schema = Path(workflow.basedir, "rules", "schemas", "config.schema.yaml")
    try:
        study = resolve(config, yaml.safe_load(schema.read_text(encoding="utf-8")))
        for kind, of_kind in (("images", datasets), ("seq2seq", dialogues)):
            for task in study.tasks_of(kind):
                of_kind.check(study.task(task)["data"], study.config["data_folder"])
    except UserError as error:
        sys.exit(str(error))
    return study


STUDY = checked_study()


def either(names):
    """Return the pattern of a wildcard that is one of the names; without any it is none."""
    return "|".join(map(re.escape, names)) or "(?!)"


wildcard_constraints:
    task=either(STUDY.tasks),
    experiment=either(STUDY.config["experiments"]),
    setting="[^/]+",


def code(script):
    """Return a script and the library modules it imports, as checksummed inputs."""
    return sources(script, "scripts")


def code_of_method(wildcards):
    """Return the sources of the training script and of a setting's own method."""
    method = STUDY.setting(wildcards.task, wildcards.setting).method
    return sources("train_setting.py", "scripts", f"fbftl.methods.{method}")


def code_of_clients(wildcards):
    """Return the sources of the partition script and of the task's kind of data."""
    kind = STUDY.task(wildcards.task)["data"]["kind"]
    return sources("partition_clients.py", "scripts", f"fbftl.datasets.{KINDS[kind]}")


def store_of(task):
    """Return the folder or URL of a task's feature store."""
    return STUDY.task(task)["features"].get("store") or f"results/{task}/features.zarr"


def caches_of(task):
    """Return where a task's features are, without suffix: at its own cut, then at further ones."""
    further = STUDY.task(task)["features"].get("further_cuts", [])
    return [
        f"results/{task}/features",
        *(f"results/{task}/features/{cut}" for cut in further),
    ]


def stores_of(task):
    """Return the folders or URLs of a task's feature stores, that of its own cut first."""
    return [store_of(task), *(f"{cache}.zarr" for cache in caches_of(task)[1:])]


def manifests_of(task):
    """Return the manifests of a task's feature stores, that of its own cut first."""
    return [f"{cache}.json" for cache in caches_of(task)]


def all_manifests():
    """Return the manifests of all feature stores of the study."""
    return [manifest for task in STUDY.tasks for manifest in manifests_of(task)]


def cache_of_setting(wildcards, suffix):
    """Return the feature store or manifest, by suffix, at the cut of a seq2seq task's setting."""
    cut = STUDY.setting(wildcards.task, wildcards.setting).cut
    place = "features" if cut is None else f"features/{cut}"
    return f"results/{wildcards.task}/{place}.{suffix}"


def task_block(wildcards, block):
    """Return one block of a task's configuration."""
    return STUDY.task(wildcards.task)[block]


def job_of(wildcards):
    """Return the one param of a training job."""
    return STUDY.job(wildcards.task, wildcards.setting)


def runs_of(wildcards):
    """Return the run files of an experiment on a task."""
    settings = STUDY.settings[wildcards.task][wildcards.experiment]
    return [f"results/{wildcards.task}/runs/{name}.json" for name in settings]


def all_runs():
    """Return the run files of the whole study."""
    return sorted(
        f"results/{task}/runs/{name}.json"
        for task, experiments in STUDY.settings.items()
        for settings in experiments.values()
        for name in settings
    )


RESULTS = {
    "language": ["tables/language.csv"],
    "language_scarcity": ["figures/language_scarcity.svg"],
    "scarcity": ["tables/scarcity.csv", "figures/scarcity.svg"],
}
"""What is made of each experiment, below a task's results; others end in their tidy table."""


def all_results():
    """Return the tables and figures of the whole study."""
    return [
        f"results/{task}/{path}"
        for task, experiments in STUDY.settings.items()
        for experiment in experiments
        for path in RESULTS.get(experiment, [f"experiments/{experiment}.csv"])
    ]
