"""What code decides a job: its own method's, its kind of task's and the engines', no other's."""

from functools import cache
from pathlib import Path

import pytest
from fbftl import papers
from fbftl.ground import code
from fbftl.methods.by_name import modules
from fbftl.study.methods import RECORDS, record
from fbftl.study.uploads import MESSAGES

JOBS = [(record.name, kind) for record in RECORDS for kind in record.kinds]
MOST_COMMON = 56
DEPLOYED = {"deployed.py"}
"""What only a deployment runs of a method: it decides no job."""

COMPARED = {"index_comparison.py"}
"""What a stage beside the jobs compares of a method: it decides no job either."""


@cache
def sources(scripts: Path, method: str, kind: str) -> tuple[str, ...]:
    messages = [f"messages.{name}" for name in MESSAGES[1:]] if method == "one_shot" else []
    named = modules(method, kind, record(method).reads, *messages)
    return code.sources("fbftl/methods/by_name.py", str(scripts), *named)


def files_of(scripts: Path, method: str) -> list[Path]:
    folder = scripts / "fbftl" / "methods" / method
    return sorted(folder.glob("*.py")) or [folder.with_suffix(".py")]


@pytest.fixture(scope="module")
def scripts(root: Path) -> Path:
    """The folder of all code."""
    return root / "scripts"


@pytest.mark.parametrize("method", [record.name for record in RECORDS])
def test_files_of_a_methods_folder_decide_its_own_jobs_or_are_known_to_decide_none(scripts, method):
    files, deciding = set(map(str, files_of(scripts, method))), set()
    for name, kind in JOBS:
        decided = files & {*sources(scripts, name, kind)}
        assert bool(decided) == (name == method), (name, kind)
        deciding |= decided
    assert {Path(path).name for path in files - deciding} in (set(), DEPLOYED, COMPARED)


def test_jobs_on_images_have_few_modules_in_common(scripts):
    jobs = [set(sources(scripts, method, kind)) for method, kind in JOBS if kind == "images"]
    common = [path for path in set.intersection(*jobs) if not path.endswith("__init__.py")]
    assert len(common) <= MOST_COMMON


def test_a_leaf_of_a_methods_folder_brings_neither_its_run_nor_its_task(scripts):
    """Audits import formulas of a method, and hang on nothing that trains."""
    audits = [m for paper in papers.audited() for m in papers.modules(paper, "audit")]
    audit = code.sources("tables/tabulate_audit.py", str(scripts), *audits)
    names = {str(Path(path).relative_to(scripts / "fbftl")) for path in audit[1:]}
    assert "methods/ecos/coverage.py" in names
    assert "methods/ecos/run.py" not in names
    curves = {"training/__init__.py", "training/curves.py"}  # of runs, which claims read
    assert {name for name in names if name.startswith("training")} <= curves
