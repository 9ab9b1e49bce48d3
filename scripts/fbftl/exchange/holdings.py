"""The test split at the server of a deployed setting, with who holds which row and no label."""

from dataclasses import replace

import numpy as np

from fbftl.data.participation import Partition
from fbftl.exchange.parties import ServerPlan
from fbftl.ground.devices import prepare
from fbftl.training.tasks.images import ClientImageFeatures, client_features
from fbftl.training.tasks.task import Inputs


def features_at_server(plan: ServerPlan) -> ClientImageFeatures:
    """Return the test split's features, and none of the clients'."""
    inputs, nothing = Inputs.at(plan.files, prepare("cpu", 1)), np.zeros(0, dtype=np.int64)
    owner = np.array(plan.client, dtype=np.int64)
    without_labels = Partition(owner, np.zeros_like(owner))
    return replace(client_features(plan.setting.job, inputs, nothing), partition=without_labels)
