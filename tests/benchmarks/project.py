"""A copy of the project in which a benchmark runs the workflow for real."""

import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import yaml
from ratios import ROOT

PARTS = ("Snakefile", "config.yaml", "envs", "profiles", "published", "rules", "scripts", "studies")


class Project:
    """The project's files in a folder of their own, without results."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, self.folder / part)

    def snakemake(self, study: dict[str, Any], *arguments: str) -> float:
        """Call Snakemake on two cores with a study laid over the default configuration.

        Returns:
            Seconds from start to end.

        Raises:
            RuntimeError: if the call fails, with what it printed.
        """
        (self.folder / "study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
        command = [sys.executable, "-m", "snakemake", *arguments, "--cores", "2"]
        started = time.perf_counter()
        done = subprocess.run(
            [*command, "--configfile", "study.yaml"],
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}")
        return time.perf_counter() - started

    def remove(self, *results: str) -> None:
        """Remove files and folders below the results."""
        for path in (self.folder / "results" / name for name in results):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
