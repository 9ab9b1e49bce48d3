"""Copies of the project: fresh, or with the toy study finished."""

import os
import shutil
from pathlib import Path

import pytest
from fbftl.features.store.lock import exclusive
from project import Project, copied


@pytest.fixture
def fresh(root: Path, tmp_path: Path) -> Project:
    """A copy of the project in which nothing has run."""
    return copied(root, tmp_path / "project")


@pytest.fixture(scope="session")
def untouched(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy of the project for calls that end before they write a result."""
    return copied(root, tmp_path_factory.mktemp("untouched") / "project")


@pytest.fixture(scope="session")
def reference(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Project:
    """A copy in which the toy study has run to its end; for reading only.

    The test processes share it: the first to need it makes it.
    """
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    project, done = Project(shared / "reference"), shared / "reference.done"
    with exclusive(shared / "reference.lock", wait_s=3600):
        if not done.exists():
            copied(root, project.folder)
            project.finish("--verbose")
            done.touch()
    return project


@pytest.fixture
def finished(reference: Project, tmp_path: Path) -> Project:
    """A copy of the finished toy study, for a test to change as it likes."""
    return Project(Path(shutil.copytree(reference.folder, tmp_path / "project", symlinks=True)))
