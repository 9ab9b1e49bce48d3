"""What Snakemake's log of a call says: the jobs that are planned, at work, finished and failed."""

import re
import time
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from fbftl.ground.job_kinds import JobKind, Plan

STAMP = re.compile(r" *\[(\w{3} \w{3} [ \d]\d \d\d:\d\d:\d\d \d{4})\]")
PLANNED = re.compile(r"(\w[\w-]*) +(\d+)")
CORES = re.compile(r"Provided cores: (\d+)\b")
STARTED = re.compile(r" *Job (\d+): (.+)")
FINISHED = re.compile(r" *Finished jobid: (\d+) \(Rule: (\S+)\)")
FAILED = re.compile(r" *Error in rule (\S+):")
OF_FAILED = re.compile(r" +(message|jobid|log): (.+)")


@dataclass
class StartedJob:
    """A job at work.

    title: what it does, as its rule says it.
    since: when it was started, in seconds since the epoch; by a cluster, when it was handed over.
    kind: as planned; None where the plan does not say.
    """

    title: str
    since: float
    kind: JobKind | None = None


@dataclass
class FailedJob:
    """A job that failed.

    title: what it was to do, or its rule's name.
    log: path of its log; empty if it has none.
    """

    title: str
    log: str = ""


@dataclass
class RunLog:
    """A log that may still grow; `read` takes what was appended.

    plan: of the call, beside its log.
    planned, finished: jobs by rule.
    left: jobs of the plan that are still to be finished, by kind.
    running: jobs at work by their number, the latest last.
    failed: failed jobs by their number, the latest failure of each.
    spans: when each finished job was started and when it ended, in the order of ending.
    seconds: how long each finished job of the plan took, by kind, in whole seconds.
    cores: those that jobs of this machine share; 1 where the log names none.
    first, last: times of the first and of the last entry, in seconds since the epoch.
    """

    plan: Plan = field(default_factory=dict)
    planned: Counter[str] = field(default_factory=Counter)
    finished: Counter[str] = field(default_factory=Counter)
    left: Counter[JobKind] = field(default_factory=Counter)
    running: dict[int, StartedJob] = field(default_factory=dict)
    failed: dict[int, FailedJob] = field(default_factory=dict)
    spans: list[tuple[float, float]] = field(default_factory=list)
    seconds: dict[JobKind, list[float]] = field(default_factory=lambda: defaultdict(list))
    cores: int = 1
    first: float | None = None
    last: float | None = None
    _rest: str = ""
    _in_plan: bool = False
    _failure: FailedJob | None = None

    @classmethod
    def of(cls, text: str, plan: Plan | None = None) -> "RunLog":
        """Return what a whole log says."""
        log = cls()
        log.follow(plan or {})
        log.read(text)
        return log

    def follow(self, plan: Plan) -> None:
        """Take the call's plan, before the log names a job."""
        self.plan, self.left = plan, Counter(plan.values())

    @property
    def has_plan(self) -> bool:
        """Whether the plan is there to its last line."""
        return bool(self.planned) and not self._in_plan

    @property
    def unfinished(self) -> bool:
        """Whether jobs are still to be finished."""
        return self.finished.total() < self.planned.total()

    def read(self, text: str) -> None:
        """Take what was appended to the log; a line without its end waits for the rest."""
        *lines, self._rest = (self._rest + text).split("\n")
        for line in lines:
            self._line(line)

    def _line(self, line: str) -> None:
        if self._in_plan:
            self._plan(line)
        elif line == "Job stats:":
            self._in_plan = True
        elif match := STAMP.match(line):
            self.last = time.mktime(time.strptime(match[1], "%a %b %d %H:%M:%S %Y"))
            self.first = self.last if self.first is None else self.first
        elif match := CORES.match(line):
            self.cores = int(match[1])
        elif match := FINISHED.fullmatch(line):
            self._finish(int(match[1]), match[2])
        elif match := FAILED.fullmatch(line):
            self._failure = FailedJob(match[1])
        elif self._failure and (match := OF_FAILED.fullmatch(line)):
            self._fail(self._failure, match[1], match[2])
        elif match := STARTED.fullmatch(line):
            number = int(match[1])
            self.running[number] = StartedJob(match[2], self.last or 0.0, self.plan.get(number))

    def _plan(self, line: str) -> None:
        """Take a line of the plan's table, which ends with its total."""
        match = PLANNED.fullmatch(line)
        if match and match[1] == "total":
            self._in_plan = False
        elif match:
            self.planned[match[1]] = int(match[2])

    def _finish(self, number: int, rule: str) -> None:
        self.finished[rule] += 1
        self.failed.pop(number, None)
        job = self.running.pop(number, None)
        if number in self.plan:
            self.left[self.plan[number]] -= 1
        if job and self.last is not None:
            self.spans.append((job.since, self.last))
            if job.kind:
                self.seconds[job.kind].append(self.last - job.since)

    def _fail(self, failure: FailedJob, key: str, value: str) -> None:
        """Take a line below a failure's heading."""
        match key:
            case "message":
                failure.title = value
            case "jobid":
                self.failed[int(value)] = failure
                if job := self.running.pop(int(value), None):
                    failure.title = job.title
            case "log":
                failure.log = value.partition(" (check log file")[0].partition(", ")[0]
