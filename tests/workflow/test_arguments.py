"""Every rule names, once each, what the `main` of its script takes."""

import ast
import json
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fbftl.ground.binding import OF_STUDY, arguments
from fbftl.ground.errors import UserError
from fbftl.tasks.task import Inputs
from project import Project, environment

OF_JOB = {*OF_STUDY, "threads", "files"}
"""What an argument may be called that no rule names."""


def main_of(script: Path) -> ast.FunctionDef | None:
    """Return the `main` of a script that is called by names, None of one that is not."""
    text = script.read_text(encoding="utf-8")
    if not re.search(r"(run_by_name|tabulate)\(snakemake, main\)", text):
        return None
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    return next(node for node in functions if node.name == "main")


@pytest.fixture(scope="module")
def rules(untouched: Project) -> dict[str, dict[str, Any]]:
    """What every rule names, by the rule, see `named_values.py`.

    Of the default study, and of one with what only further studies attack.
    """
    attacked = {"tasks": ["frameworks_digits"], "grids": [{"method": ["fedavg"]}]}
    (untouched.folder / "attacked.yaml").write_text(
        json.dumps({"study": {"experiments": ["frameworks", "attacked"]},
                    "experiments": {"attacked": attacked}})
    )  # fmt: skip
    by_rule: dict[str, dict[str, Any]] = {}
    for studies in ([], ["studies/frameworks.yaml", "attacked.yaml"]):
        listed = subprocess.run(
            [sys.executable, Path(__file__).with_name("named_values.py"), *studies],
            cwd=untouched.folder,
            env=environment(),
            capture_output=True,
            text=True,
        )
        assert listed.returncode == 0, listed.stderr
        for name, rule in json.loads(listed.stdout.splitlines()[-1]).items():
            known = by_rule.setdefault(name, rule)
            if len(rule["input"]) > len(known["input"]):
                by_rule[name] = rule
    return by_rule


def test_every_rule_names_what_its_script_takes(root: Path, rules: dict) -> None:
    """A name that the rule has twice or lacks would end the job, perhaps after hours."""
    mains = {
        name: (main, rule)
        for name, rule in rules.items()
        if (main := main_of(root / "scripts" / rule["script"])) is not None
    }
    assert len(mains) > 100
    wrong = []
    for name, (main, rule) in mains.items():
        named = [*rule["input"], *rule["output"], *rule["params"], *rule["wildcards"]]
        taken = [argument.arg for argument in main.args.args]
        needed = taken[: len(taken) - len(main.args.defaults)]
        wrong += [f"{name}: {a} twice" for a in taken if named.count(a) > 1]
        if not rule["more"]:
            missing = set(needed) - set(named) - OF_JOB
            wrong += [f"{name}: no {argument}" for argument in missing]
    assert wrong == []


class OpenedError(Exception):
    """Stands for the files that an attack begins to read."""


def attacks(root: Path) -> list[str]:
    """Return the names of all scripts that attack."""
    return sorted(path.stem for path in (root / "scripts" / "attacks").glob("*.py"))


def test_an_attack_reads_the_files_that_its_rule_names(
    root: Path, rules: dict, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each `main` is called by names, and goes as far as the files of its rule, which are none."""

    def opened(files: dict[str, str], device: Any) -> None:
        """Take files as `Inputs` does, which refuses a name that it lacks."""
        assert at(files, device)
        assert files == {name: name for name in files}
        raise OpenedError(next(iter(files)))

    at = Inputs.at
    monkeypatch.setattr(Inputs, "at", opened)
    by_script = {Path(rule["script"]).stem: rule for rule in rules.values()}
    assert attacks(root)
    for script in attacks(root):
        rule, main = by_script[script], import_module(script).main
        named = {
            kind: {name: name for name in rule[kind]} for kind in ("input", "output", "params")
        }
        study = {"axes": {}, "device": "cpu", "data_folder": ""}
        job = SimpleNamespace(**named, wildcards={}, threads=1, config=study, rule=script)
        by_name = arguments(main, job)
        if not rule["input"]:  # an audit of code alone
            continue
        with pytest.raises((OpenedError, UserError)) as raised:
            main(**by_name)
        assert any(name in str(raised.value) for name in rule["input"]), script
