"""Make drawn settings of a kept study again and compare their run files with the kept digests.

    PYTHONPATH=scripts python scripts/tools/verify_results.py digits

makes three drawn settings of a kept study again, in a folder of its own, and says which run files
have other digests than the kept study's. `--draw SEED` makes those of an earlier call, `--cores N`
takes fewer cores than all.
"""

import argparse
import secrets
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from fbftl.findings.kept import KEPT
from fbftl.findings.verification import KeptRun, differing, drawn, kept_runs
from fbftl.ground.errors import UserError
from fbftl.ground.files import read_json
from fbftl.study.call import call_for


def main(name: str, seed: int, cores: str, root: Path = Path()) -> int:
    """Make drawn settings of a kept study again and compare; return 0 if all are equal, else 1.

    What was made is kept where a digest differs.

    Args:
        name: task, or `papers/<paper>`.
        seed: that draws them.
        cores: as Snakemake takes them.
        root: the project's folder.

    Raises:
        UserError: if nothing is kept under the name, or no study makes what was drawn.
    """
    notes = root / KEPT / name / "made.json"
    if not notes.is_file():
        raise UserError(f"{KEPT}/{name} does not exist; name a folder of {KEPT} with a made.json")
    runs = drawn(kept_runs(read_json(notes, "notes on kept results"), name), seed)
    folder = Path(tempfile.mkdtemp(prefix="verify-"))
    print(f"{len(runs)} settings of {name}, drawn by seed {seed}, are made in {folder}", flush=True)
    make(root, runs, folder, cores)
    others = differing(runs, folder)
    for run in runs:
        found = others.get(run)
        outcome = "equal" if found is None else f"differs: {found} is now, {run.sha256} is kept"
        print(f"  {run.task}, {run.setting}, {len(run.seeds)} seeds: {outcome}")
    if not others:
        shutil.rmtree(folder)
    return 1 if others else 0


def make(root: Path, runs: Sequence[KeptRun], folder: Path, cores: str) -> None:
    """Make runs in a folder, exactly, by one call of the workflow for each study that has some.

    Raises:
        UserError: if no study makes one of them, or a call fails.
    """
    calls: dict[tuple[str, ...], list[str]] = {}
    for run in runs:
        call, study = call_for(root, run.task, run.setting)
        if study.task(run.task)["seeds"] != list(run.seeds):
            raise UserError(
                f"the study that makes {run.task} has other seeds than its kept runs; renew them"
            )
        arguments = tuple(call.words(root, study, exact="true"))
        calls.setdefault(arguments, []).append(run.path)
    shutil.copy(root / "config.yaml", folder)  # which the Snakefile reads where it is called
    snakefile = str((root / "Snakefile").resolve())
    command = [sys.executable, "-m", "snakemake", "--snakefile", snakefile, "--cores", cores]
    for arguments, paths in calls.items():
        done = subprocess.run([*command, *paths, "--quiet", *arguments], cwd=folder)
        if done.returncode != 0:
            raise UserError(f"the workflow failed in {folder}; its logs there say why")


def called(words: Sequence[str]) -> int:
    """Verify what the words of the command line say; return what the process ends with."""
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("name")
    parser.add_argument("--draw", metavar="SEED", type=int)
    parser.add_argument("--cores", metavar="CORES", default="all")
    options = parser.parse_args(words)
    seed = secrets.randbelow(10**6) if options.draw is None else options.draw
    return main(options.name, seed, options.cores)


if __name__ == "__main__":
    try:
        sys.exit(called(sys.argv[1:]))
    except UserError as error:
        sys.exit(str(error))
