"""ECOS's claims on runs whose outcome is known, and its published tables."""

import pandas as pd
import pytest
from fbftl.findings import published
from fbftl.papers.claims import Runs, examine
from fbftl.papers.thesis.audit_ecos import recipe, rows
from fbftl.papers.thesis.claims_ecos import ECOS
from fbftl.privacy.accounting import rounds_epsilon


def runs(share: float = 0.4, random: float = 0.7) -> Runs:
    """Return a tidy table of the settings that claims read."""
    counted = {"sampling": 0.8, "purchase": 300}
    noise = {"mechanism": "counts", "sigma": 10.0}
    settings = [
        (counted | noise | {"centroids": 50}, 0.88),
        (counted | noise | {"centroids": 50, "choice": "proximity"}, random - 0.1),
        (counted, 0.9),
        (counted | noise | {"sigma": 25.0}, 0.7),
        ({"purchase": 300, "choice": "random"}, random),
        ({"purchase": 300, "choice": "kcenter"}, 0.75),
    ]
    return Runs(
        pd.DataFrame(
            {"task": "toy", "method": "ecos", "seed": seed, "diverged": False}
            | {"setting": "+".join(["ecos", *(f"{axis}={value}" for axis, value in axes.items())])}
            | {"test_accuracy": accuracy + seed / 1e4, "own_share": share + seed / 1e4}
            | {"inherent_share": 0.1}
            | axes
            for axes, accuracy in settings
            for seed in range(6)
        )
    )


def verdicts(found: Runs) -> list[str]:
    return [str(one.verdict) for one in examine(ECOS, found)]


def test_what_is_so_is_reproduced_and_what_is_not_differs():
    assert verdicts(runs()) == ["reproduced"] * 8
    assert verdicts(runs(share=0.15))[:2] == ["differs"] * 2
    assert verdicts(runs(random=0.87))[2] == "differs"
    assert verdicts(Runs(pd.DataFrame(columns=["setting", "seed", "diverged"]))) == ["not run"] * 8


@pytest.fixture(scope="module")
def printed(root):
    folder = root / "published" / "thesis"
    return {name: published.read(folder / f"{name}.csv") for name in ("tables5", "ch5")}


def test_averages_of_the_tables_are_those_of_their_domains_to_a_tenth(printed):
    table = printed["tables5"]
    table = table[table["quantity"] == "accuracy"].assign(value=table["printed"].astype(float))
    for _, own in table.groupby(["table", "data", "budget", "method"]):
        average = own["domain"] == "avg"
        assert average.sum() == 1
        assert own[~average]["value"].mean() == pytest.approx(own[average]["value"].item(), abs=0.1)


def test_table_5_5_repeats_table_5_4(printed):
    cells = printed["tables5"][printed["tables5"]["quantity"] == "accuracy"]
    cells = cells[cells["data"] == "DomainNet"].set_index(["table", "method", "domain"])["printed"]
    assert all(cells[5.5][method].equals(cells[5.4][method]) for method in ("ECOS", "K-Center"))


def test_no_average_of_epsilon_stands_where_the_thesis_prints_none(printed):
    table = printed["tables5"]
    assert not (
        table["table"].isin([5.2, 5.3])
        & (table["domain"] == "avg")
        & (table["quantity"] == "epsilon")
    ).any()


def test_only_the_recipe_gives_the_printed_epsilons(printed):
    found = {row.id: str(row.verdict) for row in rows(printed)}
    assert [name for name, verdict in found.items() if verdict == "reproduced"] == ["A12"]


def test_the_recipe_bounds_what_distributions_give():
    exact = rounds_epsilon(25 / 2**0.5, 1e-5, rate=0.8, rounds=1)
    assert exact < recipe(25, 0.8, 1e-5) < 2 * exact
