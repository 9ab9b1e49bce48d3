"""How long units of runs take: measured earlier, or in proportion to their multiplications.

It decides how units are dealt to batches, and no result.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from fbftl.data import datasets
from fbftl.data.dialogues import splits as dialogues
from fbftl.ground.timings import of_job
from fbftl.plan.batches import Unit
from fbftl.plan.sizes import sizes_of
from fbftl.study import methods
from fbftl.study.config import Study
from fbftl.study.job import most_epochs

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
        epochs = most_epochs(run.recipe.job.get("training", {}).get("epochs", 1))
        sequence = OF_A_DIALOGUE if block["kind"] == "dialogues" else 1
        return 3.0 * sequence * self._samples(run.task) * epochs * (weights or UNKNOWN)
