"""What the store holds of a study besides runs, and how each is made: stages and analyses.

A product is known by the path below `results/` under which steps name its files; the path of the
file in the store follows from the key of its recipe.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import product
from typing import Any

from fbftl.findings.steps import File, Step
from fbftl.ground.artefacts import Artefact, Recipe
from fbftl.plan import blocks, paths, trained
from fbftl.plan.analyses import Analysis
from fbftl.plan.recipes import LAYOUT, STAGES, Recipes, key
from fbftl.plan.results import ANALYSES
from fbftl.study import task_names
from fbftl.study.config import Study


@dataclass(frozen=True, eq=False)
class Product(Artefact):
    """An artefact of the store, and how it is made.

    rule, group: products of equal ones that are missing are made in one job.
    step: that makes it; its inputs are named by their paths below `results/`, its outputs by
        their names in the folder of the artefact.
    files: of the user's, whose digests the recipe has in this order under `files`.
    """

    rule: str
    group: str
    step: Step
    files: Sequence[str] = ()


Make = Callable[[], Product]


@dataclass(frozen=True, eq=False)
class Products:
    """The products of a study.

    study: whose they are.
    recipes: of its tasks.
    """

    study: Study
    recipes: Recipes
    _known: dict[str, dict[str, tuple[Make, str]]] = field(default_factory=dict)

    def at(self, path: str) -> tuple[Product, str] | None:
        """Return the product that has a file, and the file's name there; None if none has it."""
        task = task_in(path)
        if task is None or task_names.task_of(task) not in self.study.settings:
            return None
        if task not in self._known:
            self._known[task] = dict(self._of_task(task))
        made, name = self._known[task].get(path, (None, ""))
        return None if made is None else (made(), name)

    def of(self, path: str) -> tuple[Product, str]:
        """Return the product of a file, and the file's name in it.

        Raises:
            KeyError: if none has it.
        """
        found = self.at(path)
        if found is None:
            raise KeyError(path)
        return found

    def _of_task(self, task: str) -> Iterable[tuple[str, tuple[Make, str]]]:
        """Yield path, maker and name in the artefact of every file of a task's products."""
        study, shared = self.study, task_names.task_of(task)
        if task == shared:
            for name in ("clients.h5", "clients.h5.sha256"):
                yield paths.of_task(task, name), (partial(self._clients, task), name)
            for cut in (None, *_cuts(study, task)):
                path = f"{paths.of_cut(task, cut, 'network')}.json"
                yield path, (partial(self._network, task, cut), "network.json")
            for network in study.task(task).get("networks", {}):
                path = paths.of_task(task, f"networks/{network}.json")
                yield path, (partial(self._named_network, task, network), f"{network}.json")
            for name in ("open.h5", "open.h5.sha256"):
                yield paths.of_task(task, name), (partial(self._open_data, task), name)
            name = "sources.safetensors"
            yield paths.of_task(task, name), (partial(self._source_models, task), name)
            for analysis in ANALYSES:
                every = study.task(task)["seeds"] if analysis.seeds == "each" else [None]
                for seed, path in product(every, analysis.outputs.values()):
                    made = partial(self._findings, task, analysis, seed)
                    yield paths.found(task, analysis.name, path, seed), (made, _name_of(path))
        for name in ("source.safetensors", "source.json"):
            yield paths.of_task(task, name), (partial(self._source, task), name)
        for cut in (None, *_cuts(study, task)):
            store = paths.of_cut(task, cut, "features")
            made = partial(self._features, task, cut)
            yield f"{store}.json", (made, "features.json")
            yield f"{store}.zarr", (made, "features.zarr")
            yield f"{store}.zarr/zarr.json", (made, "features.zarr/zarr.json")
        for name in ("public.h5", "public.h5.sha256"):
            yield paths.of_task(task, name), (partial(self._public, task), name)
        for name in ("public.json", "public.zarr/zarr.json"):
            yield paths.of_task(task, name), (partial(self._public_features, task), name)

    @cache  # noqa: B019 - one for each call of the workflow
    def _clients(self, task: str) -> Product:
        block, of = self.study.task(task), self.recipes.task(task)
        values = {
            "module": STAGES[block["kind"]]["clients"],
            "data": block["data"],
            "clients": of.clients["clients"],
            "seed": block["clients"]["seed"],
        }
        step = Step("stages/partition_clients.py", {}, {"out": "clients.h5"}, values)
        return Product("clients", of.clients, "clients", task, step, of.files_of_clients)

    @cache  # noqa: B019
    def _source(self, task: str) -> Product:
        block, of = self.study.task(task), self.recipes.task(task)
        outputs = {"model": "source.safetensors", "manifest": "source.json"}
        values = {
            "module": STAGES[block["kind"]]["source"],
            "source": block["source"],
            "data": of.source["data"],
        }
        step = Step("stages/prepare_source.py", {}, outputs, values)
        return Product("sources", of.source, "source", task, step, of.files_of_source)

    @cache  # noqa: B019
    def _features(self, task: str, cut: str | None) -> Product:
        of, block = self.recipes.task(task), self.study.task(task)["features"]
        recipe = of.features(cut)
        step = self._extraction(task, recipe, paths.clients(task), "features.json")
        store = block.get("store")
        where = "features.zarr" if store is None else f"{store.rstrip('/')}/{key(recipe)}"
        step = replace(step, values={**step.values, "stores": [where]})
        return Product("features", recipe, "extract", task, step)

    def _extraction(self, task: str, recipe: Recipe, clients: str, manifest: str) -> Step:
        """Return the pass over samples for the features of a recipe, at its one cut."""
        block = self.study.task(task)["features"]
        files = trained.files(self.study, task, ("weights", "source"))
        inputs: dict[str, File] = {"clients": clients, **files}
        values = {
            "module": STAGES[self.study.task(task)["kind"]]["features"],
            "features": block | {"cut": recipe["features"]["cut"], "further_cuts": []},
            "stores": [manifest.replace(".json", ".zarr")],
            "code": recipe["code"],
        }
        return Step("stages/extract_features.py", inputs, {"manifests": [manifest]}, values)

    @cache  # noqa: B019
    def _public(self, task: str) -> Product:
        of, block = self.recipes.task(task), self.study.task(task)
        values = {
            "source": block["source"],
            "public": block["public"],
            "unseen": blocks.unseen(self.study, task),
            "splits": blocks.not_public(self.study, task),
        }
        step = Step("stages/choose_public.py", {"clients": paths.clients(task)},
                    {"samples": "public.h5"}, values)  # fmt: skip
        return Product("public", of.public, "public", task, step, of.files_of_public)

    @cache  # noqa: B019
    def _public_features(self, task: str) -> Product:
        recipe = self.recipes.task(task).public_features
        samples = paths.of_task(task, "public.h5")
        step = self._extraction(task, recipe, samples, "public.json")
        return Product("features", recipe, "public", task, step)

    @cache  # noqa: B019
    def _network(self, task: str, cut: str | None) -> Product:
        recipe = self.recipes.task(task).network(cut)
        features = dict(recipe["block"])
        values = {"head": features.pop("head"), "features": features}
        outputs = {"network": "network.json"}
        return self._description(task, "describe_network", outputs, values, recipe)

    @cache  # noqa: B019
    def _named_network(self, task: str, network: str) -> Product:
        values = {
            "features": blocks.preprocessing(self.study, task),
            "network": network,
            "block": self.study.task(task)["networks"][network],
        }
        recipe = self.recipes.task(task).named_network(values)
        # Who reads several knows them by their names.
        outputs = {"description": f"{network}.json"}
        return self._description(task, "describe_named_network", outputs, values, recipe)

    def _description(
        self, task: str, script: str, outputs: Mapping[str, str], values: Mapping[str, Any],
        recipe: Recipe,
    ) -> Product:  # fmt: skip
        inputs = trained.files(self.study, task, ("clients", "source"))
        step = Step(f"stages/{script}.py", inputs, outputs, values)
        return Product("networks", recipe, "networks", task, step)

    @cache  # noqa: B019
    def _open_data(self, task: str) -> Product:
        of, block = self.recipes.task(task), self.study.task(task)["open_data"]
        step = Step("stages/prepare_open.py", {"clients": paths.clients(task)},
                    {"open_data": "open.h5"}, {"block": block})  # fmt: skip
        files = of.files_of_open_data
        return Product("open_data", of.open_data, "open_data", task, step, files)

    @cache  # noqa: B019
    def _source_models(self, task: str) -> Product:
        inputs = trained.files(self.study, task, ("open_data", "manifest"))
        recipe = self.recipes.task(task).source_models
        outputs, values = {"sources": "sources.safetensors"}, {"block": recipe["block"]}
        step = Step("stages/train_sources.py", inputs, outputs, values)
        return Product("source_models", recipe, "open_data", task, step)

    @cache  # noqa: B019
    def _findings(self, task: str, analysis: Analysis, seed: int | None) -> Product:
        study, seeds = self.study, self.study.task(task)["seeds"]
        if analysis.seeds != "all":
            seeds = seeds[:1] if seed is None else [seed]
        values = {name: value(study, task) for name, value in analysis.values.items()}
        if analysis.settings is not None:
            jobs = [study.job(task, name) for name in analysis.settings(study, task)]
            values["jobs"] = [job | {"seeds": list(seeds)} for job in jobs]
        inputs = analysis.inputs(study, task)
        outputs = {arg: _name_of(path) for arg, path in analysis.outputs.items()}
        recipe = {
            "kind": "findings",
            "layout": LAYOUT,
            "code": self.recipes.facts.code(analysis.script, *analysis.modules(study, task)),
            "values": values,
            "reads": {name: self._read(file) for name, file in inputs.items()},
            "arithmetic": dict(self.recipes.facts.arithmetic),
        }
        step = Step(analysis.script, inputs, outputs, values)
        return Product("findings", recipe, "attack", f"{task}/{analysis.name}", step)

    def _read(self, file: File) -> Any:
        """Return the key of what lies under a path, or the keys under several."""
        if not isinstance(file, str):
            return [self._read(each) for each in file]
        if (there := self.at(file)) is not None:
            return there[0].key
        return self.run_keys(file)[0]

    def run_keys(self, path: str) -> list[str]:
        """Return the keys of the runs that a run file, with all seeds of its task, is made of."""
        match = task_names.RUN.fullmatch(path)
        assert match is not None, path
        task, name = match.groups()
        setting = self.study.setting(task, name)
        return self.recipes.setting(task, setting).keys(self.study.task(task)["seeds"])


def _name_of(path: str) -> str:
    """Return the name in its artefact of a file below a task's results."""
    return path.replace("/", "-")


def task_in(path: str) -> str | None:
    """Return the task, or the repeat of one, whose file a path below `results/` is."""
    first, _, rest = path.partition("/")
    if first != "results" or rest.startswith("papers/") or "/" not in rest:
        return None
    task, _, below = rest.partition("/")
    if below.startswith(f"{task_names.KEY}/"):
        key_, number, _ = below.split("/", 2)
        return f"{task}/{key_}/{number}"
    return task


def _cuts(study: Study, task: str) -> list[str]:
    """Return the further cuts of a task that stores or networks are of, as text."""
    further = study.task(task)["features"]["further_cuts"]
    return sorted({str(cut) for cut in [*further, *study.cuts(task_names.task_of(task))]})
