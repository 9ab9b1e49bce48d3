"""Dialogues: the grammar, files of any form, and the three splits."""

import itertools
import json
import string

import pytest
from fbftl.data import dialogues as data
from fbftl.data.dialogue_records import FAMILIES, Record, generate, read_records
from fbftl.ground import hub
from fbftl.ground.errors import UserError
from hypothesis import given
from hypothesis import strategies as st


def test_no_summary_repeats_within_or_between_splits_and_families():
    source = generate("source", {"source": 1500})
    target = generate("target", {"train": 500, "test": 300})
    summaries = [r.summary for records in (*source.values(), *target.values()) for r in records]
    assert len(summaries) == len(set(summaries)) == 2300


def test_equal_seeds_give_equal_dialogues_and_other_seeds_others():
    first, again, other = (generate("target", {"train": 30}, seed)["train"] for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.parametrize("family", FAMILIES)
def test_every_phrasing_says_what_the_summary_needs(family):
    def slots(text: str) -> set[str]:
        return {name for _, name, _, _ in string.Formatter().parse(text) if name}

    for intent in FAMILIES[family]:
        needed = slots(intent.summary) - {"a", "b"}
        for turns in itertools.product(*intent.turns):
            assert needed <= slots(" ".join(turns)), (intent.summary, turns)
            assert len(turns) == 3


def test_more_dialogues_than_the_grammar_has_are_refused(monkeypatch):
    monkeypatch.setitem(FAMILIES, "tiny", FAMILIES["source"][:1])
    monkeypatch.setattr(
        "fbftl.data.dialogue_records.WORDS",
        {name: ("one", "two") for name in ("person", "item", "day", "hour", "place", "pastime")},
    )
    with pytest.raises(UserError, match="ask for fewer"):
        generate("tiny", {"train": 17})  # 2 speakers' orders x 2 days x 2 hours x 2 pastimes = 16


def line(**fields: object) -> str:
    return json.dumps({"id": "1", "dialogue": "A: hi", "summary": "A greets."} | fields)


def write(path, *lines: str, end: str = "\n"):
    path.write_bytes(end.join(lines).encode())
    return path


def test_any_sensible_form_is_read(tmp_path):
    thousand = "\n".join(f"A: turn {i}" for i in range(1000))
    path = write(
        tmp_path / "d.jsonl",
        "\ufeff" + line(id=13728867),
        "",
        line(id="empty", dialogue=""),
        line(id="emoji", dialogue="A: 🎉👩‍👩‍👧 \u2028 ok"),
        line(id="long", dialogue=thousand),
        line(id="windows", dialogue="A: one\r\nB: two\rC: three", extra=[1]),
        line(id="nul", dialogue="A: a\0b"),
        end="\r\n",
    )
    records = {record.id: record for record in read_records(path)}
    assert list(records) == ["13728867", "empty", "emoji", "long", "windows", "nul"]
    assert records["empty"].dialogue == ""
    assert "🎉👩‍👩‍👧 \u2028" in records["emoji"].dialogue
    assert records["long"].dialogue.count("\n") == 999
    assert records["windows"].dialogue == "A: one\nB: two\nC: three"
    assert records["nul"].dialogue == "A: ab"


def test_an_array_is_read_like_lines(tmp_path):
    rows = [line(id="a"), line(id="b")]
    array = write(tmp_path / "d.json", "[" + ",\n".join(rows) + "]")
    assert read_records(array) == read_records(write(tmp_path / "d.jsonl", *rows))


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        ('{"id": "x"', "Expecting"),
        ('{"id": "x", "summary": "s"}', "not a JSON object with the fields"),
        (line(dialogue=None), "'dialogue' is not text"),
        (line(summary=" \n"), "'summary' is empty"),
        (line(id="first"), "occurs already in .*line 1"),
        (line(dialogue="\ud83c"), "half a surrogate pair"),
        ('{"id":' + "[" * 100_000, "maximum recursion"),
    ],
)
def test_a_bad_line_is_refused_with_file_and_line(tmp_path, bad, reason):
    path = write(tmp_path / "d.jsonl", line(id="first"), line(id="second"), bad)
    with pytest.raises(UserError, match=rf"d\.jsonl, line 3.*{reason}"):
        read_records(path)


def test_a_file_that_is_missing_empty_or_not_utf8_is_named(tmp_path):
    with pytest.raises(UserError, match=r"no\.jsonl cannot be read"):
        read_records(tmp_path / "no.jsonl")
    with pytest.raises(UserError, match="holds no dialogues"):
        read_records(write(tmp_path / "empty.jsonl", "", ""))
    (tmp_path / "latin.jsonl").write_bytes(line().encode() + b"\n\xe9\n")
    with pytest.raises(UserError, match=r"latin\.jsonl cannot be read"):
        read_records(tmp_path / "latin.jsonl")


@given(st.binary(max_size=200))
def test_no_bytes_whatever_raise_anything_but_a_user_error(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("bytes") / "d.jsonl"
    path.write_bytes(content)
    try:
        records = read_records(path)
    except UserError as error:
        assert str(path) in str(error)  # noqa: PT017 both outcomes are checked
    else:
        assert all(isinstance(record, Record) for record in records)


def test_splits_of_generated_and_of_read_dialogues(tmp_path):
    generated = data.load({"kind": "dialogues", "source": 5, "train": 4, "test": 3, "seed": 2}, ".")
    assert {split: len(records) for split, records in generated.items()} == {
        "source": 5,
        "train": 4,
        "test": 3,
    }
    write(tmp_path / "train.jsonl", *(line(id=str(i)) for i in range(6)))
    write(tmp_path / "test.jsonl", line())
    spec = {"kind": "jsonl", "train": "train.jsonl", "test": "test.jsonl", "source": 2}
    read = data.load(spec, tmp_path)
    assert [r.id for r in read["source"] + read["train"]] == list("012345")
    assert len(read["source"]) == 2
    for look in (data.load, data.training_count):
        with pytest.raises(UserError, match="leaves none to the clients"):
            look(spec | {"source": 6}, tmp_path)
    assert data.training_count(spec, tmp_path) == len(read["train"])
    assert data.training_count(spec | {"limit": {"train": 3}}, tmp_path) == 3
    assert data.training_count(spec | {"train": "not yet fetched.jsonl"}, tmp_path) is None
    assert data.training_count({"kind": "dialogues", "train": 4}, None) == 4


PINNED = {
    "repository": "someone/corpus",
    "type": "dataset",
    "revision": "0" * 40,
    "folder": "corpus",
    "files": {"train.json": "a" * 64},
}


def test_without_a_hub_one_message_says_what_to_place_where(tmp_path, monkeypatch):
    def unreachable(*arguments: object, **options: object) -> None:
        raise OSError("no network")

    monkeypatch.setattr("huggingface_hub.hf_hub_download", unreachable)
    spec = {
        "kind": "jsonl",
        "train": "corpus/train.json",
        "test": "corpus/test.json",
        "hub": PINNED,
    }
    with pytest.raises(UserError) as raised:
        data.load(spec, tmp_path)
    message = str(raised.value)
    assert (
        f"https://huggingface.co/datasets/someone/corpus/resolve/{'0' * 40}/train.json" in message
    )
    assert f"as {tmp_path / 'corpus' / 'train.json'} (sha256 {'a' * 64})" in message
    assert str(tmp_path / "corpus" / "test.json") in message


def test_a_placed_file_is_used_and_its_digest_checked(tmp_path, monkeypatch):
    monkeypatch.setattr("huggingface_hub.hf_hub_download", None)
    path = write(tmp_path / "train.json", line())
    wanted = hub.pinned(PINNED | {"files": {"train.json": hub.sha256(path)}})
    hub.fetch(wanted, tmp_path)
    with pytest.raises(UserError, match=f"where the study pins {'a' * 64}"):
        hub.fetch(hub.pinned(PINNED), tmp_path)
