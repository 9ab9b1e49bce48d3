"""The finished tables that numbers and claims are made from."""

from typing import Any

from fbftl.plan import paths
from fbftl.plan.call import Call
from fbftl.plan.results import MEASURED


def read_by_numbers(call: Call, task: str) -> dict[str, Any]:
    """Return a task's tidy tables, and what its methods send where they are compared."""
    experiments = call.finished[task]
    files = {"experiments": [paths.tidy(task, name) for name in experiments]}
    uplink = {"uplink": paths.table(task, "uplink")} if "methods" in experiments else {}
    return files | uplink


def read_by_claims(call: Call, paper: str) -> dict[str, list[str]]:
    """Return the tidy tables and series of a paper's experiments, and what is measured in addition.

    What methods send is there where they are compared.
    """
    by_task = call.finished_of(paper)
    pairs = [(task, name) for task, experiments in by_task.items() for name in experiments]
    return {
        "experiments": [paths.tidy(*pair) for pair in pairs],
        "series": [paths.tidy(*pair, "series.csv") for pair in pairs],
        "uplinks": [paths.table(task, "uplink") for task, name in pairs if name == "methods"],
        "beside": [
            path
            for task, name in pairs
            if name in MEASURED and call.has(task, name, path := paths.table(task, MEASURED[name]))
        ],
    }
