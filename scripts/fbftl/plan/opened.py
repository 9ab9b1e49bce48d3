"""A call of the workflow opened: its configuration checked, its plan made, nothing written yet."""

import gc
import math
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl.ground import provenance
from fbftl.ground.artefacts import Store, exclusive
from fbftl.ground.code import Remembered, digest, sources
from fbftl.ground.digests import DIGESTS, Digests
from fbftl.ground.errors import UserError, required
from fbftl.ground.exact import is_pinned, pin, sentence, this_machine
from fbftl.ground.files import remove_leftovers
from fbftl.ground.floats import FLOAT32
from fbftl.ground.progress import MISSING
from fbftl.plan import pages
from fbftl.plan.call import Call
from fbftl.plan.checked import require_makeable
from fbftl.plan.paths import inputs_of
from fbftl.plan.planned import MADE, RUNS, Plan, Results, register
from fbftl.plan.planner import Planner
from fbftl.plan.products import Products
from fbftl.plan.recipes import Facts
from fbftl.plan.targets import shown_of
from fbftl.study.config import Study, resolve
from fbftl.study.full_studies import read_of_size, with_folders
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import laid_over, read_config_file, read_yaml

COMPUTING = ("torch", "numpy", "scikit-learn")
"""Packages whose versions decide the bytes of results."""

CODE = ".snakemake/code.json"
"""Caches: what source files said, here; what large files of the user's hold, in the store."""


@dataclass(frozen=True)
class Prepared:
    """A checked study with the recipes of all that it rests on.

    call: of the workflow.
    products: of its study.
    store: of artefacts.
    code, digests: what was read of source files and of the user's.
    """

    call: Call
    products: Products
    store: Store
    code: Remembered
    digests: Digests

    @classmethod
    def of(cls, config: dict[str, Any], root: Path) -> "Prepared":
        """Check a configuration; it gets what files of studies say.

        Args:
            config: as read.
            root: the project's folder.

        Raises:
            UserError: at the first fault of the configuration or of files that it names.
        """
        config.update({k: v == "true" for k, v in config.items() if v in ("true", "false")})
        systems = read_systems(root)
        of_size = read_of_size(root, config, systems)
        config.update(with_folders(config, of_size))
        study = resolve(config, systems, of_size)
        store = store_of(study.config)
        code, digests = Remembered(CODE), Digests(store.root / DIGESTS)
        require_makeable(study, digests)
        decides, elsewhere = arithmetic_of(study)
        facts = Facts(code_of(root / "scripts"), digests, decides)
        project = resolve(read_yaml(root / "config.yaml") | {"papers": "all"}, systems)
        call = Call(study, project, systems, of_size, root, elsewhere)
        return cls(call, Products(study, facts), store, code, digests)

    @classmethod
    def of_files(
        cls, root: Path, files: Sequence[str] = (), more: Mapping[str, Any] | None = None
    ) -> "Prepared":
        """Check what files of configuration, and then `more`, say over the project's own."""
        config: dict[str, Any] = read_yaml(root / "config.yaml")
        for path in files:
            config = laid_over(config, read_config_file(path))
        return cls.of(laid_over(config, more or {}), root)

    def plan(self, places: int = 1, longest: float = math.inf) -> Plan:
        """Return what is missing, see `Planner`."""
        return Planner(self.call, self.products, self.store, places, longest).plan()

    def files(self, task: str, setting: str) -> dict[str, str]:
        """Return what a setting is trained from, by the names of `training.tasks.task.Inputs`.

        Raises:
            UserError: if something is not there yet.
        """
        study = self.call.study
        return self.located(inputs_of(study, task, study.setting(task, setting)))

    def located(self, files: Mapping[str, str]) -> dict[str, str]:
        """Return where the store has files that steps name by their paths below `results/`.

        Raises:
            UserError: if one is not there yet.
        """
        found = {}
        for name, path in files.items():
            product, file = required(self.products.at(path))
            found[name] = self.store.folder(product.kind, product.key) / file
            if not found[name].exists():
                raise UserError(f"{path} of this study is missing ({found[name]}); run it first")
        return {name: str(path) for name, path in found.items()}

    def run(self, task: str, setting: str, seed: int) -> dict[str, Any] | None:
        """Return the document of a run, None if it is not there."""
        study = self.call.study
        recipe = self.products.setting(task, study.setting(task, setting))
        (key,) = recipe.keys([seed])
        there = self.store.path(RUNS, key, ".json").exists()
        return self.store.json(RUNS, key, recipe.run(seed)) if there else None


@dataclass(frozen=True)
class Opened:
    """A call of the workflow with its plan.

    prepared: its study.
    turn: of one call at a time to write in the folder of results, until its process ends.
    """

    prepared: Prepared
    plan: Plan
    turn: ExitStack = field(default_factory=ExitStack)

    @classmethod
    def of(cls, config: dict[str, Any], root: Path, *, places: int, longest: float) -> "Opened":
        """Open a call; `config` gets what files of studies say.

        Args:
            config: as read.
            root: the project's folder.
            places: jobs that can run at once.
            longest: seconds that a batch should take, infinite where places decide.

        Raises:
            UserError: at the first fault of the configuration or of files that it names.
        """
        # Plans make millions of objects and drop few.
        gc.set_threshold(200_000, 50, 1000)
        prepared = Prepared.of(config, root)
        plan = prepared.plan(places, longest)
        if plan.missing:
            batches = f"{len(plan.trained):,} batches"
            where = str(prepared.store.root)
            MISSING[where] = plan.missing
            print(f"{plan.missing:,} runs are missing in {where}, in {batches}", file=sys.stderr)
        return cls(prepared, plan)

    def begin(self) -> None:
        """Take the folder of results, write notes, and keep what was read.

        Raises:
            UserError: if another call writes here, or nothing can be written.
        """
        self.turn.enter_context(exclusive(MADE / "call"))
        remove_leftovers("results/.made")
        self.plan.write()
        self.prepared.code.keep()
        self.prepared.digests.keep()
        register(self.plan)

    @property
    def for_report(self) -> dict[str, Any]:
        """What the report's first page says of the study."""
        config, study = self.plan.call.study.config, self.plan.call.study
        planned = {"tasks": list(study.settings), "experiments": sorted(study.paper)}
        return {
            "commit": provenance.commit(),
            "planned": planned,
            "container": config["container"],
            "device": config["device"],
        }

    def captions(self, results: Results) -> dict[str, dict[str, Any]]:
        """Return how the report shows tables and figures of results, by path."""
        made = shown_of(self.plan.call, results.name)
        return {each.shown: pages.reported(self.plan.call, each) for each in made}


def arithmetic_of(study: Study) -> tuple[dict[str, Any], str]:
    """Return what of the jobs' arithmetic decides bytes, and whether other machines give the same.

    The environment is set such that jobs find their arithmetic pinned.
    """
    machine, config = this_machine(), study.config
    device = config["device"]
    if device == "auto":
        device = "cuda" if machine.gpu else "cpu"
    computed = computed_otherwise({task: study.task(task) for task in study.tasks})
    pinned = is_pinned(config["exact"], config["device"], machine, computed)
    pin(os.environ, pinned)
    processor = "" if pinned else machine.processor
    decides = {"device": device, "pinned": pinned, "processor": processor}
    decides |= {name: version(name) for name in COMPUTING}
    return decides, sentence(pinned, config["device"], machine, computed)


def store_of(config: Mapping[str, Any]) -> Store:
    """Return the store of a configuration, or of the environment's FBFTL_STORE."""
    return Store(Path(os.environ.get("FBFTL_STORE") or config.get("store") or "results/store"))


def code_of(scripts: Path) -> Any:
    """Return the function of a script and further modules that returns the digest of their code."""

    @cache
    def code(script: str, *modules: str) -> str:
        return digest(sources(script, str(scripts), *modules), str(scripts))

    return code


def computed_otherwise(tasks: Mapping[str, Mapping[str, Any]]) -> str | None:
    """Return what of a study does not compute in plain float32, in words; None if all does.

    Args:
        tasks: blocks of the tasks that are extracted, by name.
    """
    for task, block in tasks.items():
        if (kind := block["features"]["compute"]) != FLOAT32:
            return f"tasks.{task}.features.compute is {kind}"
    return None
