"""docs/methods.md says what the records say, of every method and every axis."""

import re

import pytest
from fbftl.study import methods
from fbftl.study.method_page import meanings_in, method_page, table
from fbftl.study.settings import DEFAULTS


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs" / "methods.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_records_say(page):
    assert page == method_page(), "python scripts/describe_methods.py makes the page again"


def test_every_axis_has_a_line_with_its_meaning_and_the_methods_that_know_it(page):
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page.partition("## Axes")[2], re.M))
    assert rows.keys() == DEFAULTS.keys()
    assert rows["plr"].startswith("packet loss rate PLR, given directly. | `0.0` | `fl`, `sfl`,")
    assert rows["steps"] == "noisy full-batch steps T. | `100` | `private_gd`"
    assert rows["feedback"].split(" | ")[1] == "`true`"
    assert "`ecos`" not in rows["plr"]


def test_every_method_has_a_line_and_those_of_its_axes_that_it_knows(page):
    lists = dict(re.findall(r"^- `(\w+)`: (.+)$", page, re.M))
    assert list(lists) == methods.names()
    assert "`schedule`" not in lists["fedfeat"]
    assert "`schedule`" in lists["fl"]
    assert all(re.search(rf"^\| `{name}` \|", page, re.M) for name in lists)


def test_a_meaning_goes_on_over_its_lines():
    told = "Head.\n\n    one: first\n        and more.\n    two: second.\n    "
    assert meanings_in(told) == {"one": "first and more.", "two": "second."}


def test_a_bar_in_a_cell_ends_no_column():
    assert table(("a",), [("x|y",)]) == "| a |\n| --- |\n| x\\|y |\n"
