"""What describes published features to people and tools says what the manifest says."""

import ast
import re

import pytest
import yaml
from fbftl.features.publication.write import json_bytes
from fbftl.features.store.format import sha256_of
from fbftl.findings.descriptions import metadata
from fbftl.findings.descriptions.card import card_of
from fbftl.ground.errors import UserError

MANIFEST = {
    "store": {"cut": "fc1", "width": 6, "dtype": "float32", "preprocessing": {}},
    "files": {"zarr.json": "1" * 64, "train/features/c/0/0": "2" * 64},
    "about": {
        "task": "toys", "licence": "CC0-1.0", "publisher": "nobody", "classes": 4, "groups": [],
        "counts": {"train": 30, "test": 4}, "clients": {"train": 3, "test": 1},
        "backbone": {"name": "net", "digest": "3" * 64, "licence": None},
        "noise": {"epsilon": 4.0, "delta": 1e-5, "clip_norm": 2.0}, "warnings": ["it is a toy"],
        "leaks": {"inversion": None},
    },
    "digest": "4" * 64,
}  # fmt: skip
DAY = "2026-01-31"


def test_the_card_has_digest_noise_warnings_and_leaks() -> None:
    card = card_of(MANIFEST, "toys")
    for part in (
        "4" * 64,
        "3" * 64,
        "ε = 4 at δ = 1e-05",
        "it is a toy",
        "inversion: not measured",
    ):
        assert part in card


HOSTILE = "a: b # | `x` *y*\"'\n---\n<script>{0}\u2028\U0001f600"


def test_names_from_elsewhere_say_what_they_say_and_nothing_else() -> None:
    """Of a layer, a licence, a backbone and a place: in YAML, in Markdown and in Python."""
    about = MANIFEST["about"] | {"licence": HOSTILE, "warnings": [HOSTILE], "groups": [HOSTILE]}
    about["backbone"] = {"name": HOSTILE, "digest": None, "licence": HOSTILE}
    store = MANIFEST["store"] | {"cut": HOSTILE, "preprocessing": {"by": HOSTILE}}
    card = card_of(MANIFEST | {"about": about, "store": store}, HOSTILE)
    _, header, body = card.split("---\n", 2)
    header = yaml.safe_load(header)
    assert header["pretty_name"] == f"toys, features at {HOSTILE}"
    assert (header["license"], len(header)) == (HOSTILE.lower(), 3)
    text, data = body.split("```yaml\n")
    assert yaml.safe_load(data.split("\n```")[0])["data"]["store"] == HOSTILE
    (call,) = [line for line in card.splitlines() if line.startswith("features = ")]
    (opened,) = [node for node in ast.walk(ast.parse(call)) if isinstance(node, ast.Call)]
    assert ast.literal_eval(opened.args[0]) == HOSTILE
    assert "<script>" not in text.replace(call, "")
    table = [line for line in body.splitlines() if line.startswith("|")]
    assert len(table) == 12
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {3}


def test_the_crate_has_every_file_with_its_digest() -> None:
    pytest.importorskip("rocrate")
    entities = metadata.crate_of(MANIFEST, {"README.md": b"toy"}, DAY)["@graph"]
    by_id = {entity["@id"]: entity.get("sha256") for entity in entities}
    expected = MANIFEST["files"] | {"README.md": sha256_of(b"toy")}
    assert {name: by_id[name] for name in expected} == expected
    assert by_id["manifest.json"] == sha256_of(json_bytes(MANIFEST))


def test_croissant_conforms_or_is_refused_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(metadata, "find_spec", lambda name: None)
    with pytest.raises(UserError, match=r"install envs/publication\.txt"):
        metadata.croissant_of(MANIFEST, "toys", DAY)
    pytest.importorskip("mlcroissant", reason="optional (envs/publication.txt)")
    monkeypatch.undo()
    document = metadata.croissant_of(MANIFEST, "toys", DAY)
    assert document["conformsTo"] == metadata.VERSION
    assert document["distribution"][0]["sha256"] == sha256_of(json_bytes(MANIFEST))
