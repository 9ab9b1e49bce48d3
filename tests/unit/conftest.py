"""What tests of several rooms share: kernels as in jobs, files of toy tasks."""

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from fbftl.ground.exact import in_environment

if TYPE_CHECKING:
    from fbftl.training.tasks.task import Inputs


@pytest.fixture(scope="session", autouse=True)
def kernels_of_jobs() -> None:
    """Have torch compute by exact kernels as in jobs; a test that began would change later ones."""
    if in_environment(os.environ):
        from fbftl.ground.devices import use_exact_kernels

        use_exact_kernels()


@pytest.fixture(scope="session")
def frameworks(tmp_path_factory: pytest.TempPathFactory) -> "Inputs":
    """What methods read of the frameworks' toy task, open data and source models among it."""
    from unit.methods.framework_toys import make_inputs  # imports torch

    return make_inputs(tmp_path_factory.mktemp("frameworks"))


@pytest.fixture(scope="session")
def people(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Paths of the files of the toy task of a table of people."""
    from unit.training.tasks.toy_vectors import make_vectors

    return make_vectors(tmp_path_factory.mktemp("people"))


@pytest.fixture(scope="session")
def dialogues(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the toy task of dialogues."""
    from unit.training.tasks.toy_dialogues import make_task

    return make_task(tmp_path_factory.mktemp("dialogues"))


@pytest.fixture(scope="session")
def task_files(frameworks: "Inputs", people: dict[str, str]) -> dict[str, "Inputs"]:
    """What methods read of the two toy tasks that random settings run on.

    The public rows of the digits are their own features.
    """
    import torch
    from fbftl.training.tasks.task import Inputs

    public = {"public": frameworks.features, "public_manifest": frameworks.manifest}
    return {
        "digits": replace(frameworks, **public),
        "people": Inputs.at(people, torch.device("cpu")),
    }


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Paths of the files of the toy task of digits."""
    from unit.training.tasks.toy_task import make_task

    return make_task(tmp_path_factory.mktemp("digits"))


@pytest.fixture(scope="session")
def digits(files: dict[str, str]) -> "Inputs":
    """What methods read of the toy task of digits."""
    import torch
    from fbftl.training.tasks.task import Inputs

    return Inputs.at(files, torch.device("cpu"))


@pytest.fixture(scope="session")
def blobs(tmp_path_factory: pytest.TempPathFactory) -> "Inputs":
    """What methods read of the blobs of features."""
    from unit.methods.method_toys import toy_inputs

    return toy_inputs(tmp_path_factory.mktemp("blobs"))


@pytest.fixture
def linked(root: Path, tmp_path: Path) -> Path:
    """A project of the same configuration, code and studies, in which no study is full."""
    (tmp_path / "studies" / "full").mkdir(parents=True)
    for name in ("config.yaml", "rules", "scripts"):
        (tmp_path / name).symlink_to(root / name)
    for path in root.glob("studies/*.yaml"):
        (tmp_path / "studies" / path.name).symlink_to(path)
    return tmp_path
