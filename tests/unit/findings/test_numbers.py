"""Single numbers by name; results in prose: filled from committed tables, never typed."""

import re
from collections.abc import Collection

import numpy as np
import pandas as pd
import pytest
import renew_results
from fbftl.findings.claim_pages import PLACE
from fbftl.findings.exchanged import COMMON, SELECTED
from fbftl.findings.numbers import FILLED, fill, of_runs, of_uplink
from fbftl.findings.published import read
from fbftl.findings.story import PICTURE
from fbftl.ground.errors import UserError
from unit.papers.test_effects import runs


def test_every_setting_has_its_accuracy():
    numbers = dict(of_runs(runs(({}, [0.9, 0.8]), ({"plr": 0.5}, [0.5, 0.5]))))
    assert numbers["toy/fbftl/accuracy"] == pytest.approx(85)
    assert numbers["toy/fbftl/spread"] == pytest.approx(50**0.5)
    assert numbers["toy/fbftl+plr=0.5/accuracy"] == pytest.approx(50)


def test_dialogues_have_their_rouge():
    table = runs(({}, [0.4, 0.2]))
    scored = table.assign(rouge1=100 * table.pop("test_accuracy"))
    assert dict(of_runs(scored)) == pytest.approx(
        {"toy/fbftl/rouge1": 30, "toy/fbftl/rouge1 spread": 200**0.5}
    )


def test_ridge_regression_has_a_number_where_it_was_solved():
    table = runs(({}, [0.9, 0.8]), ({"plr": 0.5}, [0.5, 0.5]))
    numbers = dict(of_runs(table.assign(ridge_accuracy=[0.6, 0.8, np.nan, np.nan])))
    assert numbers["toy/fbftl/ridge"] == pytest.approx(70)
    assert numbers["toy/fbftl/ridge spread"] == pytest.approx(200**0.5)
    assert not [name for name in numbers if name.startswith("toy/fbftl+plr=0.5/ridge")]


def test_uplinks_are_compared_with_fbftl():
    rows = [("fbftl", 10, 1.0), ("fbftl", 10, 1.0), ("fl", 10_000, 1000.0), ("fl", 30_000, 3000.0)]
    table = pd.DataFrame(rows, columns=["method", "payload_bits", "times_fbftl"])
    both = pd.concat([table.assign(until=SELECTED), table.assign(until=COMMON)])
    numbers = dict(of_uplink("toy", both))
    for name in ("uplink", "uplink to common accuracy"):
        assert numbers[f"toy/fl/{name}"] == 20_000
        assert numbers[f"toy/fl/{name} over fbftl"] == 2000
        assert numbers[f"toy/fl/{name} over fbftl/spread"] == pytest.approx(2e6**0.5)
        assert f"toy/fbftl/{name} over fbftl" not in numbers


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
    filled_in = PLACE.sub("", text.replace("95% interval", "interval"))
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
