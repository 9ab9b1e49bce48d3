"""Identities of solved heads: what is equal over partitions, and what is not; a printed count."""

import numpy as np
import pytest
from fbftl.findings.published import read
from fbftl.messages.statistics import ClassMeans
from fbftl.papers.formulas import PaperRecord
from fbftl.papers.quantities import Runs
from fbftl.papers.rivals import formulas
from fbftl.papers.rivals.claims import skewed
from fbftl.training.closed_form import fedcof
from unit.papers.claimed import PUBLISHED, registry
from unit.papers.test_effects import runs

SENTENCES = {sentence.id: sentence for sentence in registry("rivals")}


COUNTED = "r-20"
"""The one sentence that is no identity."""


@pytest.mark.parametrize("name", sorted(formulas.FORMULAS.keys() - {COUNTED}))
def test_heads_of_sums_do_not_depend_on_the_partition(name):
    assert formulas.FORMULAS[name](SENTENCES[name], PaperRecord({})).holds


def by_clients(accuracies):
    """Return runs of AFL's head over sizes and skews of clients, of one seed."""
    axes = [{"samples_per_client": k} for k in formulas.SAMPLES_PER_CLIENT]
    axes += [skewed(alpha) for alpha in formulas.ALPHAS]
    of_head = {"method": "one_shot", "message": "statistics", "head": "afl"}
    settings = zip(axes, accuracies, strict=True)
    return Runs(runs(*((of_head | clients, [accuracy]) for clients, accuracy in settings)))


@pytest.mark.parametrize(("last", "holds"), [(0.9, True), (0.91, False)])
def test_runs_over_clients_of_any_kind_count_beside_the_formula(last, holds):
    accuracies = [0.9] * (len(formulas.SAMPLES_PER_CLIENT) + len(formulas.ALPHAS) - 1)
    record = PaperRecord({}, {}, [by_clients([*accuracies, last])])
    decision = formulas.FORMULAS["r-12"](SENTENCES["r-12"], record)
    assert "test_accuracy of all in every seed" in decision.quantity
    assert decision.holds is holds


@pytest.mark.parametrize(("width", "holds"), [("1280", True), ("1024", False)])
def test_whole_matrices_are_so_many_times_class_means(width, holds):
    statements = read(PUBLISHED / "rivals" / "statements.csv")
    statements.loc[statements["quantity"] == "mobilenet_v2_width", "printed"] = width
    decision = formulas.FORMULAS[COUNTED](
        SENTENCES[COUNTED], PaperRecord({"statements": statements})
    )
    assert decision.holds is holds


def test_partitions_hold_every_sample_once():
    labels = np.random.default_rng(1).integers(formulas.CLASSES, size=formulas.SAMPLES)
    partitions = [formulas.by_count(3), formulas.by_skew(0.1, labels)]
    for partition in partitions:
        held = np.sort(np.concatenate(partition))
        assert np.array_equal(held, np.arange(formulas.SAMPLES))


def test_a_law_that_forgets_a_client_gives_other_weights():
    values, labels = formulas._samples()
    partition = formulas.by_count(32)
    whole, lacking = (
        formulas.pairwise_law(clients, values, labels) for clients in (partition, partition[1:])
    )
    assert formulas._farthest([whole, lacking]) > formulas.EQUAL


def test_a_head_of_each_clients_means_depends_on_the_partition():
    values, labels = formulas._samples()
    heads = []
    for partition in (formulas.by_count(32), formulas.by_skew(0.1, labels)):
        client = np.empty(formulas.SAMPLES, dtype=int)
        for number, rows in enumerate(partition):
            client[rows] = number
        heads.append(
            fedcof(ClassMeans.of(values, labels, client, formulas.CLASSES), 0.1).head.weights
        )
    assert formulas._farthest(heads) > formulas.EQUAL
