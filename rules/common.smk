"""Helpers for rules: the checked study, the source files of scripts, the paths of runs."""

import re
import sys
from functools import partial
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(workflow.basedir, "scripts")))

from fbftl import datasets
from fbftl.code import digest, sources
from fbftl.config import resolve
from fbftl.datasets import KINDS
from fbftl.errors import UserError
from fbftl.public import check_public, public_data
from fbftl.seq2seq import data as dialogues


def checked_study():
    """Return the study that the configuration describes, or stop with one sentence.

    Data files are looked at too, so that a missing one stops the run before its first job.
    """
    schema = Path(workflow.basedir, "rules", "schemas", "config.schema.yaml")
    try:
        study = resolve(config, yaml.safe_load(schema.read_text(encoding="utf-8")))
        for task in study.tasks_of("images"):
            datasets.check(study.task(task)["data"], study.config["data_folder"])
            if study.asks_public(task):
                block = study.task(task)
                check_public(
                    block["source"],
                    block["privacy"]["public"],
                    study.config["data_folder"],
                )
        for task in study.tasks_of("seq2seq"):
            dialogues.check(study.task(task)["data"], study.config["data_folder"])
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


def code(script, *modules):
    """Return the digest of a script and the library modules it imports: a param of its rule.

    One param instead of an input per module keeps the plan of ten thousand jobs short.
    """
    return digest(sources(script, "scripts", *modules))


def code_of_method(wildcards):
    """Return the code of the training script and of a setting's own method."""
    method = STUDY.setting(wildcards.task, wildcards.setting).method
    return code("train_setting.py", f"fbftl.methods.{method}")


def code_of_clients(wildcards):
    """Return the code of the partition script and of the task's kind of data."""
    kind = STUDY.task(wildcards.task)["data"]["kind"]
    return code("partition_clients.py", f"fbftl.datasets.{KINDS[kind]}")


def code_of_public(wildcards):
    """Return the code of the script that chooses public samples and of their kind of data."""
    task = STUDY.task(wildcards.task)
    data = public_data(task["source"], task["privacy"]["public"])
    kind = [] if data is None else [f"fbftl.datasets.{KINDS[data['kind']]}"]
    return code("choose_public.py", *kind)


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


def run_files(wildcards, experiment, suffix):
    """Return one file of every run of an experiment on a task: json, or parquet for ledgers."""
    settings = STUDY.settings[wildcards.task][experiment]
    return [f"results/{wildcards.task}/runs/{name}.{suffix}" for name in settings]


def runs_of(wildcards):
    """Return the run files of an experiment on a task."""
    return run_files(wildcards, wildcards.experiment, "json")


def experiments_of(wildcards):
    """Return a task's tidy tables, and its table of methods if the study compares them."""
    experiments = STUDY.experiments(wildcards.task)
    files = {
        "experiments": [
            f"results/{wildcards.task}/experiments/{e}.csv" for e in experiments
        ]
    }
    if "methods" in experiments:
        files["methods"] = f"results/{wildcards.task}/tables/methods.csv"
    return files


def all_runs():
    """Return the run files of the whole study."""
    return sorted(
        f"results/{task}/runs/{name}.json"
        for task, experiments in STUDY.settings.items()
        for settings in experiments.values()
        for name in settings
    )


RESULTS = {
    "methods": ["tables/methods.csv", "figures/methods.svg"],
    "language": ["tables/language.csv"],
    "language_scarcity": ["figures/language_scarcity.svg"],
    "scarcity": ["tables/scarcity.csv", "figures/scarcity.svg"],
    "audit": ["tables/effects.csv"],
}
"""What is made of each experiment, below a task's results; others end in their tidy table."""

TASK_RESULTS = ["tables/claims.csv"]
"""What is made of all experiments together, below the results of a task with images."""

PAPER_RESULTS = [
    "tables/methods.csv",
    "tables/language.csv",
    "tables/audit.csv",
    "figures/packet_loss.svg",
    "figures/retransmission.svg",
]
"""What is made of the paper's own numbers, below results/paper; no task is needed."""


def all_results():
    """Return the tables and figures of the whole study."""
    of_paper = [f"results/paper/{path}" for path in PAPER_RESULTS]
    of_tasks = [
        f"results/{task}/{path}"
        for task in STUDY.tasks_of("images")
        for path in TASK_RESULTS
    ]
    of_experiments = [
        f"results/{task}/{path}"
        for task, experiments in STUDY.settings.items()
        for experiment in experiments
        for path in RESULTS.get(experiment, [f"experiments/{experiment}.csv"])
    ]
    return of_paper + of_experiments + of_tasks
