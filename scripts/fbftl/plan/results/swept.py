"""What any experiment of one's own gets: a table over its axes and a line plot."""

from collections.abc import Callable, Iterable
from typing import Any

from fbftl.plan import paths
from fbftl.plan.entries import Entry, Result
from fbftl.plan.paths import EXPERIMENT
from fbftl.plan.sweep import given, lacking, longest, varying
from fbftl.plan.vocabulary import AXES, CLIENTS, SHOWN, TIDY, table_of
from fbftl.study.config import Study
from fbftl.study.settings import Setting


def of_settings(found: Callable[[Iterable[Setting]], Any]) -> Callable[..., Any]:
    """Return the function of study, task and experiment that asks something of its settings."""
    return lambda study, task, experiment: found(study.settings[task][experiment].values())


def of_every_source(study: Study, task: str, experiment: str) -> list[str]:
    """Return the experiment's tidy table under each source network of a task, in their order."""
    tasks = study.with_repeats([task])
    if len(tasks) == 1:
        raise ValueError(f"{task} has one source network; give it source_seeds")
    return [paths.tidy(each, experiment) for each in tasks]


SWEPT: dict[str, Any] = {**AXES, **SHOWN}

VARYING = {"varying": of_settings(varying)}

SWEEP: list[Entry] = [
    Result(
        "tabulate_own.sweep", "sweep", EXPERIMENT,
        CLIENTS | TIDY, SWEPT | {"given": of_settings(given), "lacking": of_settings(lacking)},
        stem="sweep_{experiment}",
    ),
    Result(
        "plot_sweep.sweep", "sweep", EXPERIMENT,
        table_of("sweep_{experiment}"),
        VARYING | {"along": of_settings(longest)} | SHOWN,
        stem="sweep_{experiment}",
    ),
]  # fmt: skip

UNDER_SOURCES = {"runs": of_every_source}

SOURCES: list[Entry] = [
    Result(
        "tabulate_own.sources", "sources", EXPERIMENT,
        CLIENTS | UNDER_SOURCES, SWEPT | VARYING, stem="sources_{experiment}",
    ),
    Result(
        "plot_sweep.sources", "sources", EXPERIMENT,
        UNDER_SOURCES, SWEPT | VARYING, stem="sources_{experiment}",
    ),
]  # fmt: skip
"""What any experiment gets where its task has several source networks: both parts of the spread."""
