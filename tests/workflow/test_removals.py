"""A method or a paper goes with its own files, record, rows and grid lines; nothing else names it.

Own files are those whose path has its name. Pages that tools write are written again.
"""

import ast
import csv
import re
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import yaml
from project import Project, copied

PLAN = """
import sys
from pathlib import Path
from fbftl.plan.opened import Prepared
for papers in (None, "all"):
    Prepared.of_files(Path.cwd(), more={"papers": papers}).plan()
"""
KEPT = "docs/results"

AT_MOST = 4
"""Tables that lose rows, besides grid lines of studies."""


def named(name: str) -> re.Pattern[str]:
    """Return the pattern of a name as a word of a path, an axis or a setting."""
    return re.compile(rf"(?<![a-z0-9]){name}(?![a-z0-9])", re.IGNORECASE)


def without_own_files(folder: Path, name: str) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        relative = path.relative_to(folder).as_posix()
        if named(name).search(path.name) and not relative.startswith(KEPT):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    for path in (folder / "scripts/fbftl/study/methods").glob("*.py"):
        without_record(path, name)


def without_record(path: Path, name: str) -> None:
    """Take a method's record, and the line that tells of it, out of a module of records."""
    text = path.read_text(encoding="utf-8")
    lines, body = text.splitlines(keepends=True), ast.parse(text).body
    for record, about in pairwise(body):
        match record:
            case ast.Assign(value=ast.Call(args=[ast.Constant(value=str() as of), *_])):
                if of == name:
                    del lines[record.lineno - 1 : about.end_lineno]
                    path.write_text("".join(lines), encoding="utf-8")


def without_grid_lines(study: dict[str, Any], name: str) -> bool:
    """Take a method out of a study's grids and tasks; tell whether it was in one."""
    tasks = study.get("tasks", {}).values()
    found = any([of.get("methods", {}).pop(name, None) is not None for of in tasks])
    for experiment in study.get("experiments", {}).values():
        for grid in experiment.get("grids", ()):
            if name in grid.get("method", ()):
                grid["method"].remove(name)
                found = True
        kept = [grid for grid in experiment.get("grids", ()) if grid.get("method") != []]
        if "grids" in experiment:
            experiment["grids"] = kept
    gone = {key for key, of in study.get("experiments", {}).items() if of.get("grids") == []}
    study["experiments"] = {k: v for k, v in study.get("experiments", {}).items() if k not in gone}
    if gone:
        study["study"]["experiments"] = [k for k in study["study"]["experiments"] if k not in gone]
    return found


def without_rows(path: Path, name: str) -> bool:
    """Take the rows out of a table that are of a paper, or of claims on a method."""
    with open(path, encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    deciding = [i for i, of in enumerate(header) if of in ("paper", "a", "b", "over")]
    kept = [row for row in rows if not any(named(name).search(row[i]) for i in deciding)]
    with open(path, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, *kept])
    return len(kept) < len(rows)


def edited(folder: Path, name: str) -> list[str]:
    """Take a name out of studies and tables; return the files that this changes."""
    changed = []
    for path in sorted(folder.glob("studies/**/*.yaml")):
        study = yaml.safe_load(path.read_text(encoding="utf-8"))
        if without_grid_lines(study, name):
            path.write_text(yaml.safe_dump(study, sort_keys=False), encoding="utf-8")
            changed.append(path)
    tables = (path for path in folder.glob("published/**/*.csv") if path.stem != "retired")
    changed += [path for path in tables if without_rows(path, name)]
    return [path.relative_to(folder).as_posix() for path in changed]


def named_in_code(folder: Path, name: str) -> dict[str, list[str]]:
    """Return the lines of code that still have a name as a value or an identifier."""
    value = re.compile(rf"[\"'.]{name}[\"']|\b(import|methods|papers)\b[ .]{name}\b")
    found = {}
    for path in (*folder.glob("scripts/**/*.py"), *folder.glob("rules/*.smk")):
        lines = [line for line in path.read_text("utf-8").splitlines() if value.search(line)]
        if lines:
            found[path.relative_to(folder).as_posix()] = lines
    return found


def call(project: Project, *command: str) -> None:
    store = str(project.folder / "store")
    done = project.python(*command, PYTHONPATH="scripts", FBFTL_STORE=store)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


TESTS = (
    "tests/unit/papers/test_claim_rows.py",
    "tests/unit/plan/test_results.py",
)


def test_what_is_removed_leaves_no_trace_in_code(root, tmp_path):
    project = copied(root, tmp_path / "project")
    for name in ("scaffold", "fedmd", "fade", "eppfl"):
        without_own_files(project.folder, name)
        assert named_in_code(project.folder, name) == {}
        changed = edited(project.folder, name)
        by_hand = [path for path in changed if not path.startswith("studies/")]
        assert len(by_hand) <= AT_MOST, by_hand
    call(project, "scripts/tools/describe_settings.py")
    call(project, "-c", PLAN)
    call(project, "-m", "pytest", "-q", "-n", "0", *TESTS)
