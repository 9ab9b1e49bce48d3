"""Run Snakemake behind one line of jobs done: what `./run study` and its like call.

    PYTHONPATH=scripts:workflow/plugins python scripts/tools/run_workflow.py [--page FILE] ...

Calls that make nothing, such as a dry run, are Snakemake's alone, and so are those with --verbose,
which leaves all that it says on the screen. A dry run without it counts jobs and lists none. With
--page Snakemake writes its report of the finished study there.
"""

import io
import os
import signal
import sys
from argparse import Namespace
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from typing import Any

from fbftl.ground.errors import ending_with_sentence
from fbftl.ground.progress import spoken
from fbftl.study.yaml_files import read_config_file
from snakemake import cli
from snakemake_logger_plugin_progress import LogHandler

WITHOUT_JOBS = (
    "dryrun", "lint", "list_rules", "list_target_rules", "summary", "detailed_summary", "dag",
    "rulegraph", "filegraph", "d3dag", "list_changes", "list_input_changes", "unlock", "report",
    "reporter", "archive", "containerize", "cleanup_metadata", "print_compilation",
)  # fmt: skip

OF_ITS_OWN = ("verbose", "quiet", "debug", "debug_dag", "logger", "printshellcmds")
"""Options that say themselves what the screen shows."""

DRY = ("--quiet", "rules", "host", "--dry-run")
"""Options of a dry run, which counts jobs by kind; with --verbose it lists each with its files."""

FAILURES = 5
"""Failed jobs that are named at most."""


def main(words: Sequence[str]) -> Any:
    """Run a study; return Snakemake's exit code.

    Args:
        words: options of Snakemake, before them `--page` with a path if a report is to be made.

    Raises:
        UserError: if a file of --configfile is missing or malformed.
    """
    page, options = (words[1], words[2:]) if words[:1] == ["--page"] else (None, list(words))
    _, args = _parsed(options)
    # Snakemake reads these before anything of ours can say what is wrong with them.
    for path in args.configfile:
        read_config_file(path)
    makes = not any(getattr(args, name) for name in WITHOUT_JOBS)
    if makes:
        reported = ["--report", page, "--report-after-run"] if page else []
        options = [*reported, *(word for word in options if word != "--verbose")]
    shown = any(getattr(args, name) for name in OF_ITS_OWN)
    if args.dryrun and not shown:
        options = [*DRY, *options]
    if not makes or shown:
        os.execvp("snakemake", ["snakemake", *options])
    return study(options, page)


def _parsed(options: Sequence[str]) -> tuple[Any, Namespace]:
    """Return Snakemake's parser and what options say; it tells that a call has the profile."""
    printed = io.StringIO()
    try:
        with redirect_stderr(printed):
            return cli.parse_args(options)
    except SystemExit:
        sys.stderr.write(printed.getvalue())
        raise


def study(options: Sequence[str], page: str | None) -> Any:
    """Make a study and say what came of it and where; return Snakemake's exit code."""
    sys.argv = ["snakemake", "--logger=progress", *options]
    stopped: list[int] = []

    def stop(number: int, _: Any) -> None:
        stopped.append(number)
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, stop)
    parser, args = _parsed(sys.argv[1:])
    try:
        code: Any = int(not cli.args_to_api(args, parser))
    except cli.CliException as error:
        return str(error)
    except (KeyboardInterrupt, SystemExit) as ended:
        code = getattr(ended, "code", 1)
    call = LogHandler.latest
    # The workflow ends with a sentence where nothing can be planned.
    lines = [code] if isinstance(code, str) else outcome(call, code, stopped=bool(stopped))
    if page and code == 0:
        lines.append(f"Open {Path(os.path.relpath(call.folder)) / page}")
    for line in lines:
        call.screen.say(line)
    return 1 if isinstance(code, str) else code


def outcome(call: LogHandler, code: int, *, stopped: bool) -> list[str]:
    """Return what came of a call, in lines: what was made, or what failed and how to go on."""
    screen, folder = call.screen, Path(os.path.relpath(call.folder))
    done = f"{screen.done:,} of {screen.planned:,} jobs are done"
    if code == 0:
        index = folder / "results" / "index.html"
        lines = [f"Finished in {spoken(screen.elapsed)}, jobs: {screen.done:,}"]
        if not screen.done:
            lines = ["All that was asked for is there already"]
        return [*lines, f"Open {index}"] if index.exists() else lines
    if call.failed and not stopped:
        failed = list(call.failed.values())
        lines = [line for job in failed[:FAILURES] for line in failure(call, job, folder)]
        if len(failed) > FAILURES:
            lines.append(f"{len(failed) - FAILURES:,} more jobs failed; they are in {call.path}")
        return [*lines, f"{done} and stay. Mend what failed, then call the same command again"]
    if call.errors and not stopped:
        return call.errors
    return [f"Stopped; {done} and stay. To go on, call the same command again"]


def failure(call: LogHandler, job: Any, folder: Path) -> list[str]:
    """Return what failed, the last line of its log, and where that is."""
    lines = [f"Failed: {call.messages.get(job.jobid) or job.rule_name}"]
    for path in (folder / log for log in job.log[:1] if (folder / log).is_file()):
        *_, last = ["", *path.read_text(encoding="utf-8", errors="replace").split("\n")[:-1]]
        lines += [f"  {last.strip()}"] * bool(last.strip())
        lines.append(f"  its log is {path}")
    return lines


if __name__ == "__main__":
    with ending_with_sentence():
        sys.exit(main(sys.argv[1:]))
