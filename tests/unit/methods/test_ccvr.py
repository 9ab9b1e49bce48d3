"""CCVR: what its statistics and virtual features are, what it equals, what goes up for it."""

import numpy as np
import pytest
from fbftl.exchange.calibration import class_statistics, virtual_features
from fbftl.messages.statistics import length
from fbftl.methods import ccvr, fedavg
from unit.exchange.test_retraining import inputs, job  # noqa: F401

CLASSES, WIDTH = 3, 4


def samples() -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(0)
    labels = np.repeat([0, 2], [900, 600])
    mixing = draws.standard_normal((3, WIDTH, WIDTH))
    values = np.stack([draws.standard_normal(WIDTH) @ mixing[own] + own for own in labels])
    return values.astype(np.float32), labels


def test_statistics_of_clients_add_up_to_those_of_all():
    values, labels = samples()
    whole = class_statistics(values, labels, CLASSES)
    parts = [class_statistics(values[own::7], labels[own::7], CLASSES) for own in range(7)]
    assert len(whole) == CLASSES * length(1, WIDTH)
    np.testing.assert_allclose(sum(parts), whole, rtol=1e-5, atol=1e-3)


def test_virtual_features_have_each_classs_number_mean_and_covariance():
    values, labels = samples()
    many = 40 * class_statistics(values, labels, CLASSES)
    drawn, drawn_labels = virtual_features(many, CLASSES, WIDTH, np.random.default_rng(1))
    assert np.bincount(drawn_labels).tolist() == [36_000, 0, 24_000]
    for own in (0, 2):
        real, virtual = values[labels == own], drawn[drawn_labels == own]
        np.testing.assert_allclose(virtual.mean(0), real.mean(0), atol=0.1)
        np.testing.assert_allclose(np.cov(virtual.T), np.cov(real.T), atol=0.3)


def test_a_class_of_one_sample_is_drawn_where_it_is():
    one = class_statistics(np.ones((1, WIDTH), np.float32), np.array([1]), CLASSES)
    drawn, labels = virtual_features(one, CLASSES, WIDTH, np.random.default_rng(0))
    assert labels.tolist() == [1]
    np.testing.assert_allclose(drawn, 1, atol=1e-6)


def test_until_its_last_round_it_is_fedavg(inputs):  # noqa: F811
    calibrated = ccvr.run(job({"method": "ccvr", "server_epochs": 3}), inputs)
    plain = fedavg.run(job({"method": "fedavg"}), inputs)
    curves = [one.repetitions[0]["series"]["test_accuracy"] for one in (calibrated, plain)]
    losses = [one.repetitions[0]["series"]["loss"] for one in (calibrated, plain)]
    assert curves[0][:-1] == curves[1][:-1]
    assert losses[0] == losses[1]
    without = ccvr.run(job({"method": "ccvr", "server_epochs": 0}), inputs)
    assert without.repetitions[0]["series"] == plain.repetitions[0]["series"]


@pytest.mark.parametrize(("aggregation", "floats"), [("open", 1), ("masked", 2)])
def test_every_client_sends_statistics_once(inputs, aggregation, floats):  # noqa: F811
    asked = job({"method": "ccvr", "aggregation": aggregation})
    ledger = ccvr.run(asked, inputs).ledger.table().to_pandas()
    rows = ledger.query("part == 'statistics'")
    assert sorted(rows["client"]) == list(range(16))
    assert set(rows["round"]) == {2}
    width = 5
    assert set(rows["payload_bits"]) == {32 * floats * 10 * length(1, width)}
    assert rows["encoded"].eq("made").all()


def test_the_masked_sum_calibrates_as_the_open_one(inputs):  # noqa: F811
    ends = [
        ccvr.run(job({"method": "ccvr", "aggregation": own, "server_epochs": 3}), inputs)
        for own in ("open", "masked")
    ]
    first, second = (one.repetitions[0]["test_accuracy"] for one in ends)
    assert first == pytest.approx(second, abs=0.04)
