"""What stages are told of a task: the parts of its configuration that decide what they make."""

from typing import Any

from fbftl.study.config import Study


def samples_of_client(study: Study, task: str) -> int:
    """Return the samples of a client in the task's own partition; 1 where clients are counted."""
    return study.task(task)["clients"]["samples_per_client"] or 1


def preprocessing(study: Study, task: str) -> dict[str, Any]:
    """Return what the features block says of the network's input."""
    features = study.task(task)["features"]
    return {key: features[key] for key in ("size", "mean", "std")}


def features_of_public(study: Study, task: str) -> dict[str, Any]:
    """Return a task's features block for its public samples."""
    return study.task(task)["features"] | {"store": None, "further_cuts": []}


def unseen(study: Study, task: str) -> dict[str, Any] | None:
    """Return the data block where clients see their samples differently."""
    block = study.task(task)
    return block["data"] if block["clients"]["domains"] else None


def not_public(study: Study, task: str) -> list[str]:
    """Return the splits whose images may not be public: the test's too where these are sold."""
    return ["train", "test"] if study.buys(task) else ["train"]
