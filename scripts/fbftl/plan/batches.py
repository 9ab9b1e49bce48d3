"""Batches: the runs that are missing, dealt to as few jobs as keep every place busy.

A unit is what steps side by side: settings of one method and shape with the same missing seeds. It
is divided where it would take longer than a place has time for, or more memory than a job should.
Units are dealt longest first, by seconds measured earlier, or in proportion to multiplications
where there are none, each to the batch that has least to do. How long they take decides no result.
"""

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from fbftl.data import datasets, dialogues
from fbftl.ground.artefacts import canonical, key_of
from fbftl.ground.timings import of_job
from fbftl.plan.checked import sizes_of
from fbftl.plan.recipes import SettingRecipe
from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.settings import Setting

MOST_BATCHES = 1_000
"""Of a call: planning takes seconds more with several thousand jobs."""

SIDE_BY_SIDE = 8
"""Settings of a unit at most, so that their arrays fit a core's cache."""

MOST_ROWS = 2**19
"""Samples of a unit at most, counted in each of its runs: where features are noised or quantised
every run has its own, and of 1,280 float32 numbers twice these take 5 GB."""


@dataclass(frozen=True)
class MissingRun:
    """A run that is to be made.

    task: on which it runs.
    setting: of it.
    recipe: of its setting.
    seed: of it.
    key: of its recipe.
    """

    task: str
    setting: Setting
    recipe: SettingRecipe
    seed: int
    key: str


@dataclass(frozen=True)
class Unit:
    """Runs of one method that step side by side in a process.

    runs: by setting, each with a run of every seed of the unit.
    """

    runs: Sequence[Sequence[MissingRun]]

    @property
    def keys(self) -> list[str]:
        """Keys of all its runs."""
        return [run.key for of_setting in self.runs for run in of_setting]


def units(
    missing: Iterable[MissingRun], reads: Callable[[str, Setting], tuple[str, ...]]
) -> list[Unit]:
    """Return the units of missing runs; a run that two tasks share is in one.

    Args:
        missing: runs, of which several may have one key.
        reads: from task and setting to the names of the files that a run reads.
    """
    by_setting: dict[tuple[str, str], dict[str, MissingRun]] = {}
    seen: set[str] = set()
    for run in missing:
        if run.key not in seen:
            seen.add(run.key)
            by_setting.setdefault((run.task, run.setting.name), {})[run.key] = run
    alike: dict[tuple[Any, ...], list[list[MissingRun]]] = {}
    for (task, name), of_setting in by_setting.items():
        runs = list(of_setting.values())
        setting, record = runs[0].setting, methods.record(runs[0].setting.method)
        common = record.together(setting) if record.together is not None else (name,)
        shape = canonical([{k: v for k, v in runs[0].recipe.job.items() if k != "setting"}])
        seeds = tuple(run.seed for run in runs)
        group = (task, setting.method, setting.cut, reads(task, setting), common, shape, seeds)
        alike.setdefault(group, []).append(runs)
    return [
        Unit(group[first : first + SIDE_BY_SIDE])
        for group in alike.values()
        for first in range(0, len(group), SIDE_BY_SIDE)
    ]


def batches(
    all_units: Sequence[Unit],
    seconds: Callable[[Unit], float],
    rows: Callable[[Unit], int],
    places: int,
    longest: float = math.inf,
    failed: Collection[str] = (),
) -> list[list[Unit]]:
    """Return the batches of units: what one job makes, one unit after the other.

    Args:
        all_units: of all tasks.
        seconds: how long a unit takes, in any unit of time.
        rows: samples of a unit, counted in each of its runs.
        places: jobs that can run at once.
        longest: that a batch should take, as on a cluster; without it there are two batches a
            place, which keep all busy to the end, or one where there is one place.
        failed: keys of runs that failed last time: each is in a batch of its own, so that one that
            runs out of memory ends no other, unless they would be half of all batches.
    """
    alone, others = _apart(all_units, frozenset(failed))
    if len(alone) <= MOST_BATCHES // 2:
        all_units = others
    else:
        alone = []
    total = sum(map(seconds, all_units))
    by_places = 2 * places if places > 1 else 1
    wanted = by_places if longest == math.inf else math.ceil(total / longest)
    share = total / max(1, wanted)
    divided = sorted(
        _divided(all_units, lambda unit: seconds(unit) <= share and rows(unit) <= MOST_ROWS),
        key=seconds,
        reverse=True,
    )
    count = min(wanted, len(divided), MOST_BATCHES - len(alone))
    heap: list[tuple[float, int, list[Unit]]] = [(0.0, number, []) for number in range(count)]
    for unit in divided:
        load, number, dealt = heapq.heappop(heap)
        dealt.append(unit)
        heapq.heappush(heap, (load + seconds(unit), number, dealt))
    ordered = sorted(heap, key=lambda entry: (-entry[0], entry[1]))
    return [*([unit] for unit in alone), *(dealt for _, _, dealt in ordered if dealt)]


def name_of_keys(keys: Iterable[str], taken: Collection[str]) -> str:
    """Return the name of the job that makes some keys: hashed again while a marker has it.

    A marker may outlive what its job made; no job that is planned is taken for finished by it.
    """
    name = key_of(canonical(["job", *keys]))
    while name in taken:
        name = key_of(canonical(["again", name]))
    return name


def _apart(all_units: Sequence[Unit], keys: frozenset[str]) -> tuple[list[Unit], list[Unit]]:
    """Return the runs of some keys as units of one run each, and the other units."""
    alone, others = [], []
    for unit in all_units:
        if not keys.isdisjoint(unit.keys):
            alone += [Unit([[run]]) for of_setting in unit.runs for run in of_setting]
        else:
            others.append(unit)
    return alone, others


def _divided(all_units: Iterable[Unit], fits: Callable[[Unit], bool]) -> Iterator[Unit]:
    """Yield units in halves, by settings and then by seeds, until each fits or is one run."""
    for unit in all_units:
        settings = unit.runs
        if fits(unit) or len(settings) == len(settings[0]) == 1:
            yield unit
            continue
        if len(settings) > 1:
            half = len(settings) // 2
            halves = Unit(settings[:half]), Unit(settings[half:])
        else:
            (seeds,) = settings
            half = len(seeds) // 2
            halves = Unit([seeds[:half]]), Unit([seeds[half:]])
        yield from _divided(halves, fits)


START = 0.05
"""Seconds that every run takes, however small."""

RATE = 3e9
"""Multiplications a second where nothing was measured; only ratios count."""

OF_A_DIALOGUE = 10
"""Times the work of a sample of one vector or image: a dialogue is a sequence of them."""

UNKNOWN = 10_000
"""Samples or parameters of which nothing is known before a job."""


class Clock:
    """Says how long units take.

    study: whose runs they are.
    known: what was measured, see `entry`.
    """

    def __init__(self, study: Study, known: Iterable[Mapping[str, Any]]) -> None:
        self.study = study
        self._works: dict[Any, float] = {}
        self._counts: dict[str, int] = {}
        self._settings: dict[str, float] = {}
        self._methods: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for each in known:
            self._settings |= dict.fromkeys(each["of"], each["seconds"] / each["runs"])
            self._methods[each["method"]][0] += each["seconds"]
            self._methods[each["method"]][1] += each["work"]

    def seconds(self, unit: Unit) -> float:
        """Return about how many seconds a unit takes."""
        job, runs = unit.runs[0][0].recipe.job, len(unit.keys)
        measured = self._settings.get(of_job(job))
        if measured is not None:
            return measured * runs
        seconds, work = self._methods.get(unit.runs[0][0].setting.method, (0.0, 0.0))
        return START * runs + self.work(unit) * (seconds / work if work else 1 / RATE)

    def work(self, unit: Unit) -> float:
        """Return the multiplications of a unit: samples × epochs × parameters, times three."""
        run = unit.runs[0][0]
        at = (run.task, run.setting.method, run.setting.network, run.setting.cut)
        if at not in self._works:
            self._works[at] = self._work(unit)
        return self._works[at] * len(unit.keys)

    def rows(self, unit: Unit) -> int:
        """Return the training samples of a unit, counted in each of its runs."""
        return self._samples(unit.runs[0][0].task) * len(unit.keys)

    def _samples(self, task: str) -> int:
        if task not in self._counts:
            block, folder = self.study.task(task), self.study.config["data_folder"]
            kind = dialogues if block["kind"] == "dialogues" else datasets
            # Of some classes all are counted: how many samples they have takes all labels to say.
            data = block["data"] | ({"classes": None} if "classes" in block["data"] else {})
            self._counts[task] = kind.training_count(data, folder) or UNKNOWN
        return self._counts[task]

    def _work(self, unit: Unit) -> float:
        run = unit.runs[0][0]
        block = self.study.task(run.task)
        sizes = sizes_of(self.study, run.task)
        if methods.record(run.setting.method).trains_network:
            weights = sizes.networks.get(run.setting.network)
        else:
            weights = sizes.heads.get(str(run.setting.cut or block["features"]["cut"]))
        epochs = run.recipe.job.get("training", {}).get("epochs", 1)
        sequence = OF_A_DIALOGUE if block["kind"] == "dialogues" else 1
        return 3.0 * sequence * self._samples(run.task) * epochs * (weights or UNKNOWN)
