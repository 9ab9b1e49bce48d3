"""What the files of rules name, without Snakemake: rules written out, and results of the lists."""

import ast
import re
from pathlib import Path


def texts(root: Path) -> list[str]:
    """Return the text of every file that holds rules or lists of results."""
    paths = [root / "Snakefile", *sorted((root / "rules").rglob("*.smk"))]
    return [path.read_text(encoding="utf-8") for path in paths]


def written_out(root: Path) -> dict[str, str]:
    """Return the text of each rule that is written out, by its name; those of loops have none."""
    blocks = [b for t in texts(root) for b in re.split(r"^(?=(?:rule|use rule) )", t, flags=re.M)]
    named = ((re.match(r"(?:rule|use rule \w+ as) (\w+)", block), block) for block in blocks)
    return {found[1]: block for found, block in named if found}


def listed(root: Path) -> dict[str, ast.Call]:
    """Return each result of which the loop makes a rule, by the rule's name."""
    paths = [root / "rules" / "results.smk", *(root / "rules" / "results").glob("*.smk")]
    calls = (
        node
        for path in paths
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Result"
    )
    return {ast.literal_eval(call.args[0]): call for call in calls}


def script_of(name: str, call: ast.Call) -> str:
    """Return the script of a listed result, below the folder of scripts."""
    shared = {keyword.arg: keyword.value for keyword in call.keywords}.get("script")
    script = name if shared is None else ast.literal_eval(shared)
    return f"{'tables' if name.startswith('tabulate_') else 'figures'}/{script}.py"
