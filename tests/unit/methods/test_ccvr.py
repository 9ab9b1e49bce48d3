"""CCVR: what its statistics and virtual features are, what it equals, what goes up for it."""

import numpy as np
import pytest
from fbftl.messages.statistics import length
from fbftl.methods.ccvr import class_statistics, run, virtual_features
from fbftl.methods.fedavg.run import run as run_fedavg
from unit.methods.test_fedfeat_runs import job

CLASSES, WIDTH = 3, 4


def clients_samples() -> list[tuple[np.ndarray, np.ndarray]]:
    """Return features and labels of three clients; the second holds one sample of class 2."""
    draws = np.random.default_rng(0)
    labels = np.repeat([0, 2, 0, 2, 0], [40, 30, 25, 1, 7])
    mixing = draws.standard_normal((CLASSES, WIDTH, WIDTH))
    values = np.stack([draws.standard_normal(WIDTH) @ mixing[label] + label for label in labels])
    cuts = [70, 96]
    parts = np.split(values.astype(np.float32), cuts), np.split(labels, cuts)
    return list(zip(*parts, strict=True))


class Whitened(np.random.Generator):
    """Normal numbers whose mean is 0 and whose covariance is the identity, in every draw."""

    def standard_normal(self, size):
        drawn = super().standard_normal(size)
        drawn -= drawn.mean(0)
        return drawn @ np.linalg.inv(np.linalg.cholesky(np.cov(drawn.T))).T


def test_virtual_features_have_the_global_mean_and_covariance_of_the_paper():
    """Luo et al. 2021, Eq. (3) and (4), from each client's own means and covariances."""
    clients = clients_samples()
    total = sum(class_statistics(*samples, CLASSES) for samples in clients)
    draws = Whitened(np.random.PCG64(1))
    virtual, virtual_labels = virtual_features(total, CLASSES, WIDTH, draws)
    assert np.bincount(virtual_labels).tolist() == [72, 0, 31]
    for label in (0, 2):
        held = [values[labels == label] for values, labels in clients if label in labels]
        counts, means = np.array([len(values) for values in held]), [v.mean(0) for v in held]
        count, mean = counts.sum(), np.average(means, axis=0, weights=counts)
        covariance = -count * np.outer(mean, mean)
        for values, of_client in zip(held, means, strict=True):
            covariance += len(values) * np.outer(of_client, of_client)
            covariance += (len(values) - 1) * np.cov(values.T, ddof=min(1, len(values) - 1))
        of_label = virtual[virtual_labels == label]
        np.testing.assert_allclose(of_label.mean(0), mean, atol=1e-5)
        np.testing.assert_allclose(np.cov(of_label.T), covariance / (count - 1), atol=1e-4)


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
