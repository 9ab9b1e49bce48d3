"""Kept results get new names, and nothing else of them changes."""

import csv
from pathlib import Path

from tools.rename_kept import (
    RENAMED,
    read_renamed,
    renamed_csv,
    renamed_markdown,
    renamed_numbers,
    renamed_page,
)

NAMES = {"bought": "selected", "ecos+votes=2": "ecos+ecos_votes=2"}


def test_a_csv_has_new_heads_and_settings_and_the_same_numbers():
    before = 'setting,bought,note\necos+votes=2,0.10,"a, b"\nfl,3,bought\n'
    after = 'setting,selected,note\necos+ecos_votes=2,0.10,"a, b"\nfl,3,bought\n'
    columns, settings = ({old: new} for old, new in NAMES.items())
    assert renamed_csv(before, columns, settings) == after


def test_a_table_in_markdown_has_new_headings_only():
    table = "| method | ± (bit) | method \\| K |\n| --- | ---: | --- |\n| method | 1 | method |\n"
    after = "| Method | ± | method \\| K |\n| --- | ---: | --- |\n| method | 1 | method |\n"
    headings = {"method": "Method", "± (bit)": "±"}
    assert renamed_markdown(table, headings) == after
    assert renamed_markdown("# method\n\n" + table, headings) == "# method\n\n" + table


def test_numbers_and_pages_that_quote_them_have_the_new_names_of_settings():
    numbers = '{"t/ecos+votes=2/uplink over ecos+votes=2": 1.50, "t/fl/votes=2": 2}'
    after = '{\n "t/ecos+ecos_votes=2/uplink over ecos+ecos_votes=2": 1.5,\n "t/fl/votes=2": 2\n}\n'
    assert renamed_numbers(numbers, NAMES) == after
    page = "<!--t/ecos+votes=2/accuracy:.1f-->1.0<!----> ecos+votes=2"
    assert renamed_page(page, NAMES) == page.replace("votes", "ecos_votes", 1)


def test_every_old_name_of_a_kind_has_one_new_name_that_stays():
    with Path(RENAMED).open(encoding="utf-8", newline="") as file:
        lines = [(row["kind"], row["old"]) for row in csv.DictReader(file)]
    assert len(lines) == len(set(lines))
    for names in read_renamed().values():
        assert not names.keys() & names.values()
