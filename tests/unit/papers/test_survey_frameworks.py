"""The survey's frameworks: claims that can fail, audit rows from what is printed."""

import pytest
from fbftl.findings.published import read
from fbftl.papers.formulas import PaperRecord
from fbftl.papers.quantities import Runs, with_beside
from fbftl.papers.survey import audit_frameworks, counts
from fbftl.papers.survey.claims_frameworks import FD, SHARDS, as_picked
from fbftl.papers.survey.formulas import FD as OF_FD
from fbftl.papers.survey.formulas import FEDAVG, FEDMD, FORMULAS
from unit.papers.claimed import judgements, registry
from unit.papers.test_effects import runs


@pytest.mark.parametrize(("augmented", "expected"), [(0.9, "holds"), (0.4, "the contrary holds")])
def test_augmentation_has_to_reach_iid_data(augmented, expected):
    table = runs((FD, [0.9] * 3), (FD | SHARDS | {"seed_samples": 10}, [augmented] * 3))
    assert judgements("survey", Runs(table))["s-19", "alone"] == expected


def test_claims_find_values_that_a_rule_picked():
    setting = {"method": "fedmd", "local_epochs": 5, "most_samples": 30, "transfer_epochs": 24}
    table = Runs(runs((setting, [0.9] * 3)))
    picked = as_picked(table, {k: setting[k] for k in list(setting)[:3]}, "transfer_epochs")
    assert picked == setting
    other = {"method": "fedmd", "local_epochs": 5}
    assert as_picked(table, other, "transfer_epochs") == other


def test_audit_rows_follow_from_what_is_printed(root):
    folder = root / "published" / "survey"
    printed = {name: read(folder / f"{name}.csv") for name in ("table1", "frameworks")}
    both_sides = {row.id: (row.published, row.computed) for row in audit_frameworks.rows(printed)}
    assert both_sides == {
        "A10": ("9.85", "10 by chance"),
        "A11": ("0.05 ahead", "± 0.24 (standard error)"),
        "A12": ("1", "10,000"),
        "A13": ("1", "6"),
        "A14": ("0", "320,000"),
        "A15": ("9", "1"),
    }


def beside(setting: dict, values: list[float], **columns: list[float]) -> Runs:
    """Return runs of one setting with what an attack found beside them."""
    table = runs((setting, values)).assign(**columns)
    return Runs(table)


@pytest.mark.parametrize(
    ("found", "expected"), [(0.9, "the contrary holds"), (0.54, "holds"), (0.3, "holds")]
)
def test_labels_in_shares_are_safe_if_an_attack_is_no_better_than_its_blind_guess(found, expected):
    setting = {"method": "secure_ftl", "protection": "beaver"}
    columns = {"label_recovery": [found] * 3, "label_recovery_blind": [0.54] * 3}
    assert judgements("survey", beside(setting, [0.7] * 3, **columns))["s-12", "beaver"] == expected


def test_what_was_measured_beside_runs_joins_them_by_setting_and_seed():
    table = runs((FD, [0.9] * 3), (FD | SHARDS, [0.5] * 3)).assign(task="t")
    attack = table[["task", "setting", "seed"]][:2].assign(membership=[0.6, 0.7])
    joined = Runs(with_beside(table, [attack]))
    assert joined.measured("membership", **FD).values.tolist() == [0.6, 0.7]
    assert joined.measured("membership", **FD, **SHARDS).values.empty
    assert joined.accuracy(**FD, **SHARDS).values.tolist() == [50.0] * 3


def test_counts_of_work_by_hand():
    assert counts.weights() == (1_290, 1_199_882)
    assert counts.forward() == 194_688 + 10_616_832 + 1_179_648 + 1_280
    assert counts.fedmd() - counts.fedavg() == 4 * 1000 * counts.forward()
    assert counts.beaver(counts.ON_DIGITS) == 5 * 2 * 8 * 393 * 58
    assert counts.paillier(counts.ON_DIGITS) > 4096 * 2048 * 2 * 8 * 58
    assert counts.products(counts.AS_SIMULATED) == 2 * 128 * 9217 * (1280 + 128)
    assert counts.paillier(counts.AS_SIMULATED) > counts.fedmd() > counts.fedhealth()


def test_formulas_of_work_follow_from_the_counts(root):
    by_id = {of.id: of for of in registry("survey")}
    holds = {
        name: FORMULAS[name](by_id[name], PaperRecord({})).holds
        for name in ("s-11", "s-14", "s-25")
    }
    assert holds == {"s-11": True, "s-14": True, "s-25": False}


def sent(**total_and_rounds: tuple[int, int]) -> Runs:
    """Return runs with so many bits up in so many rounds, by framework."""
    settings = {"fedavg": FEDAVG, "fedmd": FEDMD, "fd": OF_FD}
    table = runs(*((settings[name], [0.9] * 3) for name in total_and_rounds))
    totals, rounds = (
        table["method"].map({name: pair[place] for name, pair in total_and_rounds.items()})
        for place in (0, 1)
    )
    return Runs(table.assign(uplink_bits=totals, epoch=rounds))


@pytest.mark.parametrize(("rounds", "holds"), [(8, False), (40, True)])
def test_messages_are_compared_by_round_and_not_by_how_long_a_training_is(rounds, holds):
    record = PaperRecord({}, {}, [sent(fedavg=(4000, 40), fedmd=(880, rounds), fd=(20, 20))])
    by_id = {of.id: of for of in registry("survey")}
    decision = FORMULAS["s-16"](by_id["s-16"], record)
    assert decision.holds is holds
    assert decision.computed == f"{880 / rounds:g}; 100"
    assert FORMULAS["s-18"](by_id["s-18"], record).holds
    # Nothing is decided where not all frameworks were run.
    assert FORMULAS["s-24"](by_id["s-24"], record) is None
    assert FORMULAS["s-16"](by_id["s-16"], PaperRecord({})) is None
