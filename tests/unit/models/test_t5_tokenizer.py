"""The tokenizer: any text there and back, T5's special ids, refusal of other files."""

import json
import re

import pytest
from fbftl.ground.errors import UserError
from fbftl.models.t5.tokenizer import END_ID, PAD_ID, Tokenizer, train_tokenizer
from hypothesis import given
from hypothesis import strategies as st

TOKENIZER = train_tokenizer(["Anna: Hi Ben! Shall we go running?", "Anna and Ben run."] * 5, 300)


def without_special_tokens(text: str) -> bool:
    """Return whether a text spells none of the tokens that decoding leaves out."""
    return not re.search(r"</s>|<pad>|<unk>", text)


@given(st.text().filter(without_special_tokens))
def test_any_text_survives_the_way_there_and_back(text):
    (ids,) = TOKENIZER.encode([text], longest=10_000)
    assert ids[-1] == END_ID
    assert PAD_ID not in ids
    assert ids.max() < TOKENIZER.size
    assert TOKENIZER.decode([ids]) == [text]


def test_long_texts_are_cut_and_still_end():
    (ids,) = TOKENIZER.encode(["running " * 50], longest=8)
    assert len(ids) == 8
    assert ids[-1] == END_ID
    assert [len(row) for row in TOKENIZER.encode([""], longest=8)] == [1]


def test_a_tokenizers_own_padding_and_truncation_are_ignored():
    document = json.loads(TOKENIZER.text)
    document["truncation"] = {
        "direction": "Right", "max_length": 2, "strategy": "LongestFirst", "stride": 0,
    }  # fmt: skip
    (ids,) = Tokenizer(json.dumps(document)).encode(["Anna and Ben run."], longest=99)
    assert Tokenizer(TOKENIZER.text).decode([ids]) == ["Anna and Ben run."]


def test_files_that_are_no_t5_tokenizer_are_refused():
    with pytest.raises(UserError, match="damaged"):
        Tokenizer("{}")
    with pytest.raises(UserError, match="numbers <pad> and </s>"):
        Tokenizer(TOKENIZER.text.replace("</s>", "<end>"))
