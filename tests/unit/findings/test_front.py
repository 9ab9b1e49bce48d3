"""The front page: every paper, what came out of those that are run, and links that lead on."""

import re
from dataclasses import replace
from datetime import date

import pandas as pd
import pytest
from fbftl.findings.front import BESIDE, MOST_SHOWN, OwnTask, section, settings_of, warnings_of
from fbftl.findings.table_page import PageText
from make_index import main

CLAIMS = """\
claim,says,place,evidence,verdict
a-1,A & B agree,Ch. 1,hill-full,confirmed
a-2,C costs less,Ch. 2,formula,mixed
"""
TABLE = """\
paper,title,place,says
ants,Of <Ants>,Ch. 1,"They carry, a lot."
ants,Of <Ants>,Ch. 2,They dig.
bees,Of Bees,Abstract,They fly.
"""


def test_every_paper_is_shown_with_its_claims_and_results(tmp_path):
    (tmp_path / "papers.csv").write_text(TABLE)
    (tmp_path / "audit.csv").write_text("paper,verdict\nants,differs\nants,reproduced\n")
    results = ["digits/figures/one.svg", "papers/ants/tables/claims.html"]
    for path in results:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "papers/ants/tables/claims.csv").write_text(CLAIMS)
    page = tmp_path / "index.html"
    by_paper = {"ants": [str(tmp_path / path) for path in results]}
    described = "<svg><dc:description>Lines &lt;fall&gt;. Two.</dc:description></svg>"
    (tmp_path / results[0]).write_text(described)
    texts = {by_paper["ants"][0]: {"title": "One <leg>", "caption": "A & B."}}
    tasks = [{"name": "hill", "data": "digits", "seeds": 3}]
    tables = [str(tmp_path / name) for name in ("papers.csv", "audit.csv")]
    main(*tables, [], [], by_paper, texts, tasks, [], "Exact.", str(page))
    text = page.read_text()
    assert "digits (hill, 3 seeds)" in text
    assert text.count("Of &lt;Ants&gt;") == 1
    assert f"{date.today():%Y}" in text
    assert "They carry, a lot. <small>(Ch. 1)</small>" in text
    assert "They dig. <small>(Ch. 2)</small>" in text
    counted = re.sub("<[^>]+>", "", text)
    assert "kept runs: 1 confirmed, 1 mixed." in counted
    assert "They fly." not in text
    assert "One &lt;leg&gt;</a>. <small>A &amp; B.</small>" in text
    assert "./run papers bees" in text
    links = re.findall(r'(?:href|src)="([^"#]+)"', text)
    assert set(links) == {*results, "audit.html", *BESIDE}
    assert set(re.findall(r'href="#(\w+)"', text)) == set(re.findall(r'section id="(\w+)"', text))


def task(**runs: list[tuple[float, float, bool]]) -> OwnTask:
    """Return a task with (accuracy, bits, diverged) of each seed of its settings."""
    rows = [
        {"setting": name, "seed": seed, "accuracy": of[0], "uplink_bits": of[1], "diverged": of[2]}
        for name, seeds in runs.items()
        for seed, of in enumerate(seeds)
    ]
    return OwnTask("hill", "digits", pd.DataFrame(rows), {}, [], "results/hill")


SEEDS = {
    "cheap": [(0.5, 10, False), (0.7, 10, False), (0.6, 10, False)],
    "dear": [(0.9, 1e6, False), (0.9, 1e6, False), (0.9, 1e6, False)],
    "central": [(0.95, float("nan"), False)] * 3,
    "lost": [(0.4, 1e7, False), (0.0, 1e7, True)],
}


def test_settings_are_means_over_seeds_with_their_front():
    rows = settings_of(task(**SEEDS))
    assert list(rows.index) == ["central", "dear", "cheap", "lost"]
    assert rows.at["cheap", "accuracy"] == pytest.approx(0.6)
    assert rows.at["cheap", "spread"] == pytest.approx(0.1)
    assert list(rows.index[rows["front"]]) == ["dear", "cheap"]


def test_what_loses_packets_is_on_no_front_and_hides_none():
    rows = settings_of(task(whole=[(0.6, 10, False)], **{"whole+plr=0.9": [(0.7, 9, False)]}))
    assert rows["front"].to_dict() == {"whole+plr=0.9": False, "whole": True}


def test_what_to_doubt_is_counted():
    of = task(**SEEDS)
    of = replace(of, ridge={"cheap": 0.8, "dear": 0.91})
    assert warnings_of(of, settings_of(of)) == [
        "1 setting had seeds that diverged, which count as 0.",
        "1 setting had fewer than 3 seeds.",
        "1 setting ended far below ridge regression on the same uploads (cheap: 60.0% "
        "against 80.0%): train longer; under noise solve the head (one_shot, head: ridge).",
    ]


def test_the_section_shows_the_front_and_leads_to_every_run():
    many = {f"s+x=<{n}>": [(0.3 + n / 100, 1e6 - n, False)] * 3 for n in range(20)}
    page = section([task(**SEEDS, **many)], {"f.svg": PageText("F")}, "results")
    assert page.count("<tr>") == MOST_SHOWN + 1
    assert "12 of 24 settings" in page
    assert 'href="hill/runs.csv"' in page
    assert "s+x=&lt;" in page
    assert "worst" in section([task(worst=[(0.1, 1e9, False)] * 3, **many)], {}, "results")
    assert page.count("<li>") >= 3


def test_scores_that_are_no_shares_are_shown_as_they_are():
    page = section([task(a=[(45.46, 8, False)] * 3)], {}, "results")
    assert "45.5" in page
    assert "ROUGE-1" in page
