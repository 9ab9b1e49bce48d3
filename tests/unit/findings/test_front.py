"""The front page: every paper, what came out of those that are run, and links that lead on."""

import re
from datetime import date
from pathlib import Path

from fbftl.findings.front import BESIDE
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


def test_every_paper_is_shown_with_its_claims_and_results(tmp_path: Path) -> None:
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
