"""How far a study is: jobs done of those planned, and the time left by what jobs take."""

import csv
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from pathlib import Path
from statistics import mean

from fbftl.ground.job_kinds import JobKind
from fbftl.ground.run_log import RunLog

STARTUP = 10.0
"""Seconds for which a run is taken to have had its cores busy, beside what its log says."""

HALF_LIFE = 5.0
"""Finished jobs of a kind after which an earlier one counts half.

Jobs of one kind differ, and those that are alike are started together; a machine that others use
too changes its speed. So the latest tell most of those to come.
"""

OVERDUE = 0.1
"""Share of a job that is taken to be left however long it has taken."""

SHIPPED = Path(__file__).with_name("durations.csv")
"""How long jobs took elsewhere, by kind; `scripts/tools/measure_durations.py` writes it."""

AtWork = Sequence[tuple[JobKind, float]]
"""Jobs at work: the kind of each, and the seconds since it was started."""


@dataclass(frozen=True)
class Durations:
    """How long a job of each kind is expected to take.

    shipped: mean seconds by kind, as measured on another machine.
    measured: seconds of each job that has finished here, by kind, the latest last.
    """

    shipped: Mapping[JobKind, float]
    measured: Mapping[JobKind, Sequence[float]] = field(default_factory=dict)
    _nearest: dict[JobKind, float] = field(default_factory=dict, compare=False)

    def by_kind(self, kinds: Collection[JobKind], at_work: AtWork = ()) -> dict[JobKind, float]:
        """Return the expected seconds of a job of each kind, of those at work too.

        The mean of the jobs that have finished here and of one job as shipped, at this machine's
        speed: its seconds over those shipped for the same jobs. The latest jobs count most, by
        `HALF_LIFE`. A job at work that takes longer than is expected of it is among the jobs that
        tell the speed, so that a long one does before it ends.
        """
        spent = sum(map(sum, self.measured.values()))
        expected = sum(self.elsewhere(kind) * len(took) for kind, took in self.measured.items())
        for kind, elapsed in at_work:
            if elapsed > self.elsewhere(kind) * (spent / expected if spent and expected else 1.0):
                spent, expected = spent + elapsed, expected + self.elsewhere(kind)
        speed = spent / expected if spent and expected else 1.0
        return {
            kind: recent_mean(self.measured.get(kind, ()), speed * self.elsewhere(kind))
            for kind in {*kinds, *(kind for kind, _ in at_work)}
        }

    def elsewhere(self, kind: JobKind) -> float:
        """Return the seconds shipped for a kind, or the mean of those nearest to it.

        Nearest are kinds of the same rule and method on other tasks, then of the same rule, then
        of rules whose names begin as its own.
        """
        if kind not in self._nearest:
            self._nearest[kind] = self._mean_of_nearest(kind)
        return self._nearest[kind]

    def _mean_of_nearest(self, kind: JobKind) -> float:
        if kind in self.shipped:
            return self.shipped[kind]
        same_rule = {k: seconds for k, seconds in self.shipped.items() if k.rule == kind.rule}
        same_method = [seconds for k, seconds in same_rule.items() if k.method == kind.method]
        if near := same_method or list(same_rule.values()):
            return mean(near)
        begin = kind.rule
        while begin := begin.rpartition("_")[0]:
            if kin := [s for k, s in self.shipped.items() if k.rule.startswith(begin)]:
                return mean(kin)
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


def read_durations(path: Path = SHIPPED) -> dict[JobKind, float]:
    """Return the shipped mean seconds by kind."""
    with open(path, encoding="utf-8", newline="") as file:
        return {
            JobKind(*(row[name] for name in JobKind._fields)): float(row["seconds"])
            for row in csv.DictReader(file)
        }


def makespan(work: float, longest: float, at_once: float) -> float:
    """Return the seconds in which jobs are expected to end of which several run at once.

    Which job is started when is open: the least if the longest is started first, and the most if
    it is started when all others have ended. The middle between the two.

    Args:
        work: seconds of all jobs together.
        longest: seconds of the longest.
        at_once: how many run at once.
    """
    least = max(work / at_once, longest)
    most = longest + (work - longest) / at_once
    return (least + most) / 2


def remaining(expected: float, elapsed: float) -> float:
    """Return the seconds that a job at work is expected to take on; never none at all."""
    return max(expected - elapsed, OVERDUE * max(expected, elapsed))


def jobs_at_once(log: RunLog, now: float) -> float:
    """Return how many jobs a run has had at once, on average over the later half of its time.

    For `STARTUP` seconds more these are as many as its cores.
    """
    since = now if log.first is None else (log.first + now) / 2
    lately = takewhile(lambda span: span[1] > since, reversed(log.spans))
    ended = sum(end - max(start, since) for start, end in lately)
    at_work = sum(now - max(job.since, since) for job in log.running.values())
    return (max(ended + at_work, 0.0) + log.cores * STARTUP) / (max(now - since, 0.0) + STARTUP)


@dataclass(frozen=True)
class Pace:
    """How far a run is, at a moment.

    jobs, planned: jobs that are done, and all of them.
    share: the part of the expected work that is done, from 0 to 1; without a plan that of the jobs.
    left: expected seconds to the run's end; None without a plan of the kinds of its jobs.
    """

    jobs: int
    planned: int
    share: float
    left: float | None

    @classmethod
    def of(cls, log: RunLog, durations: Durations, now: float) -> "Pace":
        """Return the pace of a run.

        Args:
            log: of the run.
            durations: of the kinds, those of the run's own jobs among them.
            now: seconds since the epoch.
        """
        jobs, planned = log.finished.total(), log.planned.total()
        if not log.plan:
            return cls(jobs, planned, jobs / max(planned, 1), None)
        at_work = [
            (job.kind, max(now - job.since, 0.0)) for job in log.running.values() if job.kind
        ]
        seconds = durations.by_kind(log.left, at_work)
        waiting = log.left - Counter(kind for kind, _ in at_work)
        rests = [remaining(seconds[kind], elapsed) for kind, elapsed in at_work]
        work = sum(rests) + sum(seconds[kind] * count for kind, count in waiting.items())
        longest = max([*rests, *(seconds[kind] for kind in waiting)], default=0.0)
        done = sum(map(sum, log.seconds.values())) + sum(elapsed for _, elapsed in at_work)
        return cls(
            jobs=jobs,
            planned=planned,
            share=done / (done + work) if work else 1.0,
            left=makespan(work, longest, jobs_at_once(log, now)),
        )

    @property
    def sentence(self) -> str:
        """Jobs done and the time left, in words."""
        if self.jobs == self.planned or self.left is None:
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
