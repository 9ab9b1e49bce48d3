"""How far a study is: jobs done of those planned, and the time left by measured durations."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

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
        _, _, stats = log.partition("Job stats:\n")
        table, total, _ = stats.partition("\ntotal")
        planned = {rule: int(count) for rule, count in PLANNED.findall(table)} if total else {}
        return cls(Counter(planned), Counter(FINISHED.findall(stats)))

    @property
    def left(self) -> Counter[str]:
        """Jobs that are still to be done, by rule."""
        return self.planned - self.finished

    def line(
        self, seconds: Mapping[str, Iterable[float]], elapsed: float, *, running: bool = True
    ) -> str:
        """Return one line: jobs done, and the time left.

        A job is expected to take the median of its rule, and where none of its rule was measured
        the median of the measured rules' medians.

        Args:
            seconds: how long jobs of each rule took, in this run or an earlier one.
            elapsed: seconds since this run began. Its jobs' own times say how many it does at once.
            running: whether the run still goes on.
        """
        done = f"{self.finished.total():,} of {self.planned.total():,} jobs done"
        if not self.left:
            return done
        if not running:
            return f"{done}; the run has ended before the rest, call it again to go on"
        medians = {rule: median(took) for rule, took in seconds.items()}
        if not medians:
            return f"{done}; how long the rest takes is known once a job has ended"
        any_rule = median(medians.values())

        def expected(jobs: Counter[str]) -> float:
            return sum(medians.get(rule, any_rule) * count for rule, count in jobs.items())

        # Before the first job has ended nothing says more than that one runs.
        at_once = max(expected(self.finished) / elapsed, 1.0) if elapsed > 0 else 1.0
        guessed = sum(count for rule, count in self.left.items() if rule not in medians)
        beside = f", {guessed:,} jobs guessed by those of other rules" * bool(guessed)
        return f"{done}, about {spoken(expected(self.left) / at_once)} left{beside}"


def spoken(seconds: float) -> str:
    """Return a duration as people say it, in its two largest units."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"
