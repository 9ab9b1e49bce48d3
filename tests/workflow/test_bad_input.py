"""Bad input stops a call before any job, with one sentence; `unit/plan` has what it may be."""

from typing import Any

import pytest
from project import Project

SNAKEMAKE_SAYS = ("Using workflow specific profile", "Config file ")
"""How the lines begin that Snakemake itself prints while it reads a configuration."""


def refusal(project: Project, study: dict[str, Any]) -> str:
    """Return the one sentence with which a call refuses a study, having written nothing."""
    done = project.call(study=study)
    printed = (done.stdout + done.stderr).splitlines()
    sentences = [line for line in printed if line and not line.startswith(SNAKEMAKE_SAYS)]
    assert done.returncode not in (0, None)
    assert len(sentences) == 1, printed
    assert project.science().keys() == {"README.md"}
    assert not list((project.folder / ".snakemake").glob("metadata/*"))
    return sentences[0]


FAULTS: list[tuple[dict[str, Any], str]] = [
    ({"tasks": {"digits": {"trainig": {"epochs": 3}}}}, "tasks.digits.trainig"),
    (
        {
            "data_folder": ".",
            "tasks": {"digits": {"data": {"kind": "parquet", "train": "t.pq", "channels": 1}}},
        },
        "t.pq is missing",
    ),
]
"""A fault of the configuration, and one of a file that it names."""


@pytest.mark.parametrize(("study", "sentence"), FAULTS)
def test_a_fault_is_one_sentence(untouched: Project, study: dict[str, Any], sentence: str) -> None:
    assert sentence in refusal(untouched, study)


def test_a_configuration_that_is_no_yaml(untouched: Project) -> None:
    (untouched.folder / "broken.yaml").write_text("study: [digits\n")
    done = untouched.call("--configfile", "broken.yaml")
    assert "not valid JSON or YAML" in done.stderr
    assert done.returncode != 0
    assert untouched.science().keys() == {"README.md"}


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("again: &all {below: *all}", "an alias is below its own anchor"),
        ("device: cpu", "the key 'device' is given twice"),
    ],
)
def test_a_fault_of_config_yaml_itself_is_a_sentence(
    fresh: Project, text: str, sentence: str
) -> None:
    """Snakemake reads that file with the Snakefile, so ours may read it first."""
    fresh.append("config.yaml", f"\n{text}\n")
    done = fresh.call("--dry-run")
    printed = done.stdout + done.stderr
    assert done.returncode == 1
    assert f"config.yaml cannot be read as YAML: {sentence}" in printed
    assert "Traceback" not in printed
