"""Results in prose: filled from committed tables, never typed."""

import re
from collections.abc import Collection

import pytest
import renew_results
from fbftl.findings.claim_pages import PLACE
from fbftl.findings.published import read
from fbftl.findings.story import PICTURE
from fbftl.findings.table_numbers import FILLED, fill
from fbftl.ground.errors import UserError

RESULT = re.compile(
    r"(?<![\w.,])(?P<number>\d[\d,]*(?:\.\d+)?)(?= ?(?:%|±)| (?:points?|times)\b)"
    r"|± ?(?P<spread>\d[\d,]*(?:\.\d+)?)"
)
"""What reads as a result: a percentage, a spread, a number of points or of times."""

CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.M | re.S)
"""What is code on a page, where a number is a setting."""


def typed(text: str, printed: Collection[str]) -> list[str]:
    """Return what reads as a result on a page but is neither filled in nor a printed value.

    Alternative texts of pictures are filled in from the figures, claims from kept tables.

    Args:
        text: the page, in Markdown.
        printed: the values that papers print, digit by digit.
    """
    filled_in = PLACE.sub("", text)
    prose = CODE.sub("", PICTURE.sub("", FILLED.sub("", filled_in)))
    numbers = (match["number"] or match["spread"] for match in RESULT.finditer(prose))
    return [number for number in numbers if number.replace(",", "") not in printed]


@pytest.fixture(scope="module")
def printed(root):
    """Every value that a paper prints; accuracies also in percent."""
    files = (root / "published").glob("*/*.csv")
    tables = [p for p in files if p.parent.name != "claims"]
    values = {v for p in tables for v in read(p)["printed"]}
    return values | {f"{100 * float(value):g}" for value in values}


def test_a_name_is_filled_and_filled_again():
    page = "FbFTL: <!--digits/fbftl/accuracy:.1f-->97.0<!----> %"
    once = fill(page, {"digits/fbftl/accuracy": 98.24}, "page")
    assert once == "FbFTL: <!--digits/fbftl/accuracy:.1f-->98.2<!----> %"
    assert fill(once, {"digits/fbftl/accuracy": 98.24}, "page") == once


def test_a_name_without_a_number_is_refused():
    with pytest.raises(UserError, match="'a/b'"):
        fill("<!--a/b:.1f-->1<!---->", {}, "page")


def test_no_page_has_a_typed_result(root, printed):
    typed_in = {
        str(page.relative_to(root)): numbers
        for page in renew_results.pages(root)
        if (numbers := typed(page.read_text(encoding="utf-8"), printed))
    }
    assert not typed_in


def test_every_page_has_what_the_kept_results_fill_in(root):
    """Numbers, tables of coverage and of claims, and alternative texts of figures."""
    for page in renew_results.pages(root):
        assert renew_results.filled(root, page) == page.read_text(encoding="utf-8"), page
