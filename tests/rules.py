"""What the files of rules name, without Snakemake: rules written out, and results of the lists."""

import re
from pathlib import Path

from fbftl.plan.entries import Result
from fbftl.plan.results import OF_EXPERIMENT, OF_PAPER, made_in_a_loop
from fbftl.plan.results.swept import SOURCES, SWEEP


def texts(root: Path) -> list[str]:
    """Return the text of every file that holds rules."""
    paths = [root / "Snakefile", *sorted((root / "rules").rglob("*.smk"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def written_out(root: Path) -> dict[str, str]:
    """Return the text of each rule that is written out, by its name; those of loops have none."""
    blocks = [b for t in texts(root) for b in re.split(r"^(?=(?:rule|use rule) )", t, flags=re.M)]
    named = ((re.match(r"(?:rule|use rule \w+ as) (\w+)", block), block) for block in blocks)
    return {found[1]: block for found, block in named if found}


def listed() -> dict[str, Result]:
    """Return each result of which the loop makes a rule, by what makes it and its path."""
    lists = [*OF_EXPERIMENT.values(), *OF_PAPER.values(), SWEEP, SOURCES]
    return {
        f"{result.by} {result.path}": result
        for entries in lists
        for result in made_in_a_loop(entries)
    }
