"""Bad input stops a call before any job, with one sentence; `unit/plan` has what it may be."""

from typing import Any

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


def test_a_fault_is_one_sentence(untouched):
    missing = {"kind": "parquet", "train": "t.pq", "channels": 1}
    study = {"data_folder": ".", "tasks": {"digits": {"data": missing}}}
    assert "t.pq is missing" in refusal(untouched, study)


def test_a_fault_of_config_yaml_itself_is_a_sentence(fresh):
    """Snakemake reads that file with the Snakefile, so ours may read it first."""
    fresh.append("config.yaml", "\nseeds: [0]\n")
    done = fresh.call("--dry-run")
    printed = done.stdout + done.stderr
    assert done.returncode == 1
    assert "config.yaml cannot be read as YAML: the key 'seeds' is given twice" in printed
    assert "Traceback" not in printed
