"""Which files a script's result depends on, and one digest for them."""

import ast
import shutil
from pathlib import Path

import pytest
from fbftl.ground import code
from fbftl.ground.code import Remembered, digest, sources, tree_text

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


def test_modules_and_what_they_import_count_even_in_circles(folder):
    assert names(folder, "draw.py") == [
        "draw.py",
        "fbftl/__init__.py",
        "fbftl/files.py",
        "fbftl/runs.py",
        "fbftl/style.py",
    ]


def test_imports_inside_functions_and_packages_on_the_way_count(folder):
    assert names(folder, "late.py") == [
        "late.py",
        "fbftl/__init__.py",
        "fbftl/deep/__init__.py",
        "fbftl/deep/inner.py",
        "fbftl/deep/other.py",
    ]


@pytest.mark.parametrize("script", ["foreign.py", "lost.py"])
def test_other_packages_and_missing_modules_do_not_count(folder, script):
    assert set(names(folder, script)) <= {script, "fbftl/__init__.py"}


def test_modules_that_are_imported_by_name_can_be_added(folder):
    assert "fbftl/unused.py" in names(folder, "draw.py", "fbftl.unused")


def test_the_digest_tells_contents_and_names_apart(tmp_path):
    def written(name: str, text: str) -> str:
        (tmp_path / name).write_text(text)
        return str(tmp_path / name)

    first, second, third = written("a", "x"), written("b", "x"), written("c", "y")
    digests = {
        digest(paths) for paths in [(first,), (second,), (third,), (first, second), (second, first)]
    }
    assert len(digests) == 5
    assert digest((first,)) == digest((first,))


UNCHANGED = {
    "a comment": ("x = 1\n", "# why\nx = 1  # so\n"),
    "an attribute's docstring": ("x = 1\n", 'x = 1\n"""What."""\n'),
    "a function's docstring": (
        "def f():\n    return 1\n",
        'def f():\n    """F."""\n    return 1\n',
    ),
}

CHANGED = {
    "a value": ("x = 1\n", "x = 2\n"),
    "another type": ("x = 1\n", "x = 1.0\n"),
    "a string that is used": ('x = "a"\n', 'x = "b"\n'),
    "depth": ("if a:\n    f()\ng()\n", "if a:\n    f()\n    g()\n"),
}


@pytest.mark.parametrize("what", UNCHANGED)
def test_what_only_readers_see_changes_nothing(what):
    assert len({tree_text(ast.parse(text)) for text in UNCHANGED[what]}) == 1


@pytest.mark.parametrize("what", CHANGED)
def test_what_the_code_says_counts(what):
    assert len({tree_text(ast.parse(text)) for text in CHANGED[what]}) == 2


def test_modules_that_decide_nothing_are_left_out_with_what_only_they_import(folder):
    Path(folder, "fbftl/ground").mkdir()
    Path(folder, "fbftl/ground/logs.py").write_text("from fbftl import style\n")
    Path(folder, "job.py").write_text("from fbftl.ground.logs import run_job\n")
    assert names(folder, "job.py") == ["job.py"]


def test_what_files_said_is_remembered_by_their_content(folder, tmp_path, monkeypatch):
    def computed(parse: bool, folder: str = folder) -> tuple[str, list[str]]:
        """Return digest and sources as a process of its own would find them."""
        for cached in (code._source, code._imported, sources, digest):
            cached.cache_clear()
        monkeypatch.setattr(code, "_KNOWN", {})
        monkeypatch.setattr(code, "_requested", set())
        kept = Remembered(tmp_path / "kept.json")
        with monkeypatch.context() as patch:
            if not parse:
                patch.setattr(ast, "parse", None)
            answer = names(folder, "draw.py"), digest(sources("draw.py", folder), folder)
        kept.keep()
        return answer

    first = computed(parse=True)
    assert computed(parse=False) == first
    moved = shutil.copytree(folder, tmp_path / "moved")
    assert computed(parse=False, folder=str(moved)) == first
    Path(folder, "fbftl/style.py").write_text("import fbftl.deep.other\n")
    changed = computed(parse=True)
    assert "fbftl/deep/other.py" in changed[0]
    (tmp_path / "kept.json").write_text("[")
    assert computed(parse=True) == changed
