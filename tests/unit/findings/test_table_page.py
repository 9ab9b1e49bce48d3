"""Pages of tables: at most eight columns, every verdict among them, and two ways on."""

import re

from fbftl.findings.table_page import (
    COLUMNS,
    PageColumn,
    PageText,
    apart,
    for_readers,
    table,
    table_page,
    together,
)
from hypothesis import given
from hypothesis import strategies as st

TEXT = PageText("Uplink of <digits>", "Bits & bytes.")

WHOLE = st.lists(
    st.builds(
        PageColumn,
        st.text("abc±", min_size=1, max_size=3),
        st.lists(st.sampled_from(["", "1", "2"]), min_size=3, max_size=3),
        number=st.booleans(),
        detail=st.booleans(),
    ),
    min_size=1,
    max_size=20,
)


@given(WHOLE, st.integers(0, 2))
def test_a_page_has_eight_columns_at_most_and_every_verdict(columns, verdicts):
    decided = [PageColumn("Verdict", ["reproduced", "", ""], verdict=True)] * verdicts
    text = table([*columns, *decided])
    headings = re.search("<thead>.*</thead>", text)[0]
    assert 1 <= len(re.findall("<th |<td>", headings)) <= COLUMNS
    assert headings.count(">Verdict<") == verdicts
    assert text.count("<tr>") == 4


def test_an_axis_that_tells_rows_apart_takes_the_place_of_the_last_measure():
    method = PageColumn("Method", ["ECOS", "ECOS"])
    centroids = PageColumn("Centroids R", ["25", "50"], number=True, detail=True)
    measures = [PageColumn(f"Measure {k}", ["1", "2"], number=True) for k in range(6)]
    accuracy = PageColumn("Accuracy", ["98", "97"], number=True)
    spread = PageColumn("±", ["1", "2"], number=True)
    shown, _ = for_readers([method, centroids, accuracy, spread, *measures])
    assert [column.heading for column in shown] == [
        *("Method", "Centroids R", "Accuracy"),
        *(f"Measure {k}" for k in range(5)),
    ]


def test_spreads_stand_behind_means_and_reasons_below_verdicts():
    mean = PageColumn("Accuracy (%)", ["98", "97", ""], number=True)
    spread = PageColumn("± (%)", ["1", "", ""], number=True)
    verdict = PageColumn("Verdict", ["differs", "holds", ""], verdict=True)
    reason = PageColumn("Not comparable for", ["a task", "", ""], reason=True)
    first, second = together([mean, spread, verdict, reason])
    assert list(first.cells) == ["98 ± 1", "97", ""]
    assert list(second.below) == ["a task", "", ""]
    assert '<span class="no">differs</span><small>a task</small>' in table([mean, verdict, reason])


def test_what_all_rows_share_stands_once_and_what_none_has_not_at_all():
    columns = [
        PageColumn("Method", ["FL", "FL"]),
        PageColumn("Seeds", ["3", "3"]),
        PageColumn("Note", ["", ""]),
        PageColumn("Uplink (bit)", ["1", "2"]),
    ]
    varying, shared = apart(columns)
    assert [column.heading for column in varying] == ["Method", "Uplink (bit)"]
    assert [column.heading for column in shared] == ["Seeds"]
    assert "In every row: Seeds: 3." in table(columns)


def test_a_verdict_that_decides_nothing_is_told_once():
    reason = PageColumn("Not comparable for", ["a task", ""], reason=True)
    verdict = PageColumn("Verdict", ["not comparable", ""], verdict=True)
    text = table([PageColumn("Method", ["FL", "SFL"]), verdict, reason])
    assert "Verdict, where given: not comparable (a task)." in text


def test_a_page_says_what_it_is_and_leads_back_and_to_the_csv(tmp_path):
    csv = tmp_path / "results" / "digits" / "tables" / "uplink.csv"
    page = table_page(csv, TEXT, [PageColumn("Method", ["FL"])])
    assert "<h1>Uplink of &lt;digits&gt;</h1>" in page
    assert "<p>Bits &amp; bytes.</p>" in page
    assert set(re.findall(r'href="([^"]+)"', page)) == {"../../index.html", "uplink.csv"}
    assert "All results" not in table_page(tmp_path / "t.csv", TEXT, [PageColumn("M", ["FL"])])
