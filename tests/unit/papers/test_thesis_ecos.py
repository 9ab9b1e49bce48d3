"""ECOS's claims on runs whose outcome is known, and its published tables."""

import pytest
import yaml
from fbftl.findings import published
from fbftl.methods.ecos.counting import counts_event, rows_guarantee, votes_event
from fbftl.papers.formulas import PaperRecord
from fbftl.papers.quantities import Runs
from fbftl.papers.thesis.audit_ecos import recipe, rows
from fbftl.papers.thesis.claims_ecos import bought
from fbftl.papers.thesis.formulas import FORMULAS
from fbftl.privacy.accounting import rounds_epsilon
from unit.papers.claimed import judgements, registry, runs_of

ECOS = {"method": "ecos"}


def runs(share: float = 0.4, random: float = 0.7) -> Runs:
    """Return a tidy table of the settings that claims read."""
    counted = ECOS | {"count_sampling": 0.8, "purchase": 300}
    noise = {"mechanism": "counts", "sigma": 10.0}
    settings = [
        (counted | noise | {"centroids": 50}, 0.88),
        (counted | noise | {"centroids": 50, "purchase_rule": "proximity"}, random - 0.1),
        (counted, 0.9),
        (counted | noise | {"sigma": 25.0}, 0.7),
        (ECOS | {"purchase": 300, "purchase_rule": "random"}, random),
        (ECOS | {"purchase": 300, "purchase_rule": "kcenter"}, 0.75),
    ]
    shares = {"own_share": share, "inherent_share": [0.1] * 6}
    measured = [(axes, shares | {"test_accuracy": accuracy}) for axes, accuracy in settings]
    return runs_of(*measured, task="toy", seeds=6)


def test_what_is_so_holds_and_what_is_not_does_not():
    found = judgements("thesis", runs())
    assert found["c5-12", "50_10"] == found["c5-01", "label_random"] == "holds"
    assert found["c5-09", "ecos_middle"] == found["ours", "proximity"] == "holds"
    assert judgements("thesis", runs(share=0.05))["c5-12", "50_10"] == "the contrary holds"
    assert judgements("thesis", runs(random=0.89))["c5-01", "label_random"] == "the contrary holds"


def purchases(task: str) -> Runs:
    """Return a tidy table of three purchases by both rules, whose gains rise."""
    scored = {"count_sampling": 0.8, "mechanism": "counts", "sigma": 25.0}
    settings = [
        (ECOS | axes | {"purchase": size}, {"test_accuracy": accuracy})
        for size, gain in ((150, 0.01), (300, 0.05), (600, 0.1))
        for axes, accuracy in ((scored, 0.5 + gain), ({"purchase_rule": "random"}, 0.5))
    ]
    return runs_of(*settings, task=task, seeds=6)


def test_ecos_buys_under_the_power_that_all_its_purchases_have():
    """Beside it ECOS bought once under no power, and proximity has none."""
    scored = {"mechanism": "counts", "sigma": 10.0, "count_sampling": 0.8}
    settings = [(scored | {"purchase": 1000}, 0.9)]
    for size in (500, 1000, 2000):
        settings += [
            (scored | {"purchase": size, "score_power": 5.0}, 0.6),
            (scored | {"purchase": size, "purchase_rule": "proximity"}, 0.5),
            ({"purchase": size, "purchase_rule": "random"}, 0.4),
        ]
    measured = [(ECOS | axes, {"test_accuracy": accuracy}) for axes, accuracy in settings]
    photos = runs_of(*measured, task="photos-toy", seeds=6)
    for size in ("least", "middle", "most"):
        rules = {rule: bought(rule, size)(photos) for rule in ("ecos", "proximity", "random")}
        means = {rule: photos.accuracy(**axes).values.mean() for rule, axes in rules.items()}
        assert means == pytest.approx({"ecos": 60, "proximity": 50, "random": 40}, abs=0.1)


def test_what_is_said_of_digits_is_compared_on_digits():
    on_digits, on_photos = (
        judgements("thesis", purchases(task)) for task in ("digits-toy", "photos-toy")
    )
    assert on_digits["c5-03", "random"] == "holds"
    assert ("c5-03", "random") not in on_photos
    assert on_digits["c5-02", "random_least"] == on_photos["c5-02", "random_least"] == "holds"


@pytest.mark.parametrize(("kilobytes", "holds"), [("51", True), ("205", False)])
def test_scores_are_as_long_as_numbers_of_centroids(printed, kilobytes, holds):
    stated = printed["ch5"].set_index("quantity", drop=False)
    stated.loc["download", "printed"] = kilobytes
    record = PaperRecord({"ch5": stated.reset_index(drop=True)})
    (sentence,) = (of for of in registry("thesis") if of.id == "c5-21")
    assert FORMULAS["c5-21"](sentence, record).holds is holds


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


def test_only_the_recipe_gives_the_printed_epsilons(printed):
    by_id = {row.id: str(row.verdict) for row in rows(printed)}
    assert [name for name, verdict in by_id.items() if verdict == "reproduced"] == ["A12"]


def test_the_recipe_bounds_what_distributions_give():
    exact = rounds_epsilon(25 / 2**0.5, 1e-5, rate=0.8, rounds=1)
    assert exact < recipe(25, 0.8, 1e-5) < 2 * exact


LABELS_GIVEN = {
    "ecos": ("digits-cloud-full", 600),
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
    page = (root / "docs/papers/thesis.md").read_text()
    assert f"{removed} for {labels:,} labels" in page
    notes = (root / "published/thesis/sentences.csv").read_text()
    assert f"{removed} for {labels} labels" in notes
