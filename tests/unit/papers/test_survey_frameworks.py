"""The survey's frameworks: claims that can fail, audit rows from what is printed."""

import pytest
from fbftl.findings.published import read
from fbftl.papers.quantities import Runs
from fbftl.papers.survey import audit_frameworks
from fbftl.papers.survey.claims_frameworks import FD, SHARDS, as_picked
from unit.papers.claimed import judgements
from unit.papers.test_effects import runs


@pytest.mark.parametrize(("augmented", "expected"), [(0.9, "holds"), (0.4, "the contrary holds")])
def test_augmentation_has_to_reach_iid_data(augmented, expected):
    table = runs((FD, [0.9] * 3), (FD | SHARDS | {"seed_samples": 10}, [augmented] * 3))
    assert judgements("survey", Runs(table))["s-19", "alone"] == expected


@pytest.mark.parametrize(("samples", "alone"), [(128, 0.9), (1280, 0.8)])
def test_a_federation_is_compared_at_whatever_its_clients_draw(samples, alone):
    side = {"method": "fedavg", "network": "example", "resampled_per_round": samples}
    table = runs((side, [0.95] * 3), (side | {"clients": 1}, [alone] * 3))
    assert judgements("survey", Runs(table))["s-01", "common"] == "holds"


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
