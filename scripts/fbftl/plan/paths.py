"""Where files lie: every name below `results/`, once, and what settings are trained from."""

from collections.abc import Callable, Iterable
from pathlib import Path

from fbftl.study import task_names
from fbftl.study.config import Study
from fbftl.study.settings import Setting

TASK = "{task}"
"""The task in a path that all tasks share, as a wildcard."""

EXPERIMENT = "{experiment}"
"""The experiment in such a path."""


def of_task(task: str, name: str) -> str:
    """Return a file or folder of a task."""
    return f"results/{task}/{name}"


def of_paper(paper: str, name: str) -> str:
    """Return a file of a paper."""
    return f"results/papers/{paper}/{name}"


def of_cut(task: str, cut: str | None, name: str) -> str:
    """Return a file, without suffix, that a task has for each cut; None is the task's own cut."""
    return of_task(task, name if cut is None else f"{name}/{cut}")


def clients(task: str) -> str:
    """Return a task's client file, which its repeats under further source networks share."""
    return of_task(task_names.task_of(task), "clients.h5")


def runs(task: str, settings: Iterable[str], suffix: str = "json") -> list[str]:
    """Return a file of each setting's runs joined: json, or parquet for its ledger."""
    return [of_task(task, f"runs/{setting}.{suffix}") for setting in settings]


def tidy(task: str, experiment: str, suffix: str = "csv") -> str:
    """Return an experiment's tidy table, or with `series.csv` its learning curves."""
    return of_task(task, f"experiments/{experiment}.{suffix}")


def guarantees(task: str, experiment: str) -> str:
    """Return what an experiment's runs guarantee."""
    return of_task(task, f"guarantees/{experiment}.csv")


def table(task: str, name: str) -> str:
    """Return the numbers of a task's table."""
    return of_task(task, f"tables/{name}.csv")


def findings(task: str, attack: str) -> str:
    """Return what an attack found."""
    return of_task(task, f"attacks/{attack}.csv")


def published(root: Path, paper: str) -> list[str]:
    """Return the files of a paper's printed numbers below the project's folder; claims are none."""
    files = sorted((root / "published" / paper).glob("*.csv"))
    return [path.relative_to(root).as_posix() for path in files]


def found(task: str, analysis: str, file: str, seed: int | None = None) -> str:
    """Return a file of what an analysis found, of one seed where it is asked of each."""
    of_seed = "" if seed is None else f"{seed}/"
    return of_task(task, f"findings/{analysis}/{of_seed}{file}")


Chosen = Callable[[Study, str], Iterable[str]]
"""Which settings of a task are meant: a function of study and task that returns their names."""


def every_setting(study: Study, task: str) -> list[str]:
    """Return all settings of a task, each once."""
    names = (name for settings in study.settings[task].values() for name in settings)
    return list(dict.fromkeys(names))


def files_of_experiment(
    study: Study, task: str, experiment: str, suffix: str = "json"
) -> list[str]:
    """Return one file of every run of an experiment on a task."""
    return runs(task, study.settings[task][experiment], suffix)


def networks(study: Study, task: str, experiment: str) -> list[str]:
    """Return the description of the network that every run of an experiment on a task trains."""
    return [
        of_task(task, f"networks/{setting.network}.json")
        if setting.network
        else f"{of_cut(task, setting.cut, 'network')}.json"
        for setting in study.settings[task][experiment].values()
    ]


def every_input(task: str, cut: str | None = None) -> dict[str, str]:
    """Return all that training and attacks read on a task with features at a cut, by input name.

    Repeats under further source networks share what no source decides: clients, layers, open data.
    """
    shared = task_names.task_of(task)
    return {
        "features": f"{of_cut(task, cut, 'features')}.zarr/zarr.json",
        "manifest": f"{of_cut(task, cut, 'features')}.json",
        "network": f"{of_cut(shared, cut, 'network')}.json",
        "public": of_task(task, "public.zarr/zarr.json"),
        "public_manifest": of_task(task, "public.json"),
        "public_samples": of_task(task, "public.h5"),
        "clients": clients(task),
        "weights": of_task(task, "source.safetensors"),
        "source": of_task(task, "source.json"),
        "open_data": of_task(shared, "open.h5"),
        "source_models": of_task(shared, "sources.safetensors"),
    }


def inputs(task: str, names: Iterable[str], cut: str | None = None) -> dict[str, str]:
    """Return some of these files, by name."""
    return {name: path for name, path in every_input(task, cut).items() if name in names}


def inputs_of(study: Study, task: str, setting: Setting) -> dict[str, str]:
    """Return what a setting is trained from, by input name; its method and its task decide."""
    reads = study.reads_of(task, setting)
    # Whoever reads no features still reads what the task's own store says of its preprocessing.
    cut = setting.cut if "features" in reads else None
    return inputs(task, ("manifest", *reads), cut)


def inputs_of_any(study: Study, task: str, chosen: Chosen) -> dict[str, str]:
    """Return what any of the chosen settings is trained from, by input name."""
    of_each = [inputs_of(study, task, study.setting(task, name)) for name in chosen(study, task)]
    return {name: path for of_one in of_each for name, path in of_one.items()}
