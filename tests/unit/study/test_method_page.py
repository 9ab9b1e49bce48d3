"""docs/methods.md says what the records say, of every method and every axis."""

import re

import pytest
from fbftl.ground.errors import UserError
from fbftl.study import methods
from fbftl.study.method_page import method_page, require_lasting, table
from fbftl.study.settings import DEFAULTS


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs" / "methods.md").read_text(encoding="utf-8")


def test_the_page_is_what_the_records_say(page):
    assert page == method_page(), "scripts/tools/describe_methods.py makes the page again"


def test_every_axis_has_a_line_with_its_meaning_and_the_methods_that_know_it(page):
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", page.partition("## Axes")[2], re.M))
    assert rows.keys() == DEFAULTS.keys()
    assert rows["plr"].startswith("packet loss rate PLR, given directly. | `0.0` | `fl`, `sfl`,")
    assert rows["descent_steps"] == "noisy full-batch steps T. | `100` | `private_gd`"
    assert rows["feedback"].split(" | ")[1] == "`true`"
    assert "`ecos`" not in rows["plr"]


def test_every_method_has_a_line_and_those_of_its_axes_that_it_knows(page):
    lists = dict(re.findall(r"^- `(\w+)`: (.+)$", page, re.M))
    assert list(lists) == methods.names()
    assert "`schedule`" not in lists["fedfeat"]
    assert "`schedule`" in lists["fl"]
    assert all(re.search(rf"^\| `{name}` \|", page, re.M) for name in lists)


def test_no_default_and_no_order_ever_changes(page):
    """Names of runs rest on them, and jobs are given defaults untracked."""
    require_lasting(page)
    for name, default in (("descent_steps", "`100`"), ("cut", "none"), ("feedback", "`true`")):
        row = re.search(rf"^\| `{name}` .+$", page, re.M)[0]
        changed = page.replace(row, row.replace(f"| {default} |", "| `7` |"))
        with pytest.raises(UserError, match=f"'{name}' has the default `7`.* never changes"):
            require_lasting(changed)
        with pytest.raises(UserError, match="another order"):
            require_lasting(page.replace(f"{row}\n", "") + f"{row}\n")
        require_lasting(page.replace(f"{row}\n", ""))


def test_a_bar_in_a_cell_ends_no_column():
    assert table(("a",), [("x|y",)]) == "| a |\n| --- |\n| x\\|y |\n"
