"""Crate and statement of a small finished study: told right, and a changed byte found by both."""

import base64
import json
import logging
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import unquote

import pytest
import sign_statement
import verify_provenance
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)
from fbftl.findings.origins import NOTES, commits, from_here, results
from fbftl.findings.statement import PREDICATE, TYPE, statement, written
from fbftl.ground.errors import UserError
from fbftl.ground.files import sha256
from fbftl.ground.logs import log, run_job

RUN, TABLE = "results/toy/runs/a=1.json", "results/toy/tables/t.csv"
JOBS = {
    "train": ({RUN: "{}\n"}, ["published/p.csv"]),
    "tabulate": ({TABLE: "x\n1\n"}, [RUN, "published/p.csv"]),
}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working folder of a finished study of two jobs."""
    monkeypatch.chdir(tmp_path)
    for path, text in {
        "published/p.csv": "printed\n1\n", "Snakefile": "rule all:\n", "config.yaml": "{}\n",
        "scripts/train.py": "pass\n", "scripts/tabulate.py": "pass\n",
    }.items():  # fmt: skip
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(text)
    before = list(log.handlers)
    for number, (rule, (outputs, inputs)) in enumerate(JOBS.items()):
        job = SimpleNamespace(
            log=[f"results/toy/logs/{rule}.log"],
            output=list(outputs),
            input=[],
            rule=rule,
            wildcards={},
            params={},
            config={},
        )

        def write(job: SimpleNamespace, outputs: dict[str, str] = outputs) -> None:
            for path, text in outputs.items():
                Path(path).parent.mkdir(parents=True, exist_ok=True)
                Path(path).write_text(text)

        run_job(job, write)
        note = {
            "rule": rule, "input": inputs, "input_checksums": {}, "params": [], "log": job.log,
            "code": f'        "../scripts/{rule}.py"\n', "starttime": 10.0 * number + 10,
            "endtime": 10.0 * number + 15,
        }  # fmt: skip
        NOTES.mkdir(parents=True, exist_ok=True)
        for path in outputs:
            name = base64.b64encode(path.encode()).decode()
            (NOTES / name).write_text(json.dumps(note))
    for handler in set(log.handlers) - set(before):
        log.removeHandler(handler)
    log.setLevel(logging.NOTSET)
    return tmp_path


@pytest.fixture
def stated(folder: Path) -> Path:
    """The study's statement."""
    files = {"published/p.csv": sha256("published/p.csv")}
    document = statement(results(folder), {"seeds": [0]}, files, "0" * 40, {"snakemake": "9"})
    Path("statement.json").write_bytes(written(document))
    return folder / "statement.json"


def test_a_statement_is_of_what_the_jobs_sealed(stated: Path) -> None:
    document = json.loads(stated.read_text())
    assert (document["_type"], document["predicateType"]) == (TYPE, PREDICATE)
    assert {subject["name"]: subject["digest"]["sha256"] for subject in document["subject"]} == {
        path: sha256(path) for path in (RUN, TABLE)
    }
    assert document["predicate"]["buildDefinition"]["externalParameters"] == {
        "study": {"seeds": [0]}
    }
    times = document["predicate"]["runDetails"]["metadata"]
    assert times == {"startedOn": "1970-01-01T00:00:10Z", "finishedOn": "1970-01-01T00:00:25Z"}


def test_a_study_in_a_folder_of_its_own_is_stated_from_the_projects(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder.parent)
    by_path = from_here(results(folder), Path(folder.name))
    assert set(by_path) == {f"{folder.name}/{path}" for path in (RUN, TABLE)}
    table = by_path[f"{folder.name}/{TABLE}"]
    assert set(table.inputs) == {f"{folder.name}/{RUN}", f"{folder.name}/published/p.csv"}
    document = statement(by_path, {}, {}, "0" * 40, {"snakemake": "9"})
    (folder.parent / "statement.json").write_bytes(written(document))
    assert verify_provenance.main("statement.json") is None
    (folder / TABLE).write_text("2")
    assert f"{folder.name}/{TABLE} has sha256" in verify_provenance.main("statement.json")
    assert from_here(by_path, Path()) == by_path


@pytest.mark.parametrize("path", [RUN, TABLE, "published/p.csv"])
def test_a_changed_byte_is_named_with_both_digests(stated: Path, path: str) -> None:
    assert verify_provenance.main("statement.json") is None
    before = sha256(path)
    Path(path).write_text("2")
    sentence = verify_provenance.main("statement.json")
    assert sentence == f"{path} has sha256 {sha256(path)}, but statement.json says {before}"
    Path(path).unlink()
    assert "cannot be read (No such file" in verify_provenance.main("statement.json")


@pytest.mark.parametrize("kind", ["ed25519", "P-256"])
def test_only_the_key_that_signed_verifies(stated: Path, kind: str) -> None:
    def generated() -> ed25519.Ed25519PrivateKey | ec.EllipticCurvePrivateKey:
        if kind == "ed25519":
            return ed25519.Ed25519PrivateKey.generate()
        return ec.generate_private_key(ec.SECP256R1())

    for name, key in (("own", generated()), ("other", generated())):
        secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        Path(f"{name}.pem").write_bytes(secret)
        public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        Path(f"{name}.pub").write_bytes(public)
    sign_statement.main("own.pem")
    assert verify_provenance.main("statement.dsse.json", "own.pub") is None
    unchecked = verify_provenance.main("statement.dsse.json")
    assert unchecked.startswith("the signature of statement.dsse.json was not checked")
    assert "is not signed by the key" in verify_provenance.main("statement.dsse.json", "other.pub")
    assert "is not signed; name" in verify_provenance.main("statement.json", "own.pub")
    Path(TABLE).write_text("2")
    assert f"{TABLE} has sha256" in verify_provenance.main("statement.dsse.json", "own.pub")


@pytest.mark.parametrize(
    "document",
    [
        [],
        "text",
        7,
        {"@graph": 3},
        {"@graph": ["x"]},
        {"@graph": [{"@id": 3, "sha256": "0"}]},
        {"@graph": [{"sha256": "0"}]},
        {"@graph": [{"@id": "a\0b", "sha256": "0"}]},
        {"payload": 3},
        {"payload": "e30="},
        {"predicate": []},
    ],
    ids=str,
)
def test_odd_documents_end_in_a_sentence(stated: Path, document: object) -> None:
    Path("odd.json").write_text(json.dumps(document))
    assert isinstance(verify_provenance.main("odd.json"), str)


def test_an_empty_graph_verifies_nothing(stated: Path) -> None:
    Path("empty.json").write_text('{"@graph": []}')
    assert verify_provenance.main("empty.json").endswith("nothing was verified")


def test_nothing_but_a_statement_is_signed(stated: Path) -> None:
    secret = ed25519.Ed25519PrivateKey.generate()
    pem = secret.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    Path("own.pem").write_bytes(pem)
    Path("other.json").write_text('{"_type": "another"}')
    with pytest.raises(UserError, match=r"other\.json is no statement"):
        sign_statement.main("own.pem", "other.json")


def test_bad_files_get_one_sentence(stated: Path) -> None:
    Path("key.pem").write_text("no key")
    with pytest.raises(UserError, match=r"key.pem signs nothing: it is no private key"):
        sign_statement.main("key.pem")
    with pytest.raises(UserError, match=r"gone.pem cannot be read"):
        sign_statement.main("gone.pem")
    assert "key.pem is no crate and no statement" in verify_provenance.main("key.pem")
    with pytest.raises(UserError, match="holds no finished study"):
        results(stated.parent / "published")
    next(NOTES.iterdir()).write_text("{")
    with pytest.raises(UserError, match="is damaged"):
        results(stated.parent)


@pytest.fixture
def crate(folder: Path) -> dict[str, dict]:
    """The study's crate, its entities by their ids."""
    pytest.importorskip("rocrate")
    from fbftl.findings.crate import Described, StudyCrate

    licence = "https://spdx.org/licenses/MIT"
    Path("results/study.json").write_text("{}\n")
    about = Described("Toy", "A toy.", licence, "Snakefile", "scripts", "9", "results/study.json")
    document = StudyCrate(folder, results(folder), about).document()
    Path("ro-crate-metadata.json").write_text(json.dumps(document))
    return {unquote(entity["@id"]): entity for entity in document["@graph"]}


def test_a_crate_tells_size_and_digest_of_every_file_and_what_each_job_did(crate: dict) -> None:
    for path in (RUN, TABLE, "published/p.csv", "Snakefile", "scripts/train.py"):
        assert crate[path]["sha256"] == sha256(path)
        assert crate[path]["contentSize"] == str(Path(path).stat().st_size)
    job = crate["#job-2"]
    assert job["instrument"] == {"@id": "scripts/tabulate.py"}
    assert {unquote(entity["@id"]) for entity in job["object"]} == {RUN, "published/p.csv"}
    assert [entity["@id"] for entity in job["result"]] == [TABLE]
    assert verify_provenance.main("ro-crate-metadata.json") is None
    Path(RUN).write_text("2")
    assert f"{RUN} has sha256" in verify_provenance.main("ro-crate-metadata.json")


def test_a_validator_finds_no_fault_in_it(
    crate: dict, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All that the profile Provenance Run Crate and those that it rests on require.

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
        "rocrate_uri": folder, "profile_identifier": "provenance-run-crate", "offline": True,
        "requirement_severity": "REQUIRED",
        "skip_checks": ["ro-crate-1.1_3.1", "ro-crate-1.1_3.2"],
    }  # fmt: skip
    assert [issue.message for issue in services.validate(request).get_issues()] == []
    entities = json.loads(Path("ro-crate-metadata.json").read_text())
    wrong = [entity for entity in entities["@graph"] if entity["@id"] != "#job-1"]
    Path("ro-crate-metadata.json").write_text(json.dumps(entities | {"@graph": wrong}))
    assert services.validate(request).get_issues()


def test_commits_are_those_of_the_runs_where_they_are_noted(tmp_path: Path) -> None:
    for number, notes in enumerate([{"commit": "a1"}, {"commit": "a1"}, {"commit": None}, {}]):
        path = tmp_path / "task" / "runs" / f"fbftl{number}.meta.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(notes))
    assert commits(tmp_path / "task") == {"a1"}
    assert commits(tmp_path / "other") == set()
