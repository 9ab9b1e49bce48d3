"""Tables III and IV beside their formulas: what is reproduced, and what is not."""

import json
from fractions import Fraction

import pandas as pd
import pytest
import tabulate_fbftl_cost
from fbftl.papers.fbftl.setup import mean_tokens
from fbftl.study.methods import rows

TABULATED = rows(["fl", "sfl", "ftl_f", "ftl_c", "fbftl"])


@pytest.fixture(scope="module")
def published(root):
    return root / "published" / "fbftl"


@pytest.fixture(scope="module")
def language(published, tmp_path_factory):
    folder = tmp_path_factory.mktemp("language")
    dialogues = folder / "train.jsonl"
    dialogues.write_text(json.dumps({"dialogue": "a b c"}) + "\n")
    path = folder / "language.csv"
    tabulate_fbftl_cost.paper_language(
        published / "table4.csv", published / "setup.csv", TABULATED, dialogues
    ).write(path)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


def test_true_uplink_grows_with_the_length_of_the_dialogues(language):
    fbftl = language[(language["method"] == "fbftl") & (language["quantity"] == "total_uplink")]
    by_reading = fbftl.groupby("reading")["exact"].first().astype(int)
    dialogues, tokens = 2 * 7366, 4
    assert by_reading["corrected"] == dialogues * tokens * 512 * 32
    assert by_reading["token ids"] == dialogues * tokens * 15
    assert by_reading["corrected"] == 4 * by_reading["as printed"]


def test_mean_tokens_are_words_and_end_marks(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"dialogue": "ab c"}\n{"dialogue": ""}\n')
    assert mean_tokens(path) == Fraction(3 + 1, 2)
