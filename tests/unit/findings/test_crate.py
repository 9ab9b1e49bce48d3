"""The crate of a small finished study: every file with its digest, and no fault by a validator."""

import json
from pathlib import Path
from urllib.parse import unquote

import pytest
from fbftl.ground.files import sha256

RUN, TABLE = "results/toy/runs/a=1.json", "results/toy/tables/t.csv"


@pytest.fixture
def crate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, dict]:
    """The crate of a study of one run and one table, its entities by their ids."""
    pytest.importorskip("rocrate")
    from fbftl.findings.crate import crate_of

    (tmp_path / "study").mkdir()
    monkeypatch.chdir(tmp_path / "study")
    data = tmp_path / "data.bin"
    texts = {RUN: "{}", TABLE: "x\n1\n", "Snakefile": "rule all:\n", "results/study.json": "{}"}
    texts |= {"results/.part": "", "results/.made/a": "", str(data): "data"}
    for path, text in texts.items():
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    inputs = ["results/study.json", str(data)]
    document = crate_of("Snakefile", inputs, Path("results"), "A toy.", "9")
    Path("ro-crate-metadata.json").write_text(json.dumps(document))
    return {unquote(entity["@id"]): entity for entity in document["@graph"]}


def test_a_crate_tells_size_and_digest_of_every_file(crate):
    paths = (RUN, TABLE, "results/study.json", "Snakefile")
    for path in paths:
        assert crate[path]["sha256"] == sha256(path)
        assert crate[path]["contentSize"] == str(Path(path).stat().st_size)
    files = [id_ for id_, entity in crate.items() if "sha256" in entity]
    assert sorted(files) == sorted(paths)
    run = crate["#run"]
    assert run["instrument"] == {"@id": "Snakefile"}
    results = {unquote(entity["@id"]) for entity in run["result"]}
    assert results == {RUN, TABLE, "results/study.json"}
    (outside,) = (entity for entity in crate.values() if entity["@type"] == "PropertyValue")
    assert outside["value"] == f"sha256:{sha256('../data.bin')}"


def test_a_validator_finds_no_fault_in_it(crate, monkeypatch):
    """All that the profile Workflow Run Crate and those that it rests on require.

    The contexts come from the package rocrate, with the addresses of version 1.1; the two checks
    that fetch them are left out.
    """
    pytest.importorskip("rocrate_validator", reason="optional (envs/validation.txt)")
    import rocrate
    from rocrate_validator import services
    from rocrate_validator.utils import document_loader

    of_package = Path(rocrate.__file__).parent / "data" / "ro-crate.jsonld"
    context = json.loads(of_package.read_text())
    for name in ("ComputationalWorkflow", "FormalParameter"):
        context["@context"][name] = f"https://bioschemas.org/{name}"
    terms = {"@context": {"sha256": "https://w3id.org/ro/terms/workflow-run#sha256"}}
    monkeypatch.setattr(
        document_loader, "_fetch_json_ld", lambda url: terms if "workflow-run" in url else context
    )
    request = {
        "rocrate_uri": Path(), "profile_identifier": "workflow-run-crate", "offline": True,
        "requirement_severity": "REQUIRED",
        "skip_checks": ["ro-crate-1.1_3.1", "ro-crate-1.1_3.2"],
    }  # fmt: skip
    assert [issue.message for issue in services.validate(request).get_issues()] == []
