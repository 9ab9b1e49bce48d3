"""One training job of the language task, as the workflow describes it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from fbftl.models.t5.head import ALL, Cut
from fbftl.study.job import KnownAxes, known_axes
from fbftl.training.t5 import Plan


@dataclass(frozen=True)
class Job:
    """All that the science of one job depends on beside its input files.

    Attributes:
        cut: trained encoder blocks; `ALL` for FTL_f.
        plan: how heads are trained.
        selection: ``validation`` or ``test``, see `run.run_seeds`.
        summary_tokens: most tokens of a generated summary.
    """

    task: str
    setting: KnownAxes
    seeds: tuple[int, ...]
    cut: Cut
    plan: Plan
    selection: str
    summary_tokens: int


def from_params(params: Mapping[str, Any], axes: Mapping[str, Mapping[str, Any]]) -> Job:
    """Build a job from the builtin types that the workflow passes.

    Args:
        params: all that its science depends on.
        axes: the axes that each method knows, with their defaults.
    """
    method = params["setting"]["method"]
    setting = known_axes(params["setting"], axes[method])
    training = dict(params["training"])
    selection = training.pop("selection")
    return Job(
        task=params["task"],
        setting=setting,
        seeds=tuple(params["seeds"]),
        cut=ALL if method == "ftl_f" else params["cut"],
        plan=Plan(**training),
        selection=selection,
        summary_tokens=params["summary_tokens"],
    )
