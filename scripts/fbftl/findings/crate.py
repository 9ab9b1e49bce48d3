"""A finished study as a Workflow Run RO-Crate (profile Provenance Run Crate 0.5).

The crate's root is the folder in which the study ran. Every file of the results has its size and
SHA-256, every job is an action from what it read to what it wrote, every rule a step.
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
    study: path of the file with the configuration.
    """

    name: str
    description: str
    licence: str
    workflow: str
    scripts: str
    engine: str
    study: str


@dataclass
class StudyCrate:
    """A crate in the making.

    folder: its root; paths are seen from it.
    made: how each result was made, by its path.
    files: those that are in it so far, by path; to ask the crate takes longer the more there are.
    """

    folder: Path
    made: Mapping[str, Made]
    about: Described
    crate: ROCrate = field(default_factory=lambda: ROCrate(version="1.1"))
    files: dict[str, Entity] = field(default_factory=dict)

    def document(self) -> dict[str, Any]:
        """Return the crate's metadata."""
        about, root = self.about, self.crate.root_dataset
        self.crate.metadata.extra_contexts.append(TERMS)
        self.crate.name, self.crate.description = about.name, about.description
        root["license"], root["datePublished"] = about.licence, self._times(self.made)["endTime"]
        root["conformsTo"] = [self._profile(address) for address in PROFILES]
        below = (self.folder / "results").rglob("*")
        for path in sorted(own for own in below if own.is_file() and own.name[0] != "."):
            self.file(path.relative_to(self.folder).as_posix())
        tools = {rule: self._tool(rule) for rule in sorted({o.rule for o in self.made.values()})}
        steps = {
            rule: self.add(f"#step-{rule}", "HowToStep", name=rule, position=str(place))
            for place, rule in enumerate(tools, start=1)
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
            control["instrument"], control["object"] = steps[self.made[job[0]].rule], action
        run = self._run(workflow)
        jobs_run = self.add("#jobs", "OrganizeAction", name="jobs", **self._times(self.made))
        jobs_run["instrument"], jobs_run["object"] = self._engine(), controls
        jobs_run["result"] = run
        root["mentions"] = [run, jobs_run, *actions]
        return self.crate.metadata.generate()

    def add(self, address: str, kind: str, **told: Any) -> Entity:
        """Add something that is no file and return it."""
        return self.crate.add(ContextEntity(self.crate, address, {"@type": kind} | told))

    def file(self, path: str, *more: str, **told: str) -> Entity:
        """Return a file's entity with its size and digest, made if it is not there yet.

        Args:
            path: of the file.
            more: what kind of thing it is beside a file.
            told: further properties.
        """
        if path in self.files:
            return self.files[path]
        own, made = self.folder / path, self.made.get(path)
        found: dict[str, Any] = {"name": path, "contentSize": str(own.stat().st_size)} | told
        found["sha256"] = sha256(own) if made is None else made.digest
        if kind := MEDIA_TYPES.get(own.suffix):
            found["encodingFormat"] = kind
        if more:
            found["@type"] = ["File", *more]
        self.files[path] = self.crate.add_file(own, path, properties=found)
        return self.files[path]

    def _profile(self, address: str) -> Entity:
        version = address.rsplit("/", 1)[1]
        return self.add(address, "CreativeWork", name=PROFILES[address], version=version)

    def _engine(self) -> Entity:
        told = {"name": "Snakemake", "url": "https://snakemake.github.io"}
        return self.add(
            "#snakemake", "SoftwareApplication", softwareVersion=self.about.engine, **told
        )

    def _tool(self, rule: str) -> Entity:
        """Return what runs a rule's jobs: its script, where that lies in the crate."""
        script = next(one.script for one in self.made.values() if one.rule == rule)
        path = Path(os.path.normpath(Path(self.about.scripts, Path(script).name)))
        if not (self.folder / path).is_file() or path.parts[0] == "..":
            return self.add(f"#tool-{rule}", "SoftwareApplication", name=Path(script).name or rule)
        return self.file(path.as_posix(), "SoftwareSourceCode", programmingLanguage="Python")

    def _workflow(self, steps: Sequence[Entity], tools: Mapping[str, Entity]) -> Entity:
        kinds = "SoftwareSourceCode", "ComputationalWorkflow", "HowTo"
        workflow = self.file(self.about.workflow, *kinds)
        told = {"name": "Snakemake", "url": "https://snakemake.github.io"}
        workflow["programmingLanguage"] = self.add(LANGUAGE, "ComputerLanguage", **told)
        workflow["step"] = steps
        workflow["hasPart"] = list({tool.id: tool for tool in tools.values()}.values())
        self.crate.mainEntity = workflow
        return workflow

    def _jobs(self) -> Iterator[list[str]]:
        """Yield the results of each job, of the earliest job first."""
        by_log = defaultdict(list)
        for path, one in self.made.items():
            by_log[one.log or path].append(path)
        yield from sorted(by_log.values(), key=lambda job: (self.made[job[0]].started, job))

    def _action(self, number: int, job: Sequence[str], tools: Mapping[str, Entity]) -> Entity:
        """Return the action of one job: what it read and wrote, and when."""
        own = {path: self.made[path] for path in job}
        one = own[job[0]]
        told = {"name": f"{one.rule} for {job[0]}", "actionStatus": COMPLETED}
        action = self.add(f"#job-{number}", "CreateAction", **told, **self._times(own))
        action["instrument"] = tools[one.rule]
        action["object"] = [self.file(path) for path in one.inputs if self._inside(path)]
        action["result"] = [self.file(path) for path in job]
        return action

    def _run(self, workflow: Entity) -> Entity:
        """Return the action of the whole study: from its configuration to what no job reads."""
        read = {path for one in self.made.values() for path in one.inputs}
        told = {"name": self.about.name, "actionStatus": COMPLETED}
        run = self.add("#run", "CreateAction", **told, **self._times(self.made))
        given = sorted(path for path in read - self.made.keys() if self._inside(path))
        run["instrument"] = workflow
        run["object"] = [self.file(path) for path in (self.about.study, *given)]
        run["result"] = [self.file(path) for path in sorted(self.made.keys() - read)]
        return run

    def _inside(self, path: str) -> bool:
        """Tell whether a path is that of a file in the crate."""
        inside = not Path(path).is_absolute() and ".." not in Path(path).parts
        return inside and (self.folder / path).is_file()

    def _times(self, made: Mapping[str, Made]) -> dict[str, str]:
        return {
            "startTime": moment(min(one.started for one in made.values())),
            "endTime": moment(max(one.ended for one in made.values())),
        }
