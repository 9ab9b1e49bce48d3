"""FedHealth on a toy task: adaptation and CORAL, and what it sends."""

from typing import Any

import numpy as np
import pytest
import torch
from fbftl.methods.fedhealth import Alignment, covariance
from fbftl.training.curves import RIGHT
from unit.methods.framework_toys import curve, sent


def test_fedhealth_without_adaptation_is_the_global_model(run):
    repetition = run("fedhealth", public_data="target").repetitions[0]
    assert repetition["test_accuracy"] == repetition["accuracy_before"] == curve_end(repetition)
    assert set(repetition["series"]["gain_by_client"]) == {0.0}


def curve_end(repetition: dict[str, Any]) -> float:
    return pytest.approx(repetition["series"]["test_accuracy"][-1])


def test_fedhealth_begins_with_the_cloud_and_sends_the_covariance_once(run):
    axes = {"public_data": "target", "transfer_epochs": 30, "adaptation_epochs": 3}
    plain, with_coral = run("fedhealth", **axes), run("fedhealth", coral_weight=1.0, **axes)
    assert plain.repetitions[0]["accuracy_before"] == with_coral.repetitions[0]["accuracy_before"]
    assert plain.repetitions[0]["test_accuracy"] != plain.repetitions[0]["accuracy_before"]
    # Of the average, whose accuracy a run does not have.
    assert RIGHT not in plain.repetitions[0]
    assert list(sent(with_coral, part="statistics")["payload_bits"]) == [32 * 6 * 6]
    assert len(sent(plain, part="statistics")) == 0
    assert curve(run("fedavg"))[0] < curve(plain)[0]


def test_coral_by_its_definition():
    hidden, source = torch.randn(7, 3), torch.randn(3, 3)
    by_numpy = np.cov(hidden.numpy(), rowvar=False)
    torch.testing.assert_close(covariance(hidden).numpy(), by_numpy.astype(np.float32))
    expected = 2.0 * ((source.numpy() - by_numpy) ** 2).sum() / (4 * 9)
    assert float(Alignment(source, 2.0).loss(hidden)) == pytest.approx(float(expected), rel=1e-5)
    assert float(Alignment(source, 2.0).loss(hidden[:1])) == 0.0
