"""Functions of FbFTL's claims, at the paper's sizes and at others."""

import pytest
from fbftl.findings.published import read
from fbftl.papers.record import PaperRecord
from unit.papers.formula_parts import PUBLISHED, decisions

PRINTED = {path.stem: read(path) for path in (PUBLISHED / "fbftl").glob("*.csv")}

RECORD = PaperRecord(PRINTED)


def of_dialogues(numbers_per_batch: str) -> list[bool | None]:
    """Return what is decided about dialogues where audit row A8 counts so many numbers a batch."""
    record = PaperRecord(PRINTED, {"A8": {"id": "A8", "computed": f"{numbers_per_batch}; 7"}})
    found = decisions("fbftl", "dialogue_orders", record).values()
    return [decision and decision.holds for decision in found]


def test_dialogues_save_as_many_orders_while_they_are_one_vector_each() -> None:
    assert of_dialogues("1,024") == [True, True]  # two dialogues of one vector, 512 numbers
    assert of_dialogues("102,400") == [False, True]  # of a hundred, which are sent up alone
    assert of_dialogues("1,024 per token") == [None, True]


@pytest.mark.parametrize(
    ("function", "fail"),
    [
        ("totals", set()),
        ("compressed_uplink", set()),
        ("packets_lost", set()),
        ("leakage_by_clients", set()),
        ("leakage_by_batch", set()),
    ],
)
def test_what_the_paper_s_equations_give_is_as_it_says(function: str, fail: set[str]) -> None:
    found = decisions("fbftl", function, RECORD)
    assert found
    assert {name for name, decision in found.items() if not decision.holds} == fail


def test_ratios_of_table_3_below_a_printed_order_do_not_hold() -> None:
    found = decisions("fbftl", "ratio_of_table3", RECORD)
    computed = {decision.computed for decision in found.values() if not decision.holds}
    assert {"ftl_c 9.143e+04 times", "ftl_c 8,707 times", "ftl_f 62.14 times"} & computed


def test_repeats_of_lost_blocks_save_gradients_at_low_rates() -> None:
    found = decisions("fbftl", "ratio_of_packets_lost", RECORD)
    lost = {name for name, decision in found.items() if not decision.holds}
    assert lost == {f"repeats={n}, blr={rate}" for n in (2, 3) for rate in ("0.001", "0.01")}


def test_sparsified_uploads_hold_if_either_count_does() -> None:
    found = decisions("fbftl", "sparsified_uplink", RECORD)
    holds = {name.partition(",")[0]: decision.holds for name, decision in found.items()}
    assert len(found) == 6
    assert holds == {"column=fl": True, "column=ftl_f": True, "column=ftl_c": False}
    assert all(decision.holds == holds[name.partition(",")[0]] for name, decision in found.items())
