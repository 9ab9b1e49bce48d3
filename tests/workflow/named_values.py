"""Print what every rule names, as JSON by rule; to be called in the folder of a project.

    python named_values.py [STUDY ...]

Studies are laid over config.yaml in their order, as after Snakemake's --configfile.
"""

import json
import sys
from pathlib import Path

from snakemake.api import SnakemakeApi
from snakemake.iocontainers import Wildcards
from snakemake.settings.types import ConfigSettings, DAGSettings, ResourceSettings


def main() -> None:
    """Read the rules as a dry run does and print them.

    Of each rule are told: its script, the names of inputs, outputs, params and wildcards, and
    whether some inputs are named only when a job is planned, by more wildcards than a task.
    """
    studies = [Path(name) for name in sys.argv[1:]]
    sys.argv = ["snakemake", "--dry-run"]
    with SnakemakeApi() as api:
        called = api.workflow(
            resource_settings=ResourceSettings(cores=1),
            config_settings=ConfigSettings(configfiles=studies),
            snakefile=Path("Snakefile"),
        )
        called.dag(DAGSettings())
        rules = called._workflow.rules
        print(json.dumps({rule.name: names(rule) for rule in rules if rule.script}))


def names(rule) -> dict:
    """Return what a rule names."""
    unpacked = [file for file in rule.input if "unpack" in getattr(file, "flags", {})]
    by_task = set(rule.wildcard_names) <= {"task"}
    found = [name for file in unpacked for name in inputs_of(file, rule)] if by_task else []
    return {
        "script": rule.script.partition("scripts/")[2],
        "input": [*(name for name, _ in rule.input.items()), *found],
        "output": [name for name, _ in rule.output.items()],
        "params": [name for name, _ in rule.params.items()],
        "wildcards": list(rule.wildcard_names),
        "more": bool(unpacked) and not by_task,
    }


def inputs_of(file, rule) -> list[str]:
    """Return the names of the inputs that a rule's function gives for the first task it is of.

    There are none of a rule that is of no task of this study.
    """
    function = getattr(file._file, "callable", file._file)
    for task in function.__globals__["STUDY"].settings:
        try:
            return list(function(Wildcards(fromdict=dict.fromkeys(rule.wildcard_names, task))))
        except KeyError:  # this task has no setting of the rule's experiment
            continue
    return []


if __name__ == "__main__":
    main()
