"""Take the results of a finished study into `docs/results/`, and fill the numbers into the pages.

    python scripts/renew_results.py digits cifar10-imagenet papers/fbftl

For maintainers; no rule runs it. Tables go as CSV and Markdown, figures as SVG, numbers as JSON.
Without a name it only fills the pages from what is committed.
"""

import json
import shutil
import sys
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from fbftl.findings.prose import fill
from fbftl.ground import provenance
from fbftl.ground.code import digest, sources
from fbftl.ground.errors import UserError
from fbftl.ground.files import replacing, write_json, write_text

COMMITTED = Path("docs", "results")
KEPT = ("tables/*.csv", "tables/*.md", "figures/*.svg", "numbers.json")
"""What is kept of a task's results."""

PAGES = ("README.md", "docs/what-to-upload.md", "docs/results/**/*.md", "docs/papers/*.md")
"""Pages whose numbers are filled in."""

MAKERS = ("extract_features.py", "train_setting.py", "collect_runs.py", "write_numbers.py")
"""Scripts whose code says whether committed results are those of the tree."""

PACKAGES = ("torch", "numpy", "scikit-learn", "snakemake")


def main(names: Sequence[str], root: Path = Path()) -> None:
    """Renew results, then every page.

    Args:
        names: tasks, and `papers/<paper>`, whose study is finished in `results/`.
        root: the project's folder.

    Raises:
        UserError: if there are no such results, or a page names a number that there is not.
    """
    made = made_by()  # before anything is written, which would make the tree another
    for name in names:
        renew(root, name, made)
    numbers = committed_numbers(root)
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        if (now := fill(text, numbers, str(page.relative_to(root)))) != text:
            write_text(page, now)


def renew(root: Path, name: str, by: dict[str, Any]) -> None:
    """Replace what is committed of a task or a paper; its page stays.

    Args:
        root: the project's folder.
        name: task, or `papers/<paper>`.
        by: commit, environment and code that made it.
    """
    made, kept = root / "results" / name, root / COMMITTED / name
    if not (made / "tables").is_dir():
        raise UserError(f"results/{name} has no tables; run its study first")
    for folder in ("tables", "figures"):
        shutil.rmtree(kept / folder, ignore_errors=True)
    for path in sorted(path for pattern in KEPT for path in made.glob(pattern)):
        with replacing(kept / path.relative_to(made)) as temporary:
            shutil.copyfile(path, temporary)
    write_json(kept / "made.json", by)


def made_by() -> dict[str, Any]:
    """Return commit, environment and code of what is being taken over."""
    return {
        "commit": provenance.commit(),
        "code": code(),
        "versions": {name: version(name) for name in PACKAGES},
    }


def code() -> dict[str, str]:
    """Return the digest of each maker's code in this tree."""
    modules = ("fbftl.methods.fbftl", "fbftl.methods.ftl_c", "fbftl.tasks.images")
    return {script: digest(sources(script, "scripts", *modules)) for script in MAKERS}


def read(path: Path) -> dict[str, Any]:
    """Return a committed JSON document."""
    return json.loads(path.read_text(encoding="utf-8"))


def committed_numbers(root: Path) -> dict[str, float]:
    """Return every committed number by its name."""
    files = sorted((root / COMMITTED).glob("*/numbers.json"))
    return {k: v for file in files for k, v in read(file).items()}


def pages(root: Path) -> list[Path]:
    """Return the pages whose numbers are filled in; committed tables are not among them."""
    found = sorted({page for pattern in PAGES for page in root.glob(pattern)})
    return [page for page in found if page.parent.name != "tables"]


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except UserError as error:
        sys.exit(str(error))
