"""The front page: every paper, what it claims, what came out, and links that lead somewhere."""

import re
from pathlib import Path

from fbftl.findings.front import ORDER, Shown, front_page, tally
from make_index import main

CLAIMS = "claim,task,verdict\nA & B agree,digits,reproduced\nC costs less,,not run\n"
PAPERS = 'paper,title,says\nants,Of <Ants>,"They carry, a lot."\nbees,Of Bees,They fly.\n'


def test_every_paper_is_shown_with_its_claims_and_a_picture(tmp_path: Path) -> None:
    (tmp_path / "papers.csv").write_text(PAPERS)
    (tmp_path / "audit.csv").write_text("paper,verdict\nants,differs\nants,reproduced\n")
    results = ["digits/figures/one.svg", "papers/ants/tables/claims.html"]
    for path in results:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / "papers/ants/tables/claims.csv").write_text(CLAIMS)
    page = tmp_path / "index.html"
    made = {"ants": [str(tmp_path / path) for path in results]}
    main(str(tmp_path / "papers.csv"), str(tmp_path / "audit.csv"), made, str(page))
    text = page.read_text()
    assert "Of &lt;Ants&gt;" in text
    assert "A &amp; B agree" in text
    assert '<img src="digits/figures/one.svg"' in text
    assert "./run papers bees" in text
    links = re.findall(r'(?:href|src)="([^"#]+)"', text)
    assert set(links) == {*results, "audit.html"}
    assert set(re.findall(r'href="#(\w+)"', text)) == set(re.findall(r'section id="(\w+)"', text))


def test_verdicts_are_counted_in_one_order() -> None:
    counted = re.sub("<[^>]+>", "", tally(["not run", "differs", "reproduced", "differs"]))
    assert counted == "1 reproduced, 2 differs, 1 not run"
    assert tally([]) == ""
    assert len(re.findall("<span", tally(ORDER))) == len(ORDER)


def test_a_paper_without_a_figure_has_no_picture() -> None:
    shown = Shown("ants", "Ants", "They carry.", [], [], ["results/papers/ants/tables/claims.html"])
    assert shown.picture is None
    assert "<img" not in front_page([shown], "results/papers/audit.html", "results")
