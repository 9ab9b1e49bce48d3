"""Noise on features: the printed scales, what they come to exactly, and the metrics."""

import math

import numpy as np
import pytest
from fbftl.methods.fedfeat import feature_metrics
from fbftl.privacy.feature_noise import (
    bounded,
    epsilon_at_stated_sensitivity,
    printed_sigma,
    published,
)

DELTA = 1e-5


def test_the_printed_scales_and_what_they_would_give_if_features_were_bounded():
    sigma = printed_sigma(2.0, DELTA)
    assert sigma == pytest.approx(2.399, abs=1e-3)
    assert epsilon_at_stated_sensitivity(sigma, DELTA) == pytest.approx(1.63, abs=5e-3)
    assert epsilon_at_stated_sensitivity(sigma, DELTA, 100) == pytest.approx(25.8, abs=0.05)
    assert published("feature_laplace", 4.0).scale == 0.25


def test_more_rounds_need_more_noise():
    one, four = (
        bounded(clip_norm=2.0, delta=DELTA, rounds=rounds, epsilon=4.0, sigma=None)
        for rounds in (1, 4)
    )
    assert four.scale == pytest.approx(2 * one.scale, rel=1e-4)
    assert one.records[0].epsilon == four.records[0].epsilon == pytest.approx(4)
    assert one.records[0].clip_norm == 2


# --- metrics ----------------------------------------------------------------------------------


def noised(scale: float) -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(0)
    clean = draws.standard_normal((4000, 50))
    return clean, clean + scale * draws.standard_normal(clean.shape)


@pytest.mark.parametrize("scale", [0.5, 1.0, 3.0])
def test_metrics_of_normal_features_under_normal_noise(scale):
    metrics = feature_metrics(*noised(scale))
    correlation = 1 / math.sqrt(1 + scale**2)
    assert metrics["feature_correlation"] == pytest.approx(correlation, abs=0.01)
    assert metrics["mutual_information"] == pytest.approx(
        -0.5 * math.log1p(-(correlation**2)), abs=0.03
    )
    assert metrics["entropy_difference"] == pytest.approx(0.5 * math.log1p(scale**2), abs=0.03)
    variance = 1 + scale**2
    divergence = 0.5 * (math.log(variance) + 1 / variance - 1)
    assert metrics["kl_divergence"] == pytest.approx(divergence, abs=0.03)
    assert metrics["feature_std"] == pytest.approx(1, abs=0.01)
    assert metrics["feature_norm"] == pytest.approx(math.sqrt(50), rel=0.02)
