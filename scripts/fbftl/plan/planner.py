"""The plan of a call: what is missing in the store, the jobs that make it, and notes for these.

Jobs are known by the digest of what they make. Nothing is written here: `Plan.write` is called when
the call starts, and jobs read their notes alone. Features at several cuts are extracted in one pass
over the samples.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property, partial
from pathlib import Path
from typing import Any

from fbftl.findings.steps import Step, mapped
from fbftl.ground import timings
from fbftl.ground.artefacts import Store, canonical, key_of
from fbftl.plan import paths
from fbftl.plan.batches import Clock, MissingRun, Unit, batches, name_of_keys, units
from fbftl.plan.bundles import Bundle, bundles
from fbftl.plan.call import KEY, Call
from fbftl.plan.paths import inputs_of
from fbftl.plan.planned import MADE, RUNS, Plan, PlannedJob, Results
from fbftl.plan.products import Product, Products, task_in
from fbftl.study import methods, task_names


@dataclass
class Planner:
    """Finds out what a call has to make.

    call: of the workflow.
    products: of its study.
    store: of artefacts.
    places: jobs that can run at once.
    longest: seconds that a batch should take; infinite where places decide.
    """

    call: Call
    products: Products
    store: Store
    places: int
    longest: float
    _missing: dict[tuple[str, str], dict[str, Product]] = field(default_factory=dict)
    _marker: dict[str | None, str] = field(default_factory=dict)
    _there: dict[str, set[str]] = field(default_factory=dict)

    def plan(self) -> Plan:
        """Return the plan."""
        runs = list(self._missing_runs())
        all_units = units(runs, self.call.study.reads_of)
        planned = list(bundles(self.call))
        wanted = [path for unit in all_units for path in self._files(unit).values()]
        wanted += [path for bundle in planned for path in bundle.read]
        for product in self._behind([*self._links, *wanted], self._is_there):
            self._missing.setdefault((product.rule, product.group), {})[product.key] = product
        dealt = batches(
            all_units, self._clock.seconds, self._clock.rows, self.places, self.longest,
            self.store.keys("failed", ".json"),
        )  # fmt: skip
        self._name_jobs(dealt)
        return Plan(
            self.call,
            self.store,
            self._jobs_of_products(),
            [self._training(batch) for batch in dealt],
            self._results(planned),
            len(runs),
            self._keys_needed,
        )

    def _name_jobs(self, dealt: Sequence[Sequence[Unit]]) -> None:
        """Name the job that makes each missing product and run, by its key."""
        for (rule, _), of_job in self._missing.items():
            marker = f"{MADE}/{rule}/{name_of_keys(of_job, self._markers(rule))}"
            self._marker.update(dict.fromkeys(of_job, marker))
        for batch in dealt:
            keys = [key for unit in batch for key in unit.keys]
            marker = f"{MADE}/train/{name_of_keys(keys, self._markers('train'))}"
            self._marker.update(dict.fromkeys(keys, marker))

    def _missing_runs(self) -> Iterator[MissingRun]:
        study, there = self.call.study, self.store.keys(RUNS, ".json")
        for task, by_name in self.products.keys.items():
            settings, seeds = study.settings_of(task), study.task(task)["seeds"]
            for name, keys in by_name.items():
                recipe = self.products.setting(task, settings[name])
                for seed, key in zip(seeds, keys, strict=True):
                    if key not in there:
                        yield MissingRun(task, settings[name], recipe, seed, key)

    def _files(self, unit: Unit) -> dict[str, str]:
        """Return what a unit is trained from, by name, as paths below `results/`."""
        run = unit.runs[0][0]
        return inputs_of(self.call.study, run.task, run.setting)

    def _behind(
        self, files: Iterable[str], is_known: Callable[[Product], bool] = lambda product: False
    ) -> Iterator[Product]:
        """Yield the products that files rest on, each behind what it is made from.

        Those that are known, and what they alone rest on, are left out.
        """
        seen: set[str] = set()

        def behind(path: str) -> Iterator[Product]:
            product, _ = self.products.at(path) or (None, "")
            if product is not None and product.key not in seen and not is_known(product):
                seen.add(product.key)
                for each in product.step.read:
                    yield from behind(each)
                yield product

        for file in files:
            yield from behind(file)

    def _is_there(self, product: Product) -> bool:
        if product.kind not in self._there:
            self._there[product.kind] = self.store.folders(product.kind)
        return product.key in self._there[product.kind]

    @property
    def _links(self) -> list[str]:
        """What lies below the results of all tasks as a link into the store."""
        return [path for task in self.call.study.settings for path in links_of(self.call, task)]

    def _markers(self, rule: str) -> set[str]:
        folder = MADE / rule
        return set(os.listdir(folder)) if folder.is_dir() else set()

    def _jobs_of_products(self) -> list[PlannedJob]:
        """Return the jobs that make the products that are missing."""
        jobs = []
        for (rule, _), of_job in self._missing.items():
            marker = self._marker[next(iter(of_job))]
            read = (path for product in of_job.values() for path in product.step.read)
            needs = {self._marker.get(self.products.key(path)): None for path in read}
            makings = [
                {
                    "artefacts": [{"kind": p.kind, "recipe": p.recipe} for p in several],
                    "step": asdict(self._placed(step, of_first_seed=True)),
                    "files": _digests(several),
                }
                for several, step in merged(list(of_job.values()))
            ]
            (group,) = {product.group for product in of_job.values()}
            message = MESSAGES[rule].format(group)
            note = {
                "message": message,
                "makings": makings,
                "study": self.of_study,
                "threads": self._threads(rule, group),
            }
            needed = [each for each in needs if each not in (None, marker)]
            jobs.append(PlannedJob(rule, marker.rpartition("/")[2], note, needed))
        return jobs

    def _threads(self, rule: str, task: str) -> int:
        """Return the cores of a job: a second one only where a library's network extracts.

        The small networks that are pre-trained here leave it idle.
        """
        if rule not in ("extract", "public"):
            return 1
        return 2 if self.call.study.task(task)["source"]["kind"] == "load" else 1

    @cached_property
    def of_study(self) -> dict[str, Any]:
        """What scripts may take of the whole study."""
        config = self.call.study.config
        named = {key: config[key] for key in ("data_folder", "device")}
        return named | {
            "axes": methods.axes_by_method(),
            "exact": self.products.facts.arithmetic["pinned"],
        }

    def _placed(self, step: Step, *, of_first_seed: bool = False) -> Step:
        """Return a step with the paths of its inputs as they are.

        A run file, of all seeds of its setting, is joined by the job that reads it, or is the run
        of the first seed.
        """
        place = partial(self._place, of_first_seed=of_first_seed)
        return replace(step, inputs={n: mapped(file, place) for n, file in step.inputs.items()})

    def _place(self, path: str, of_first_seed: bool = False) -> str:
        if of_first_seed and task_names.RUN.fullmatch(path):
            return str(self.store.path(RUNS, str(self.products.key(path)), Path(path).suffix))
        if (found := self.products.at(path)) is not None:
            product, name = found
            return str(self.store.folder(product.kind, product.key) / name)
        if path.startswith(OF_PROJECT):
            return os.path.abspath(self.call.root / path)
        return path

    @cached_property
    def _clock(self) -> Clock:
        return Clock(self.call.study, timings.read(self.store))

    def _training(self, batch: Sequence[Unit]) -> PlannedJob:
        """Return the job of a batch."""
        described = []
        needs: dict[str, None] = {}
        artefacts: dict[str, list[str]] = {}
        for unit in batch:
            files = self._files(unit)
            run = unit.runs[0][0]
            settings = []
            for of_setting in unit.runs:
                recipe, keys = of_setting[0].recipe, [each.key for each in of_setting]
                settings.append({"job": recipe.job, "keys": keys, "recipe": recipe.decides})
            described.append(
                {
                    "task": run.task,
                    "seeds": [each.seed for each in unit.runs[0]],
                    "files": {name: self._place(path) for name, path in files.items()},
                    "settings": settings,
                    "work": self._clock.work(unit),
                }
            )
            for product, _ in filter(None, map(self.products.at, files.values())):
                artefacts[product.key] = [product.kind, product.key]
                if product.key in self._marker:
                    needs[self._marker[product.key]] = None
        config = self.call.study.config
        room = {key: config[key] for key in ("memory", "scratch_folder")}
        runs = sum(len(unit.keys) for unit in batch)
        tasks = sorted({unit.runs[0][0].task for unit in batch})
        note = {
            "message": f"Train {runs:,} runs on {', '.join(tasks)}",
            "units": described,
            "artefacts": list(artefacts.values()),
            "room": room,
            "study": self.of_study,
        }
        marker = self._marker[batch[0].keys[0]]
        return PlannedJob("train", marker.rpartition("/")[2], note, list(needs))

    def _keys_needed(self) -> dict[str, list[str]]:
        """Return the keys of all that the study rests on, whether or not it is there, by kind."""
        runs = {key for by in self.products.keys.values() for keys in by.values() for key in keys}
        study, needed = self.call.study, {RUNS: runs}
        files = [path for each in bundles(self.call) for path in each.read]
        for task in study.settings:
            for setting in study.settings_of(task).values():
                files += inputs_of(study, task, setting).values()
        for product in self._behind([*self._links, *files]):
            needed.setdefault(product.kind, set()).add(product.key)
        return {kind: sorted(keys) for kind, keys in needed.items()}

    def _results(self, planned: Sequence[Bundle]) -> list[Results]:
        owners: dict[str, Results] = {}
        for bundle in planned:
            owners |= dict.fromkeys(bundle.declared, self._planned(bundle, owners))
        return list({each.name: each for each in owners.values()}.values())

    def _planned(self, bundle: Bundle, owners: Mapping[str, Results]) -> Results:
        links = [path for task in bundle.tasks for path in links_of(self.call, task)]
        read = dict.fromkeys([*bundle.read, *links])
        runs = {task: self.products.keys[task] for task in _tasks_of_runs(read, bundle.tasks)}
        reads: dict[str, Any] = {}
        needs: dict[str, None] = {}
        for path in read:
            if task_names.RUN.fullmatch(path):
                continue
            reads[path] = self._content(path, owners)
            if reads[path] in self._marker:
                needs[self._marker[reads[path]]] = None
            elif path in owners and not owners[path].is_whole:
                needs[owners[path].marker] = None
        wanted = (key for of_task in runs.values() for keys in of_task.values() for key in keys)
        needs |= {self._marker[key]: None for key in wanted if key in self._marker}
        code_of = self.products.facts.code
        steps = [asdict(s) | {"code": code_of(s.script, *s.modules)} for s in bundle.steps]
        decides = {"steps": steps, "copies": bundle.copies, "links": links, "reads": reads}
        code = code_of("stages/make_results.py")
        key = key_of(canonical(decides | {"runs": runs, "code": code}))
        declared = bundle.declared
        note = {
            "name": bundle.name,
            "key": key,
            "steps": [asdict(self._placed(step)) for step in bundle.steps],
            "copies": {path: self._place(found) for path, found in bundle.copies.items()},
            "links": {path: self._place(path) for path in links},
            "runs": {
                task: {"seeds": self.call.study.task(task)["seeds"], "keys": keys}
                for task, keys in runs.items()
            },
            "listed": list(bundle.tasks),
            "declared": declared,
            "study": self.of_study,
        }
        planned = Results(bundle.name, key, declared, list(needs), note)
        # Whole ones of the same key wait for nothing, whatever of what they read is made again.
        whole = all(map(os.path.exists, [planned.marker, *declared]))
        return replace(planned, needs=[], is_whole=True) if whole else planned

    def _content(self, path: str, owners: Mapping[str, Results]) -> str | None:
        """Return what tells that a file that a bundle reads is the same."""
        if (key := self.products.key(path)) is not None:
            return key
        if path in owners:
            return owners[path].key
        if path.startswith(OF_PROJECT):
            return self.products.facts.content(str(self.call.root / path))
        if task := task_in(path):
            with_key = Path("results", task, KEY)
            return with_key.read_text(encoding="utf-8") if with_key.exists() else None
        return self.products.facts.content(path)


OF_PROJECT = ("published/", "docs/results/")
"""How files begin that the project brings, wherever a call works."""

MESSAGES = {
    "clients": "Split the data of {} over its clients",
    "source": "Prepare the source model of {}",
    "extract": "Extract the features of {}",
    "networks": "Count the layers of networks of {}",
    "public": "Choose the public samples of {} and extract their features",
    "open_data": "Prepare the open data of {}",
    "attack": "Analyse {}",
}
"""What the jobs of each rule do."""


def _digests(made: Iterable[Product]) -> dict[str, str]:
    """Return the digests of the user's files that products are made from, by path."""
    return {
        path: digest
        for product in made
        for path, digest in zip(product.files, product.recipe.get("files", ()), strict=True)
    }


def links_of(call: Call, task: str) -> list[str]:
    """Return what lies below a task's results as a link into the store, for people."""
    block = call.study.task(task)["features"]
    links = [paths.of_task(task, name) for name in ("source.safetensors", "source.json")]
    for cut in (None, *block["further_cuts"]):
        store = paths.of_cut(task, cut, "features")
        links += [f"{store}.json", *[f"{store}.zarr"] * (not block.get("store"))]
    return links if task_names.is_repeat(task) else [*links, paths.clients(task)]


def _tasks_of_runs(read: Iterable[str], listed: Collection[str]) -> list[str]:
    """Return the tasks whose runs a bundle reads or lists."""
    found = dict.fromkeys(listed)
    for path in read:
        if match := task_names.RUN.fullmatch(path):
            found[match[1]] = None
    return list(found)


def merged(made: Sequence[Product]) -> list[tuple[list[Product], Step]]:
    """Return the steps of the products of a job, extractions of one pass over samples as one."""
    steps: list[tuple[list[Product], Step]] = []
    passes: dict[str, list[Product]] = {}
    for product in made:
        below = f"{product.kind}/{product.key}/".__add__
        outputs = {name: mapped(file, below) for name, file in product.step.outputs.items()}
        product = replace(product, step=replace(product.step, outputs=outputs))
        if product.step.script == "stages/extract_features.py":
            passes.setdefault(str(product.step.inputs["clients"]), []).append(product)
        else:
            steps.append(([product], product.step))
    for several in passes.values():
        steps.append((several, _one_pass(several)))
    # A job makes public samples before their features.
    return steps


def _one_pass(several: Sequence[Product]) -> Step:
    first, *further = several
    values = dict(first.step.values)
    cuts = [product.step.values["features"]["cut"] for product in further]
    values["features"] = values["features"] | {"further_cuts": cuts}
    values.pop("stores")
    manifests = [m for product in several for m in product.step.outputs["manifests"]]
    stores = [
        where if "/" in where else f"{product.kind}/{product.key}/{where}"
        for product in several
        for where in product.step.values["stores"]
    ]
    return replace(first.step, values=values, outputs={"manifests": manifests, "stores": stores})
