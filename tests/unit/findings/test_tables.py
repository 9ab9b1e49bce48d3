import csv
from unittest.mock import Mock, patch

import pandas as pd
import pytest
import tabulate_findings
from fbftl.findings.measured import beside_blind
from fbftl.findings.tables import (
    BY_SEED,
    Column,
    ResultTable,
    escape_latex,
    escape_markdown,
    prefixed,
    ratio,
)
from hypothesis import given
from hypothesis import strategies as st

FRAME = pd.DataFrame(
    {
        "method": ["fl", "ftl_c"],
        "uplink": pd.Series([3216037650000000, None], dtype=object),
        "accuracy": [0.894249, 0.5],
    }
)
COLUMNS = (
    Column("method", "Method"),
    Column("uplink", "Total uplink", "Tb", lambda bits: f"{bits / 10**12:.0f}"),
    Column("accuracy", "Accuracy", "%", "{:.1%}"),
)


def test_each_format_has_its_headings_units_and_digits(tmp_path):
    """The csv has all digits, and integers exactly."""
    ResultTable(FRAME, COLUMNS).write(tmp_path / "t.csv")
    rows = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert rows[0] == {"method": "fl", "uplink": "3216037650000000", "accuracy": "0.894249"}
    assert rows[1]["uplink"] == ""
    assert (tmp_path / "t.md").read_text().splitlines() == [
        "| Method | Total uplink (Tb) | Accuracy (%) |",
        "| --- | --- | ---: |",
        "| fl | 3216 | 89.4% |",
        "| ftl\\_c |  | 50.0% |",
    ]
    lines = (tmp_path / "t.tex").read_text().splitlines()
    assert lines[0] == r"\begin{tabular}{llr}"
    assert lines[2] == r"Method & Total uplink (Tb) & Accuracy (\%) \\"
    assert lines[-3:] == [r"ftl\_c &  & 50.0\% \\", r"\bottomrule", r"\end{tabular}"]


def test_markdown_has_a_spread_behind_its_mean_and_below_the_table_what_rows_share(tmp_path):
    table = FRAME.assign(spread=[0.01, 0.02], seeds=3, reason=["", "no run"], verdict="not run")
    columns = (
        *COLUMNS, Column("spread", "±", "%", "{:.1%}"), Column("seeds", "Seeds"),
        Column("verdict", "Verdict"), Column("reason", "Why"),
    )  # fmt: skip
    ResultTable(table, columns).write(tmp_path / "t.csv")
    lines = (tmp_path / "t.md").read_text().splitlines()
    assert lines[0] == "| Method | Total uplink (Tb) | Accuracy (%) | Verdict |"
    assert lines[3] == "| ftl\\_c |  | 50.0% ± 2.0% | not run; no run |"
    assert lines[4:] == ["", "In every row: Seeds: 3."]


def test_an_unknown_column_writes_nothing(tmp_path):
    with pytest.raises(KeyError):
        ResultTable(FRAME, (Column("nothing", "Nothing"),)).write(tmp_path / "t.csv")
    assert list(tmp_path.iterdir()) == []


@given(st.text())
def test_escaped_markdown_stays_in_its_cell(text):
    escaped = escape_markdown(text)
    assert "\n" not in escaped
    assert "<" not in escaped
    assert "|" not in escaped.replace("\\\\", "").replace("\\|", "")


@given(st.text(alphabet="a \\{}$&#^_~%<>|\n"))
def test_escaped_latex_has_balanced_braces_and_no_comment(text):
    escaped = escape_latex(text)
    plain = escaped.replace("\\{", "").replace("\\}", "")
    assert plain.count("{") == plain.count("}")
    assert "%" not in escaped.replace("\\%", "")
    assert "\n" not in escaped


def test_html_shows_text_as_it_is_and_needs_nothing_else(tmp_path):
    frame = pd.DataFrame({"name": ["<script>alert(1)</script>"], "value": [0.5]})
    columns = [Column("name", "a & b"), Column("value", "x", "%", "{:.0%}")]
    ResultTable(frame, columns).write(tmp_path / "t.csv")
    page = (tmp_path / "t.html").read_text()
    assert "<script>" not in page
    assert '<th scope="row"><span>&lt;script&gt;alert(1)&lt;/script&gt;</span></th>' in page
    assert '<th scope="col" class="number">x (%)</th>' in page
    assert "a &amp; b" in page
    assert "http" not in page


@pytest.mark.parametrize(
    ("count", "printed"), [(0, "0"), (999.6, "1 k"), (11_780_096, "11.8 M"), (1e21, "1000 E")]
)
def test_counts_have_three_digits_and_a_prefix(count, printed):
    assert prefixed(count) == printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [(0.697, "0.70"), (9.96, "10"), (0.0996, "0.10"), (487272.7, "487,273"), (0.0, "0")],
)
def test_ratios_below_ten_have_two_digits(value, printed):
    assert ratio(value) == printed


def test_readers_see_means_over_seeds_and_the_csv_every_seed(tmp_path):
    part, written = tmp_path / "part.csv", tmp_path / "attacked_seeds.csv"
    part.write_text(
        "task,setting,seed,membership,membership_blind\n"
        "t,fl,0,0.5,0.5\nt,fl,1,0.7,0.5\nt,fbftl,0,0.9,0.5\nt,fbftl,1,0.9,0.5\n"
    )
    columns = [*BY_SEED, *beside_blind("membership", "AUC")]
    with patch.object(tabulate_findings, "load", lambda script: Mock(COLUMNS=columns)):
        tabulate_findings.main([part], "a script").write(written)
    assert written.read_text() == part.read_text()
    text = written.with_suffix(".md").read_text()
    assert "| FL | 0.600 ± 0.141 |\n| FbFTL | 0.900 ± 0.000 |" in text
    assert "In every row: AUC, blind guess: 0.500 ± 0.000; Seeds: 2." in text
