"""The audit table: every row computed, every row argued."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("fbftl.privacy.accounting")
pytest.importorskip("fbftl.privacy.label_privacy")

import tabulate_audit
from fbftl.papers import audited
from fbftl.papers.audit import judged
from fbftl.papers.fbftl.audit import cosine_of_two_uploads, seen_share
from hypothesis import given
from hypothesis import strategies as st

PAPERS = audited()
TEXTS = Path(__file__).parents[3] / "published" / "audit.csv"


@pytest.fixture(scope="module")
def printed(root):
    return {paper: sorted((root / "published" / paper).glob("*.csv")) for paper in PAPERS}


@pytest.fixture(scope="module")
def audit(printed, tmp_path_factory):
    folder = tmp_path_factory.mktemp("audit")
    (folder / "d.jsonl").write_text('{"dialogue": "a b c"}\n')
    output = folder / "audit.csv"
    tabulate_audit.main(printed, TEXTS, folder / "d.jsonl").write(output)
    return pd.read_csv(output, keep_default_na=False)


def rows_of_fbftl(path):
    """Return the first paper's rows by their ids, which each paper counts by itself."""
    audit = pd.read_csv(path, keep_default_na=False)
    return audit[audit["paper"] == "fbftl"].set_index("id")


def test_rows_are_in_order_and_complete(audit):
    with_rows = [paper for paper in PAPERS if paper in set(audit["paper"])]
    assert list(audit["paper"].unique()) == with_rows
    for _, rows in audit.groupby("paper"):
        numbers = rows["id"].map(lambda row: int(row[1:]))
        assert numbers.is_monotonic_increasing
        assert numbers.is_unique


def test_every_text_is_of_a_row(audit):
    texts = pd.read_csv(TEXTS)
    assert set(zip(texts["paper"], texts["id"], strict=True)) == set(
        zip(audit["paper"], audit["id"], strict=True)
    )
    assert not audit[["where", "unit", "explanation"]].stack().str.contains("[{}]").any()


def test_every_row_has_both_values_and_a_line_that_explains_it(audit):
    assert (audit["published"] != "").all()
    without = audit[audit["computed"] == ""]
    assert set(without["verdict"]) == {"not comparable"}
    assert not audit["explanation"].str.contains("\n").any()


@pytest.mark.parametrize("paper", PAPERS)
def test_every_row_is_argued(audit, root, paper):
    pages = [root / f"docs/papers/{paper}.md", *(root / "docs" / "papers").glob(f"{paper}-*.md")]
    argued = {
        f"{page.relative_to(root)}#{heading.lower()}": heading
        for page in pages
        for heading in re.findall(r"^### (A\d+)$", page.read_text(), re.M)
    }
    rows = audit[audit["paper"] == paper]
    assert argued == dict(zip(rows["section"], rows["id"], strict=True))


def test_values_and_verdicts_are_the_kept_ones(audit, root):
    """But for the row on the lengths of the dialogues, of which the kept ones are not at hand."""
    kept = pd.read_csv(root / "docs/results/papers/audit.csv", keep_default_na=False)
    both = [
        table[(table["paper"] != "fbftl") | (table["id"] != "A8")][
            ["paper", "id", "published", "computed", "verdict"]
        ].reset_index(drop=True)
        for table in (audit, kept)
    ]
    pd.testing.assert_frame_equal(*both)


def test_without_dialogues(printed, tmp_path):
    tabulate_audit.main(printed, TEXTS).write(tmp_path / "audit.csv")
    audit = rows_of_fbftl(tmp_path / "audit.csv")
    assert audit.loc["A8", "computed"] == "1,024 per token; 76,961,152"


@given(st.integers(1, 500), st.integers(1, 64), st.floats(0, 0.999))
def test_more_epochs_show_more_samples(samples, batch_size, plr):
    shares = [seen_share(samples, batch_size, epochs, plr) for epochs in (1, 2, 10)]
    assert shares == sorted(shares)
    assert shares[0] >= 0
    assert shares[-1] <= 1


def test_seen_share_is_what_a_reshuffling_loader_shows():
    samples, batch_size, epochs, plr = 640, 16, 20, 0.9
    kept = samples // batch_size - int(samples / batch_size * plr)
    rng = np.random.default_rng(0)
    seen = np.zeros(samples, dtype=bool)
    for _ in range(epochs):
        seen[rng.permutation(samples)[: kept * batch_size]] = True
    assert seen_share(samples, batch_size, epochs, plr) == pytest.approx(seen.mean(), abs=0.05)


def test_a_verdict_follows_from_the_two_values(printed, tmp_path):
    """A5 with the number that Eq. (11) gives in the place of the printed one."""
    mended = {paper: list(paths) for paper, paths in printed.items()}
    table3 = next(path for path in mended["fbftl"] if path.name == "table3.csv")
    mended["fbftl"].remove(table3)
    mended["fbftl"].append(tmp_path / "table3.csv")
    row = re.compile("^ftl_f,total_downlink,[^,]*", re.M)
    text, count = row.subn("ftl_f,total_downlink,118.7", table3.read_text())
    assert count == 1
    (tmp_path / "table3.csv").write_text(text)
    tabulate_audit.main(mended, TEXTS).write(tmp_path / "audit.csv")
    audit = rows_of_fbftl(tmp_path / "audit.csv")
    assert audit.loc["A5", "verdict"] == "reproduced"
    assert audit.loc["A22", "verdict"] == "differs"


def test_one_side_without_a_number_does_not_compare():
    assert judged([], [1]) == judged([1], []) == "not comparable"
    assert judged(["1.6"], [1.64]) == "reproduced"
    assert judged(["1.6", "2"], [1.64, 3]) == judged(["1"], [1, 1]) == "differs"


@pytest.mark.parametrize("rate", [0.2, 0.5])
def test_dropout_turns_uploads_away_from_each_other(rate):
    assert cosine_of_two_uploads(0.0, 2) == pytest.approx(1)
    last = cosine_of_two_uploads(rate, 1)
    assert last == pytest.approx(1 - rate, abs=0.02)
    assert cosine_of_two_uploads(rate, 2) < last
