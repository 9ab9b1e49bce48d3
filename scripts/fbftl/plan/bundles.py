"""Bundles: the tables, figures and tidy files of a task or a paper, each made by one job.

Steps name files by their paths below `results/`. From the files that a bundle declares follow the
steps that make them and what these read, each step behind those whose files it reads.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fbftl.findings.kept import KEPT
from fbftl.findings.steps import File, Step, mapped
from fbftl.papers import by_name
from fbftl.papers.claim_rows import require_readable
from fbftl.papers.quantities import kept_files
from fbftl.plan import pages, paths, targets
from fbftl.plan.analyses import Analysis
from fbftl.plan.call import KEY, Call
from fbftl.plan.entries import PARTS, Result, in_formats
from fbftl.plan.results import (
    ANALYSES,
    FOUND_BY,
    OF_EXPERIMENT,
    WRITTEN_OUT,
    made_in_a_loop,
    of_paper,
)
from fbftl.plan.results.fbftl import dialogues_at_hand
from fbftl.plan.results.swept import SOURCES, SWEEP
from fbftl.plan.targets import read_by_claims, read_by_numbers
from fbftl.study.config import Study

Make = Callable[[], Step]


@dataclass(frozen=True)
class Bundle:
    """What one job makes.

    name: of its job: a task's, `papers/` and a paper's, or `index`.
    folder: of its results.
    steps: in the order in which they run.
    copies: findings of the store, by the paths where they go.
    tasks: whose runs `runs.csv` lists; none without that file.
    """

    name: str
    folder: str
    steps: Sequence[Step]
    copies: Mapping[str, str] = field(default_factory=dict)
    tasks: Sequence[str] = ()

    @property
    def declared(self) -> list[str]:
        """Paths of all its files, each once."""
        written = [path for step in self.steps for path in step.written]
        further = [f"{self.folder}/runs.csv"] * bool(self.tasks)
        further += [f"{self.folder}/{KEY}"] * (self.folder == f"results/{self.name}")
        return list(dict.fromkeys([*written, *self.copies, *further]))

    @property
    def read(self) -> list[str]:
        """Paths of all files that its steps read and do not make."""
        read = [path for step in self.steps for path in step.read]
        made = set(self.declared)
        read += self.copies.values()
        return [path for path in dict.fromkeys(read) if path not in made]


def bundles(call: Call) -> Iterator[Bundle]:
    """Yield what a call makes, tasks before papers."""
    for task in call.study.tasks:
        yield TaskSteps(call, task).bundle(targets.of_task(call, task))
    yield Bundle("papers", "results/papers", [step_of_paper(call, "", "audit")])
    for paper, made in targets.of_papers(call).items():
        if made:
            steps_of = [step_of_paper(call, paper, path) for path in made if path != PARTS.path]
            yield Bundle(f"papers/{paper}", f"results/papers/{paper}", steps_of)
    yield Bundle("index", "results", [index_of(call)])


@dataclass(frozen=True)
class TaskSteps:
    """How the results of a task are made.

    call: of the workflow.
    task: whose results.
    """

    call: Call
    task: str

    def bundle(self, declared: Iterable[str]) -> Bundle:
        """Return the job that makes some of the task's files."""
        makers = self._makers()
        steps: dict[int, Step] = {}
        copies: dict[str, str] = {}
        known: dict[str, Step | None] = {}

        def add(path: str) -> None:
            if path in known or path in copies:
                return
            if path not in makers:
                copies.update(self._found_with(path))
                return
            step = makers[path]()
            known.update(dict.fromkeys(step.written, step))
            for each in step.read:
                add(each)
            steps[id(step)] = step

        for path in declared:
            add(path)
        folder, of_steps = paths.of_task(self.task, "").rstrip("/"), list(steps.values())
        listed = self._study.with_repeats([self.task])
        return Bundle(self.task, folder, of_steps, copies, listed)

    @property
    def _study(self) -> Study:
        return self.call.study

    def _found_with(self, path: str) -> dict[str, str]:
        """Return where in the store all files of the analysis lie that finds one, if any does."""
        analysis = FOUND_BY.get(path.removeprefix(paths.of_task(self.task, "")))
        if analysis is None:
            return {}
        return {
            paths.of_task(self.task, each): paths.found(self.task, analysis.name, each)
            for each in analysis.outputs.values()
        }

    def _makers(self) -> dict[str, Make]:
        """Return what makes each file below the task's results."""
        makers: dict[str, Make] = {}
        for each in self._study.with_repeats([self.task]):
            for experiment in self._study.settings[each]:
                series = paths.tidy(each, experiment, "series.csv")
                tidy = {"table": paths.tidy(each, experiment), "series": series}
                collect = partial(self._collected, each, experiment, "runs", tidy)
                makers |= dict.fromkeys(tidy.values(), collect)
        for experiment in self._study.settings[self.task]:
            file = paths.guarantees(self.task, experiment)
            makers[file] = partial(
                self._collected, self.task, experiment, "guarantees", {"table": file}
            )
            listed = OF_EXPERIMENT.get(experiment, ())
            for entry in made_in_a_loop([*SWEEP, *SOURCES, *listed]):
                files = self._files_of(entry, experiment)
                made = partial(self._from_entry, entry, experiment)
                makers |= dict.fromkeys(files.values(), made)
        makers |= dict.fromkeys(self._files("numbers").values(), self._numbers)
        for analysis in ANALYSES:
            if (path := analysis.outputs.get("csv", "")).startswith("tables/"):
                files = self._files(path.removesuffix(".csv"))
                makers |= dict.fromkeys(files.values(), partial(self._page_of, analysis))
        return makers

    def _files(self, path: str) -> dict[str, str]:
        """Return the files of a table or figure by format."""
        return in_formats(paths.of_task(self.task, ""), path)

    def _files_of(self, entry: Result, experiment: str) -> dict[str, str]:
        """Return all files that the script of an entry writes, by argument."""
        also = {name: paths.of_task(self.task, path) for name, path in entry.also.items()}
        return self._files(entry.path.format(experiment=experiment)) | also

    def _page(self, path: str, title: str, **further: str) -> dict[str, str]:
        where = f"results/{{task}}/{path}.csv"
        return pages.page_text(where, title, self.call.root, task=self.task, **further)

    def _collected(self, task: str, experiment: str, what: str, outputs: dict[str, str]) -> Step:
        """Return what collects `runs` or `guarantees` of an experiment's run files."""
        inputs = {"runs": paths.files_of_experiment(self._study, task, experiment)}
        axes = self._study.axes_of(task, experiment)
        return Step(f"stages/collect_{what}.py", inputs, outputs, {"axes": axes})

    def _numbers(self) -> Step:
        inputs = read_by_numbers(self.call, self.task)
        return Step("stages/write_numbers.py", inputs, self._files("numbers"))

    def _page_of(self, analysis: Analysis) -> Step:
        """Return what writes the pages of a table that an analysis found, of all its seeds."""
        entry = WRITTEN_OUT[analysis.outputs["csv"].removesuffix(".csv")]
        seeds = self._study.task(self.task)["seeds"] if analysis.seeds == "each" else [None]
        csv = analysis.outputs["csv"]
        inputs = {"parts": [paths.found(self.task, analysis.name, csv, seed) for seed in seeds]}
        values = {"script": analysis.script}
        page = self._page(entry.path, entry.title)
        return Step("tables/tabulate_findings.py", inputs, self._files(entry.path), values, page)

    def _from_entry(self, entry: Result, experiment: str) -> Step:
        """Return what makes a table or figure of an experiment."""

        def ask(function: Callable[..., Any]) -> Any:
            return function(self._study, self.task, experiment)

        inputs, values = asked_of(entry, ask, task=self.task, experiment=experiment)
        page = {}
        if entry.kind == "tables":
            page = self._page(entry.path, entry.title, experiment=experiment)
        files = self._files_of(entry, experiment)
        return Step(entry.source, inputs, files, values, page, entry.function)


def step_of_paper(call: Call, paper: str, path: str) -> Step:
    """Return what makes one of a paper's results, by its path below them.

    Args:
        call: of the workflow.
        paper: its name, empty for the audit of all papers.
        path: without suffix.
    """
    folder = f"results/papers/{paper}/" if paper else "results/papers/"
    files = in_formats(folder, path)
    entry = next(of for of in (*of_paper(paper), *WRITTEN_OUT.values()) if of.path == path)
    page = {}
    if entry.kind == "tables":
        page = pages.page_text(f"{folder}{path}.csv", entry.title, call.root)
    if isinstance(entry, Result):
        inputs, values = asked_of(entry, lambda function: function(call))
        return Step(entry.source, inputs, files, values, page, entry.function)
    if not paper:
        audited = by_name.audited()
        inputs = {name: paths.published(call.root, name) for name in audited}
        inputs |= {**dialogues_at_hand(call), "texts": "published/audit.csv"}
        modules = [m for name in audited for m in by_name.modules(name, "audit")]
        return Step("tables/tabulate_audit.py", inputs, files, {}, page, "main", modules)
    planned = {task: sorted(paths.every_setting(call.study, task)) for task in call.study.settings}
    registry, tasks = f"published/claims/{paper}.csv", "published/claims/tasks.csv"
    require_readable(call.root / registry, call.root / tasks, planned)
    inputs = {
        **read_by_claims(call, paper),
        "registry": registry,
        "tasks": tasks,
        "kept": kept_files(call.root, KEPT),
        "printed": paths.published(call.root, paper),
        "audit": "results/papers/audit.csv",
    }
    # Claims are judged once, and their parts written with them.
    outputs = {**files, "parts": list(in_formats(folder, PARTS.path).values())}
    parts_page = pages.page_text(f"{folder}{PARTS.path}.csv", PARTS.title, call.root)
    values = {"paper": paper, "planned": planned, "page_of_parts": parts_page}
    script, modules = "tables/tabulate_claims.py", by_name.modules(paper)
    return Step(script, inputs, outputs, values, page, "claims", modules)


def index_of(call: Call) -> Step:
    """Return what writes the front page of all papers."""
    shown, of_study = targets.by_paper(call), targets.own_tasks(call)
    inputs: dict[str, File] = {
        "shown": targets.on_front_page(call),
        "runs": [f"results/{task['name']}/runs.csv" for task in of_study],
        "tables": [paths.tidy(task["name"], of) for task in of_study for of in task["experiments"]],
        "papers": "published/papers.csv",
        "audit": "results/papers/audit.csv",
    }
    values = {
        "results": shown,
        "page_texts": targets.page_texts(call),
        "data_sets": call.data_sets(),
        "own_tasks": of_study,
        "arithmetic": call.arithmetic,
    }
    return Step("stages/make_index.py", inputs, {"page": "results/index.html"}, values)


def asked_of(
    entry: Result, ask: Callable[[Any], Any], **wildcards: str
) -> tuple[dict[str, File], dict[str, Any]]:
    """Return the inputs and the values of a table or figure."""

    def file(value: Any) -> File:
        if callable(value):
            return ask(value)
        return mapped(value, lambda path: path.format(**wildcards) if wildcards else path)

    optional = {} if entry.optional is None else ask(entry.optional)
    inputs = {**optional, **{name: file(value) for name, value in entry.inputs.items()}}
    params = {name: ask(v) if callable(v) else v for name, v in entry.params.items()}
    return inputs, params
