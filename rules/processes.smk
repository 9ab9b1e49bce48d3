"""Settings that share a process: batches of what has to be trained now, with a rule for each.

Only the call that plans knows which settings these are. A node of a cluster, which reads these
rules again for the job that it was handed, finds the job's settings in a note of that call. Where
results lie in an object store, all settings count as if they had to be trained, so that every node
knows the batches.
"""

NOTES = Path(".snakemake/processes")
"""Folder with a note for each process that a cluster runs, by the name of its rule."""

STORED_ELSEWHERE = workflow.storage_settings.default_storage_provider is not None
"""Whether this machine cannot see which results are there."""


@cache
def is_made(path):
    """Tell whether this call makes a file: it is missing or stale, or made from one that is."""
    path = str(path)
    if path in STALE or not os.path.exists(path):
        return True
    return any(map(is_made, READ_FOR.get(path, ())))


def waiting(task):
    """Return the settings of a task that have to be trained, as far as this call can tell.

    A run that is kept of a process that was killed may lie in its place too; it has no record.
    """
    folder, names = Path(f"results/{task}/runs"), NAMES.get(task, ())
    if STORED_ELSEWHERE:
        return set(names)
    there = {entry.name for entry in os.scandir(folder)} if folder.is_dir() else set()

    def is_waiting(name):
        if not {f"{name}.{suffix}" for suffix in OF_RUN} <= there:
            return True
        return (
            f"{folder}/{name}.json" in STALE
            or Path(KEPT, f"{folder}/{name}.json").exists()
            or any(map(is_made, trained.files_of_setting(STUDY, task, name).values()))
        )

    return set(filter(is_waiting, names))


def planned_processes():
    """Return the settings of every process that trains several of them, by task and name."""
    by_task = {
        task: waiting(task) for task in STUDY.with_repeats(STUDY.tasks_of("images"))
    }
    short = {
        task: set() if STORED_ELSEWHERE else trained_in_seconds(task, names)
        for task, names in by_task.items()
    }
    most = bounds(STUDY, by_task, short, places())
    return {task: shared_processes(STUDY, task, most[task]) for task in by_task}


def trained_in_seconds(task, names):
    """Return which settings of a task train for a few seconds, where that decides anything."""
    if not names or STUDY.task(task)["settings_per_process"] != AUTO:
        return set()
    samples = training_samples(task)
    return short_settings(STUDY, task, names, samples, sizes_of(STUDY, task))


def training_samples(task):
    """Return the training samples of a task, None where only reading its labels would tell."""
    return datasets.training_count(
        STUDY.task(task)["data"], STUDY.config["data_folder"]
    )


def places():
    """Return how many jobs can run at once: so many at a cluster's scheduler, or on these cores."""
    return workflow.resource_settings.nodes or workflow.resource_settings.cores or 1


def note_processes():
    """Leave a note of every process for the node that runs it."""
    for task, processes in PROCESSES.items():
        for process, names in processes.items():
            noted = {"task": task, "process": process, "names": names}
            write_json(NOTES / f"{process_rule(task, process)}.json", noted)


def noted_processes():
    """Return, as they were planned, the processes whose rules this node is asked for."""
    by_task = {}
    for path in NOTES.glob("*.json"):
        # Where the workflow is a module, its rules may have a prefix.
        if any(argument.endswith(path.stem) for argument in sys.argv):
            noted = json.loads(path.read_bytes())
            by_task.setdefault(noted["task"], {})[noted["process"]] = noted["names"]
    return by_task


def process_rule(task, process):
    """Return the name of the rule of a process."""
    return f"train_heads_{rule_part(task)}_{process}"


OF_RUN = ("json", "parquet", "meta.json")
"""How the names of a run's files end."""

PLANS = workflow.is_main_process or STORED_ELSEWHERE
PROCESSES = planned_processes() if PLANS else noted_processes()

# Without wildcards, these rules go before `train`.
for task, processes in PROCESSES.items():
    for process, names in processes.items():

        rule:
            name:
                process_rule(task, process)
            input:
                *trained.digests_of_setting(STUDY, task, names[0]),
                **as_inputs(trained.files_of_setting(STUDY, task, names[0])),
            output:
                run=paths.runs(task, names),
                ledger=paths.runs(task, names, "parquet"),
                meta=paths.runs(task, names, "meta.json"),
            log:
                f"results/{task}/logs/runs/{process}.log",
            benchmark:
                f"results/{task}/benchmarks/runs/{process}.tsv"
            conda:
                "../envs/workflow.yaml"
            resources:
                gpu=GPU,
                mem_mb=memory_of_made_rules,
                runtime=240,
            params:
                code=code_of_training(task, names[0]),
                jobs=partial(jobs_made, task=task),
                exact=EXACT,
            message:
                f"Train {len(names)} settings on {task} in one process"
            script:
                "../scripts/stages/train_setting.py"
