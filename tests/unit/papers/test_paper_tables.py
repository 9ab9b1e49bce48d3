"""Tables III and IV beside their formulas: what is reproduced, and what is not."""

import json
from fractions import Fraction

import pandas as pd
import pytest
import tabulate_fbftl_cost
from fbftl.ground.errors import UserError
from fbftl.papers.fbftl.dialogues import mean_tokens
from fbftl.papers.fbftl.setup import epochs
from fbftl.papers.record import PaperRecord
from fbftl.study.methods import rows

TABULATED = rows(["fl", "sfl", "ftl_f", "ftl_c", "fbftl"])


@pytest.fixture(scope="module")
def published(root):
    return root / "published" / "fbftl"


@pytest.fixture(scope="module")
def methods(published, tmp_path_factory):
    path = tmp_path_factory.mktemp("methods") / "methods.csv"
    table3, setup = published / "table3.csv", published / "setup.csv"
    tabulate_fbftl_cost.paper_methods(table3, setup, TABULATED).write(path)
    return pd.read_csv(path, dtype=str, keep_default_na=False)


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


def cells(frame, verdict, *keys):
    """The cells that some reading gives that verdict."""
    return set(frame[frame["verdict"] == verdict][list(keys)].itertuples(index=False, name=None))


def test_every_derivable_number_of_table_3_but_one_is_reproduced(methods):
    derivable = methods[methods["quantity"] != "accuracy"]
    every = set(derivable[["quantity", "method"]].itertuples(index=False, name=None))
    assert len(every) == 6 * 7 + 1
    assert every - cells(derivable, "reproduced", "quantity", "method") == {
        ("total_downlink", "ftl_f")
    }


def test_the_equations_as_printed_reproduce_every_payload_but_these(methods):
    printed = methods[methods["reading"] == "as printed"]
    payload = printed[~printed["quantity"].str.contains("multiplications")]
    assert cells(payload, "differs", "quantity", "method") == {
        ("total_downlink", "ftl_f"),
        ("total_downlink", "ftl_c"),
        ("numbers_per_batch", "sfl"),
        ("uplink_per_batch", "sfl"),
        ("total_uplink", "sfl"),
    }


def test_every_number_of_table_4_is_reproduced(language):
    derivable = language[language["quantity"] != "rouge1"]
    keys = ("quantity", "method", "trained_encoders")
    every = set(derivable[list(keys)].itertuples(index=False, name=None))
    assert len(every) == 7 * 5
    assert cells(derivable, "reproduced", *keys) == every


def test_true_uplink_grows_with_the_length_of_the_dialogues(language):
    fbftl = language[(language["method"] == "fbftl") & (language["quantity"] == "total_uplink")]
    by_reading = fbftl.groupby("reading")["exact"].first().astype(int)
    dialogues, tokens = 2 * 7366, 4
    assert by_reading["corrected"] == dialogues * tokens * 512 * 32
    assert by_reading["token ids"] == dialogues * tokens * 15
    assert by_reading["corrected"] == 4 * by_reading["as printed"]


def test_without_dialogues_no_true_uplink(published, tmp_path):
    path = tmp_path / "language.csv"
    tabulate_fbftl_cost.paper_language(
        published / "table4.csv", published / "setup.csv", TABULATED
    ).write(path)
    assert "token ids" not in path.read_text()


def test_mean_tokens_takes_any_tokenizer(tmp_path):
    path = tmp_path / "d.jsonl"
    path.write_text('{"dialogue": "ab c"}\n{"dialogue": ""}\n')
    assert mean_tokens(path) == Fraction(3 + 1, 2)
    assert mean_tokens(path, count=len) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"dialogue": "a"}\n{"summary": "b"}\n', "line 2"),
        ("[1]\n", "line 1"),
        ("not json\n", "line 1"),
        ('{"dialogue": 5}\n', "line 1"),
        ("", "no dialogues"),
    ],
)
def test_bad_dialogues_are_refused(tmp_path, text, message):
    path = tmp_path / "d.jsonl"
    path.write_text(text)
    with pytest.raises(UserError, match=message):
        mean_tokens(path)


def test_batches_that_are_no_whole_epochs_are_refused(published):
    with pytest.raises(UserError, match="no whole epochs of 1000"):
        epochs(PaperRecord.of([published / "table3.csv"]), "table3", 1000, method="fl")
