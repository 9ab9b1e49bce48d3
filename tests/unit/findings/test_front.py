"""The front page: every paper, what came out of those that are run, and links that lead on."""

import re
from datetime import date
from pathlib import Path

from fbftl.findings.front import BESIDE, Shown, front_page
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


def test_a_result_of_the_study_is_shown_there_and_not_again_under_its_paper(tmp_path: Path) -> None:
    (tmp_path / "papers.csv").write_text(TABLE)
    (tmp_path / "audit.csv").write_text("paper,verdict\n")
    (tmp_path / "runs.csv").write_text(
        "task,key,setting,seed,accuracy,uplink_bits,diverged\nhill,k,fbftl+bits=2,0,0.5,8e6,False\n"
    )
    results = [str(tmp_path / name) for name in ("hill/figures/f.svg", "hill/tables/t.html")]
    task = {"name": "hill", "data": "digits", "methods": {"fbftl": "FbFTL"}, "results": results}
    page = tmp_path / "index.html"
    tables = [str(tmp_path / name) for name in ("papers.csv", "audit.csv")]
    shown = {"ants": [*results, str(tmp_path / "papers/ants/tables/claim_parts.html")]}
    texts = {results[0]: {"title": "F <g>", "caption": "A & B."}}
    (tmp_path / "hill/figures").mkdir(parents=True)
    described = "<svg><dc:description>Lines &lt;fall&gt;. Two.</dc:description></svg>"
    (tmp_path / "hill/figures/f.svg").write_text(described)
    main(*tables, [str(tmp_path / "runs.csv")], [], shown, texts, [], [task], "Exact.", str(page))
    text = page.read_text()
    assert '<img src="hill/figures/f.svg" alt="Lines &lt;fall&gt;. Two."' in text
    assert text.count('src="hill/figures/f.svg"') == 1
    assert "<strong>F &lt;g&gt;.</strong> A &amp; B." in text
    assert text.count('href="hill/tables/t.html"') == 1
    assert text.count('href="papers/ants/tables/claim_parts.html"') == 1
    assert "FbFTL, 2 bits<small>fbftl+bits=2</small>" in text
    assert "1 MB" in text


def test_where_results_come_from_is_text() -> None:
    says = [{"place": "Ch. 1", "says": "They carry."}]
    shown = Shown("ants", "Ants", says, [], [], ["results/papers/ants/tables/claims.html"])
    facts = {"Commit": "not a git <checkout>"}
    text = front_page([shown], "results/papers/audit.html", facts, {}, "results")
    assert "<dd>not a git &lt;checkout&gt;</dd>" in text
