"""Claims that formulas decide: FbFTL's at several sizes, identities of solved heads."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from fbftl.findings.published import read
from fbftl.models.cost.architectures import vgg16
from fbftl.models.cost.payload import numbers_per_batch
from fbftl.papers.claim_rows import parts_of, read_rows
from fbftl.papers.fbftl.claims import loss_curves, packet_blocks, payload_curves
from fbftl.papers.formulas import Decision, FormulaCase, functions_of
from fbftl.papers.record import PaperRecord
from fbftl.papers.rivals import claims

PUBLISHED = Path(__file__).parents[3] / "published"


def decisions(paper: str, function: str, record: PaperRecord) -> Mapping[str, Decision | None]:
    """Return what a function decides of the parts of all rows that name it, by their names."""
    rows = read_rows(PUBLISHED / "claims" / f"{paper}.csv")
    return {
        of.name: functions_of(paper)[function](FormulaCase(of, row.margin, record))
        for row in rows
        if row.measure == function
        for of in parts_of(row, {})
    }


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
    record = PaperRecord.of([root / "published" / "fbftl" / "fig6_fig7.csv"])
    for method in BLOCKS:
        numbers = record.number("fig6_fig7", method=method, quantity="numbers_per_packet")
        assert numbers_per_batch(vgg16(), method) == numbers


def test_retransmissions_only_help_and_cost_the_geometric_sum():
    residual = loss_curves(BLOCKS, RATES, range(4))
    by_count = residual.pivot(index=["method", "blr"], columns="retransmissions", values="plr")
    assert (by_count.diff(axis=1).iloc[:, 1:] <= 1e-15).all(axis=None)
    payload = payload_curves(RATES, range(4)).pivot(index="blr", columns="retransmissions")
    np.testing.assert_allclose(payload["payload"][3], [sum(b**n for n in range(4)) for b in RATES])


@pytest.mark.parametrize(("width", "holds"), [("1280", True), ("1024", False)])
def test_whole_matrices_are_so_many_times_class_means(width, holds):
    statements = read(PUBLISHED / "rivals" / "statements.csv")
    statements.loc[statements["quantity"] == "mobilenet_v2_width", "printed"] = width
    found = decisions("rivals", "second_moments", PaperRecord({"statements": statements}))
    assert [decision.holds for decision in found.values()] == [holds]


def test_partitions_hold_every_sample_once():
    labels = np.random.default_rng(1).integers(claims.CLASSES, size=claims.SAMPLES)
    partitions = [claims.by_count(3), claims.by_skew(0.1, labels)]
    for partition in partitions:
        held = np.sort(np.concatenate(partition))
        assert np.array_equal(held, np.arange(claims.SAMPLES))


def test_a_law_that_forgets_a_client_gives_other_weights():
    values, labels = claims._samples()
    partition = claims.by_count(32)
    whole, lacking = (
        claims.pairwise_law(clients, values, labels) for clients in (partition, partition[1:])
    )
    assert claims._farthest([whole, lacking]) > claims.EQUAL
