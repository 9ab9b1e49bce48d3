"""Identities of solved heads: what is equal over partitions, and what is not; a printed count."""

import numpy as np
import pytest
from fbftl.findings.published import read
from fbftl.papers.record import PaperRecord
from fbftl.papers.rivals import claims
from unit.papers.formula_parts import PUBLISHED, decisions


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
