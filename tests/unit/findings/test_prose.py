"""Results in prose: filled from committed tables, never typed."""

import pytest
import renew_results
from fbftl.findings.prose import fill, typed
from fbftl.findings.published import read
from fbftl.ground.errors import UserError
from fbftl.ground.files import write_json


@pytest.fixture(scope="module")
def printed(root):
    """Every value that a paper prints; accuracies also in percent."""
    values = {v for p in (root / "published").glob("*/*.csv") for v in read(p)["printed"]}
    return values | {f"{100 * float(value):g}" for value in values}


def test_a_name_is_filled_and_filled_again():
    page = "FbFTL: <!--digits/fbftl/accuracy:.1f-->97.0<!----> %"
    once = fill(page, {"digits/fbftl/accuracy": 98.24}, "page")
    assert once == "FbFTL: <!--digits/fbftl/accuracy:.1f-->98.2<!----> %"
    assert fill(once, {"digits/fbftl/accuracy": 98.24}, "page") == once


def test_a_name_without_a_number_is_refused():
    with pytest.raises(UserError, match="'a/b'"):
        fill("<!--a/b:.1f-->1<!---->", {}, "page")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("reaches 98.2 % of", ["98.2"]),
        ("98.2% ± 0.2%", ["98.2", "0.2"]),
        ("gains 22.0 points and is 1,348 times as long", ["22.0", "1,348"]),
        ("<!--a:.1f-->98.2<!----> % ± <!--b:.1f-->0.2<!----> %", []),
        ("the paper prints 86.51 %", []),
        ("`fraction: 0.1 %` on two cores with 5 seeds", []),
    ],
)
def test_what_reads_as_a_result(text, found):
    assert typed(text, {"86.51"}) == found


def test_no_page_has_a_typed_result(root, printed):
    found = {
        str(page.relative_to(root)): numbers
        for page in renew_results.pages(root)
        if (numbers := typed(page.read_text(encoding="utf-8"), printed))
    }
    assert not found


def test_every_filled_number_is_that_of_the_committed_tables(root):
    numbers = renew_results.committed_numbers(root)
    for page in renew_results.pages(root):
        text = page.read_text(encoding="utf-8")
        assert fill(text, numbers, page.name) == text, page


def departed(root):
    """Return the scripts whose code was another when results were committed, by their folder."""
    ours, committed = renew_results.code(), root / renew_results.COMMITTED
    apart = {}
    for path in sorted(committed.rglob("made.json")):
        made = renew_results.read(path)
        scripts = [script for script, own in ours.items() if made["code"].get(script) != own]
        if scripts:
            folder = f"{path.parent.relative_to(committed)} ({made['commit'][:7]})"
            apart[folder] = ", ".join(scripts)
    return apart


def test_committed_results_are_those_of_the_tree(root, monkeypatch):
    monkeypatch.chdir(root)
    if other := departed(root):
        pytest.skip(f"results of other code than the tree's, renew them: {other}")


def test_results_of_other_code_are_told_with_their_commit(root, tmp_path, monkeypatch):
    """Of papers too, and neither a commit after theirs nor another environment alone."""
    monkeypatch.chdir(root)
    code = renew_results.code()
    other = code | {"train_setting.py": "0" * 64}
    for folder, own in {"digits": code, "papers/fbftl": other}.items():
        made = {"commit": "ab12cd34", "code": own, "versions": {}}
        write_json(tmp_path / renew_results.COMMITTED / folder / "made.json", made)
    assert departed(tmp_path) == {"papers/fbftl (ab12cd3)": "train_setting.py"}
