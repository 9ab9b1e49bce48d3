"""A finished study as a Workflow Run RO-Crate (profile Provenance Run Crate 0.5).

The crate's root is the project's folder, in which the study ran or has a folder of its own. Every
file of the results has its size and SHA-256, every job is an action from what it read to what it
wrote, every rule a step.
"""

import os
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rocrate.model.contextentity import ContextEntity
from rocrate.model.entity import Entity
from rocrate.rocrate import ROCrate

from fbftl.findings.statement import moment
from fbftl.ground.departures import Made
from fbftl.ground.files import sha256

PROFILES = {
    "https://w3id.org/ro/wfrun/process/0.5": "Process Run Crate",
    "https://w3id.org/ro/wfrun/workflow/0.5": "Workflow Run Crate",
    "https://w3id.org/ro/wfrun/provenance/0.5": "Provenance Run Crate",
    "https://w3id.org/workflowhub/workflow-ro-crate/1.0": "Workflow RO-Crate",
}
"""What the crate conforms to; each address ends with its version."""

TERMS = "https://w3id.org/ro/terms/workflow-run/context"
"""Context that knows `sha256`."""

LANGUAGE = "https://w3id.org/workflowhub/workflow-ro-crate#snakemake"

COMPLETED = "http://schema.org/CompletedActionStatus"

MEDIA_TYPES = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".log": "text/plain",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
    ".svg": "image/svg+xml",
    ".tsv": "text/tab-separated-values",
}
"""By suffix; other files have none."""


@dataclass(frozen=True)
class Described:
    """What a crate says of a study as a whole.

    name, description: for readers.
    licence: its address.
    workflow: path of the file that describes the workflow.
    scripts: folder of its scripts; those outside the crate are named only.
    engine: version of the workflow engine.
    study: path of the file with the configuration, in the folder of the results.
    arithmetic: each way in which runs were computed, see `fbftl.ground.exact.described`.
    """

    name: str
    description: str
    licence: str
    workflow: str
    scripts: str
    engine: str
    study: str
    arithmetic: Sequence[Mapping[str, Any]] = ()


@dataclass
class StudyCrate:
    """A crate in the making.

    folder: its root; paths are seen from it.
    results: how each result was made, by its path.
    files: those that are in it so far, by path; to ask the crate takes longer the more there are.
    """

    folder: Path
    results: Mapping[str, Made]
    about: Described
    crate: ROCrate = field(default_factory=lambda: ROCrate(version="1.1"))
    files: dict[str, Entity] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the crate's metadata."""
        about, root = self.about, self.crate.root_dataset
        self.crate.metadata.extra_contexts.append(TERMS)
        self.crate.name, self.crate.description = about.name, about.description
        root["license"], root["datePublished"] = about.licence, self._times(self.results)["endTime"]
        root["conformsTo"] = [self._profile(address) for address in PROFILES]
        below = (self.folder / about.study).parent.rglob("*")
        for path in sorted(file for file in below if file.is_file() and file.name[0] != "."):
            self.file(path.relative_to(self.folder).as_posix())
        tools = {rule: self._tool(rule) for rule in sorted({o.rule for o in self.results.values()})}
        steps = {
            rule: self.add(f"#step-{rule}", "HowToStep", name=rule, position=str(position))
            for position, rule in enumerate(tools, start=1)
        }
        for rule, step in steps.items():
            step["workExample"] = tools[rule]
        workflow = self._workflow(list(steps.values()), tools)
        jobs = list(self._jobs())
        actions = [self._action(number, job, tools) for number, job in enumerate(jobs, start=1)]
        controls = [
            self.add(f"#control-{number}", "ControlAction", name=f"control of job {number}")
            for number, _ in enumerate(jobs, start=1)
        ]
        for control, action, job in zip(controls, actions, jobs, strict=True):
            control["instrument"], control["object"] = steps[self.results[job[0]].rule], action
        run = self._run(workflow)
        jobs_run = self.add("#jobs", "OrganizeAction", name="jobs", **self._times(self.results))
        jobs_run["instrument"], jobs_run["object"] = self._engine(), controls
        jobs_run["result"] = run
        root["mentions"] = [run, jobs_run, *actions]
        return self.crate.metadata.generate()

    def add(self, address: str, kind: str, **properties: Any) -> Entity:
        """Add something that is no file and return it."""
        return self.crate.add(ContextEntity(self.crate, address, {"@type": kind} | properties))

    def file(self, path: str, *more: str, **properties: str) -> Entity:
        """Return a file's entity with its size and digest, made if it is not there yet.

        Args:
            path: of the file.
            more: what kind of thing it is beside a file.
            properties: further properties.
        """
        if path in self.files:
            return self.files[path]
        location, result = self.folder / path, self.results.get(path)
        details: dict[str, Any] = {
            "name": path,
            "contentSize": str(location.stat().st_size),
        } | properties
        details["sha256"] = sha256(location) if result is None else result.digest
        if kind := MEDIA_TYPES.get(location.suffix):
            details["encodingFormat"] = kind
        if more:
            details["@type"] = ["File", *more]
        self.files[path] = self.crate.add_file(location, path, properties=details)
        return self.files[path]

    def _profile(self, address: str) -> Entity:
        version = address.rsplit("/", 1)[1]
        return self.add(address, "CreativeWork", name=PROFILES[address], version=version)

    def _engine(self) -> Entity:
        software = {"name": "Snakemake", "url": "https://snakemake.github.io"}
        return self.add(
            "#snakemake", "SoftwareApplication", softwareVersion=self.about.engine, **software
        )

    def _tool(self, rule: str) -> Entity:
        """Return what runs a rule's jobs: its script, where that lies in the crate."""
        script = next(result.script for result in self.results.values() if result.rule == rule)
        below = script.rpartition(f"{self.about.scripts}/")[2]
        path = Path(os.path.normpath(Path(self.about.scripts, below)))
        if not (self.folder / path).is_file() or path.parts[0] == "..":
            return self.add(f"#tool-{rule}", "SoftwareApplication", name=Path(script).name or rule)
        return self.file(path.as_posix(), "SoftwareSourceCode", programmingLanguage="Python")

    def _workflow(self, steps: Sequence[Entity], tools: Mapping[str, Entity]) -> Entity:
        kinds = "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"
        workflow = self.file(self.about.workflow, *kinds)
        software = {"name": "Snakemake", "url": "https://snakemake.github.io"}
        workflow["programmingLanguage"] = self.add(LANGUAGE, "ComputerLanguage", **software)
        workflow["step"] = steps
        workflow["hasPart"] = list({tool.id: tool for tool in tools.values()}.values())
        self.crate.mainEntity = workflow
        return workflow

    def _jobs(self) -> Iterator[list[str]]:
        """Yield the results of each job, of the earliest job first."""
        by_log = defaultdict(list)
        for path, result in self.results.items():
            by_log[result.log or path].append(path)
        yield from sorted(by_log.values(), key=lambda job: (self.results[job[0]].started, job))

    def _action(self, number: int, job: Sequence[str], tools: Mapping[str, Entity]) -> Entity:
        """Return the action of one job: what it read and wrote, and when."""
        results = {path: self.results[path] for path in job}
        first = results[job[0]]
        properties = {"name": f"{first.rule} for {job[0]}", "actionStatus": COMPLETED}
        action = self.add(f"#job-{number}", "CreateAction", **properties, **self._times(results))
        action["instrument"] = tools[first.rule]
        action["object"] = [self.file(path) for path in first.inputs if self._inside(path)]
        action["result"] = [self.file(path) for path in job]
        return action

    def _run(self, workflow: Entity) -> Entity:
        """Return the action of the whole study: from its configuration to what no job reads."""
        read = {path for result in self.results.values() for path in result.inputs}
        properties = {"name": self.about.name, "actionStatus": COMPLETED}
        run = self.add("#run", "CreateAction", **properties, **self._times(self.results))
        study_inputs = sorted(path for path in read - self.results.keys() if self._inside(path))
        run["instrument"] = workflow
        run["object"] = [self.file(path) for path in (self.about.study, *study_inputs)]
        run["result"] = [self.file(path) for path in sorted(self.results.keys() - read)]
        run["environment"] = [
            self.add(f"#environment-{number}", "PropertyValue", name=name, value=value)
            for number, (name, value) in enumerate(self._environment(), start=1)
        ]
        return run

    def _environment(self) -> list[tuple[str, str]]:
        """Return what of the machines decided how runs were computed, by name, each value once."""
        values = {
            (name, str(value))
            for described in self.about.arithmetic
            for name, value in {**described, **described["variables"]}.items()
            if name != "variables"
        }
        return sorted(values)

    def _inside(self, path: str) -> bool:
        """Tell whether a path is that of a file in the crate."""
        inside = not Path(path).is_absolute() and ".." not in Path(path).parts
        return inside and (self.folder / path).is_file()

    def _times(self, results: Mapping[str, Made]) -> dict[str, str]:
        return {
            "startTime": moment(min(result.started for result in results.values())),
            "endTime": moment(max(result.ended for result in results.values())),
        }
