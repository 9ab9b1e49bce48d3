"""How far a study is: jobs done of those planned, and the time left by what jobs take."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import mean

from fbftl.ground.run_log import RunLog

STARTUP = 10.0
"""Seconds of a run after which the jobs that it has had at once count as much as its cores."""

HALF_LIFE = 5.0
"""Finished jobs of a rule after which an earlier one counts half.

Jobs of one rule differ, and those that are alike are started together; a machine that others use
too changes its speed. So the latest tell most of those to come.
"""

SHIPPED = Path(__file__).with_name("durations.csv")
"""How long jobs took elsewhere, by rule; `scripts/tools/measure_durations.py` writes it."""

DIGEST = re.compile(r"-[0-9a-f]{8}$")
"""What ends the name of a rule that Snakemake makes for one list of settings."""


@dataclass(frozen=True)
class Durations:
    """How long a job of each rule is expected to take.

    shipped: mean seconds by rule, as measured on another machine.
    measured: seconds of each job that has finished here, by rule, the latest last.
    at_work: seconds since each job was started that is at work here, of whichever rule it is.
    """

    shipped: Mapping[str, float]
    measured: Mapping[str, Iterable[float]] = field(default_factory=dict)
    at_work: Sequence[float] = ()

    def by_rule(self, rules: Iterable[str]) -> dict[str, float]:
        """Return the expected seconds of a job of each rule.

        The mean of the jobs that have finished here and of one job as shipped, at this machine's
        speed: its seconds over those shipped for the same jobs. The latest jobs count most, by
        `HALF_LIFE`. A job at work that takes longer than any is expected to counts as one of the
        longest rule, so that the first long one tells before it ends. A rule that is not shipped
        counts as the rules whose names begin as its own, and without such as the mean rule.
        """
        by_family: dict[str, list[float]] = {}
        for rule, seconds in self.measured.items():
            by_family.setdefault(family(rule), []).extend(seconds)
        shipped = {name: self._shipped(name) for name in {*by_family, *map(family, rules)}}
        expected = sum(shipped[name] * len(seconds) for name, seconds in by_family.items())
        spent = sum(map(sum, by_family.values()))
        longest = max(shipped.values(), default=0.0)
        for elapsed in self.at_work:
            if elapsed > longest * (spent / expected if spent and expected else 1.0):
                spent, expected = spent + elapsed, expected + longest
        speed = spent / expected if spent and expected else 1.0
        means = {
            name: recent_mean(by_family.get(name, []), speed * seconds)
            for name, seconds in shipped.items()
        }
        return {rule: means[family(rule)] for rule in rules}

    def _shipped(self, name: str) -> float:
        begin = name
        while begin:
            if kin := [each for rule, each in self.shipped.items() if rule.startswith(begin)]:
                return self.shipped.get(begin, mean(kin))
            begin = begin.rpartition("_")[0]
        return mean(self.shipped.values()) if self.shipped else 1.0


def recent_mean(finished: Sequence[float], prior: float) -> float:
    """Return the mean of values and of a prior one, of which the latest value counts most.

    Args:
        finished: the values, the latest last; each counts half of the one `HALF_LIFE` later.
        prior: counts as much as the latest value.
    """
    total, count = prior, 1.0
    for age, seconds in enumerate(reversed(finished)):
        weight = 0.5 ** (age / HALF_LIFE)
        total, count = total + weight * seconds, count + weight
    return total / count


def family(rule: str) -> str:
    """Return the name that a rule shares with those of other lists of settings."""
    return DIGEST.sub("", rule)


def read_durations(path: Path = SHIPPED) -> dict[str, float]:
    """Return the shipped mean seconds by rule."""
    with open(path, encoding="utf-8", newline="") as file:
        return {row["rule"]: float(row["seconds"]) for row in csv.DictReader(file)}


@dataclass(frozen=True)
class Pace:
    """How far a run is, at a moment.

    jobs, planned: jobs that are done, and all of them.
    share: the part of the expected work that is done, from 0 to 1.
    left: expected seconds to its end.
    """

    jobs: int
    planned: int
    share: float
    left: float

    @classmethod
    def of(cls, log: RunLog, durations: Durations, now: float) -> "Pace":
        """Return the pace of a run.

        Args:
            log: of the run, with its plan.
            durations: of the rules, those of the run's own jobs among them.
            now: seconds since the epoch.
        """
        since = [max(now - job.since, 0.0) for job in log.running.values()]
        seconds = replace(durations, at_work=since).by_rule(log.planned)
        work = {
            "planned": sum(seconds[rule] * count for rule, count in log.planned.items()),
            "left": sum(seconds[rule] * count for rule, count in log.left.items()),
        }
        # No job at work is taken for done, however long it takes.
        typical = work["left"] / max(log.left.total(), 1)
        left = work["left"] - sum(min(spent, 0.9 * typical) for spent in since)
        busy = sum(map(sum, log.seconds.values())) + sum(since)
        elapsed = now - log.first if log.first is not None else 0.0
        at_once = (busy + log.cores * STARTUP) / (max(elapsed, 0.0) + STARTUP)
        return cls(
            jobs=log.finished.total(),
            planned=log.planned.total(),
            share=1 - left / work["planned"] if work["planned"] else 1.0,
            left=left / max(at_once, 0.1),
        )

    @property
    def sentence(self) -> str:
        """Jobs done and the time left, in words."""
        if self.jobs == self.planned:
            return self.done
        return f"{self.done}, about {spoken(self.left)} left"

    @property
    def done(self) -> str:
        """Jobs done, in words."""
        return f"{self.jobs:,} of {self.planned:,} jobs done"


def spoken(seconds: float) -> str:
    """Return a duration as people say it, in its two largest units."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
