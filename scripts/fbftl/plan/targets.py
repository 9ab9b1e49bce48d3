"""What a study makes: the tables and figures that the target `all` names."""

from fbftl.plan.call import Call
from fbftl.plan.entries import CLAIMS_OF_PAPER, in_formats
from fbftl.plan.results import OF_EXPERIMENT, of_paper, paths_of
from fbftl.plan.results.swept import SOURCES
from fbftl.plan.sweep import longest
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
    Nothing is made of a paper without a registry of claims.
    """
    study, default = call.study, read_yaml(call.root / "config.yaml")
    whole = set(default["study"]["experiments"]) <= set(study.paper)
    claiming = [p for p in study.papers if (call.root / "published/claims" / f"{p}.csv").is_file()]
    if study.config["papers"] is not None or whole:
        return {paper: paths_of(of_paper(paper)) for paper in claiming}
    published = set(default["experiments"]).union(
        *(system.experiments for system in [*call.systems, *call.of_size])
    )
    papers = {paper for name, paper in study.paper.items() if name in published}
    return {paper: paths_of(CLAIMS_OF_PAPER) for paper in claiming if paper in papers}


def of_task(call: Call, task: str) -> list[str]:
    """Return the tables, figures and numbers of a task."""
    made = []
    for experiment in call.study.settings[task]:
        made += [*of_experiment(call, task, experiment), f"experiments/{experiment}"]
    made.append("numbers")
    files = [file for path in made for file in in_formats(f"results/{task}/", path).values()]
    return list(dict.fromkeys(files))
