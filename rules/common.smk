"""Helpers for rules: the checked study, the source files of scripts, the paths of runs."""

import re
import sys
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import yaml

sys.path.insert(0, str(Path(workflow.basedir, "scripts")))

from fbftl import datasets, source_check
from fbftl import provenance
from fbftl.code import digest, sources
from fbftl.config import resolve
from fbftl.errors import UserError
from fbftl.files import remove_leftovers
from fbftl.feasibility import require_feasible
from fbftl.public import check_public, public_data
from fbftl.seals import require_unbroken
from fbftl.seq2seq import data as dialogues


def checked_study():
    """Return the study that the configuration describes, or stop with one sentence.

    Files that it names are looked at too, so that a missing one stops the run before its first job,
    and finished results, so that a damaged one reaches no table.
    """
    schema = Path(workflow.basedir, "rules", "schemas", "config.schema.yaml")
    try:
        if workflow.is_main_process:
            require_unbroken("results")
        study = resolve(config, yaml.safe_load(schema.read_text(encoding="utf-8")))
        for task in study.tasks_of("images"):
            block, folder = study.task(task), study.config["data_folder"]
            datasets.check(block["data"], folder)
            source_check.check(block["source"], folder)
            require_feasible(
                study, task, datasets.training_count(block["data"], folder)
            )
            if study.asks_public(task):
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


def hold_folder():
    """Let no second run write here until this one ends, in whatever way; tidy up after the last.

    Snakemake's own lock, switched off in the profile, would outlive a run that was killed.
    """
    from fbftl.store.lock import exclusive

    try:
        HELD.enter_context(exclusive(Path(".snakemake", "running")))
    except UserError as error:
        sys.exit(str(error))
    remove_leftovers("results")


STUDY = checked_study()

# For the report's first page, whose text sees nothing but the configuration; jobs do not read it.
config["commit"] = provenance.commit()
HELD = ExitStack()


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
    return code(
        "partition_clients.py", datasets.module(STUDY.task(wildcards.task)["data"])
    )


def code_of_source(wildcards):
    """Return the code of the source's script and of its task's kind of data."""
    modules = source_check.modules(STUDY.task(wildcards.task)["source"])
    return code("prepare_source.py", *modules)


def files_of_data(wildcards):
    """Return the data files that a task names."""
    return datasets.files(
        STUDY.task(wildcards.task)["data"], STUDY.config["data_folder"]
    )


def files_of_source(wildcards):
    """Return the files that a task's source names."""
    return source_check.files(
        STUDY.task(wildcards.task)["source"], STUDY.config["data_folder"]
    )


def code_of_public(wildcards):
    """Return the code of the script that chooses public samples and of their kind of data."""
    task = STUDY.task(wildcards.task)
    data = public_data(task["source"], task["privacy"]["public"])
    kind = [] if data is None else [datasets.module(data)]
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


def features_before_cut(wildcards):
    """Return what a task's features block says of the network's input."""
    features = STUDY.task(wildcards.task)["features"]
    return {key: features[key] for key in ("size", "mean", "std")}


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


def dialogues_at_hand(wildcards):
    """Return SAMSum's training dialogues, for their true lengths, if the data folder has them."""
    dialogues = Path(STUDY.config["data_folder"] or "", "samsum", "train.jsonl")
    at_hand = STUDY.config["data_folder"] and dialogues.exists()
    return {"dialogues": str(dialogues)} if at_hand else {}


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


QUESTIONS = {
    "cost": "1 What does it cost?",
    "loss": "2 What does loss do?",
    "compression": "3 What does compression do?",
    "privacy": "4 What leaks?",
    "audit": "5 What disagrees with the paper?",
}
"""The report's chapters."""


def reported(path, question, title, caption):
    """Return an output of a task, or of the paper, that the report shows under a question."""
    kind = "figure" if path.endswith(".svg") else "table"
    of = "{task}" if "{task}" in path else "the paper's task"
    return report(
        path,
        caption=f"captions/{caption}.rst",
        category=QUESTIONS[question],
        labels={"result": title, "kind": kind, "task": of},
    )


RESULTS = {
    "methods": ["tables/methods.csv", "figures/methods.svg"],
    "language": ["tables/language.csv"],
    "language_scarcity": ["figures/language_scarcity.svg"],
    "scarcity": ["tables/scarcity.csv", "figures/scarcity.svg"],
    "compression": [
        "tables/compression.csv",
        "figures/compression.svg",
        "figures/rate_distortion.svg",
    ],
    "packet_loss": ["tables/packet_loss.csv", "figures/packet_loss.svg"],
    "audit": ["tables/effects.csv"],
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

TASK_RESULTS = ["tables/claims.csv", "numbers.json"]
"""What is made of all experiments together, below the results of a task with images."""

PAPER_RESULTS = [
    "tables/methods.csv",
    "tables/language.csv",
    "tables/audit.csv",
    "figures/packet_loss.svg",
    "figures/retransmission.svg",
    "figures/label_privacy.svg",
    "tables/label_privacy.csv",
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
