"""What a step hands to the arguments of a script's `main`."""

from typing import Any

import pytest
from fbftl.findings import steps
from fbftl.findings.steps import Step, arguments, run


def step(**values: Any) -> Step:
    return Step("tables/t.py", {"runs": ["a", "b"], "table": "t"}, {"csv": "o.csv"}, values)


def test_each_argument_gets_what_has_its_name():
    def main(csv, runs, table, axes, threads, device, models=7, axis=None): ...

    of_study = {"device": "cpu", "threads": 3, "axes": "of the study"}
    assert arguments(main, step(axes={"bits": 32}, axis="plr", unread=1), of_study) == {
        "csv": "o.csv",
        "runs": ["a", "b"],
        "table": "t",
        "axes": {"bits": 32},
        "threads": 3,
        "device": "cpu",
        "axis": "plr",
    }


def test_files_are_the_inputs_by_name():
    def main(files): ...

    assert arguments(main, step(), {}) == {"files": {"runs": ["a", "b"], "table": "t"}}


@pytest.mark.parametrize(
    ("values", "sentence"),
    [({}, "nothing is called axes"), ({"axes": {}, "csv": "p.csv"}, "two things are called csv")],
)
def test_what_is_missing_or_ambiguous_is_an_error(values, sentence):
    def main(axes, csv): ...

    with pytest.raises(TypeError, match=f"tables/t.py: {sentence}"):
        arguments(main, step(**values), {})


def test_a_step_runs_its_script_and_makes_the_folders_of_what_it_writes(tmp_path, monkeypatch):
    lines = "from pathlib import Path", "def main(source, to, times):", (
        "    Path(to).write_text(times * Path(source).read_text())"
    )  # fmt: skip
    (tmp_path / "s.py").write_text("\n".join(lines))
    (tmp_path / "in").write_text("ab")
    monkeypatch.setattr(steps, "SCRIPTS", tmp_path)
    out = tmp_path / "new" / "folder" / "out"
    run(Step("s.py", {"source": str(tmp_path / "in")}, {"to": str(out)}, {"times": 2}), {})
    assert out.read_text() == "abab"
