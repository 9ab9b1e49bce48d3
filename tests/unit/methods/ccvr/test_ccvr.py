"""CCVR: what its statistics and virtual features are, what it equals, what goes up for it."""

import numpy as np
import pytest
from fbftl.messages.statistics import length
from fbftl.methods.ccvr.calibration import class_statistics, virtual_features
from fbftl.methods.ccvr.run import run
from fbftl.methods.fedavg.run import run as run_fedavg
from unit.methods.fedfeat.test_retraining import job

CLASSES, WIDTH = 3, 4


def samples() -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(0)
    labels = np.repeat([0, 2], [900, 600])
    mixing = draws.standard_normal((3, WIDTH, WIDTH))
    values = np.stack([draws.standard_normal(WIDTH) @ mixing[label] + label for label in labels])
    return values.astype(np.float32), labels


def test_virtual_features_have_each_classs_number_mean_and_covariance():
    values, labels = samples()
    many = 40 * class_statistics(values, labels, CLASSES)
    virtual, virtual_labels = virtual_features(many, CLASSES, WIDTH, np.random.default_rng(1))
    assert np.bincount(virtual_labels).tolist() == [36_000, 0, 24_000]
    for label in (0, 2):
        real, of_label = values[labels == label], virtual[virtual_labels == label]
        np.testing.assert_allclose(of_label.mean(0), real.mean(0), atol=0.1)
        np.testing.assert_allclose(np.cov(of_label.T), np.cov(real.T), atol=0.3)


def test_until_its_last_round_it_is_fedavg(digits):
    calibrated = run(job({"method": "ccvr", "server_epochs": 3}), digits)
    plain = run_fedavg(job({"method": "fedavg"}), digits)
    curves = [outcome.repetitions[0]["series"]["test_accuracy"] for outcome in (calibrated, plain)]
    losses = [outcome.repetitions[0]["series"]["loss"] for outcome in (calibrated, plain)]
    assert curves[0][:-1] == curves[1][:-1]
    assert losses[0] == losses[1]
    without = run(job({"method": "ccvr", "server_epochs": 0}), digits)
    assert without.repetitions[0]["series"] == plain.repetitions[0]["series"]


@pytest.mark.parametrize(("aggregation", "floats"), [("open", 1), ("masked", 2)])
def test_every_client_sends_statistics_once(digits, aggregation, floats):
    masked_or_open = job({"method": "ccvr", "aggregation": aggregation})
    ledger = run(masked_or_open, digits).ledger.table().to_pandas()
    rows = ledger.query("part == 'statistics'")
    assert sorted(rows["client"]) == list(range(16))
    assert set(rows["round"]) == {2}
    width = 5
    assert set(rows["payload_bits"]) == {32 * floats * 10 * length(1, width)}
    assert rows["encoded"].eq("made").all()
