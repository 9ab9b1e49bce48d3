"""FTL_c (Sec. II-B): the head alone, trained by client gradients on the cached features.

The extractor is frozen, so every round's features are those of the store; it never runs here.
The clients are sent it once, which Eq. (12) leaves out of the downlink.
"""

import numpy as np
import torch

from fbftl.cost.layers import parameters, read_network
from fbftl.data.participation import Holdings
from fbftl.exchange.repetition import Learner, run_rounds, whole_update
from fbftl.features.store.features import Features
from fbftl.features.store.opening import open_store
from fbftl.models.heads import head_module
from fbftl.study.job import Job
from fbftl.tasks.task import Federation, Inputs, LabelledInputs, Outcome


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train one head per seed by rounds."""
    store = open_store(inputs.manifest)
    train = store.read("train")
    federation = Federation(
        samples=_on_device(train, inputs.device),
        held=Holdings(train.client, train.labels, train.domain),
        test=_on_device(store.read("test"), inputs.device),
        feature_width=store.width,
        provenance={"features": store.digest},
    )
    extractor = parameters(read_network(inputs.network).extractor)
    widths = [store.width, *job.head, federation.classes]

    def learner_of(seed: int) -> Learner:
        return whole_update(head_module(widths, seed).to(inputs.device), {"weights": extractor})

    return run_rounds(job, federation, learner_of, inputs.scratch)


def _on_device(features: Features, device: torch.device) -> LabelledInputs:
    return LabelledInputs(
        torch.from_numpy(features.values).to(device),
        torch.from_numpy(features.labels.astype(np.int64)).to(device),
    )
