"""CCVR: what its statistics and virtual features are, what it equals, what goes up for it."""

import numpy as np
import pytest
from fbftl.messages.statistics import length
from fbftl.methods.ccvr.calibration import class_statistics, virtual_features
from fbftl.methods.ccvr.run import run
from fbftl.methods.fedavg.run import run as run_fedavg
from unit.methods.fedfeat.test_retraining import inputs, job  # noqa: F401

CLASSES, WIDTH = 3, 4


def samples() -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(0)
    labels = np.repeat([0, 2], [900, 600])
    mixing = draws.standard_normal((3, WIDTH, WIDTH))
    values = np.stack([draws.standard_normal(WIDTH) @ mixing[label] + label for label in labels])
    return values.astype(np.float32), labels


def test_statistics_of_clients_add_up_to_those_of_all():
    values, labels = samples()
    whole = class_statistics(values, labels, CLASSES)
    parts = [class_statistics(values[first::7], labels[first::7], CLASSES) for first in range(7)]
    assert len(whole) == CLASSES * length(1, WIDTH)
    np.testing.assert_allclose(sum(parts), whole, rtol=1e-5, atol=1e-3)


def test_virtual_features_have_each_classs_number_mean_and_covariance():
    values, labels = samples()
    many = 40 * class_statistics(values, labels, CLASSES)
    virtual, virtual_labels = virtual_features(many, CLASSES, WIDTH, np.random.default_rng(1))
    assert np.bincount(virtual_labels).tolist() == [36_000, 0, 24_000]
    for label in (0, 2):
        real, of_label = values[labels == label], virtual[virtual_labels == label]
        np.testing.assert_allclose(of_label.mean(0), real.mean(0), atol=0.1)
        np.testing.assert_allclose(np.cov(of_label.T), np.cov(real.T), atol=0.3)


def test_a_class_of_one_sample_is_drawn_where_it_is():
    single = class_statistics(np.ones((1, WIDTH), np.float32), np.array([1]), CLASSES)
    virtual, labels = virtual_features(single, CLASSES, WIDTH, np.random.default_rng(0))
    assert labels.tolist() == [1]
    np.testing.assert_allclose(virtual, 1, atol=1e-6)


def test_until_its_last_round_it_is_fedavg(inputs):  # noqa: F811
    calibrated = run(job({"method": "ccvr", "server_epochs": 3}), inputs)
    plain = run_fedavg(job({"method": "fedavg"}), inputs)
    curves = [outcome.repetitions[0]["series"]["test_accuracy"] for outcome in (calibrated, plain)]
    losses = [outcome.repetitions[0]["series"]["loss"] for outcome in (calibrated, plain)]
    assert curves[0][:-1] == curves[1][:-1]
    assert losses[0] == losses[1]
    without = run(job({"method": "ccvr", "server_epochs": 0}), inputs)
    assert without.repetitions[0]["series"] == plain.repetitions[0]["series"]


@pytest.mark.parametrize(("aggregation", "floats"), [("open", 1), ("masked", 2)])
def test_every_client_sends_statistics_once(inputs, aggregation, floats):  # noqa: F811
    masked_or_open = job({"method": "ccvr", "aggregation": aggregation})
    ledger = run(masked_or_open, inputs).ledger.table().to_pandas()
    rows = ledger.query("part == 'statistics'")
    assert sorted(rows["client"]) == list(range(16))
    assert set(rows["round"]) == {2}
    width = 5
    assert set(rows["payload_bits"]) == {32 * floats * 10 * length(1, width)}
    assert rows["encoded"].eq("made").all()
