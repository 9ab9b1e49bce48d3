"""Bundles: the tables, figures and tidy files of a task or a paper, each made by one job.

Steps name files by their paths below `results/`, each step behind those whose files it reads.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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

    name: of its job: a task's, `papers`, `papers/` and a paper's, or `index`.
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
        yield of_task(call, task)
    for name in ("papers", *(f"papers/{paper}" for paper in targets.of_papers(call))):
        made = targets.shown_of(call, name)
        steps = [step_of_paper(call, each) for each in made if each.entry != PARTS]
        yield Bundle(name, steps)
    yield Bundle("index", [index_of(call)])


def of_task(call: Call, task: str) -> Bundle:
    """Return the job that makes a task's files: tidy ones first, then tables and their figures."""
    study, made, folder = call.study, targets.of_task(call, task), paths.of_task(task, "")
    experiments, tasks = study.settings[task], study.with_repeats([task])
    shown = [step for step in (step_of_task(call, each) for each in made) if step is not None]
    numbers = in_formats(folder, "numbers")
    shown.append(Step("stages/write_numbers.py", targets.read_by_numbers(call, task), numbers))
    read = [path for step in shown for path in step.read]
    collected = [
        collecting(study, each, name, "runs", paths.tidy(each, name))
        for each in tasks
        for name in experiments
    ]
    collected += [
        collecting(study, task, name, "guarantees", path)
        for name in experiments
        if (path := paths.guarantees(task, name)) in read
    ]
    steps = [*collected, *shown]
    written = {path for step in steps for path in step.written}
    copies = {}
    for path in (*read, *(path for each in made for path in each.files.values())):
        analysis = FOUND_BY.get(path.removeprefix(folder))
        if analysis is not None and path not in written:
            for file in analysis.outputs.values():
                copies[paths.of_task(task, file)] = paths.found(task, analysis.name, file)
    return Bundle(task, steps, copies, tasks)


def collecting(study: Study, task: str, experiment: str, what: str, table: str) -> Step:
    """Return what collects `runs` or `guarantees` of an experiment's run files."""
    inputs = {"runs": paths.files_of_experiment(study, task, experiment)}
    outputs = {"table": table}
    if what == "runs":
        outputs["series"] = paths.tidy(task, experiment, "series.csv")
    axes = study.axes_of(task, experiment)
    return Step(f"stages/collect_{what}.py", inputs, outputs, {"axes": axes})


def step_of_task(call: Call, made: Made) -> Step | None:
    """Return what makes a table or figure of an experiment; None of a figure that is found."""
    study, task, entry = call.study, made.of, made.entry
    page = page_text(made, call.root) if entry.kind == "tables" else {}
    if isinstance(entry, Result):
        given = (study, task, made.experiment)
        wildcards = {"task": task, "experiment": made.experiment}
        inputs, values = asked_of(entry, lambda function: function(*given), **wildcards)
        also = {name: paths.of_task(task, path) for name, path in entry.also.items()}
        return Step(entry.source, inputs, made.files | also, values, page, entry.function)
    if entry.kind == "figures":
        return None
    # The pages of a table that an analysis found, of all its seeds.
    csv = f"{made.path}.csv"
    analysis = FOUND_BY[csv]
    seeds = study.task(task)["seeds"] if analysis.seeds == "each" else [None]
    parts = [paths.found(task, analysis.name, csv, seed) for seed in seeds]
    values = {"script": analysis.script}
    return Step("tables/tabulate_findings.py", {"parts": parts}, made.files, values, page)


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
        inputs["texts"] = "published/audit.csv"
        if (dialogues := dialogues_at_hand(call)) is not None:
            inputs["dialogues"] = dialogues
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

    def file(value: Any) -> File | None:
        if callable(value):
            return ask(value)
        return mapped(value, lambda path: path.format(**wildcards) if wildcards else path)

    files = {name: file(value) for name, value in every_input(entry).items()}
    inputs = {name: found for name, found in files.items() if found is not None}
    params = {name: ask(v) if callable(v) else v for name, v in every_param(entry).items()}
    return inputs, params
