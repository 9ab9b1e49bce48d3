"""Time and bytes of one FedFeat+ round at the paper's size: 10 clients with 500 images of 32 x 32.

    OMP_NUM_THREADS=1 python tests/benchmarks/paper_round.py

Table I's CNN, five local epochs in batches of 128, features of the last one, ten epochs of
retraining; one thread, random images, which take as long as any.
"""

import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.ground import devices
from fbftl.models.chain import chain_of
from fbftl.models.networks import random_split
from fbftl.papers.fedfeat.backbones import DATASETS, TABLE_I
from fbftl.study.job import Training
from fbftl.training.batches import laid_out
from fbftl.training.feature_network import FeatureNetwork, FeatureRequest
from fbftl.training.local_updates import LocalPlan, SplitModel
from fbftl.training.samples import LabelledInputs, TrainingData

CLIENTS, SAMPLES = 10, 500
TRAINING = Training(
    epochs=1,
    batch=1,
    clients_per_round=CLIENTS,
    learning_rate=0.05,
    momentum=0.0,
    weight_decay=0.0,
    validation=0.0,
    selection="last",
    server_learning_rate=0.001,
    server_batch=128,
)


def main() -> None:
    """Train one round and print what it took and sent."""
    devices.prepare("cpu", threads=1)
    (height, width, depth), classes = DATASETS["cifar10"]
    generator = torch.Generator().manual_seed(0)
    images = torch.rand(CLIENTS * SAMPLES, depth, height, width, generator=generator)
    samples = LabelledInputs(images, torch.randint(0, classes, (len(images),), generator=generator))
    rows = [np.arange(SAMPLES) + SAMPLES * client for client in range(CLIENTS)]
    (round_,) = laid_out([np.arange(CLIENTS)], rows).single()
    training_data = TrainingData(samples, np.zeros(0, dtype=int), samples, TRAINING, ())
    network = TABLE_I["cnn"]
    split_model = SplitModel(
        *random_split(chain_of(network, (height, width, depth), classes), "pool2", 0)
    )
    plan = LocalPlan(epochs=5, batch=128, training=TRAINING)
    make = partial(FeatureNetwork, request=FeatureRequest("last_epoch", 10))
    learner = make(split_model, training_data, plan, 0)
    started = time.perf_counter()
    trained = learner.train(round_)
    at_clients = time.perf_counter() - started
    learner.set_weights(trained.weights.mean(0))
    learner.retrain(1, learner.reported(round_, np.ones(CLIENTS, dtype=bool)))
    at_server = time.perf_counter() - started - at_clients
    sent = trained.weights.numel() + CLIENTS * SAMPLES * (learner.width + 1)
    print(f"clients {at_clients:.0f} s, server {at_server:.0f} s, up {4 * sent / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
