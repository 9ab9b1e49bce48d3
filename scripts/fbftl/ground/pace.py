"""How far a study is: jobs done of those planned, and the time left by measured durations."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import fmean

PLANNED = re.compile(r"^(\w[\w-]*) +(\d+)$", re.MULTILINE)
FINISHED = re.compile(r"^Finished jobid: \d+ \(Rule: (\S+)\)$", re.MULTILINE)


@dataclass(frozen=True)
class Pace:
    """What a run has planned and done.

    planned, finished: jobs by rule.
    """

    planned: Counter[str]
    finished: Counter[str]

    @classmethod
    def read(cls, log: str) -> "Pace":
        """Return what Snakemake's log of a run says so far; nothing before it has planned."""
        _, _, told = log.partition("Job stats:\n")
        table, total, _ = told.partition("\ntotal")
        planned = {rule: int(count) for rule, count in PLANNED.findall(table)} if total else {}
        return cls(Counter(planned), Counter(FINISHED.findall(told)))

    @property
    def left(self) -> Counter[str]:
        """Jobs that are still to be done, by rule."""
        return self.planned - self.finished

    def line(self, seconds: Mapping[str, Iterable[float]], elapsed: float) -> str:
        """Return one line: jobs done, and the time left.

        Args:
            seconds: how long jobs of each rule took, in this run or an earlier one.
            elapsed: seconds since this run began. Its jobs' own times say how many it does at once.
        """
        means = {rule: fmean(took) for rule, took in seconds.items()}
        done, all_jobs = self.finished.total(), self.planned.total()
        if not self.left:
            return f"{done:,} of {all_jobs:,} jobs done"
        busy = sum(means.get(rule, 0.0) * count for rule, count in self.finished.items())
        # Before the first job has ended nothing says more than that one runs.
        at_once = max(busy / elapsed, 1.0) if elapsed > 0 else 1.0
        rest = sum(means.get(rule, 0.0) * count for rule, count in self.left.items()) / at_once
        unknown = sum(count for rule, count in self.left.items() if rule not in means)
        beside = f", and {unknown:,} jobs of which none was measured" * bool(unknown)
        return f"{done:,} of {all_jobs:,} jobs done, about {spoken(rest)} left{beside}"


def spoken(seconds: float) -> str:
    """Return a duration as people say it, in its two largest units."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
