"""What lies finished beside what this call makes: sentences, numbers and the index are of both."""

from fbftl.study.full_studies import read_every_full


@cache
def finished():
    """Return the experiments that this call makes or that lie finished here, by task.

    What is made of many tasks or experiments is made of these, so that it comes out alike
    whichever call made them, and in the project's order. A task that this call replaces counts
    with what it makes alone.
    """
    there = {}
    for table in sorted(Path("results").glob("*/experiments/*.csv")):
        if not table.name.endswith(".series.csv"):
            there.setdefault(table.parts[1], []).append(table.stem)
    replaced = changed_tasks(STUDY, project_study())
    by_task = {}
    for task in dict.fromkeys([*project_study().tasks, *STUDY.tasks, *there]):
        mine = STUDY.settings.get(task, {})
        of_project = project_study().settings.get(task, {})
        kept = [
            experiment
            for experiment in there.get(task, [])
            if task not in STUDY.tasks or experiment in of_project
        ]
        wanted = {*mine, *([] if task in replaced else kept)}
        order = [*of_project, *mine, *there.get(task, [])]
        if named := [
            experiment for experiment in dict.fromkeys(order) if experiment in wanted
        ]:
            by_task[task] = named
    return by_task


@cache
def every_system():
    """Return the papers' systems with their full studies, whichever of them this call makes."""
    return [*SYSTEMS, *read_every_full(BASE)]


def finished_of_paper(paper):
    """Return of a paper the experiments that this call makes or that lie finished here."""
    of_paper = {
        task: [
            experiment
            for experiment in experiments
            if paper_of(experiment, every_system()) == paper
        ]
        for task, experiments in finished().items()
    }
    return {task: experiments for task, experiments in of_paper.items() if experiments}


def experiments_of(wildcards):
    """Return a task's tidy tables, and what its methods send where they are compared."""
    experiments = finished()[wildcards.task]
    files = {
        "experiments": [
            f"results/{wildcards.task}/experiments/{e}.csv" for e in experiments
        ]
    }
    if "methods" in experiments:
        files["uplink"] = f"results/{wildcards.task}/tables/uplink.csv"
    return files


BESIDE = {
    "attacked": ["tables/attacked_seeds"],
    "dpsgd": ["tables/paces"],
    "eppfl_attacked": ["tables/eppfl_attacked"],
    "fedfeat_attacked": ["tables/fedfeat_attacked"],
    "inverted": ["tables/inverted"],
    "rival_inverted": ["tables/inverted"],
    "similarity": ["tables/similarity"],
}
"""What is measured beside the runs of an experiment, a table by setting and seed."""


def there_beside(task, experiment, path):
    """Tell whether this call makes what is measured beside an experiment, or it lies finished."""
    if task in STUDY.tasks:
        return experiment in STUDY.settings[task]
    return os.path.exists(path)


def experiments_of_paper(wildcards):
    """Return the tidy tables and series of a paper's experiments, and what lies beside them.

    What methods send is there where they are compared.
    """
    by_task = finished_of_paper(wildcards.paper)
    stems = [
        f"results/{task}/experiments/{experiment}"
        for task, experiments in by_task.items()
        for experiment in experiments
    ]
    return {
        "experiments": [f"{stem}.csv" for stem in stems],
        "series": [f"{stem}.series.csv" for stem in stems],
        "uplinks": [
            f"results/{task}/tables/uplink.csv"
            for task, experiments in by_task.items()
            if "methods" in experiments
        ],
        "beside": [
            f"results/{task}/{result}.csv"
            for task, experiments in by_task.items()
            for experiment in experiments
            for result in BESIDE.get(experiment, ())
            if there_beside(task, experiment, f"results/{task}/{result}.csv")
        ],
    }
