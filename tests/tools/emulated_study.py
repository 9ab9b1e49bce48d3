"""Compare a small study that this machine ran with the same jobs on emulated processors.

    PYTHONPATH=scripts:tests/workflow:tests python tests/tools/emulated_study.py [processor ...]

The study of `emulated_study.yaml` is planned and run by Snakemake in a temporary copy of the
project, under the variables of `exact`. Then every job's script is run again on each processor
(`native` is this one, without an emulator), all of them in one process, as a start alone takes
half a minute there. A job reads what the jobs of this machine wrote, so that one difference does
not make all that follows different. What every job writes is compared to the byte: clients,
weights, features, runs, ledgers, tidy tables, tables and numbers; of how a run was made, the
digests of its models. Figures and the front page are left out: they are drawn from the tables.
So is the audit of the papers where the emulator cannot sort (`emulated.sorts_places`).
As a control this machine runs the jobs without the variables (`unpinned`), which must differ where
its processor has AVX-512.
"""

import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import project
from emulated import EMULATOR, PROCESSORS, environment, is_wide, sorts_places, start
from project import Project, copied
from tools.replay_jobs import DIFFERENT, EQUAL, FAILED

ROOT = Path(__file__).resolve().parents[2]

STUDY = "tests/tools/emulated_study.yaml"

NATIVE, UNPINNED = "native", "unpinned"

REPLAY = "tests/tools/replay_jobs.py"

FRONT_PAGES = ["make_index"]
"""Rules whose pages tell when and where results were made."""

BY_PLACES = ["tabulate_audit"]
"""Rules that sort places by equal keys."""

RECORDED = "scripts/fbftl/ground/logs.py"
"""The module through which every script runs."""

RECORDER = '''

_run_job = run_job


def run_job(job: Any, main: Callable[[Any], None]) -> None:
    """Keep a job and its script for another process to run again, and run it."""
    import pickle
    import time

    Path("jobs").mkdir(exist_ok=True)
    script = Path(sys.modules["__main__"].__file__).relative_to(Path.cwd())
    kept = Path("jobs", f"{time.time_ns()}-{job.rule}.pickle")
    kept.write_bytes(pickle.dumps((str(script), job)))
    _run_job(job, main)
'''
"""What the copy's `run_job` does beside its work."""


def main(processors: list[str]) -> int:
    """Run, compare and report; return how many faults there are.

    Args:
        processors: as the emulator calls them, or `native`.
    """
    with tempfile.TemporaryDirectory() as folder:
        native = copied(ROOT, Path(folder, "native"))
        native.append(RECORDED, RECORDER)
        began = time.monotonic()
        run(native)
        print(f"this machine ran the study in {time.monotonic() - began:.0f} s", flush=True)
        # One process each, and two cores at least.
        with ThreadPoolExecutor(len(processors)) as side_by_side:
            found = list(side_by_side.map(partial(compared, native), processors))
        control = compared(native, UNPINNED)
        if is_wide() and not control[DIFFERENT]:
            print("without the variables nothing differs, so that this comparison shows nothing")
            return sum(map(faults, found)) + 1
        return sum(map(faults, found))


def faults(found: Counter[str]) -> int:
    """Return how many results are not equal, at least one where nothing is."""
    return found.total() - found[EQUAL] if found[EQUAL] else max(found.total(), 1)


def run(native: Project) -> None:
    """Run the study in the copy.

    Raises:
        RuntimeError: with what Snakemake printed, if it fails.
    """
    done = subprocess.run(
        [sys.executable, "-m", "snakemake", "--configfile", STUDY, "--cores", "2"],
        cwd=native.folder,
        env=environment(native.folder, pinned=True) | {"PATH": project.environment()["PATH"]},
        capture_output=True,
        text=True,
    )
    if done.returncode:
        raise RuntimeError(done.stdout + done.stderr)


def compared(native: Project, processor: str) -> Counter[str]:
    """Run the jobs again on a processor, say what is equal, and count results by verdict."""
    folder = native.folder.with_name(f"on-{processor}")
    shutil.copytree(native.folder, folder, symlinks=True)
    shutil.copyfile(ROOT / RECORDED, folder / RECORDED)
    began = time.monotonic()
    emulated = None if processor in (NATIVE, UNPINNED) else processor
    pinned = processor != UNPINNED
    left_out = FRONT_PAGES if emulated is None or sorts_places() else [*FRONT_PAGES, *BY_PLACES]
    arguments = (REPLAY, str(native.folder), *left_out)
    found: Counter[str] = Counter()
    with open(folder / "console.txt", "w+", encoding="utf-8") as console:
        process = start(folder, *arguments, processor=emulated, pinned=pinned, complaints=console)
        assert process.stdout is not None
        for line in process.stdout:
            rule, path, verdict = line.rstrip("\n").split("\t")
            found[verdict] += 1
            if verdict != EQUAL and pinned:
                print(f"  {processor}: {path} of {rule} {verdict}", flush=True)
        if process.wait():
            found["missing, as the process failed"] += 1
        if process.returncode or found[FAILED]:
            console.seek(0)
            print(console.read(), file=sys.stderr)
    listed = ", ".join(f"{count} {verdict}" for verdict, count in sorted(found.items()))
    print(f"{processor}: {listed} ({time.monotonic() - began:.0f} s)", flush=True)
    return found


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(PROCESSORS)
    if chosen != [NATIVE] and shutil.which(EMULATOR) is None:
        sys.exit(f"{EMULATOR} is not installed: apt-get install qemu-user-static")
    number = main(chosen)
    sys.exit(f"{number} faults" if number else 0)
