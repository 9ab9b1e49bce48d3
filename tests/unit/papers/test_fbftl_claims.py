"""Formulas of FbFTL's claims at several sizes; Figs. 6 and 7 against Eqs. (18) and (19)."""

import numpy as np
from fbftl.findings.published import lookup, read
from fbftl.models.cost.architectures import vgg16
from fbftl.models.cost.payload import numbers_per_batch
from fbftl.papers.fbftl.claims import loss_curves, packet_blocks, payload_curves
from fbftl.papers.record import PaperRecord
from unit.papers.formula_parts import PUBLISHED, decisions

PRINTED = {path.stem: read(path) for path in (PUBLISHED / "fbftl").glob("*.csv")}

RECORD = PaperRecord(PRINTED)


def of_dialogues(numbers_per_batch: str) -> list[bool | None]:
    """Return what is decided about dialogues where audit row A8 counts so many numbers a batch."""
    record = PaperRecord(PRINTED, {"A8": {"id": "A8", "computed": f"{numbers_per_batch}; 7"}})
    found = decisions("fbftl", "dialogue_orders", record).values()
    return [decision and decision.holds for decision in found]


def test_dialogues_save_as_many_orders_while_they_are_one_vector_each():
    assert of_dialogues("1,024") == [True, True]  # two dialogues of one vector, 512 numbers
    assert of_dialogues("102,400") == [False, True]  # of a hundred, which are sent up alone
    assert of_dialogues("1,024 per token") == [None, True]


BLOCKS = packet_blocks(vgg16())
RATES = np.array([0.0, 1e-9, 1e-5, 1e-3, 0.5, 1.0])


def test_packets_are_those_that_the_authors_drew(root):
    published = read(root / "published" / "fbftl" / "fig6_fig7.csv")
    for method in BLOCKS:
        numbers = lookup(published, method=method, quantity="numbers_per_packet")
        assert numbers_per_batch(vgg16(), method) == numbers


def test_retransmissions_only_help_and_cost_the_geometric_sum():
    residual = loss_curves(BLOCKS, RATES, range(4))
    by_count = residual.pivot(index=["method", "blr"], columns="retransmissions", values="plr")
    assert (by_count.diff(axis=1).iloc[:, 1:] <= 1e-15).all(axis=None)
    payload = payload_curves(RATES, range(4)).pivot(index="blr", columns="retransmissions")
    np.testing.assert_allclose(payload["payload"][3], [sum(b**n for n in range(4)) for b in RATES])
