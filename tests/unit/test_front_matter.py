"""What makes the project found, cited and entered: files agree, and the README stays short."""

import re
from pathlib import Path

import pytest
from fbftl.study.yaml_files import read_yaml

MOST_LINES = 110
"""Lines that the README may have."""

KEY = re.compile(r"@([a-z]+\d?[a-z]*)")

FILES = ("paper.md", "CITATION.cff")
"""Files at the root that other people's machines or readers look for."""


def text(path: Path) -> str:
    """Return a file's text."""
    return path.read_text(encoding="utf-8")


def test_the_readme_is_short(root):
    assert len(text(root / "README.md").splitlines()) <= MOST_LINES


def test_versions_agree(root):
    citation = read_yaml(root / "CITATION.cff")
    version = re.search(r'^version = "(.+)"$', text(root / "pyproject.toml"), re.M)[1]
    assert citation["version"] == version
    assert f"version = {{{version}}}" in text(root / "README.md")


def test_every_reference_is_cited_and_every_citation_is_there(root):
    paper = text(root / "paper.md").split("---", 2)[2]
    entries = re.findall(r"^@\w+\{(\w+),", text(root / "paper.bib"), re.M)
    cited = set(KEY.findall(paper))
    assert len(set(entries)) == len(entries)
    assert cited - set(entries) == set()
    assert set(entries) - cited == set()


def test_the_workflow_of_the_code_host_runs_the_gate(root):
    job = read_yaml(root / ".github/workflows/gate.yml")["jobs"]["gate"]
    assert [step["run"] for step in job["steps"] if "run" in step][-1:] == [".ci/run"]
    assert (root / ".ci/run").stat().st_mode & 0o100


@pytest.mark.parametrize("name", FILES)
def test_no_file_is_empty_or_has_a_typed_path_of_a_machine(root, name):
    assert len(text(root / name)) > 500
    assert not re.search(r"(?<![\w./])/(?:home|work|root|tmp)/", text(root / name))
