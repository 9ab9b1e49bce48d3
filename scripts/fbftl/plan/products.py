"""What the store holds of a study besides runs: what decides each product, and how it is made.

A product is known by the path below `results/` under which steps name its files; the path of the
file in the store follows from the key of its recipe.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from itertools import product
from typing import Any

from fbftl.data import datasets, dialogues
from fbftl.data.public import public_data
from fbftl.findings.steps import File, Step
from fbftl.ground.artefacts import Artefact, canonical, key_of
from fbftl.ground.errors import required
from fbftl.methods.by_name import modules as modules_of_method
from fbftl.models.source import check as source_check
from fbftl.plan import paths
from fbftl.plan.analyses import PREPROCESSING, Analysis, preprocessing
from fbftl.plan.recipes import Facts, SettingRecipe
from fbftl.plan.results import ANALYSES
from fbftl.study import methods, task_names
from fbftl.study.config import Study
from fbftl.study.settings import Setting

STAGES = {
    "images": {
        "clients": "fbftl.data.images",
        "source": "fbftl.training.pretrain",
        "features": "fbftl.features.images",
    },
    "dialogues": {
        "clients": "fbftl.data.dialogues",
        "source": "fbftl.training.pretrain_t5",
        "features": "fbftl.features.dialogues",
    },
}
"""By kind of task, the module that each stage before training imports by name."""

NOT_DECIDING = ("chunk_mib", "store", "cut", "further_cuts")
"""Keys of the features block that decide no number of a store at one cut."""


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
class TaskProducts:
    """The products that the runs of a task, or of its repeat under another source, rest on.

    study: whose task it is.
    task: its name.
    facts: what decides besides the configuration.
    """

    study: Study
    task: str
    facts: Facts

    @cached_property
    def block(self) -> Mapping[str, Any]:
        """The task's block of the configuration."""
        return self.study.task(self.task)

    @cached_property
    def clients(self) -> Product:
        """The samples of each client; a partition drawn per seed is drawn by its run."""
        block, module = self.block, self._module("clients")
        dealt = {key: value for key, value in block["clients"].items() if key != "draw"}
        decides = {"data": block["data"], "clients": dealt}
        values = {"module": module, "seed": block["clients"]["seed"]} | decides
        step = Step("stages/partition_clients.py", {}, {"out": "clients.h5"}, values)
        modules = [module, *([datasets.module(block["data"])] if self._is_of_images else [])]
        return self._made("clients", "clients", step, decides, modules, self._files_of_data)

    @cached_property
    def source(self) -> Product:
        """The frozen network that features come from."""
        block, module = self.block["source"], self._module("source")
        # A network for dialogues is trained on samples of the task's own data.
        data, files = ({}, []) if self._is_of_images else (self.block["data"], self._files_of_data)
        decides = {"source": block, "data": data}
        outputs = {"model": "source.safetensors", "manifest": "source.json"}
        step = Step("stages/prepare_source.py", {}, outputs, {"module": module} | decides)
        modules = [module, *source_check.modules(block)]
        files = [*source_check.files(block, self._folder), *files]
        return self._made("sources", "source", step, decides, modules, files)

    @cache  # noqa: B019 - one for each call of the workflow
    def features(self, cut: str | None = None) -> Product:
        """What the frozen network says of the clients' samples at a cut, the task's own if None."""
        at, store = paths.clients(self.task), self.block["features"].get("store")
        return self._extracted("features", "extract", self.clients, at, cut, store)

    @cached_property
    def public(self) -> Product:
        """Samples that nobody holds."""
        block = self.block
        data = [each for each in public_data(block["source"], block["public"]) if each is not None]
        decides = {name: block[name] for name in ("source", "public")}
        # The test's samples may not be public either where these are sold.
        splits = ["train", "test"] if self.study.buys(self._shared) else ["train"]
        unseen = block["data"] if block["clients"]["domains"] else None
        step = Step("stages/choose_public.py", {"clients": paths.clients(self.task)},
                    {"samples": "public.h5"},
                    decides | {"unseen": unseen, "splits": splits})  # fmt: skip
        decides |= {"not": splits, "clients": self.clients.key}
        modules = ["fbftl.data.letters", *sorted({datasets.module(each) for each in data})]
        files = [file for each in data for file in datasets.files(each, self._folder)]
        return self._made("public", "public", step, decides, modules, files)

    @cached_property
    def public_features(self) -> Product:
        """What the frozen network says of these."""
        at = paths.of_task(self.task, "public.h5")
        return self._extracted("public features", "public", self.public, at)

    @cached_property
    def open_data(self) -> Product:
        """Samples that frameworks of the survey share, of which no client holds one."""
        block = self.block["open_data"]
        target = [] if block["target"] is None else [block["target"]]
        step = Step("stages/prepare_open.py", {"clients": paths.clients(self.task)},
                    {"open_data": "open.h5"}, {"block": block})  # fmt: skip
        decides = {"clients": self.clients.key, "block": block}
        modules = ["fbftl.data.letters", *map(datasets.module, target)]
        files = [file for each in target for file in datasets.files(each, self._folder)]
        return self._made("open_data", "open data", step, decides, modules, files)

    @cached_property
    def source_models(self) -> Product:
        """Further source models, which clients may vote on."""
        block = self.block["source_models"]
        block = block | {"network": self.block["networks"][block["network"]]}
        inputs = paths.inputs(self.task, ("open_data", "manifest"))
        outputs = {"sources": "sources.safetensors"}
        step = Step("stages/train_sources.py", inputs, outputs, {"block": block})
        reads = {"open_data": self.open_data.key, "features": self.features().key}
        decides = {"reads": reads, "block": block}
        return self._made("source_models", "source models", step, decides, rule="open_data")

    @cache  # noqa: B019
    def network(self, cut: str | None = None) -> Product:
        """The description of the source network at a cut with the task's head."""
        block, head = self.block["features"], {"head": self.block["head"]}
        features = {name: block[name] for name in (*PREPROCESSING, "pool")}
        features["cut"] = self._cut(cut)
        values, outputs = head | {"features": features}, {"network": "network.json"}
        return self._described("main", outputs, values, {"block": features | head})

    @cache  # noqa: B019
    def named_network(self, name: str) -> Product:
        """The description of one of the task's networks, with what its script is told."""
        features, block = preprocessing(self.study, self.task), self.block["networks"][name]
        values = {"features": features, "network": name, "block": block}
        # Who reads several knows them by their names.
        outputs = {"description": f"{name}.json"}
        return self._described("named", outputs, values, values)

    def files(self) -> Iterator[tuple[str, Make, str]]:
        """Yield path, maker and name in the artefact of every file of the task's products."""

        def each(made: Make, *names: str) -> Iterator[tuple[str, Make, str]]:
            for name in names:
                yield paths.of_task(self.task, name), made, name

        further = self.block["features"]["further_cuts"]
        cuts = (None, *sorted({str(cut) for cut in [*further, *self.study.cuts(self._shared)]}))
        if self.task == self._shared:
            yield from each(lambda: self.clients, "clients.h5", "clients.h5.sha256")
            for cut in cuts:
                path = f"{paths.of_cut(self.task, cut, 'network')}.json"
                yield path, partial(self.network, cut), "network.json"
            for name in self.block.get("networks", {}):
                path = paths.of_task(self.task, f"networks/{name}.json")
                yield path, partial(self.named_network, name), f"{name}.json"
            yield from each(lambda: self.open_data, "open.h5", "open.h5.sha256")
            yield from each(lambda: self.source_models, "sources.safetensors")
        yield from each(lambda: self.source, "source.safetensors", "source.json")
        for cut in cuts:
            for suffix in ("json", "zarr", "zarr/zarr.json"):
                path = f"{paths.of_cut(self.task, cut, 'features')}.{suffix}"
                yield path, partial(self.features, cut), f"features.{suffix}"
        yield from each(lambda: self.public, "public.h5", "public.h5.sha256")
        yield from each(lambda: self.public_features, "public.json", "public.zarr/zarr.json")

    @property
    def _is_of_images(self) -> bool:
        return self.block["kind"] == "images"

    @property
    def _folder(self) -> str | None:
        return self.study.config["data_folder"]

    @property
    def _shared(self) -> str:
        return task_names.task_of(self.task)

    @cached_property
    def _files_of_data(self) -> list[str]:
        """Files of the user's that hold the clients' samples."""
        kind = datasets if self._is_of_images else dialogues
        return list(kind.files(self.block["data"], self._folder))

    def _module(self, stage: str) -> str:
        return STAGES[self.block["kind"]][stage]

    def _cut(self, cut: str | None) -> Any:
        """Return a cut as the features block writes it, which settings name by its text."""
        features = self.block["features"]
        written = [features["cut"], *features["further_cuts"]]
        named = (each for each in written if str(each) == str(cut))
        return features["cut"] if cut is None else next(named, cut)

    def _extracted(
        self, kind: str, rule: str, samples: Product, at: str, cut: str | None = None,
        store: str | None = None,
    ) -> Product:  # fmt: skip
        """Return the features of samples at one cut, in a store of their own or below a URL."""
        block, module, script = self.block["features"], self._module("features"), "extract_features"
        decides = {name: value for name, value in block.items() if name not in NOT_DECIDING}
        decides["cut"] = self._cut(cut)
        code = self.facts.code(f"stages/{script}.py", module)
        reads = {"samples": samples.key, "source": self.source.key}
        recipe = self.facts.recipe(kind, code, reads=reads, features=decides)
        name = kind.split()[0]
        where = f"{name}.zarr"
        if store is not None:
            where = f"{store.rstrip('/')}/{key_of(canonical(recipe))}"
        values = {
            "module": module,
            "features": block | {"cut": decides["cut"], "further_cuts": []},
            "stores": [where],
            "code": code,
        }
        inputs = {"clients": at, **paths.inputs(self.task, ("weights", "source"))}
        step = Step(f"stages/{script}.py", inputs, {"manifests": [f"{name}.json"]}, values)
        return Product("features", recipe, rule, self.task, step)

    def _described(
        self, function: str, outputs: Mapping[str, str], values: Mapping[str, Any],
        decides: Mapping[str, Any],
    ) -> Product:  # fmt: skip
        inputs = paths.inputs(self.task, ("clients", "source"))
        script = "stages/describe_network.py"
        step = Step(script, inputs, outputs, values, function=function)
        reads = {"clients": self.clients.key, "source": self.source.key}
        return self._made("networks", "network", step, {"reads": reads, **decides})

    def _made(
        self, kind: str, what: str, step: Step, decides: Mapping[str, Any],
        modules: Sequence[str] = (), files: Sequence[str] | None = None, rule: str | None = None,
    ) -> Product:  # fmt: skip
        """Return a product whose recipe is of a kind `what`, made by the rule of its folder."""
        contents = {} if files is None else {"files": [*map(self.facts.content, files)]}
        code = self.facts.code(step.script, *modules)
        recipe = self.facts.recipe(what, code, **decides, **contents)
        rule = rule or {"sources": "source"}.get(kind, kind)
        return Product(kind, recipe, rule, self.task, step, files or ())


@dataclass(frozen=True, eq=False)
class Products:
    """The products of a study, and the recipes of its runs.

    study: checked, with its settings.
    facts: what decides besides.
    """

    study: Study
    facts: Facts
    _known: dict[str, dict[str, tuple[Make, str]]] = field(default_factory=dict)

    @cached_property
    def keys(self) -> dict[str, dict[str, list[str]]]:
        """Keys of the runs of every setting, in the order of the task's seeds, by task and name."""
        found = {}
        for task in self.study.settings:
            settings, seeds = self.study.settings_of(task), self.study.task(task)["seeds"]
            found[task] = {n: self.setting(task, s).keys(seeds) for n, s in settings.items()}
        return found

    @cache  # noqa: B019
    def task(self, name: str) -> TaskProducts:
        """Return the products of a task, or of its repeat under another source network."""
        return TaskProducts(self.study, name, self.facts)

    @cache  # noqa: B019
    def setting(self, task: str, setting: Setting) -> SettingRecipe:
        """Return what decides the runs of a setting on a task."""
        job = self.study.job_of(task, setting)
        files = paths.inputs_of(self.study, task, setting)
        parts = methods.record(setting.method).parts(setting)
        decides = {
            "job": {name: value for name, value in job.items() if name not in ("task", "seeds")},
            "reads": {name: self.key(path) for name, path in files.items()},
        }
        return SettingRecipe(
            self.facts.recipe("run", self._code(setting.method, job["kind"], *parts), **decides)
        )

    @cache  # noqa: B019
    def _code(self, method: str, kind: str, *parts: str) -> str:
        modules = modules_of_method(method, kind, methods.record(method).reads, *parts)
        return self.facts.code("fbftl/methods/by_name.py", *modules)

    def at(self, path: str) -> tuple[Product, str] | None:
        """Return the product that has a file, and the file's name there; None if none has it."""
        task = task_in(path)
        if task is None or task_names.task_of(task) not in self.study.settings:
            return None
        if task not in self._known:
            found = (*self.task(task).files(), *self._found_on(task))
            self._known[task] = {path: (made, name) for path, made, name in found}
        made, name = self._known[task].get(path, (None, ""))
        return None if made is None else (made(), name)

    def key(self, path: str) -> str | None:
        """Return the key of the product that a file is of, or of the run of the first seed."""
        if (found := self.at(path)) is not None:
            return found[0].key
        match = task_names.RUN.fullmatch(path)
        return None if match is None else self.keys[match[1]][match[2]][0]

    def _found_on(self, task: str) -> Iterable[tuple[str, Make, str]]:
        """Yield path, maker and name in the artefact of every file that analyses find."""
        for analysis in ANALYSES if not task_names.is_repeat(task) else ():
            every = self.study.task(task)["seeds"] if analysis.seeds == "each" else [None]
            for seed, path in product(every, analysis.outputs.values()):
                made = partial(self._findings, task, analysis, seed)
                yield paths.found(task, analysis.name, path, seed), made, _name_of(path)

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
        code = self.facts.code(analysis.script, *analysis.modules(study, task))
        reads = {name: self._read(file) for name, file in inputs.items()}
        recipe = self.facts.recipe("findings", code, values=values, reads=reads)
        step = Step(analysis.script, inputs, outputs, values)
        return Product("findings", recipe, "attack", f"{task}/{analysis.name}", step)

    def _read(self, file: File) -> Any:
        """Return the key of what lies under a path, or the keys under several."""
        if isinstance(file, str):
            return required(self.key(file))
        return [self._read(each) for each in file]


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
