"""Bundles: the tables, figures and tidy files of a task or a paper, each made by one job.

Steps name files by their paths below `results/`. From the files that a bundle declares follow the
steps that make them and what these read, each step behind those whose files it reads.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from fbftl import papers
from fbftl.findings.kept import KEPT
from fbftl.findings.steps import File, Step, mapped
from fbftl.papers.claim_rows import require_readable
from fbftl.papers.quantities import kept_files
from fbftl.plan import paths, targets
from fbftl.plan.call import KEY, Call
from fbftl.plan.entries import PARTS, Made, Result, every_input, every_param, in_formats
from fbftl.plan.pages import page_text
from fbftl.plan.results import AUDIT, FOUND_BY
from fbftl.plan.results.fbftl import dialogues_at_hand
from fbftl.study.config import Study


@dataclass(frozen=True)
class Bundle:
    """What one job makes.

    name: of its job: a task's, `papers/` and a paper's, or `index`.
    steps: in the order in which they run.
    copies: findings of the store, by the paths where they go.
    tasks: whose runs `runs.csv` lists; none without that file.
    """

    name: str
    steps: Sequence[Step]
    copies: Mapping[str, str] = field(default_factory=dict)
    tasks: Sequence[str] = ()

    @property
    def declared(self) -> list[str]:
        """Paths of all its files, each once."""
        written = [path for step in self.steps for path in step.written]
        further = [f"results/{self.name}/runs.csv"] * bool(self.tasks)
        further += [f"results/{self.name}/{KEY}"] * (self.name != "index")
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
        yield TaskSteps(call, task).bundle()
    for name in ("papers", *(f"papers/{paper}" for paper in targets.of_papers(call))):
        made = targets.shown_of(call, name)
        steps = [step_of_paper(call, each) for each in made if each.entry != PARTS]
        yield Bundle(name, steps)
    yield Bundle("index", [index_of(call)])


@dataclass(frozen=True)
class TaskSteps:
    """How the results of a task are made.

    call: of the workflow.
    task: whose results.
    """

    call: Call
    task: str

    def bundle(self) -> Bundle:
        """Return the job that makes the task's files."""
        made, experiments = targets.of_task(self.call, self.task), self._study.settings[self.task]
        numbers = in_formats(self._folder, "numbers")
        makers = {path: step for step in self._steps(made, numbers) for path in step.written}
        steps: dict[int, Step] = {}
        copies: dict[str, str] = {}

        def add(path: str) -> None:
            step, analysis = makers.get(path), FOUND_BY.get(path.removeprefix(self._folder))
            if step is not None and id(step) not in steps:
                for each in step.read:
                    add(each)
                steps[id(step)] = step
            elif step is None and analysis is not None:
                for file in analysis.outputs.values():
                    found = paths.found(self.task, analysis.name, file)
                    copies[paths.of_task(self.task, file)] = found

        for path in (
            *(path for each in made for path in each.files.values()),
            *(path for name in experiments for path in self._tidy(self.task, name).values()),
            *numbers.values(),
        ):
            add(path)
        listed = self._study.with_repeats([self.task])
        return Bundle(self.task, [*steps.values()], copies, listed)

    @property
    def _study(self) -> Study:
        return self.call.study

    @property
    def _folder(self) -> str:
        return paths.of_task(self.task, "")

    @staticmethod
    def _tidy(task: str, experiment: str) -> dict[str, str]:
        """Return the tidy table and the learning curves of an experiment, by argument."""
        series = paths.tidy(task, experiment, "series.csv")
        return {"table": paths.tidy(task, experiment), "series": series}

    def _steps(self, made: Iterable[Made], numbers: Mapping[str, str]) -> Iterator[Step]:
        """Yield every step that the task's results may need."""
        for task in self._study.with_repeats([self.task]):
            for name in self._study.settings[task]:
                yield self._collected(task, name, "runs", self._tidy(task, name))
        for name in self._study.settings[self.task]:
            file = paths.guarantees(self.task, name)
            yield self._collected(self.task, name, "guarantees", {"table": file})
        yield Step(
            "stages/write_numbers.py", targets.read_by_numbers(self.call, self.task), numbers
        )
        for each in made:
            if isinstance(each.entry, Result):
                yield self._from_entry(each, each.entry)
            elif each.entry.kind == "tables":
                yield self._page_of(each)

    def _collected(self, task: str, experiment: str, what: str, outputs: dict[str, str]) -> Step:
        """Return what collects `runs` or `guarantees` of an experiment's run files."""
        inputs = {"runs": paths.files_of_experiment(self._study, task, experiment)}
        axes = self._study.axes_of(task, experiment)
        return Step(f"stages/collect_{what}.py", inputs, outputs, {"axes": axes})

    def _page_of(self, made: Made) -> Step:
        """Return what writes the pages of a table that an analysis found, of all its seeds."""
        csv = f"{made.path}.csv"
        analysis = FOUND_BY[csv]
        seeds = self._study.task(self.task)["seeds"] if analysis.seeds == "each" else [None]
        inputs = {"parts": [paths.found(self.task, analysis.name, csv, seed) for seed in seeds]}
        values = {"script": analysis.script}
        page = page_text(made, self.call.root)
        return Step("tables/tabulate_findings.py", inputs, made.files, values, page)

    def _from_entry(self, made: Made, entry: Result) -> Step:
        """Return what makes a table or figure of an experiment."""

        def ask(function: Callable[..., Any]) -> Any:
            return function(self._study, self.task, made.experiment)

        inputs, values = asked_of(entry, ask, task=self.task, experiment=made.experiment)
        page = page_text(made, self.call.root) if entry.kind == "tables" else {}
        also = {name: paths.of_task(self.task, path) for name, path in entry.also.items()}
        return Step(entry.source, inputs, made.files | also, values, page, entry.function)


def step_of_paper(call: Call, made: Made) -> Step:
    """Return what makes one of a paper's results, or the audit of all papers."""
    entry, files, paper = made.entry, made.files, made.owner
    page = page_text(made, call.root) if entry.kind == "tables" else {}
    if isinstance(entry, Result):
        inputs, values = asked_of(entry, lambda function: function(call))
        return Step(entry.source, inputs, files, values, page, entry.function)
    if entry == AUDIT:
        audited = papers.audited()
        inputs = {name: paths.published(call.root, name) for name in audited}
        inputs |= {**dialogues_at_hand(call), "texts": "published/audit.csv"}
        modules = [m for name in audited for m in papers.modules(name, "audit")]
        return Step("tables/tabulate_audit.py", inputs, files, {}, page, "main", modules)
    planned = {task: sorted(paths.every_setting(call.study, task)) for task in call.study.settings}
    registry, tasks = f"published/claims/{paper}.csv", "published/claims/tasks.csv"
    require_readable(call.root / registry, call.root / tasks, planned)
    inputs = {
        **targets.read_by_claims(call, paper),
        "registry": registry,
        "tasks": tasks,
        "kept": kept_files(call.root, KEPT),
        "printed": paths.published(call.root, paper),
        "audit": "results/papers/audit.csv",
    }
    # Claims are judged once, and their parts written with them.
    parts = Made(made.of, PARTS)
    outputs = {**files, "parts": list(parts.files.values())}
    values = {"paper": paper, "planned": planned, "page_of_parts": page_text(parts, call.root)}
    script, modules = "tables/tabulate_claims.py", papers.modules(paper)
    return Step(script, inputs, outputs, values, page, "claims", modules)


def index_of(call: Call) -> Step:
    """Return what writes the front page of all papers."""
    of_papers, tasks = targets.by_paper(call), call.study.tasks
    of_study = {task: targets.of_own(call, task) for task in tasks}
    shown = {
        each.shown: each for made in (*of_papers.values(), *of_study.values()) for each in made
    }
    inputs: dict[str, File] = {
        "shown": list(shown),
        "runs": [f"results/{task}/runs.csv" for task in tasks],
        "tables": [paths.tidy(task, name) for task in tasks for name in call.study.settings[task]],
        "papers": "published/papers.csv",
        "audit": "results/papers/audit.csv",
    }
    data_sets = call.data_sets()
    data = {of["name"]: of["data"] for of in data_sets}
    values = {
        "results": {paper: [each.shown for each in made] for paper, made in of_papers.items()},
        "page_texts": {path: page_text(each, call.root) for path, each in shown.items()},
        "data_sets": data_sets,
        "own_tasks": [
            {"name": task, "data": data[task], "results": [each.shown for each in made]}
            for task, made in of_study.items()
        ],
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
    inputs = {**optional, **{name: file(value) for name, value in every_input(entry).items()}}
    params = {name: ask(v) if callable(v) else v for name, v in every_param(entry).items()}
    return inputs, params
