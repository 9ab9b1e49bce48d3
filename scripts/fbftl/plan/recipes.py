"""Recipes: all that decides an artefact and is known before any job; its key is their digest.

| artefact | decided by |
|---|---|
| clients | data and clients blocks, the user's files, code |
| source | source block, what it is trained on, the user's files, code |
| features | clients, source, features block at one cut, code |
| network | clients, source, what enters and leaves it, the head's widths, code |
| public, open data, source models | clients or open data, their blocks, the user's files, code |
| run | one setting and one seed: its job, the keys of what it reads, its method's code |

No recipe has a task's name, nor code that only writes or draws. What all of them share, versions
and kind of arithmetic, is in each.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from fbftl.data import datasets
from fbftl.data.dialogues import splits as dialogues
from fbftl.data.public import public_data
from fbftl.ground.artefacts import Recipe, canonical, key_of
from fbftl.methods.by_name import modules as modules_of_method
from fbftl.models.source import check as source_check
from fbftl.plan import blocks
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
        "clients": "fbftl.data.dialogues.partition",
        "source": "fbftl.training.pretrain_t5",
        "features": "fbftl.features.dialogues",
    },
}
"""By kind of task, the module that each stage before training imports by name."""

LAYOUT = 1
"""Of the documents and arrays that jobs write; another one makes other keys."""

NOT_DECIDING = ("chunk_mib", "store", "cut", "further_cuts")
"""Keys of the features block that decide no number of a store at one cut."""

BEFORE_CUT = ("size", "mean", "std")
"""Keys of the features block that decide what enters a network."""


@dataclass(frozen=True)
class Facts:
    """What decides artefacts besides the configuration.

    code: digest of a script below `scripts/` with the modules that it imports, those that it
        imports by name given behind it.
    content: SHA-256 of a file of the user's, or of a folder's list of files.
    arithmetic: versions of the packages that compute, device, whether arithmetic is pinned, and
        the processor where it is not.
    """

    code: Callable[..., str]
    content: Callable[[str], str]
    arithmetic: Mapping[str, Any]


@dataclass(frozen=True)
class TaskRecipes:
    """Recipes of what the runs of a task, or of its repeat under another source, rest on.

    task: its name.
    block: its block of the configuration.
    folder: in which relative names of files start.
    not_public: splits none of whose samples may be public.
    """

    task: str
    block: Mapping[str, Any]
    folder: str | None
    facts: Facts
    not_public: tuple[str, ...] = ("train",)

    @cached_property
    def clients(self) -> Recipe:
        """The samples of each client; a partition drawn per seed is drawn by its run."""
        kind = [datasets.module(self.block["data"])] if self._is_of_images else []
        dealt = {key: value for key, value in self.block["clients"].items() if key != "draw"}
        files = self._contents(self.files_of_clients)
        code = self.facts.code("stages/partition_clients.py", self._module("clients"), *kind)
        return self._recipe("clients", code, data=self.block["data"], clients=dealt, files=files)

    @cached_property
    def files_of_clients(self) -> list[str]:
        """Files of the user's that hold the clients' samples."""
        return list(self._data.files(self.block["data"], self.folder))

    @cached_property
    def source(self) -> Recipe:
        """The frozen network that features come from."""
        block = self.block["source"]
        # A network for dialogues is trained on samples of the task's own data.
        data = {} if self._is_of_images else self.block["data"]
        modules = [self._module("source"), *source_check.modules(block)]
        code = self.facts.code("stages/prepare_source.py", *modules)
        files = self._contents(self.files_of_source)
        return self._recipe("source", code, source=block, data=data, files=files)

    @cached_property
    def files_of_source(self) -> list[str]:
        """Files of the user's that the source network comes from."""
        data = [] if self._is_of_images else self.files_of_clients
        return [*source_check.files(self.block["source"], self.folder), *data]

    def features(self, cut: str | None = None) -> Recipe:
        """What the frozen network says of the clients' samples at a cut, the task's own if None."""
        return self._extracted("features", self.clients, cut)

    @cached_property
    def public(self) -> Recipe:
        """Samples that nobody holds."""
        kinds = sorted({datasets.module(data) for data in self._public_data})
        code = self.facts.code("stages/choose_public.py", "fbftl.data.letters", *kinds)
        decides = {name: self.block[name] for name in ("source", "public")}
        decides |= {"files": self._contents(self.files_of_public), "not": self.not_public}
        return self._recipe("public", code, clients=key(self.clients), **decides)

    @cached_property
    def files_of_public(self) -> list[str]:
        """Files of the user's that hold samples that nobody holds."""
        return [file for data in self._public_data for file in datasets.files(data, self.folder)]

    @property
    def _public_data(self) -> list[Mapping[str, Any]]:
        every = public_data(self.block["source"], self.block["public"])
        return [data for data in every if data is not None]

    @cached_property
    def public_features(self) -> Recipe:
        """What the frozen network says of these."""
        return self._extracted("public features", self.public, None)

    @cached_property
    def open_data(self) -> Recipe:
        """Samples that frameworks of the survey share, of which no client holds one."""
        block = self.block["open_data"]
        kinds = [datasets.module(block["target"])] if block["target"] is not None else []
        code = self.facts.code("stages/prepare_open.py", "fbftl.data.letters", *kinds)
        files = self._contents(self.files_of_open_data)
        return self._recipe("open data", code, clients=key(self.clients), block=block, files=files)

    @cached_property
    def files_of_open_data(self) -> list[str]:
        """Files of the user's that hold such samples."""
        target = self.block["open_data"]["target"]
        return [] if target is None else list(datasets.files(target, self.folder))

    @cached_property
    def source_models(self) -> Recipe:
        """Further source models, which clients may vote on."""
        block = self.block["source_models"]
        trained = block | {"network": self.block["networks"][block["network"]]}
        reads = {"open_data": key(self.open_data), "features": key(self.features())}
        code = self.facts.code("stages/train_sources.py")
        return self._recipe("source models", code, reads=reads, block=trained)

    def network(self, cut: str | None = None) -> Recipe:
        """The description of the source network at a cut with the task's head."""
        features = self.block["features"]
        block = {name: features[name] for name in (*BEFORE_CUT, "pool")}
        block |= {"cut": self._cut(cut), "head": self.block["head"]}
        reads = {"clients": key(self.clients), "source": key(self.source)}
        code = self.facts.code("stages/describe_network.py")
        return self._recipe("network", code, reads=reads, block=block)

    def named_network(self, decides: Mapping[str, Any]) -> Recipe:
        """The description of one of the task's networks, with what its script is told."""
        reads = {"clients": key(self.clients), "source": key(self.source)}
        code = self.facts.code("stages/describe_named_network.py")
        return self._recipe("network", code, reads=reads, **decides)

    def reads(self, names: Iterable[str], cut: str | None) -> dict[str, str]:
        """Return the keys of what a run reads, by name as `Study.reads` has it."""
        recipe_of = {
            "features": lambda: self.features(cut),
            "manifest": lambda: self.features(cut),
            "network": lambda: self.network(cut),
            "clients": lambda: self.clients,
            "weights": lambda: self.source,
            "source": lambda: self.source,
            "public": lambda: self.public_features,
            "public_manifest": lambda: self.public_features,
            "open_data": lambda: self.open_data,
            "source_models": lambda: self.source_models,
        }
        # Whoever reads no features reads what their store says of preprocessing.
        return {name: key(recipe_of[name]()) for name in ("manifest", *names)}

    @property
    def _is_of_images(self) -> bool:
        return self.block["kind"] == "images"

    @property
    def _data(self) -> Any:
        return datasets if self._is_of_images else dialogues

    def _module(self, stage: str) -> str:
        return STAGES[self.block["kind"]][stage]

    def _cut(self, cut: str | None) -> Any:
        """Return a cut as the features block writes it, which settings name by its text."""
        features = self.block["features"]
        written = [features["cut"], *features["further_cuts"]]
        named = (each for each in written if str(each) == str(cut))
        return features["cut"] if cut is None else next(named, cut)

    def _contents(self, files: Iterable[str]) -> list[str]:
        return [self.facts.content(path) for path in files]

    def _extracted(self, kind: str, samples: Recipe, cut: str | None) -> Recipe:
        features = self.block["features"]
        decides = {name: v for name, v in features.items() if name not in NOT_DECIDING}
        decides["cut"] = self._cut(cut)
        reads = {"samples": key(samples), "source": key(self.source)}
        code = self.facts.code("stages/extract_features.py", self._module("features"))
        return self._recipe(kind, code, reads=reads, features=decides)

    def _recipe(self, kind: str, code: str, **decides: Any) -> Recipe:
        shared = {"layout": LAYOUT, "arithmetic": dict(self.facts.arithmetic)}
        return {"kind": kind, "code": code} | shared | decides


def key(recipe: Recipe) -> str:
    """Return the name of the artefact that a recipe decides."""
    return key_of(canonical(recipe))


@dataclass(frozen=True)
class SettingRecipe:
    """What decides the runs of a setting, whatever their seeds.

    job: as `Study.job_of` gives it, without task and seeds.
    reads: keys of what is read, by name.
    code: of the training script, the method and the kind of task.
    """

    job: Mapping[str, Any]
    reads: Mapping[str, str]
    code: str
    arithmetic: Mapping[str, Any]

    def run(self, seed: int) -> Recipe:
        """Return the recipe of the run of a seed."""
        return {"seed": seed, "setting": self._decides}

    def keys(self, seeds: Iterable[int]) -> list[str]:
        """Return the keys of the runs of some seeds, the shared part spelled once."""
        decides = canonical(self._decides)
        return [key_of(f'{{"seed":{seed},"setting":{decides}}}') for seed in seeds]

    @property
    def _decides(self) -> dict[str, Any]:
        return {
            "kind": "run",
            "layout": LAYOUT,
            "job": self.job,
            "reads": self.reads,
            "code": self.code,
            "arithmetic": self.arithmetic,
        }


class Recipes:
    """The recipes of a study.

    study: checked, with its settings.
    facts: what decides besides.
    """

    def __init__(self, study: Study, facts: Facts) -> None:
        self.study, self.facts = study, facts
        self._tasks: dict[str, TaskRecipes] = {}

    def task(self, name: str) -> TaskRecipes:
        """Return the recipes of a task, or of its repeat under another source network."""
        if name not in self._tasks:
            block, folder = self.study.task(name), self.study.config["data_folder"]
            not_public = tuple(blocks.not_public(self.study, task_names.task_of(name)))
            self._tasks[name] = TaskRecipes(name, block, folder, self.facts, not_public)
        return self._tasks[name]

    def setting(self, task: str, setting: Setting) -> SettingRecipe:
        """Return what decides the runs of a setting on a task."""
        job = self.study.job_of(task, setting)
        decides = {name: value for name, value in job.items() if name not in ("task", "seeds")}
        names = self.study.reads_of(task, setting)
        cut = setting.cut if "features" in names else None
        parts = methods.record(setting.method).parts(setting)
        reads, code = self._read(task, names, cut), self._code(setting.method, job["kind"], *parts)
        return SettingRecipe(decides, reads, code, self.facts.arithmetic)

    @cache  # noqa: B019 - one for each call of the workflow
    def _read(self, task: str, names: tuple[str, ...], cut: str | None) -> dict[str, str]:
        # Layers, open data and models voted on are of the task whatever its source network.
        reads = self.task(task).reads(names, cut)
        shared = self.task(task_names.task_of(task)).reads(names, cut)
        of_task = reads.keys() & {"network", "open_data", "source_models"}
        return reads | {name: shared[name] for name in of_task}

    @cache  # noqa: B019
    def _code(self, method: str, kind: str, *parts: str) -> str:
        modules = modules_of_method(method, kind, methods.record(method).reads, *parts)
        return self.facts.code("fbftl/methods/by_name.py", *modules)
