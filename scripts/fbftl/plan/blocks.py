"""What stages are told of a task: the parts of its configuration that decide what they make."""

from typing import Any

from fbftl.study.config import Study


def clients(study: Study, task: str) -> dict[str, Any]:
    """Return what decides a client file; clients drawn per seed are drawn in the training job."""
    block = study.task(task)["clients"]
    return {key: value for key, value in block.items() if key != "draw"}


def samples_of_client(study: Study, task: str) -> int:
    """Return the samples of a client in the task's own partition; 1 where clients are counted."""
    return study.task(task)["clients"]["samples_per_client"] or 1


def preprocessing(study: Study, task: str) -> dict[str, Any]:
    """Return what the features block says of the network's input."""
    features = study.task(task)["features"]
    return {key: features[key] for key in ("size", "mean", "std")}


def network(study: Study, task: str, cut: str | None = None) -> dict[str, Any]:
    """Return what decides the network: its input, a cut or else its own, and the pooling there."""
    features = study.task(task)["features"]
    at_cut = {"cut": cut or features["cut"], "pool": features["pool"]}
    return preprocessing(study, task) | at_cut


def named_network(study: Study, task: str, network: str) -> dict[str, Any]:
    """Return the block of one of the task's networks."""
    return study.task(task)["networks"][network]


def source_models(study: Study, task: str) -> dict[str, Any]:
    """Return what decides the further source models, with their network's block for its name."""
    block = study.task(task)["source_models"]
    return block | {"network": study.task(task)["networks"][block["network"]]}


def unseen(study: Study, task: str) -> dict[str, Any] | None:
    """Return the data block where clients see their samples differently."""
    block = study.task(task)
    return block["data"] if block["clients"]["domains"] else None


def not_public(study: Study, task: str) -> list[str]:
    """Return the splits whose images may not be public: the test's too where these are sold."""
    return ["train", "test"] if study.buys(task) else ["train"]
