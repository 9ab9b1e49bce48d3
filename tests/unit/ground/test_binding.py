"""What a job hands to the arguments of a script's `main`."""

import ast
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from fbftl.ground.binding import arguments
from snakemake.iocontainers import InputFiles, OutputFiles, Params, Wildcards


def job(params: dict[str, object], config: dict[str, object] | None = None) -> SimpleNamespace:
    """Return a job as scripts are handed one."""
    return SimpleNamespace(
        rule="tabulate",
        input=InputFiles(toclone=["digest", "r.csv"], fromdict={"runs": ["a", "b"], "table": "t"}),
        output=OutputFiles(fromdict={"csv": "o.csv"}),
        params=Params(fromdict=params),
        wildcards=Wildcards(fromdict={"paper": "fbftl"}),
        threads=3,
        config=config or {},
    )


def test_each_argument_gets_what_has_its_name():
    def main(csv, runs, table, axes, paper, threads, device, models=7, axis=None): ...

    handed = job({"axes": {"bits": 32}, "axis": "plr"}, {"device": "cpu", "axes": "of the study"})
    assert arguments(main, handed) == {
        "csv": "o.csv",
        "runs": ["a", "b"],
        "table": "t",
        "axes": {"bits": 32},
        "paper": "fbftl",
        "threads": 3,
        "device": "cpu",
        "axis": "plr",
    }
    assert type(arguments(main, handed)["runs"]) is list


def test_files_are_the_named_inputs():
    def main(files): ...

    assert arguments(main, job({})) == {"files": {"runs": ["a", "b"], "table": "t"}}


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        ({}, "rule tabulate has nothing that is called axes"),
        ({"axes": {}, "csv": "p.csv"}, "rule tabulate has two things that are called csv"),
    ],
)
def test_what_is_missing_or_ambiguous_is_an_error(params, sentence):
    def main(axes, csv): ...

    with pytest.raises(TypeError, match=sentence):
        arguments(main, job(params))


def test_every_argument_of_a_script_stands_on_the_page(root: Path) -> None:
    """A new name is explained once, where all are."""
    page = (root / "docs" / "scripts.md").read_text(encoding="utf-8")
    explained = set(re.findall(r"^\| `(\w+)`", page, re.MULTILINE))
    used = set()
    for path in (root / "scripts").glob("*/*.py"):
        text = path.read_text(encoding="utf-8")
        if re.search(r"(run_by_name|tabulate)\(snakemake, main\)", text):
            (main,) = (
                node
                for node in ast.parse(text).body
                if isinstance(node, ast.FunctionDef) and node.name == "main"
            )
            used |= {argument.arg for argument in main.args.args}
    assert len(used) > 30
    assert used == explained
