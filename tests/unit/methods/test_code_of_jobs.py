"""What code decides a job: its own method's, its kind of task's and the engines', no other's."""

import shutil
from pathlib import Path

import pytest
from fbftl.ground import code
from fbftl.methods.by_name import modules
from fbftl.papers.by_name import audited
from fbftl.study.methods import RECORDS, record
from fbftl.study.uploads import MESSAGES

JOBS = [(record.name, kind) for record in RECORDS for kind in record.kinds]
MOST_COMMON = 56
DEPLOYED = {"answering.py", "serving.py"}
"""Halves of a method that only a deployment runs: they decide no job."""

COMPARED = {"index_comparison.py"}
"""What a stage beside the jobs compares of a method: it decides no job either."""


@pytest.fixture(scope="module")
def scripts(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the scripts, which tests may change."""
    copy = tmp_path_factory.mktemp("project") / "scripts"
    shutil.copytree(root / "scripts", copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def sources(scripts: Path, method: str, kind: str) -> tuple[str, ...]:
    messages = [f"messages.{name}" for name in MESSAGES[1:]] if method == "one_shot" else []
    named = modules(method, kind, record(method).reads, *messages)
    return code.sources("fbftl/methods/by_name.py", str(scripts), *named)


def digests(scripts: Path) -> dict[tuple[str, str], str]:
    """The digest of each job's code, all files read anew."""
    for remembering in (code.sources, code.digest, code._imported, code._source):
        remembering.cache_clear()
    return {job: code.digest(sources(scripts, *job), str(scripts)) for job in JOBS}


def files_of(scripts: Path, method: str) -> list[Path]:
    folder = scripts / "fbftl" / "methods" / method
    return sorted(folder.glob("*.py")) or [folder.with_suffix(".py")]


@pytest.fixture(scope="module")
def unchanged(scripts: Path) -> dict[tuple[str, str], str]:
    return digests(scripts)


@pytest.mark.parametrize("method", [record.name for record in RECORDS])
def test_a_line_in_a_methods_folder_changes_no_other_methods_jobs(scripts, unchanged, method):
    files = files_of(scripts, method)
    before = [path.read_text(encoding="utf-8") for path in files]
    try:
        for path, text in zip(files, before, strict=True):
            path.write_text(text + "\nCHANGED = 1\n", encoding="utf-8")
        after = digests(scripts)
    finally:
        for path, text in zip(files, before, strict=True):
            path.write_text(text, encoding="utf-8")
    changed = {name for name, kind in JOBS if after[name, kind] != unchanged[name, kind]}
    assert changed == {method}


@pytest.mark.parametrize("method", [record.name for record in RECORDS])
def test_every_module_of_a_methods_folder_decides_a_job_of_it_or_is_known_to_decide_none(
    scripts, method
):
    kinds = [kind for name, kind in JOBS if name == method]
    deciding = {path for kind in kinds for path in sources(scripts, method, kind)}
    idle = {path.name for path in files_of(scripts, method) if str(path) not in deciding}
    assert idle in (set(), DEPLOYED, COMPARED)


def test_jobs_on_images_have_few_modules_in_common(root):
    folder = root / "scripts"
    jobs = [set(sources(folder, method, kind)) for method, kind in JOBS if kind == "images"]
    common = [path for path in set.intersection(*jobs) if not path.endswith("__init__.py")]
    assert len(common) <= MOST_COMMON


def test_a_leaf_of_a_methods_folder_brings_neither_its_run_nor_its_task(scripts):
    """Audits import formulas of a method, and hang on nothing that trains."""
    audits = [f"fbftl.papers.{paper}.audit" for paper in audited()]
    audit = code.sources("tables/tabulate_audit.py", str(scripts), *audits)
    names = {str(Path(path).relative_to(scripts / "fbftl")) for path in audit[1:]}
    assert "methods/ecos/counting.py" in names
    assert "methods/ecos/run.py" not in names
    assert {name for name in names if name.startswith(("tasks", "training", "learners"))} == set()
