"""A copy of the project in which a benchmark runs the workflow for real."""

import shutil
from pathlib import Path
from typing import Any

import yaml
from ratios import ROOT, Process, measured

PARTS = ("Snakefile", "config.yaml", "envs", "profiles", "published", "rules", "scripts", "studies")


class Project:
    """The project's files in a folder of their own, without results."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        for part in PARTS:
            copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
            copy(ROOT / part, self.folder / part)

    def snakemake(self, study: dict[str, Any], *arguments: str) -> Process:
        """Call Snakemake on two cores with a study laid over the default configuration."""
        (self.folder / "study.yaml").write_text(yaml.safe_dump(study), encoding="utf-8")
        study_of = ["--configfile", "study.yaml"]
        return measured(["-m", "snakemake", *arguments, "--cores", "2", *study_of], self.folder)

    def remove(self, *results: str) -> None:
        """Remove files and folders below the results."""
        for path in (self.folder / "results" / name for name in results):
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
