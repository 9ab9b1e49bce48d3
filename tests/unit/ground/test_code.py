"""Which files a script's result depends on, and one digest for them."""

from pathlib import Path

import pytest
from fbftl.ground.code import digest, sources

FILES = {
    "draw.py": "from fbftl.runs import read\nfrom fbftl import style\n",
    "late.py": "def main():\n    import fbftl.deep.inner\n",
    "foreign.py": "import fbftlike\nimport json\nfrom numpy import fbftl\n",
    "lost.py": "import fbftl.gone\n",
    "fbftl/__init__.py": "",
    "fbftl/runs.py": "from fbftl.files import write\n",
    "fbftl/files.py": "from fbftl import runs\n",
    "fbftl/style.py": "",
    "fbftl/unused.py": "",
    "fbftl/deep/__init__.py": "from fbftl.deep.other import x\n",
    "fbftl/deep/inner.py": "",
    "fbftl/deep/other.py": "x = 1\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> str:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    return str(tmp_path)


def names(folder: str, script: str, *modules: str) -> list[str]:
    return [str(Path(path).relative_to(folder)) for path in sources(script, folder, *modules)]


def test_modules_and_what_they_import_count_even_in_circles(folder: str) -> None:
    assert names(folder, "draw.py") == [
        "draw.py",
        "fbftl/__init__.py",
        "fbftl/files.py",
        "fbftl/runs.py",
        "fbftl/style.py",
    ]


def test_imports_inside_functions_and_packages_on_the_way_count(folder: str) -> None:
    assert names(folder, "late.py") == [
        "late.py",
        "fbftl/__init__.py",
        "fbftl/deep/__init__.py",
        "fbftl/deep/inner.py",
        "fbftl/deep/other.py",
    ]


@pytest.mark.parametrize("script", ["foreign.py", "lost.py"])
def test_other_packages_and_missing_modules_do_not_count(folder: str, script: str) -> None:
    assert set(names(folder, script)) <= {script, "fbftl/__init__.py"}


def test_modules_that_are_imported_by_name_can_be_added(folder: str) -> None:
    assert "fbftl/unused.py" in names(folder, "draw.py", "fbftl.unused")


def test_the_digest_tells_contents_and_names_apart(tmp_path: Path) -> None:
    def written(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    one, same, other = written("a", "x"), written("b", "x"), written("c", "y")
    digests = {digest(paths) for paths in [(one,), (same,), (other,), (one, same), (same, one)]}
    assert len(digests) == 5
    assert digest((one,)) == digest((one,))


def test_every_script_of_the_project_can_be_read(root: Path) -> None:
    for script in (root / "scripts").glob("*.py"):
        assert sources(script.name, str(root / "scripts"))[0] == str(script)
