"""Collect what the privacy mechanisms of an experiment's runs guarantee, a row per guarantee."""

import json
from pathlib import Path
from typing import Any

from fbftl.findings.runs import guarantees, write_tidy


def main(runs: list[str], table: str, axes: dict[str, Any]) -> None:
    """Write the guarantees of run files that deviate in some of the axes from these defaults."""
    documents = (json.loads(Path(path).read_text(encoding="utf-8")) for path in runs)
    write_tidy(table, guarantees(documents, axes))
