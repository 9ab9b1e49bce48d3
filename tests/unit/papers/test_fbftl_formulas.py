"""What decides sentences of FbFTL by formula, at the paper's sizes and at others."""

from typing import Any

from fbftl.findings.published import read
from fbftl.papers.fbftl import formulas_privacy
from fbftl.papers.fbftl.formulas import FORMULAS
from fbftl.papers.formulas import PaperRecord
from fbftl.papers.registry import BY_FORMULA
from unit.papers.claimed import PUBLISHED, registry

SENTENCES = {sentence.id: sentence for sentence in registry("fbftl")}
PRINTED = {
    path.stem: read(path)
    for path in (PUBLISHED / "fbftl").glob("*.csv")
    if path.stem != "sentences"
}


def test_every_sentence_that_a_formula_decides_has_one():
    assert set(FORMULAS) == {of.id for of in SENTENCES.values() if of.status == BY_FORMULA}


def of_dialogues(numbers_per_batch: str) -> Any:
    """Return the decision about dialogues where audit row A8 counts so many numbers a batch."""
    record = PaperRecord(PRINTED, {"A8": {"id": "A8", "computed": f"{numbers_per_batch}; 7"}})
    return FORMULAS["fbftl-31"](SENTENCES["fbftl-31"], record)


def test_dialogues_save_as_many_orders_while_they_are_one_vector_each():
    assert of_dialogues("1,024").holds  # two dialogues of one vector, 512 numbers
    assert not of_dialogues("102,400").holds  # of a hundred
    assert of_dialogues("1,024 per token") is None


def test_epsilon_falls_with_the_samples_and_rises_with_the_iterations(monkeypatch):
    """By the accountant itself at few iterations, at which it is fast."""
    few = PRINTED["table3"].copy()
    few.loc[(few["method"] == "ftl_c") & (few["quantity"] == "upload_batches"), "printed"] = "6250"
    record = PaperRecord(PRINTED | {"table3": few})
    decide = FORMULAS["fbftl-46"]
    assert decide(SENTENCES["fbftl-46"], record).holds
    monkeypatch.setattr(formulas_privacy, "TRAININGS", (2, 1))
    assert not decide(SENTENCES["fbftl-46"], record).holds
