"""What a study makes: every file that the target `all` names."""

from collections.abc import Iterable

from fbftl.plan import paths, runs, stores
from fbftl.plan.call import Call
from fbftl.plan.entries import FORMATS, OF_SENTENCES
from fbftl.plan.results import OF_EXPERIMENT, OF_PAPER, paths_of
from fbftl.plan.results.swept import SOURCES
from fbftl.study import source_seeds
from fbftl.study.config import Study
from fbftl.study.sweep import longest
from fbftl.study.yaml_files import read_yaml


def of_experiment(call: Call, task: str, experiment: str) -> list[str]:
    """Return what is made of an experiment on a task, below the task's results."""
    several = len(call.study.with_repeats([task])) > 1
    further = under_sources(experiment) if several else []
    return [*_under_first_source(call, task, experiment), *further]


def under_sources(experiment: str) -> list[str]:
    """Return what is made of an experiment under all source networks of a task."""
    return [path.format(experiment=experiment) for path in paths_of(SOURCES)]


def _under_first_source(call: Call, task: str, experiment: str) -> list[str]:
    """Return what is made of an experiment under the task's first source network.

    Experiments of a paper's system without a list end in their tidy table, which tables of its
    paper read, and all others in a sweep.
    """
    if experiment in OF_EXPERIMENT:
        return paths_of(OF_EXPERIMENT[experiment])
    if any(experiment in system.experiments for system in [*call.systems, *call.of_size]):
        return []
    along = longest(call.study.settings[task][experiment].values())
    figures = [] if along is None else [f"figures/sweep_{experiment}"]
    return [f"tables/sweep_{experiment}", *figures]


def of_papers(call: Call) -> dict[str, list[str]]:
    """Return by paper what the call makes of its claims and own numbers.

    All of it where `papers` names the paper, and in the default study whole. A study of fewer
    experiments ends in what its claims say of them; experiments of one's own are of no paper.
    A paper without a list has no registry, and nothing is made of it.
    """
    study, default = call.study, read_yaml(call.root / "config.yaml")
    whole = set(default["study"]["experiments"]) <= set(study.paper)
    if study.config["papers"] is not None or whole:
        return {paper: paths_of(OF_PAPER.get(paper, [])) for paper in study.papers}
    published = set(default["experiments"]).union(
        *(system.experiments for system in [*call.systems, *call.of_size])
    )
    papers = {paper for name, paper in study.paper.items() if name in published}
    listed = papers & OF_PAPER.keys()
    return {paper: paths_of(OF_SENTENCES) for paper in study.papers if paper in listed}


def clients_and_sources(study: Study) -> list[str]:
    """Return the files that every run of the study rests on; repeats share their task's clients."""
    sources = ("source.safetensors", "source.json")
    tasks, repeated = study.tasks, study.with_repeats(study.tasks)
    further = [task for task in repeated if source_seeds.is_repeat(task)]
    return [
        *(paths.of_task(task, name) for task in tasks for name in ("clients.h5", *sources)),
        *(paths.of_task(task, name) for task in further for name in sources),
        *stores.all_manifests(study),
    ]


def run_files(study: Study) -> list[str]:
    """Return the run files of the whole study, with their ledgers."""
    return sorted(
        paths.run(task, name, suffix)
        for task in study.settings
        for name in runs.every(study, task)
        for suffix in ("json", "parquet")
    )


def tidy_tables(study: Study) -> list[str]:
    """Return the tidy tables of the whole study."""
    return [
        paths.tidy(task, experiment, suffix)
        for task, experiments in study.settings.items()
        for experiment in experiments
        for suffix in FORMATS["experiments"]
    ]


def results(call: Call) -> list[str]:
    """Return the tables and figures of the whole study."""
    files = [f"results/papers/audit.{suffix}" for suffix in FORMATS["tables"]]
    files.append("results/index.html")
    for paper, made in of_papers(call).items():
        files += _in_formats(f"results/papers/{paper}", made)
    for task in call.study.tasks:
        for experiment in call.study.experiments(task):
            made = of_experiment(call, task, experiment) or [f"experiments/{experiment}"]
            files += _in_formats(f"results/{task}", made)
    for task in call.study.tasks:
        files += _in_formats(f"results/{task}", ["numbers"])
        if call.study.together(task):
            files.append(paths.guarantees(task, "together"))
    return files


def _in_formats(folder: str, made: Iterable[str]) -> list[str]:
    """Return the files of results below a folder, in every format of their kind."""
    return [f"{folder}/{path}.{suffix}" for path in made for suffix in FORMATS[path.split("/")[0]]]
