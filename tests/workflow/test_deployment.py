"""The workflow from elsewhere, as config/README.md tells it: deployed, and changed as a module."""

import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from project import TOY, Project, copied, environment

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TABLE = "results/digits/tables/scarcity.csv"
MINE = "mine/digits_scarcity.csv"


class Deployment(Project):
    """A folder that takes the workflow from a clone."""

    def command(self, *arguments: str, study: None = None) -> list[str]:
        """Return the command line of a call on a core."""
        called = [sys.executable, "-m", "snakemake", "--rerun-triggers", "mtime", "--cores", "1"]
        return [*called, *arguments]

    def says(self) -> list[str]:
        """Return what a call that must fail prints, Snakemake's own first line left out."""
        done = self.call("--dry-run")
        assert done.returncode != 0
        lines = (done.stdout + done.stderr).splitlines()
        return [line for line in lines if line and not line.startswith("Config file ")]


@pytest.fixture
def blocks(untouched: Project) -> list[str]:
    """What the page says to write, the clone's folder filled in."""
    page = (untouched.folder / "config" / "README.md").read_text(encoding="utf-8")
    return [block.replace("CLONE", str(untouched.folder)) for block in BLOCK.findall(page)]


@pytest.fixture
def deployed(untouched: Project, blocks: list[str], tmp_path: Path) -> Deployment:
    """An empty folder with the two files that the page tells of, the toy study configured."""
    for folder in ("config", "workflow"):
        (tmp_path / folder).mkdir()
    shutil.copy(untouched.folder / TOY, tmp_path / "config" / "config.yaml")
    (tmp_path / "workflow" / "Snakefile").write_text(blocks[0], encoding="utf-8")
    return Deployment(tmp_path)


@pytest.fixture
def study(wanted: Counter[str]) -> Counter[str]:
    """Jobs of the whole toy study in a deployment."""
    return wanted - Counter(all=1) + Counter(study=1)


def test_a_deployment_makes_the_study_and_a_rule_of_it_makes_something_else(
    deployed, blocks, study, reference, untouched
):
    assert deployed.planned() == study
    for kind in ("clients", "sources", "features"):
        shutil.copytree(reference.results / "store" / kind, deployed.results / "store" / kind)
    deployed.append("workflow/Snakefile", "\n\n" + blocks[1])
    deployed.finish(MINE)
    table = (deployed.folder / TABLE).read_bytes()
    assert table == (reference.folder / TABLE).read_bytes()
    assert (deployed.folder / MINE).read_bytes() == table
    assert untouched.science().keys() == {"README.md"}


def test_the_example_of_a_configuration_plans(deployed, untouched):
    shutil.copy(untouched.folder / "config" / "config.yaml", deployed.folder / "config")
    assert {"results_digits", "train", "study"} <= set(deployed.planned())


def test_a_key_that_stands_twice_in_the_configuration_of_a_deployment(deployed):
    deployed.append("config/config.yaml", "\nseeds: [1]\n")
    (message,) = deployed.says()
    assert "config/config.yaml cannot be read as YAML" in message


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment of Snakemake without the packages of the plan."""
    (tmp_path / "lean").mkdir()
    (tmp_path / "lean" / "sitecustomize.py").write_text(
        "from importlib.machinery import PathFinder\n"
        "found = PathFinder.find_spec\n"
        "heavy = ('numpy', 'scipy', 'pandas', 'torch')\n"
        "PathFinder.find_spec = lambda name, *more: (\n"
        "    None if name.partition('.')[0] in heavy else found(name, *more))\n"
        "import pkgutil\n"
        "listed = pkgutil.iter_modules\n"
        "pkgutil.iter_modules = lambda *given: (\n"
        "    one for one in listed(*given) if 'plugin_slurm' not in one.name)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "lean"))


def test_an_environment_that_has_snakemake_alone(deployed, untouched, alone):
    (sentence,) = deployed.says()
    assert f"--requirement {untouched.folder}/envs/requirements.txt" in sentence


@pytest.fixture
def repository(untouched: Project, tmp_path: Path) -> Path:
    """The project as a repository whose one commit has a tag."""
    project = copied(untouched.folder, tmp_path / "repository")
    who = ["-c", "user.name=a", "-c", "user.email=a@b.invalid"]
    for words in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "a"], ["tag", "v1"]):
        subprocess.run(["git", *words], cwd=project.folder, env=environment(), check=True)
    return project.folder


def names(deployed: Deployment, untouched: Project, source: str) -> None:
    """Have the deployment name another source of the workflow."""
    deployed.edit("workflow/Snakefile", f'"{untouched.folder}/workflow/Snakefile"', source)


def test_a_deployment_from_a_repository_and_as_the_catalog_writes_it(
    deployed, study, untouched, repository, monkeypatch
):
    # The host cannot be reached, so Snakemake's own copy of the repository is laid there.
    monkeypatch.setenv("XDG_CACHE_HOME", str(deployed.folder / "cache"))
    cache = deployed.folder / "cache/snakemake/snakemake/source-cache/snakemake-git-cache"
    bare = cache / "github.com" / "owner" / "fbftl"
    subprocess.run(["git", "clone", "-q", "--bare", repository, bare], check=True)
    catalog = 'github("owner/fbftl", path="workflow/Snakefile", tag="v1")'
    names(deployed, untouched, catalog)
    assert deployed.planned() == study

    git = f'"git+file://{repository}/workflow/Snakefile@v1"'
    deployed.edit("workflow/Snakefile", catalog, git)
    shutil.rmtree(deployed.folder / ".snakemake")
    deployed.finish("--until", "source")
    (checkout,) = (deployed.folder / ".snakemake" / "checkouts").iterdir()
    # What a run's meta file tells of its commit.
    describe = ["git", "describe", "--always", "--dirty", "--tags"]
    assert subprocess.check_output(describe, cwd=checkout, text=True) == "v1\n"
