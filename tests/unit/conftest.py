"""What tests of several rooms share: kernels as in jobs, files of two toy tasks."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fbftl.ground.exact import in_environment

if TYPE_CHECKING:
    from fbftl.tasks.task import Inputs


@pytest.fixture(scope="session", autouse=True)
def kernels_of_jobs() -> None:
    """Have torch compute by exact kernels as in jobs; a test that began would change later ones."""
    if in_environment(os.environ):
        from fbftl.ground.kernels import use_exact_kernels

        use_exact_kernels()


@pytest.fixture(scope="module")
def task_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, "Inputs"]:
    """The files of the two toy tasks that random settings run on."""
    from unit.random_settings import make_tasks  # imports torch

    return make_tasks(tmp_path_factory.mktemp("tasks"))


@pytest.fixture
def linked(root: Path, tmp_path: Path) -> Path:
    """A project of the same configuration, code and studies, in which no study is full."""
    (tmp_path / "studies" / "full").mkdir(parents=True)
    for name in ("config.yaml", "rules", "scripts"):
        (tmp_path / name).symlink_to(root / name)
    for path in root.glob("studies/*.yaml"):
        (tmp_path / "studies" / path.name).symlink_to(path)
    return tmp_path
