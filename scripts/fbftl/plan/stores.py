"""Stores of features: where they are, and the passes that fill them."""

from typing import Any

from fbftl.plan import paths
from fbftl.study.config import Study

MODULES = {"images": "fbftl.features.images", "dialogues": "fbftl.features.dialogues"}
"""By kind of task, what computes its features."""


def module(study: Study, task: str) -> str:
    """Return the module that computes a task's features."""
    return MODULES[study.task(task)["kind"]]


def folders(study: Study, task: str) -> list[str]:
    """Return the folders or URLs of a task's stores, that of its own cut first."""
    first, *further = [f"{cache}.zarr" for cache in _caches(study, task)]
    return [study.task(task)["features"].get("store") or first, *further]


def manifests(study: Study, task: str) -> list[str]:
    """Return the manifests of a task's stores, that of its own cut first."""
    return [f"{cache}.json" for cache in _caches(study, task)]


def root(study: Study, task: str, cut: str | None = None) -> str:
    """Return the file that says that a store of a task is there: its root's metadata.

    Snakemake removes the outputs of a job before it runs. Were the store an output, a job that is
    run again would lose it; without its root's metadata the job finds it and finishes it again.
    Where the configuration names a URL, a note of it takes that place.
    """
    remote = cut is None and study.task(task)["features"].get("store")
    store = paths.of_cut(task, cut, "features")
    return f"{store}.zarr/{'location.txt' if remote else 'zarr.json'}"


def roots(study: Study, task: str) -> list[str]:
    """Return that file of each of a task's stores, that of its own cut first."""
    return [root(study, task, cut) for cut in _cuts(study, task)]


def _caches(study: Study, task: str) -> list[str]:
    return [paths.of_cut(task, cut, "features") for cut in _cuts(study, task)]


def _cuts(study: Study, task: str) -> list[str | None]:
    return [None, *study.task(task)["features"]["further_cuts"]]


def of_public(study: Study, task: str) -> list[str]:
    """Return the one store of a task's public samples, always here."""
    return [paths.of_task(task, "public.zarr")]


def features_of_public(study: Study, task: str) -> dict[str, Any]:
    """Return a task's features block for the store of its public samples."""
    return study.task(task)["features"] | {"store": None, "further_cuts": []}


def all_manifests(study: Study) -> list[str]:
    """Return the manifests of all stores of the study."""
    return [path for task in study.with_repeats(study.tasks) for path in manifests(study, task)]


def extractions(study: Study) -> list[dict[str, Any]]:
    """Return every pass that fills stores of the study: its files, stores and values."""
    passes = []
    for task in study.with_repeats(study.tasks):
        passes.append(_over_clients(study, task))
        if study.task(task)["kind"] == "images" and study.asks_public_features(task):
            passes.append(_over_public(study, task))
    return passes


def read_by_extractions(study: Study) -> list[str]:
    """Return what these passes read."""
    names = ("clients", "weights", "source")
    return sorted({extraction[name] for extraction in extractions(study) for name in names})


def _over_clients(study: Study, task: str) -> dict[str, Any]:
    return {
        "module": module(study, task),
        "clients": paths.clients(task),
        "weights": paths.of_task(task, "source.safetensors"),
        "source": paths.of_task(task, "source.json"),
        "features": study.task(task)["features"],
        "stores": folders(study, task),
        "manifests": manifests(study, task),
    }


def _over_public(study: Study, task: str) -> dict[str, Any]:
    return _over_clients(study, task) | {
        "clients": paths.of_task(task, "public.h5"),
        "features": features_of_public(study, task),
        "stores": of_public(study, task),
        "manifests": [paths.of_task(task, "public.json")],
    }
