"""Run Snakemake behind one line that says how far it is: what `./run study` and its like call.

    PYTHONPATH=scripts python scripts/tools/run_workflow.py [--page FILE] [snakemake options]

Snakemake's log and what jobs print go to files below .snakemake/log. Calls that make nothing, such
as a dry run, are Snakemake's alone, and so are those with --verbose, which leaves all that it says
on the screen. With --page a second call makes a report of the finished study.
"""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import TextIO

from fbftl.ground.files import writing
from fbftl.ground.job_kinds import PLAN, Plan, read_plan
from fbftl.ground.pace import Durations, Pace, read_durations, spoken
from fbftl.ground.run_log import FailedJob, RunLog
from fbftl.ground.screen import Screen

LOGS = Path(".snakemake", "log")
"""Where logs of calls lie, in the folder of a study; their names begin with the time."""

PLUGINS = Path(__file__).parents[2] / "workflow" / "plugins"

DRY = {"-n", "--dry-run", "--dryrun"}

BUNDLED = re.compile(r"-[aFfkpt]*n[aFfkpt]*q?")
"""Short options without a value in one word, a dry run among them, as `-np`."""

WITHOUT_JOBS = {
    *("-h", "--help", "-v", "--version", "--lint", "-l", "--list", "--list-rules", "--lt"),
    *("--list-target-rules", "-S", "--summary", "-D", "--detailed-summary", "--dag", "--rulegraph"),
    *("--filegraph", "--d3dag", "--list-input-changes", "--list-changes", "--unlock", "--report"),
    *("--reporter", "--archive", "--containerize", "--cleanup-metadata", "--print-compilation"),
}  # fmt: skip

OF_ITS_OWN = {"--quiet", "-q", "--debug", "--debug-dag", "--logger"}
"""Options that say themselves what the screen shows."""

VERBOSE = "--verbose"

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)

IDLE = {
    "Using workflow specific profile profiles/default for setting default command line arguments."
}
"""What Snakemake prints beside its log and nobody has to know."""

POLL_S = 0.25

FAILURES = 5
"""Failed jobs that are named at most."""

FOLDER = re.compile(r"^The study runs in (.+)$", re.MULTILINE)
"""What the log has of a study in a folder of its own (`workflow/plugins`)."""


class SnakemakeCall:
    """A call of Snakemake that makes something, and what its log has said so far."""

    def __init__(self, screen: Screen, purpose: str) -> None:
        with writing(LOGS):
            LOGS.mkdir(parents=True, exist_ok=True)
        self.start = time.strftime("%Y-%m-%dT%H%M%S")
        self.log_path = LOGS / f"{self.start}.{purpose}.run.log"
        self.output_path = LOGS / f"{self.start}.{purpose}.jobs.log"
        self.log = RunLog()
        self.screen = screen
        self.interrupted = False
        self._announced = False
        self._durations = Durations(read_durations(), self.log.seconds)

    def run(self, options: Sequence[str]) -> int:
        """Run Snakemake and show how far it is; return its exit code, below 0 for a signal."""
        command = ["snakemake", "--logger", "file", "--logger-file-path", str(self.log_path)]
        path = os.pathsep.join([str(PLUGINS), *filter(None, [os.environ.get("PYTHONPATH")])])
        with writing(self.output_path), open(self.output_path, "wb") as output:
            child = subprocess.Popen(
                [*command, *options],
                stdout=output,
                stderr=output,
                env=os.environ | {"PYTHONPATH": path},
                process_group=0,
            )

        def forward(number: int, _: FrameType | None) -> None:
            self.interrupted = True
            os.killpg(child.pid, number)

        before = {number: signal.signal(number, forward) for number in FORWARDED}
        try:
            self._watch(child)
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)
        return child.returncode

    def _watch(self, child: subprocess.Popen[bytes]) -> None:
        """Show what the workflow says before its first job, and then how far the jobs are."""
        with writing(self.log_path):
            self.log_path.touch()
        with (
            open(self.output_path, encoding="utf-8", errors="replace") as output,
            open(self.log_path, encoding="utf-8", errors="replace") as log,
        ):
            running = True
            while running:
                running = child.poll() is None
                if not (self.log.running or self.log.finished):
                    self._repeat(output)
                self._progress(log)
                time.sleep(POLL_S * running)
            self.screen.clear()
            # Where no job has failed, what was printed last says why the call has.
            if child.returncode and not self.log.failed and not self.interrupted:
                self._repeat(output)

    def _repeat(self, output: TextIO) -> None:
        """Show what was printed since, but for the options' own news."""
        lines = [line for line in output.read().splitlines() if line not in IDLE and line.strip()]
        if lines:
            self.screen.say("\n".join(lines))

    def _progress(self, log: TextIO) -> None:
        text = log.read()
        if text and not self.log.plan:
            self.log.follow(self._plan())
        self.log.read(text)
        if not self.log.has_plan:
            return
        pace = Pace.of(self.log, self._durations, time.time())
        if not self._announced and (self.log.plan or self.log.running):
            self._announced = True
            takes = "" if pace.left is None else f", about {spoken(pace.left)}"
            self.screen.say(f"{pace.planned:,} jobs{takes}; Ctrl-C stops them")
        job = next(reversed(self.log.running.values()), None)
        self.screen.show(pace, job.title if job else "")

    def _plan(self) -> Plan:
        """Return the plan of the call, which lies beside Snakemake's own log of it.

        It is written before any log names a job, and so is there where one does.
        """
        plans = (self.folder / LOGS).glob(f"*{PLAN}")
        newest = max((path for path in plans if path.name >= self.start), default=None)
        return read_plan(newest) if newest else {}

    @property
    def folder(self) -> Path:
        """Where the study runs: here, or in the folder that its configuration names."""
        match = FOLDER.search(self.log_path.read_text(encoding="utf-8", errors="replace"))
        return Path(os.path.relpath(match[1])) if match else Path()


def main(words: Sequence[str]) -> int:
    """Run a study; return Snakemake's exit code.

    Args:
        words: options of Snakemake, before them `--page` with a path if a report is to be made.
    """
    page, options = (words[1], words[2:]) if words[:1] == ["--page"] else (None, list(words))
    names = {word.partition("=")[0] for word in options}
    if names & (DRY | WITHOUT_JOBS) or any(map(BUNDLED.fullmatch, names)):
        os.execvp("snakemake", ["snakemake", *options])
    quiet = [word for word in options if word != VERBOSE]
    if VERBOSE in names or names & OF_ITS_OWN:
        code = subprocess.call(["snakemake", *quiet])
    else:
        code = study(quiet)
    if page and code == 0:
        code = report(page, quiet)
    return code


def study(options: Sequence[str]) -> int:
    """Make a study and say what came of it; return Snakemake's exit code."""
    screen, start = Screen(sys.stderr), time.monotonic()
    call = SnakemakeCall(screen, "study")
    screen.say(f"Planning the study; its log is {call.log_path}")
    code = call.run(options)
    screen.say("\n".join(outcome(call, code, time.monotonic() - start)))
    return code


def outcome(call: SnakemakeCall, code: int, seconds: float) -> list[str]:
    """Return what came of a call, in lines: what was made, or what failed and how to go on."""
    log, folder = call.log, call.folder
    finished = f"{log.finished.total():,} of {log.planned.total():,} jobs are done"
    if code == 0:
        index = folder / "results" / "index.html"
        lines = [made(log, seconds)]
        return [*lines, f"Open {index}"] if index.exists() else lines
    if call.interrupted:
        return [f"Stopped; {finished} and stay. To go on, call the same command again"]
    if log.failed:
        jobs = list(log.failed.values())
        lines = [line for job in jobs[:FAILURES] for line in failure(job, folder)]
        if len(jobs) > FAILURES:
            lines.append(f"{len(jobs) - FAILURES:,} more jobs failed; they are in {call.log_path}")
        lines.append(f"{finished} and stay. Mend what failed, then call the same command again")
        return lines
    return []


def made(log: RunLog, seconds: float) -> str:
    """Return what a finished call has made, in words."""
    if not log.finished:
        return "All that was asked for is there already"
    tables, figures = (
        sum(count for rule, count in log.finished.items() if rule.startswith(verb))
        for verb in ("tabulate_", "plot_")
    )
    parts = [f"tables: {tables:,}"] * bool(tables) + [f"figures: {figures:,}"] * bool(figures)
    jobs = f"Finished in {spoken(seconds)}, jobs: {log.finished.total():,}"
    return ", ".join([jobs, *parts])


def failure(job: FailedJob, folder: Path) -> list[str]:
    """Return what failed, the last line of its log, and where that is."""
    lines = [f"Failed: {job.title}"]
    path = folder / job.log
    if job.log and path.is_file():
        *_, last = ["", *path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]]
        lines += [f"  {last.strip()}"] * bool(last.strip())
        lines.append(f"  its log is {path}")
    return lines


def report(page: str, options: Sequence[str]) -> int:
    """Make the report of a finished study; return Snakemake's exit code."""
    screen = Screen(sys.stderr)
    screen.say("Writing the report")
    call = SnakemakeCall(screen, "report")
    code = call.run(["--reporter", "papers", "--report-papers-path", page, *options])
    screen.say(f"Open {call.folder / page}" if code == 0 else f"Its log is {call.log_path}")
    return code


if __name__ == "__main__":
    code = main(sys.argv[1:])
    if code < 0:  # Snakemake was ended by a signal, and so is what called it.
        with suppress(OSError):  # Nobody handles SIGKILL.
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
