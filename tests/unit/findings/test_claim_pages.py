"""Claims, printed numbers and coverage on the pages of the papers."""

import re
from pathlib import Path

import pytest
from fbftl.findings.claim_pages import Row, effect_words, fill_claims
from fbftl.findings.tables import read_table
from fbftl.ground.errors import UserError
from fbftl.ground.files import csv_rows
from fbftl.plan.entries import Result
from fbftl.plan.results import LISTS, OF_EXPERIMENT, of_paper
from fbftl.study.yaml_files import read_yaml


@pytest.mark.parametrize("kind", ["claims", "coverage", "printed"])
def test_an_unknown_paper_is_refused(kind):
    with pytest.raises(UserError, match=rf"bees\.md asks for the {kind} of 'bees'"):
        fill_claims(f"<!--{kind}:bees-->\n<!--end-->", {}, [], "bees.md")


def test_an_effect_is_told_in_words():
    effect = "uplink over FbFTL's: FL 490 times; uplink over FbFTL's: FTL_c 91 times"
    assert effect_words(effect) == "uplink over FbFTL's: FL 490 times; FTL_c 91 times"
    assert effect_words("rule a: 7 points; rule b: 1") == "rule a: 7 points; rule b: 1"


ROOT = Path(__file__).parents[3]

TEXTS = {"fbftl": "000", "eppfl": "001", "thesis": "002", "survey": "003", "fedfeat": "004"}
"""What the file begins with that holds a paper's text, where it is at hand."""


@pytest.fixture(scope="module")
def items() -> list[Row]:
    """The committed rows."""
    return csv_rows(ROOT / "published" / "coverage.csv")


def test_rows_are_of_papers_with_claims_every_text_at_hand_among_them(items):
    registries = {path.stem for path in (ROOT / "published" / "claims").glob("*.csv")}
    assert registries >= {item["paper"] for item in items} >= set(TEXTS) & registries


@pytest.fixture(scope="module")
def results() -> set[str]:
    """Listed tables and figures, and experiments, as coverage names them.

    What every paper has, its claims, is no place of one table or figure.
    """
    of_rules = {
        entry.path.format(experiment=name)
        for name, entries in OF_EXPERIMENT.items()
        for entry in entries
    }
    for paper in LISTS:
        entries = (entry for entry in of_paper(paper) if isinstance(entry, Result))
        of_rules |= {f"papers/{paper}/{entry.path}" for entry in entries}
    files = [ROOT / "config.yaml", *(ROOT / "studies").glob("*.yaml")]
    experiments = {name for file in files for name in read_yaml(file).get("experiments") or {}}
    return of_rules | {f"experiments/{name}" for name in experiments}


def test_every_item_has_one_row(items):
    names = [(item["paper"], item["item"]) for item in items]
    assert len(set(names)) == len(names)
    assert all(item["shows"] for item in items)
    assert {item["paper"] for item in items if item["part"]} == {"thesis"}


def test_every_place_is_there(items, results):
    audit = read_table(ROOT / "published" / "audit.csv")
    argued = set(zip(audit["paper"], audit["id"], strict=True))
    missing = {
        (item["item"], place)
        for item in items
        for place in item["where"].split("; ")
        if place
        and place not in results
        and (item["paper"], place) not in argued
        and not (place.startswith(("studies/", "published/")) and (ROOT / place).is_file())
    }
    assert missing == set()


def test_every_page_has_its_table_once(items):
    """What is in it is compared with all else that pages are filled with, in `test_numbers.py`."""
    pages = {path.stem: path for path in (ROOT / "docs" / "papers").glob("*.md")}
    in_parts = {item["paper"] for item in items if item["part"]}
    names = {
        f"{item['paper']}/{item['part']}" if item["paper"] in in_parts else item["paper"]
        for item in items
    }
    names = {name for name in names if not name.endswith("/")}
    places = {name: name.replace("/", "-") for name in names} | {"all": "README"}
    for name, page in places.items():
        text = pages[page].read_text(encoding="utf-8")
        assert text.count(f"<!--coverage:{name}-->") == 1, page


def test_every_claim_that_a_page_names_is_one():
    """Those that were retired are none."""
    registries = (ROOT / "published" / "claims").glob("*.csv")
    claims = {
        row["id"]
        for path in registries
        if path.stem not in ("retired", "tasks")
        for row in csv_rows(path)
    }
    pages = (ROOT / "docs" / "papers").glob("*.md")
    named = {
        name
        for page in pages
        for name in re.findall(r"`([a-z]+\d?-\d\d)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 50
    assert named <= claims
