"""What the files of rules name, without Snakemake."""

import re
from pathlib import Path


def texts(root: Path) -> list[str]:
    """Return the text of every file that holds rules."""
    paths = [root / "Snakefile", *sorted((root / "rules").rglob("*.smk"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def on_clusters(root: Path) -> set[str]:
    """Return the names of rules whose jobs go to a cluster, but for those of results."""
    blocks = [b for t in texts(root) for b in re.split(r"^(?=(?:rule|use rule) )", t, flags=re.M)]
    named = ((re.match(r"(?:rule|use rule \w+ as) (\w+)", block), block) for block in blocks)
    return {found[1] for found, block in named if found and "localrule: True" not in block}
