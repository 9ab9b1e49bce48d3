"""Functions of FbFTL's claims, at the paper's sizes and at others."""

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
