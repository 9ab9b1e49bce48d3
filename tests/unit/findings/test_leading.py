"""A page leads with the registry's words and kept numbers; no verdict without a full study."""

from pathlib import Path

import pytest
import renew_results
from fbftl.findings.formula_numbers import ratios
from fbftl.findings.kept import KEPT
from fbftl.findings.leading import (
    PLACE,
    TO_BE_RUN,
    cells,
    fill_leading,
    outcomes,
    plain,
    registered,
    shortened,
    verdict_of,
)
from fbftl.ground.errors import UserError

SAID = {
    "id": "ant-01", "says": "Ants | bees carry more.", "place": "Sec. 2",
    "margin": "3 points", "status": "tested", "reason": "",
}  # fmt: skip

RUN = {
    "sentence": "ant-01", "task": "hill-full", "size": "full", "seeds": "9.0",
    "shown": "ants over bees: 4.0 [3.1, 4.9] points", "overall": "holds", "note": "",
}  # fmt: skip

PAGES = sorted((Path(__file__).parents[3] / "docs" / "papers").glob("*.md"))


def test_a_full_study_gives_verdict_number_and_scale():
    verdict, sentence, printed, ours, scale = cells(SAID, [RUN])
    assert verdict == "**holds**"
    assert sentence == r"`ant-01`: Ants \| bees carry more. (Sec. 2)"
    assert (printed, ours) == ("3 points", RUN["shown"])
    assert scale == "`hill-full`, full, 9 seeds"


def test_every_task_of_a_sentence_is_a_line_of_its_cell():
    ours, scale = cells(SAID, [RUN, RUN | {"task": "dale-full", "shown": "none"}])[3:]
    first, second = ours.split("<br>")
    assert first == f"`{RUN['task']}`: {RUN['shown']}"
    assert second == "`dale-full`: none"
    assert scale.split("<br>")[1] == "`dale-full`, full, 9 seeds"


@pytest.mark.parametrize("overall", ["quick: no verdict", "pilot: no verdict", "not run"])
def test_without_a_full_study_a_sentence_is_to_be_run(overall):
    assert verdict_of(SAID, [RUN | {"overall": overall}]).startswith(TO_BE_RUN)
    assert verdict_of(SAID, []) == TO_BE_RUN


def test_what_nothing_can_run_keeps_its_word():
    assert verdict_of(SAID | {"status": "not testable here"}, []) == "not testable here"
    assert verdict_of(SAID | {"status": "by formula"}, []) == "by formula: not computed"


def test_small_exponents_are_written_out():
    assert plain("a 9.143e+04; b 3.216e+15 bits") == "a 91,430; b 3.216e+15 bits"


def test_few_parts_are_all_shown():
    three = "a: 1 [0, 2] points; b: 2 [1, 3] points; c: 3 [2, 4] points"
    assert shortened(three, dict.fromkeys("abc", "holds")) == three
    assert shortened("fl 9.143e+04 bits", {}) == "fl 91,430 bits"


def test_of_many_parts_every_verdict_is_counted_and_its_first_part_is_shown():
    five = "; ".join(f"{part}: 1 [0, 2] points" for part in "abcde")
    verdicts = {"a": "undecided", "b": "holds", "c": "holds", "d": "the contrary holds"}
    assert shortened(five, verdicts | {"e": "holds"}) == (
        "1 of 5 undecided, a: 1 [0, 2] points; 3 of 5 hold, such as b: 1 [0, 2] points; "
        "1 of 5 come to the contrary, d: 1 [0, 2] points"
    )
    quick = shortened(five, dict.fromkeys("abcde", "quick: no verdict"))
    assert quick == "5 of 5 (quick: no verdict), such as a: 1 [0, 2] points"


def test_all_parts_are_shown_where_no_table_tells_their_verdicts(tmp_path):
    (tmp_path / "tables").mkdir()
    five = "; ".join(f"{part}: 1 [0, 2] points" for part in "abcde")
    table = f"sentence,task,measured\nant-01,hill-full,{five}\n"
    (tmp_path / "tables" / "sentences.csv").write_text(table.replace(five, f'"{five}"'))
    assert outcomes([tmp_path])["ant-01"][0]["shown"] == five


def test_kept_parts_of_a_sentence_are_those_of_the_table_of_parts(root):
    for row in (
        row for found in outcomes((root / KEPT / "papers").glob("*")).values() for row in found
    ):
        if row["task"]:
            assert row["parts"].split()[0] == str(len(row["measured"].split("; ")))


def test_a_page_is_filled_again_and_again_and_names_no_stranger():
    page = "# Ants\n<!--leading:ant-01-->\nstale\n<!--end-->\n"
    once = fill_leading(page, {"ant-01": SAID}, {"ant-01": [RUN]}, "page")
    assert "stale" not in once
    assert "| **holds** | `ant-01`" in once
    assert fill_leading(once, {"ant-01": SAID}, {"ant-01": [RUN]}, "page") == once
    with pytest.raises(UserError, match="page leads with the sentence 'ant-01'"):
        fill_leading(page, {}, {}, "page")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_paper_s_page_leads_with_its_sentences(root, page):
    text = page.read_text(encoding="utf-8")
    names = [name for match in PLACE.finditer(text) for name in match["names"].split()]
    assert (len(names) >= 5) == (page.stem != "README")
    found = outcomes((root / KEPT / "papers").glob("*"))
    every = registered(root / "published")
    assert fill_leading(text, every, found, page.name) == text
    rows = (root / "published" / page.stem / "sentences.csv").read_text() if names else ""
    assert [name for name in names if f"\n{name}," not in rows] == []


def test_ratios_are_of_one_reading_and_of_what_the_base_has_too():
    row = {"quantity": "uplink", "reading": "as printed"}
    table = [
        row | {"method": "fl", "exact": "12"},
        row | {"method": "fbftl", "exact": "4"},
        row | {"method": "sfl", "exact": "9", "reading": "corrected"},
        row | {"method": "fl", "exact": "5", "quantity": "downlink"},
    ]
    assert ratios("ants", table) == {"papers/ants/uplink/fl over fbftl": 3.0}


def test_the_kept_formulas_have_the_ratios_of_the_paper_s_uplink(root):
    numbers = renew_results.committed_numbers(root)
    ratio = numbers["papers/fbftl/total_uplink/ftl_c over fbftl"]
    epochs, batches, samples = 84, 6250, 50_000
    assert ratio == pytest.approx(epochs * batches * 35_665_418 / (samples * 4096))


def test_equal_numbers_are_told_once():
    measured = "1e-14 over 8 partitions / 0.98; 0.98; 0.98 / 3; 4 | 3; 5 | 3; 4 / 3; 4 | 3; 5"
    assert plain(measured) == "1e-14 over 8 partitions / 0.98, 3 of 3 alike / 3; 4 | 3; 5"
