"""How good an extractor is, whatever classifier stands behind it: a linear probe.

Paper fedfeat says that a classifier that generalises better has the clients extract better features
(Sec. VI, Lemma 6). So a classifier is fitted afresh, in closed form, on the features that the
averaged extractor gives of all clients' samples, without noise, and tried on the test split's.
"""

import numpy as np
import torch

from fbftl.messages.statistics import Statistics
from fbftl.training.closed_form import ridge
from fbftl.training.feature_network import FeatureNetwork
from fbftl.training.measures import Measure
from fbftl.training.samples import LabelledSamples

REGULARISATION = 1e-3
"""Of the mean eigenvalue of the features' Gram matrix; ours."""

PROBE_MEASURES = {"probe_accuracy": Measure("share", "higher", diverged=0.0)}
"""Test accuracy of the fresh classifier."""


def probed(network: FeatureNetwork) -> dict[str, float]:
    """Return what a network's extractor measures; 0 where its features are not finite."""
    samples, test = network.training_data.samples, network.training_data.test
    known, labels = _features(network, samples)
    seen, wanted = _features(network, test)
    accuracy = 0.0
    if np.isfinite(known).all() and np.isfinite(seen).all():
        classes = int(max(labels.max(), wanted.max())) + 1
        statistics = Statistics.of(known, labels, classes)
        accuracy = ridge(statistics, (REGULARISATION,)).head.accuracy(seen, wanted)
    return {"probe_accuracy": accuracy}


@torch.no_grad()
def _features(network: FeatureNetwork, samples: LabelledSamples) -> tuple[np.ndarray, np.ndarray]:
    """Return features (n, d) and labels (n,) of all samples of a split."""
    rows = samples.at(np.arange(len(samples.labels)))
    features = network.split_model.front(rows.inputs).flatten(1).float().cpu().numpy()
    return features, rows.labels.cpu().numpy()
