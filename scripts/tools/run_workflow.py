"""Run Snakemake behind one line of jobs done: what `./run study` and its like call.

    PYTHONPATH=scripts python scripts/tools/run_workflow.py [--page FILE] [snakemake options]

Snakemake's log and what jobs print go to files below .snakemake/log. Calls that make nothing, such
as a dry run, are Snakemake's alone, and so are those with --verbose, which leaves all that it says
on the screen. With --page Snakemake writes its report of the finished study there.
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
from fbftl.ground.progress import JobsDone, spoken

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
"""What Snakemake prints besides its log and nobody has to know."""

POLL_S = 0.25

FAILURES = 5
"""Failed jobs that are named at most."""

FOLDER = re.compile(r"^The study runs in (.+)$", re.MULTILINE)
"""What the log has of a study in a folder of its own (`workflow/plugins`)."""

PLANNED = re.compile(r"^total +(\d+)$", re.MULTILINE)
STARTED = re.compile(r"^ *Job (\d+): (.+)$", re.MULTILINE)
FINISHED = re.compile(r"^ *Finished jobid: ", re.MULTILINE)
FAILED = re.compile(r"^ *Error in rule (?P<rule>\S+):\n(?P<facts>(?: +\S.*\n)*)", re.MULTILINE)
FACT = re.compile(r"^ +(jobid|log): (.+)$", re.MULTILINE)
MISSING = re.compile(r"^([\d,]+) runs are missing in (.+), in [\d,]+ batch", re.MULTILINE)
"""What Snakemake's log says of a call."""


class SnakemakeCall:
    """A call of Snakemake that makes something, and what its log has said so far."""

    def __init__(self, screen: TextIO) -> None:
        with writing(LOGS):
            LOGS.mkdir(parents=True, exist_ok=True)
        start = time.strftime("%Y-%m-%dT%H%M%S")
        self.log_path = LOGS / f"{start}.run.log"
        self.output_path = LOGS / f"{start}.jobs.log"
        self.jobs = JobsDone(screen)
        self.interrupted = False
        self._runs, self._before, self._store = 0, 0, Path()

    def _runs_there(self) -> int:
        """Return how many runs the store has, where some were missing."""
        if not self._runs:
            return 0
        return sum(path.suffix == ".json" for path in self._store.glob("runs/*"))

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

    @property
    def log(self) -> str:
        """Snakemake's log so far."""
        with suppress(FileNotFoundError):
            return self.log_path.read_text(encoding="utf-8", errors="replace")
        return ""

    @property
    def failed(self) -> dict[str, dict[str, str]]:
        """Jobs that failed: rule, message and log of each by its number, the latest failure."""
        messages = dict(STARTED.findall(self.log))
        found = [
            {"rule": m["rule"], **dict(FACT.findall(m["facts"]))} for m in FAILED.finditer(self.log)
        ]
        return {
            facts.get("jobid", ""): facts
            | {"message": messages.get(facts.get("jobid"), facts["rule"])}
            for facts in found
        }

    @property
    def folder(self) -> Path:
        """Where the study runs: here, or in the folder that its configuration names."""
        match = FOLDER.search(self.log)
        return Path(os.path.relpath(match[1])) if match else Path()

    def _watch(self, child: subprocess.Popen[bytes]) -> None:
        """Show what the workflow says before its first job, and then how many jobs are done."""
        running, started = True, False
        with open(self.output_path, encoding="utf-8", errors="replace") as output:
            while running:
                running = child.poll() is None
                log = self.log
                if not started:
                    self._repeat(output)
                    started = bool(STARTED.search(log))
                if planned := PLANNED.search(log):
                    runs = self._runs_there() - self._before
                    self.jobs.show(len(FINISHED.findall(log)), int(planned[1]), runs, self._runs)
                time.sleep(POLL_S * running)
            self.jobs.clear()
            # Where no job has failed, what was printed last says why the call has.
            if child.returncode and not self.failed and not self.interrupted:
                self._repeat(output)

    def _repeat(self, output: TextIO) -> None:
        """Show what was printed since, but for the options' own news."""
        for line in output.read().splitlines():
            if missing := MISSING.match(line):
                self._runs, self._store = int(missing[1].replace(",", "")), Path(missing[2])
                self._before = self._runs_there()
            if line.strip() and line not in IDLE:
                self.jobs.say(line)


def main(words: Sequence[str]) -> int:
    """Run a study; return Snakemake's exit code.

    Args:
        words: options of Snakemake, before them `--page` with a path if a report is to be made.
    """
    page, options = (words[1], words[2:]) if words[:1] == ["--page"] else (None, list(words))
    names = {word.partition("=")[0] for word in options}
    if names & (DRY | WITHOUT_JOBS) or any(map(BUNDLED.fullmatch, names)):
        os.execvp("snakemake", ["snakemake", *options])
    reported = ["--report", page, "--report-after-run"] if page else []
    quiet = [*reported, *(word for word in options if word != VERBOSE)]
    if VERBOSE in names or names & OF_ITS_OWN:
        return subprocess.call(["snakemake", *quiet])
    return study(quiet, page)


def study(options: Sequence[str], page: str | None) -> int:
    """Make a study and say what came of it and where; return Snakemake's exit code."""
    call = SnakemakeCall(sys.stderr)
    call.jobs.say(f"Planning the study; its log is {call.log_path}")
    code = call.run(options)
    for line in outcome(call, code):
        call.jobs.say(line)
    if page and code == 0:
        call.jobs.say(f"Open {call.folder / page}")
    return code


def outcome(call: SnakemakeCall, code: int) -> list[str]:
    """Return what came of a call, in lines: what was made, or what failed and how to go on."""
    done = f"{call.jobs.done:,} of {call.jobs.planned:,} jobs are done"
    if code == 0:
        index = call.folder / "results" / "index.html"
        lines = [f"Finished in {spoken(call.jobs.elapsed)}, jobs: {call.jobs.done:,}"]
        if not call.jobs.done:
            lines = ["All that was asked for is there already"]
        return [*lines, f"Open {index}"] if index.exists() else lines
    if call.interrupted:
        return [f"Stopped; {done} and stay. To go on, call the same command again"]
    if failed := list(call.failed.values()):
        lines = [line for job in failed[:FAILURES] for line in failure(job, call.folder)]
        if len(failed) > FAILURES:
            lines.append(
                f"{len(failed) - FAILURES:,} more jobs failed; they are in {call.log_path}"
            )
        return [*lines, f"{done} and stay. Mend what failed, then call the same command again"]
    return []


def failure(job: dict[str, str], folder: Path) -> list[str]:
    """Return what failed, the last line of its log, and where that is."""
    lines = [f"Failed: {job.get('message', job['rule'])}"]
    path = folder / job.get("log", "").partition(" (check log file(s)")[0]
    if path.is_file():
        *_, last = ["", *path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]]
        lines += [f"  {last.strip()}"] * bool(last.strip())
        lines.append(f"  its log is {path}")
    return lines


if __name__ == "__main__":
    code = main(sys.argv[1:])
    if code < 0:  # Snakemake was ended by a signal, and so is what called it.
        with suppress(OSError):  # Nobody handles SIGKILL.
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    sys.exit(code)
