"""What the files of rules name, without Snakemake: the rules that are written out."""

import re
from pathlib import Path


def texts(root: Path) -> list[str]:
    """Return the text of every file that holds rules."""
    paths = [root / "Snakefile", *sorted((root / "rules").rglob("*.smk"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def written_out(root: Path) -> dict[str, str]:
    """Return the text of each rule by its name, without those of results; in a loop it has none."""
    text = "\n".join(texts(root))
    blocks = re.split(r"^(?=rule )", text, flags=re.M)
    named = ((re.match(r"rule (\w+)", block), block) for block in blocks)
    looped = dict.fromkeys(re.findall(r'^    "(\w+)": \(', text, flags=re.M), "")
    return looped | {found[1]: block for found, block in named if found}
