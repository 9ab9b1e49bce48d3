"""Names say what they hold: empty words are none, nor are the words of one author.

Only what the project names itself is refused: a key of a file, an axis of a configuration or an
attribute of another package is whatever it is called.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

EMPTY = {"own", "told", "said", "heard", "asked", "begun"}
"""Names that leave open what is in them."""

METAPHORS = {"seat", "seats", "lesson", "lessons", "visit", "visits", "judge", "judges"}
"""Names for which the field has words: a model copy, samples, a local update, an evaluation."""

CLASSES = {
    "Visit", "Moment", "Halves", "Lessons", "Market", "Customers", "Clientele", "Company",
    "KeptModels", "Alliance", "Seating", "Turns", "Game", "Players", "Judge", "Holdings",
    "HeldFeatures", "HeldImageSamples", "HeldSamples",
}  # fmt: skip
"""Classes for which the field has words: a local update, a mini-batch, a split model."""

REFUSED = EMPTY | METAPHORS | CLASSES

FOLDERS = ("Snakefile", "rules", "workflow", "scripts", "tests")
"""Where names are read."""


def bound(tree: ast.AST) -> Iterator[str]:
    """Yield the names that Python code gives to variables, parameters, functions and classes."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.arg(arg=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name):
                yield name
            case ast.alias(name=name, asname=alias):
                yield alias or name
            case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
                yield name


def used(text: str) -> Iterator[str]:
    """Yield the names that rules bind or read, attributes left out.

    Snakemake's rules are no Python, but have its tokens; an f-string is one token.
    """
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.NAME and before != ".":
            yield token.string
        before = token.string


def names(path: Path) -> set[str]:
    """Return the names of a file, without the underscores that make them private."""
    text = path.read_text(encoding="utf-8")
    every = bound(ast.parse(text)) if path.suffix == ".py" else used(text)
    return {name.strip("_") for name in every}


def sources(folder: Path) -> list[Path]:
    """Return the code below a folder, or the one file that it is."""
    below = [path for kind in ("*.py", "*.smk", "Snakefile") for path in folder.rglob(kind)]
    return [folder] if folder.is_file() else below


def test_keys_and_attributes_of_others_are_not_names_of_the_project():
    assert not set(bound(ast.parse("x['own'] = y.told; f(own=1)"))) & EMPTY
    assert set(used("rule a:\n    params:\n        own=b.told,\n")) & EMPTY == {"own"}


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_name_is_a_refused_word(root, folder):
    paths = sources(root / folder)
    assert paths
    assert {
        str(path.relative_to(root)): words for path in paths if (words := names(path) & REFUSED)
    } == {}
