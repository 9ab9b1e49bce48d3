"""ECOS's published tables, and what is said of its accountant."""

import pytest
from fbftl.findings import published
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
