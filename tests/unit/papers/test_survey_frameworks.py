"""The survey's frameworks: claims that can fail, audit rows from what is printed."""

import pytest
from fbftl.findings.comparison import Verdict
from fbftl.findings.published import read
from fbftl.papers.claims import Runs, examine
from fbftl.papers.survey import audit_frameworks
from fbftl.papers.survey.claims_frameworks import CLAIMS, FD, SHARDS, as_picked
from unit.papers.test_effects import runs

CLEAN = ({}, [0.9] * 3)


def verdicts(*settings) -> dict[str, Verdict]:
    return {one.claim.sentence: one.verdict for one in examine(CLAIMS, Runs(runs(*settings)))}


def test_without_their_settings_claims_are_not_run():
    assert set(verdicts(CLEAN).values()) == {Verdict.NOT_RUN}
    assert len(verdicts(CLEAN)) == len(CLAIMS)


@pytest.mark.parametrize(
    ("augmented", "expected"), [(0.8, Verdict.REPRODUCED), (0.4, Verdict.DIFFERS)]
)
def test_augmentation_has_to_close_half_of_the_gap(augmented, expected):
    found = verdicts(
        (FD, [0.9] * 3),
        (FD | SHARDS, [0.3] * 3),
        (FD | SHARDS | {"seed_samples": 10}, [augmented] * 3),
    )
    assert found["FAug closes half of the gap that two labels each leave"] is expected


@pytest.mark.parametrize(("drawn", "one"), [(128, 0.9), (1280, 0.8)])
def test_a_federation_is_compared_at_whatever_its_clients_draw(drawn, one):
    side = {"method": "fedavg", "network": "example", "drawn": drawn}
    found = verdicts((side, [0.95] * 3), (side | {"clients": 1}, [one] * 3))
    claim = "From a common start, a federation ends more accurate than one of its clients alone"
    assert found[claim] is Verdict.REPRODUCED


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
    found = {row.id: (row.published, row.computed) for row in audit_frameworks.rows(printed)}
    assert found == {
        "A10": ("9.85", "10 by chance"),
        "A11": ("0.05 ahead", "± 0.24 (standard error)"),
        "A12": ("1", "10,000"),
        "A13": ("1", "6"),
        "A14": ("0", "320,000"),
        "A15": ("9", "1"),
    }
