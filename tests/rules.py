"""What the files of rules name, without Snakemake: the rules that are written out."""

import re
from pathlib import Path


def texts(root: Path) -> list[str]:
    """Return the text of every file that holds rules."""
    paths = [root / "Snakefile", *sorted((root / "rules").rglob("*.smk"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def written_out(root: Path) -> dict[str, str]:
    """Return the text of each rule that is written out, by its name; results' come from a loop."""
    blocks = [b for t in texts(root) for b in re.split(r"^(?=(?:rule|use rule) )", t, flags=re.M)]
    named = ((re.match(r"(?:rule|use rule \w+ as) (\w+)", block), block) for block in blocks)
    return {found[1]: block for found, block in named if found}
