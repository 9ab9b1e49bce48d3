"""Pages of papers say what is claimed, and how many printed numbers are reproduced."""

import pytest
from fbftl.findings.claim_pages import KeptRows, effect_words, fill_claims, headlines, printed
from fbftl.ground.errors import UserError

ROW = {
    "claim": "x-01", "headline": "2", "says": "A | B", "place": "Sec. 1", "printed": "2 %",
    "verdict": "confirmed", "effect": "1 [0, 2]", "evidence": "small: hill",
    "parts": "2 of 3",
}  # fmt: skip

FIRST = ROW | {"claim": "x-02", "headline": "1", "verdict": "mixed", "evidence": "formula",
               "parts": "1 of 1"}  # fmt: skip

REST = ROW | {"claim": "x-03", "headline": ""}

PRINTED = [
    {"table": "t", "quantity": "up", "method": "fl", "verdict": "differs"},
    {"table": "t", "quantity": "up", "method": "fl", "verdict": "reproduced"},
    {"table": "t", "quantity": "up", "method": "fbftl", "verdict": "differs"},
    {"table": "t", "quantity": "accuracy", "method": "fl", "verdict": "not run"},
]

AUDIT = [
    {"id": "A1", "verdict": "differs", "section": "docs/papers/ants.md#a1"},
    {"id": "A2", "verdict": "reproduced", "section": "docs/papers/ants.md#a2"},
    {"id": "A3", "verdict": "differs", "section": "docs/papers/ants-wings.md#a3"},
]

KEPT = {"ants": KeptRows([ROW, FIRST, REST], PRINTED, AUDIT)}


def test_a_page_leads_with_the_claims_that_its_document_is_cited_for() -> None:
    assert headlines([ROW, FIRST, REST]) == [FIRST, ROW]
    page = fill_claims("<!--claims:ants-->\nold\n<!--end-->\n", KEPT, "ants.md")
    lines = page.splitlines()
    assert "| A \\| B (x-02, Sec. 1) | 2 % | 1 \\[0, 2\\] | mixed | formula |" in lines
    assert lines.index(next(line for line in lines if "x-01" in line)) > lines.index(
        next(line for line in lines if "x-02" in line)
    )
    assert "x-03" not in page
    assert "small: hill (2 of 3 parts)" in page
    assert "The document has 3 claims, those above among them: 2 confirmed, 1 mixed." in lines
    assert fill_claims(page, KEPT, "ants.md") == page


def test_a_chapter_s_page_has_every_claim_of_it() -> None:
    page = fill_claims("<!--claims:ants/x-->\n<!--end-->\n", KEPT, "ants-x.md")
    assert all(f"({row['claim']}, Sec. 1)" in page for row in (ROW, FIRST, REST))
    assert "The document has" not in page
    assert fill_claims(page, KEPT, "ants-x.md") == page
    assert "Sec. 1" not in fill_claims("<!--claims:ants/y-->\n<!--end-->\n", KEPT, "ants-y.md")


def test_the_page_of_all_documents_counts_verdicts_and_has_the_decided_claims() -> None:
    open_claim = ROW | {"claim": "x-04", "verdict": "not run"}
    kept = {"ants": KeptRows([ROW, FIRST, REST, open_claim], PRINTED, AUDIT)}
    page = fill_claims("<!--claims:all-->\n<!--end-->", kept, "README.md")
    lines = page.splitlines()
    assert "| document | claims | confirmed | contradicted | mixed | inconclusive |" in page
    assert "| [ants](ants.md) | 4 | 2 | 0 | 1 | 0 | 1 | 0 |" in lines
    assert "| all | 4 | 2 | 0 | 1 | 0 | 1 | 0 |" in lines
    assert [("x-01" in page), ("x-02" in page), ("x-03" in page), ("x-04" in page)] == [
        True, True, False, False,
    ]  # fmt: skip


def test_a_number_is_reproduced_if_one_reading_gives_it() -> None:
    text = printed(KEPT["ants"], "docs/papers/ants.md")
    assert "1 of 2 reproduced" in text
    assert (
        "1 reproduced, 0 not comparable, 2 that differ ([A1](#a1), [A3](ants-wings.md#a3))" in text
    )


def test_an_unknown_paper_is_refused() -> None:
    with pytest.raises(UserError, match=r"bees\.md asks for the claims of 'bees'"):
        fill_claims("<!--printed:bees-->\n<!--end-->", KEPT, "bees.md")


def test_an_effect_is_told_in_words():
    effect = "uplink over FbFTL's: fl 490 times; uplink over FbFTL's: ftl_c 91 times"
    assert effect_words(effect) == "uplink over FbFTL's: FL 490 times; FTL_c 91 times"
    assert effect_words("rule a: 7 points; rule b: 1") == "rule a: 7 points; rule b: 1"
