"""Helpers for rules: the checked study, the source files of scripts, the paths of runs."""

import sys
from functools import partial
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(workflow.basedir, "scripts")))

from fbftl.code import sources
from fbftl.config import resolve
from fbftl.datasets import KINDS, check
from fbftl.errors import UserError
from fbftl.public import check_public, public_data


def checked_study():
    """Return the study that the configuration describes, or stop with one sentence.

    Data files are looked at too, so that a missing one stops the run before its first job.
    """
    schema = Path(workflow.basedir, "rules", "schemas", "config.schema.yaml")
    try:
        study = resolve(config, yaml.safe_load(schema.read_text(encoding="utf-8")))
        for task in study.tasks:
            check(study.task(task)["data"], study.config["data_folder"])
            if study.asks_public(task):
                block = study.task(task)
                check_public(
                    block["source"],
                    block["privacy"]["public"],
                    study.config["data_folder"],
                )
    except UserError as error:
        sys.exit(str(error))
    return study


STUDY = checked_study()


wildcard_constraints:
    task="|".join(STUDY.tasks),
    experiment="|".join(STUDY.config["experiments"]),
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


def code_of_public(wildcards):
    """Return the sources of the script that chooses public samples and of their kind of data."""
    task = STUDY.task(wildcards.task)
    data = public_data(task["source"], task["privacy"]["public"])
    kind = [] if data is None else [f"fbftl.datasets.{KINDS[data['kind']]}"]
    return sources("choose_public.py", "scripts", *kind)


def store_of(task):
    """Return the folder or URL of a task's feature store."""
    return STUDY.task(task)["features"]["store"] or f"results/{task}/features.zarr"


def task_block(wildcards, block):
    """Return one block of a task's configuration."""
    return STUDY.task(wildcards.task)[block]


def public_block(wildcards):
    """Return how a task's public samples are chosen."""
    return STUDY.task(wildcards.task)["privacy"]["public"]


def features_here(wildcards):
    """Return a task's features block for a further store, which stays below its results."""
    return STUDY.task(wildcards.task)["features"] | {"store": None}


def public_features(wildcards):
    """Return the public features that a training job reads, by input name; most read none."""
    if not STUDY.needs_public(wildcards.task, wildcards.setting):
        return {}
    return {
        "public": ancient(f"results/{wildcards.task}/public.zarr"),
        "public_manifest": f"results/{wildcards.task}/public.json",
    }


def job_of(wildcards):
    """Return the one param of a training job."""
    return STUDY.job(wildcards.task, wildcards.setting)


def names_attacked(task, method, mechanism):
    """Return the names of the privacy experiment's settings that attacks look at, loosest first.

    Labels under randomised response are another question.
    """
    settings = STUDY.settings[task]["privacy"]
    chosen = [
        name
        for name, setting in settings.items()
        if setting.method == method
        and setting.mechanism == mechanism
        and setting.label_epsilon is None
    ]
    return sorted(chosen, key=lambda name: -(settings[name].epsilon or 0))


def attacked_uploads(wildcards):
    """Return the jobs whose uploads are attacked: without noise, then under each epsilon."""
    task = wildcards.task
    names = names_attacked(task, "fbftl", "none") + names_attacked(
        task, "fbftl", "gaussian"
    )
    return [STUDY.job(task, name) for name in names]


def attacked_updates(wildcards):
    """Return the jobs whose client updates are attacked."""
    names = names_attacked(wildcards.task, "ftl_c", "dp_fedavg")
    return [STUDY.job(wildcards.task, name) for name in names]


def attacked_update_runs(wildcards):
    """Return the run files of these jobs."""
    names = names_attacked(wildcards.task, "ftl_c", "dp_fedavg")
    return [f"results/{wildcards.task}/runs/{name}.json" for name in names]


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
    "scarcity": ["tables/scarcity.csv", "figures/scarcity.svg"],
    "privacy": [
        "tables/privacy.csv",
        "figures/privacy.svg",
        "tables/attacks.csv",
        "figures/inversion.svg",
        "tables/label_leakage.csv",
    ],
    "noise": ["tables/noise.csv", "figures/noise.svg"],
}
"""What is made of each experiment, below a task's results; others end in their tidy table."""


PAPER = {
    "privacy": ["figures/label_privacy.svg", "tables/label_privacy.csv"],
}
"""What formulas alone say about an experiment's question, below results/paper."""


def all_results():
    """Return the tables and figures of the whole study."""
    asked = STUDY.config["study"]["experiments"]
    return [
        f"results/paper/{path}"
        for experiment in asked
        for path in PAPER.get(experiment, [])
    ] + [
        f"results/{task}/{path}"
        for task, experiments in STUDY.settings.items()
        for experiment in experiments
        for path in RESULTS.get(experiment, [f"experiments/{experiment}.csv"])
    ]
