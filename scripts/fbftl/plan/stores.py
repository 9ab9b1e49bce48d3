"""Stores of features: what fills them, and the block of the configuration that says how."""

from typing import Any

from fbftl.plan.recipes import STAGES
from fbftl.study.config import Study


def module(study: Study, task: str) -> str:
    """Return the module that computes a task's features."""
    return STAGES[study.task(task)["kind"]]["features"]


def features_of_public(study: Study, task: str) -> dict[str, Any]:
    """Return a task's features block for its public samples."""
    return study.task(task)["features"] | {"store": None, "further_cuts": []}
