"""ECOS's published tables, and what is said of its accountant."""

import pytest
import yaml
from fbftl.findings import published
from fbftl.methods.ecos.counting import counts_event, rows_guarantee, votes_event
from fbftl.papers.thesis.audit_ecos import recipe
from fbftl.privacy.accounting import rounds_epsilon


@pytest.fixture(scope="module")
def printed(root):
    folder = root / "published" / "thesis"
    return {name: published.read(folder / f"{name}.csv") for name in ("tables5", "ch5")}


def test_averages_of_the_tables_are_those_of_their_domains_to_a_tenth(printed):
    table = printed["tables5"]
    table = table[table["quantity"] == "accuracy"].assign(value=table["printed"].astype(float))
    for _, group in table.groupby(["table", "data", "budget", "method"]):
        average = group["domain"] == "avg"
        assert average.sum() == 1
        assert group[~average]["value"].mean() == pytest.approx(
            group[average]["value"].item(), abs=0.1
        )


def test_the_recipe_bounds_what_distributions_give():
    exact = rounds_epsilon(25 / 2**0.5, 1e-5, rate=0.8, rounds=1)
    assert exact < recipe(25, 0.8, 1e-5) < 2 * exact


LABELS_GIVEN = {
    "ecos-digits": ("digits-cloud-full", 600),
    "ecos-photos": ("cifar10-cloud-full", 2000),
}
"""By file of a full study: its task, and the most labels that its client gives."""


@pytest.mark.parametrize("file", LABELS_GIVEN)
def test_what_texts_say_of_the_privacy_of_labels_is_the_accountant_s(root, file):
    task, labels = LABELS_GIVEN[file]
    header = (root / f"studies/full/{file}.yaml").read_text()
    noises = yaml.safe_load(header)["tasks"][task]["outsourcing"]
    votes = votes_event(noises["vote_noise"], noises["confidence_noise"], 0.8, labels)
    counts = counts_event(25, 0.8)
    removed, replaced = (
        f"{record.epsilon:.0f}" for record in rows_guarantee((counts, votes), 25, 1e-5)
    )
    header_text = " ".join(header.replace("#", " ").split())
    assert f"ε of {removed} for a row removed and {replaced} for one replaced" in header_text
    page = (root / "docs/papers/thesis-ecos.md").read_text()
    assert f"{removed} for {labels:,} labels" in page
    notes = (root / "published/claims/thesis.csv").read_text()
    assert f"{removed} for {labels} " in notes
