"""What settings are trained from: files, by the names under which training jobs read them."""

from collections.abc import Iterable

from fbftl.plan import paths
from fbftl.plan.runs import Chosen
from fbftl.study import task_names
from fbftl.study.config import Study
from fbftl.study.settings import Setting


def every_file(task: str, cut: str | None = None) -> dict[str, str]:
    """Return all that training and attacks read on a task with features at a cut, by input name.

    Repeats under further source networks share what no source decides: clients, layers, open data.
    """
    shared = task_names.task_of(task)
    return {
        "features": f"{paths.of_cut(task, cut, 'features')}.zarr/zarr.json",
        "manifest": f"{paths.of_cut(task, cut, 'features')}.json",
        "network": f"{paths.of_cut(shared, cut, 'network')}.json",
        "public": paths.of_task(task, "public.zarr/zarr.json"),
        "public_manifest": paths.of_task(task, "public.json"),
        "public_samples": paths.of_task(task, "public.h5"),
        "clients": paths.clients(task),
        "weights": paths.of_task(task, "source.safetensors"),
        "source": paths.of_task(task, "source.json"),
        "open_data": paths.of_task(shared, "open.h5"),
        "source_models": paths.of_task(shared, "sources.safetensors"),
    }


def files(task: str, names: Iterable[str], cut: str | None = None) -> dict[str, str]:
    """Return some of these files, by name."""
    return {name: path for name, path in every_file(task, cut).items() if name in names}


def files_of(study: Study, task: str, setting: Setting) -> dict[str, str]:
    """Return what a setting is trained from, by input name; its method and its task decide."""
    reads = study.reads_of(task, setting)
    # Whoever reads no features still reads what the task's own store says of its preprocessing.
    cut = setting.cut if "features" in reads else None
    return files(task, ("manifest", *reads), cut)


def files_of_any(study: Study, task: str, chosen: Chosen) -> dict[str, str]:
    """Return what any of the chosen settings is trained from, by input name."""
    of_each = [files_of(study, task, study.setting(task, name)) for name in chosen(study, task)]
    return {name: path for of_one in of_each for name, path in of_one.items()}
