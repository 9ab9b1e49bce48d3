"""Copies of the project: fresh, or with the toy study finished."""

import compileall
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from fbftl.ground.artefacts import exclusive
from project import Project, copied

Shared = Callable[[str, Callable[[Path], object]], Project]
"""From a name and what makes a folder to the project in it, made once for all test processes."""


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Shared:
    """What returns a project for reading only: the first process to need it makes it."""
    base = tmp_path_factory.getbasetemp()
    above = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base

    def project(name: str, make: Callable[[Path], object]) -> Project:
        folder, done = above / name, above / f"{name}.done"
        with exclusive(above / f"{name}.lock", wait_s=3600):
            if not done.exists():
                make(folder)
                done.touch()
        return Project(folder)

    return project


READ = """
import sys
sys.path.insert(0, "scripts")
from pathlib import Path
from fbftl.plan.opened import Prepared
prepared = Prepared.of_files(Path(), more={"papers": "all"})
prepared.plan()
prepared.code.keep()
"""
"""Reads the code that decides the papers' studies, as a call does that makes them."""


@pytest.fixture(scope="session")
def template(root: Path, shared: Shared) -> Project:
    """A copy of the project whose code is compiled and read, for others to be copied from.

    Each of them would else spend a second on that in its first call.
    """

    def make(folder: Path) -> None:
        toy = copied(root, folder)
        # Where a test asks for the paper's own results, it asks for no study of dialogues.
        toy.edit("studies/dialogues.yaml", "paper: fbftl\n", "")
        compileall.compile_dir(folder / "scripts", quiet=2)
        done = toy.python("-c", READ)
        assert done.returncode == 0, done.stderr

    return shared("template", make)


@pytest.fixture
def fresh(template: Project, tmp_path: Path) -> Project:
    """A copy of the project in which nothing has run."""
    return template.copy(tmp_path / "project")


@pytest.fixture(scope="session")
def untouched(template: Project, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the project for calls that end before they write a result."""
    return template.copy(tmp_path_factory.mktemp("untouched") / "project")


@pytest.fixture(scope="session")
def wanted(untouched: Project) -> Counter[str]:
    """Jobs of the whole toy study, as Snakemake lists them."""
    return untouched.planned()


@pytest.fixture(scope="session")
def reference(template: Project, shared: Shared) -> Project:
    """A copy in which the toy study has run to its end, on two cores; for reading only.

    Python itself has run it, so that it shares no seed of hashes with what is compared with it.
    """

    def make(folder: Path) -> None:
        toy = template.copy(folder)
        assert toy.start("--verbose", "--cores", "2").wait() == 0, toy.console()

    return shared("reference", make)


@pytest.fixture
def finished(reference: Project, tmp_path: Path) -> Project:
    """A copy of the finished toy study, for a test to change as it likes."""
    return reference.copy(tmp_path / "project")
