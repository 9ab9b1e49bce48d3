"""The checked study, what runs before the first job, and what wildcards may be."""

import gc
import json
import os
import re
import sys
from contextlib import ExitStack
from dataclasses import asdict, replace
from functools import cache, partial
from pathlib import Path

from snakemake.exceptions import InputFunctionException
from snakemake.iocontainers import Wildcards

from fbftl.data import datasets
from fbftl.data.open import check_open
from fbftl.models.chain import check_networks
from fbftl.models.planned import trained as parameters_trained
from fbftl.models.t5 import planned as summarisers
from fbftl.models.source import check as source_check
from fbftl.ground import provenance
from fbftl.ground.code import Remembered, digest, sources
from fbftl.ground.exact import is_pinned, pin, sentence, this_machine
from fbftl.ground.digests import Digests, digest_of_value, digests_of_param
from fbftl.ground.staleness import changed_inputs, changed_param, remembered
from fbftl.methods.by_name import modules as modules_of_method
from fbftl.study import methods, source_seeds
from fbftl.study.beside import require_own_folder
from fbftl.study.clients import partition_of, number_of_clients
from fbftl.study.computes import computed_otherwise, require_computable
from fbftl.study.config import Study, resolve
from fbftl.study.release import releases
from fbftl.ground.errors import UserError
from fbftl.ground.files import remove_leftovers, write_json, write_text
from fbftl.ground.hub import lacking as hub_lacks, pinned
from fbftl.ground.missing import listed
from fbftl.study.job import from_params
from fbftl.study.feasibility import Sizes, require_cloud, require_feasible
from fbftl.study.impossible import require_packages
from fbftl.study.processes import AUTO, bounds, shared_processes, short_settings
from fbftl.study.yaml_files import read_yaml
from fbftl.data.public import (
    check_classes,
    check_public,
    public_count,
    public_data,
)
from fbftl.ground.seals import require_unbroken, require_whole_stores
from fbftl.data.dialogues import splits as dialogues

absent.close()


def read_booleans():
    """Read `--config key=true` as YAML does; Snakemake hands such a word on as text."""
    words = {"true": True, "false": False}
    config.update(
        {
            key: words[value]
            for key, value in config.items()
            if value in ("true", "false")
        }
    )


def checked_study():
    """Return the study that the configuration describes, or stop with one sentence.

    Files that it names are looked at too, so that a missing one stops the run before its first job,
    and finished results, so that a damaged one reaches no table.
    """
    schema = Path(BASE, "rules", "schemas", "config.schema.yaml")
    try:
        if workflow.is_main_process:
            require_unbroken("results", DIGESTS, RECORDS)
            if not MENDING & set(sys.argv):
                require_whole_stores(RECORDS)
        study = resolve(
            config,
            read_yaml(schema),
            SYSTEMS,
            OF_SIZE,
        )
        if workflow.is_main_process:
            # What is asked for is known to Snakemake only after this.
            study.require_runs(sys.argv[1:])
        if (
            workflow.is_main_process
            and not workflow.deployment_settings.deployment_method
        ):
            require_packages(study.protections)
        if workflow.is_main_process and LAUNCHED == os.getcwd() == str(BASE):
            require_own_folder(study, project_study())
        if workflow.is_main_process and (lacking := listed(lacking_of(study))):
            print(lacking, file=sys.stderr)
        for task in study.tasks_of("images"):
            block, folder = study.task(task), study.config["data_folder"]
            source_check.require_one_kind(f"config: tasks.{task}", block)
            datasets.check(block["data"], folder)
            datasets.require_named_clients(task, block, folder)
            if workflow.is_main_process:
                for note in datasets.notes(block["data"], folder):
                    print(f"tasks.{task}.{note}", file=sys.stderr)
            source_check.check(block["source"], folder, DIGESTS)
            check_networks(task, block, study.client_parts(task))
            check_open(task, block, folder)
            if workflow.is_main_process:
                require_feasible(
                    study,
                    task,
                    datasets.training_count(block["data"], folder),
                    datasets.named_clients(block["data"], folder),
                    sizes_of(study, task),
                )
            if workflow.is_main_process and block["privacy"]["budget"]:
                require_budget(
                    study, task, datasets.training_count(block["data"], folder)
                )
            if study.asks_public(task):
                check_public(block["source"], block["public"], folder)
            if study.buys(task):
                check_classes(task, block, folder)
                require_cloud(
                    study,
                    task,
                    public_count(block["source"], block["public"], folder),
                    datasets.training_count(block["data"], folder),
                )
        for task in study.tasks_of("dialogues"):
            if workflow.is_main_process:
                source_check.require_pinned(
                    study.task(task)["source"], study.config["data_folder"], DIGESTS
                )
            data, folder = study.task(task)["data"], study.config["data_folder"]
            dialogues.check(data, folder, DIGESTS)
            require_feasible(
                study,
                task,
                dialogues.training_count(data, folder),
                sizes=summariser_sizes(study, task),
            )
    except UserError as error:
        sys.exit(str(error))
    return study


@cache
def project_study():
    """Return what `config.yaml` and the systems' studies say, with nothing laid over them."""
    schema = read_yaml(Path(BASE, "rules", "schemas", "config.schema.yaml"))
    try:
        alone = read_yaml(Path(BASE, "config.yaml")) | {"papers": "all"}
        return resolve(alone, schema, SYSTEMS)
    except UserError as error:
        sys.exit(str(error))


def releases_in(study, task):
    """Return what stands for the release of each setting in a task's groups, by its name."""
    named = {name for names in study.together(task).values() for name in names}
    jobs = {
        name: study.job_of(task, study.setting(task, name)) for name in sorted(named)
    }
    return releases(jobs, methods.axes_by_method())


def require_budget(study, task, samples):
    """Refuse releases that cost more together than the task's budget of privacy."""
    # Accountants are slow to import, and only budgets ask them before a job.
    from fbftl.methods.by_name import planned_guarantees
    from fbftl.privacy.together import Released, costs, require_within

    block, axes = study.task(task), methods.axes_by_method()
    delta, rows = block["privacy"]["delta"], block["clients"]["samples_per_client"] or 1
    spellings = releases_in(study, task)
    for name, settings in study.together(task).items():
        released = []
        for setting in map(partial(study.setting, task), settings):
            partition = partition_of(block["clients"], setting)
            clients = round(
                setting.fraction * (number_of_clients(partition, samples) or 1)
            )
            job = from_params(study.job_of(task, setting), axes)
            records = planned_guarantees(job, max(1, clients))
            released.append(
                Released(
                    setting.name,
                    [asdict(record) for record in records],
                    setting.samples_per_client,
                    spellings[setting.name],
                    methods.record(setting.method).unprotected(setting),
                )
            )
        composed = costs(released, delta, rows)
        require_within(block["privacy"]["budget"], composed, delta, task, name)


def lacking_of(study):
    """Yield what a study's tasks still have to fetch."""
    folder = study.config["data_folder"]
    for task in study.tasks_of("images"):
        block = study.task(task)
        yield from datasets.lacking(block["data"], folder)
        yield from source_check.lacking(block["source"], folder)
        if study.asks_public(task):
            for public in public_data(block["source"], block["public"]):
                yield from () if public is None else datasets.lacking(public, folder)
        if block["open_data"]["target"] is not None:
            yield from datasets.lacking(block["open_data"]["target"], folder)
    for task in study.tasks_of("dialogues"):
        block = study.task(task)
        yield from dialogues.lacking(block["data"], folder)
        hub = block["source"].get("hub")
        if hub and folder is not None:
            yield from hub_lacks(pinned(hub), Path(folder, block["source"]["folder"]))


def sizes_of(study, task):
    """Return how many parameters a task's clients train, as far as no job is needed to know."""
    block, folder = study.task(task), study.config["data_folder"]
    try:
        classes = datasets.class_count(block["data"], folder)
        sizes = parameters_trained(
            block,
            study.cuts(task),
            classes,
            source_check.image(block["source"], folder),
            datasets.image(block["data"], folder),
        )
    except UserError as error:
        raise UserError(f"config: tasks.{task}: {error}") from error
    return Sizes(sizes.heads, sizes.networks, classes)


def summariser_sizes(study, task):
    """Return how many parameters the clients of a task of dialogues train, where it is known."""
    block = study.task(task)
    shape = summarisers.shape_of(block["source"], study.config["data_folder"])
    if shape is None:
        return Sizes()
    features = block["features"]
    cuts = [features["cut"], *features["further_cuts"]]
    return Sizes(summarisers.heads(shape, cuts), {None: summarisers.whole(shape)})


def require_image():
    """Refuse to run in containers without an image."""
    deployment = workflow.deployment_settings.deployment_method
    if DeploymentMethod.APPTAINER in deployment and STUDY.config["container"] is None:
        sys.exit(
            "config: container is null, and --sdm apptainer needs an image; build envs/Dockerfile "
            "and name what came out"
        )


def hold_folder():
    """Let no second run write here until this one ends, in whatever way; tidy up after the last.

    Snakemake's own lock, switched off in the profile, would outlive a run that was killed.
    """
    from fbftl.features.store.lock import exclusive

    try:
        HELD.enter_context(exclusive(Path(".snakemake", "running")))
        remove_leftovers("results")
    except UserError as error:
        sys.exit(str(error))


def start_when_free():
    """Let jobs of this machine start whenever their cores are free, without a rate.

    To keep a limit, Snakemake's scheduler plans another pass a second after each pass; after a
    hundred jobs it examines all that wait a hundred times a second. Clusters keep the limit.
    """
    if workflow.local_exec:
        workflow.scheduler.job_rate_limiter = None


# Plans make millions of objects and drop few: to look for circles among them takes a tenth of the
# time.
gc.set_threshold(200_000, 50, 1000)

CODE = Remembered(".snakemake/code.json")
"""What source files said when they were last read."""

MENDING = {"verify_features", "repair_features"}
"""Targets that look at damaged stores themselves."""

DIGESTS = Digests(".snakemake/digests.json")
"""What tells whether the user's files and large results are still the same."""

KEPT = ".snakemake/kept"
"""Folder with the finished runs of processes that were killed or have not ended."""

RECORDS = (
    remembered(".snakemake/records.json", "results") if workflow.is_main_process else {}
)
"""What decided each finished job, what it read and what it wrote, by the path of its record."""

read_booleans()
STUDY = checked_study()
require_image()

# For the report's first page, whose text sees nothing but the configuration; jobs do not read it.
config["commit"] = provenance.commit()
config["planned"] = {"tasks": list(STUDY.settings), "experiments": sorted(STUDY.paper)}

# Beside the axes in which a job deviates, which are its param: one more axis trains nothing again,
# because defaults never change.
config["axes"] = methods.axes_by_method()

# Where a process of several settings keeps what it has finished, until it has finished all.
config["kept_in"] = KEPT

# Jobs of a study in a folder of its own link what equal ones have finished here.
if LAUNCHED != os.getcwd():
    config["finished_in"] = os.path.relpath(LAUNCHED)
HELD = ExitStack()

GPU = int(STUDY.config["device"] == "cuda")
"""What a job that computes takes of the resource `gpu`, whose total stands in the profile."""


def either(names):
    """Return the pattern of a wildcard that is one of the names; without any it is none."""
    return "|".join(map(re.escape, names)) or "(?!)"


ANY_SOURCE = either(STUDY.with_repeats(STUDY.tasks))
"""Pattern of a task with a source network here, also of one that is repeated under a further source network."""


def rule_part(task):
    """Return how the names of rules name a task or a repeat of it."""
    return "-".join(Path(task).parts)


wildcard_constraints:
    task=either(STUDY.tasks),
    paper=either(STUDY.papers),
    experiment=either(STUDY.config["experiments"]),
    setting="[^/]+",
