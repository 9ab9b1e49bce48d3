"""Time of one FedAvg round beside a bare torch loop, and of dense networks stacked or one by one.

    OMP_NUM_THREADS=1 python tests/benchmarks local_epochs

10 clients with 32 samples of 8 x 8 pixels, 5 local epochs in batches of 32, one thread; dense
networks also in batches of 8. Times are the fastest of interleaved rounds.
"""

import copy
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from ratios import Row, fastest, print_table
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.ground import devices
from fbftl.models.chain import Chain
from fbftl.models.networks import random_split
from fbftl.study.job import Training
from fbftl.training.local import one_by_one, train_clients
from fbftl.training.local_updates import LocalPlan, LocalUpdate, SplitModel, mini_batches
from fbftl.training.samples import LabelledInputs

CLIENTS, SAMPLES, CLASSES, ROUNDS = 10, 32, 10, 7
TRAINING = Training(
    epochs=1,
    batch=1,
    clients_per_round=CLIENTS,
    learning_rate=0.05,
    momentum=0.0,
    weight_decay=0.0,
    validation=0.0,
    selection="last",
)
PLAN = LocalPlan(epochs=5, batch=32, training=TRAINING)
LOCAL_UPDATES = [
    LocalUpdate(0, 1, client, np.arange(client * SAMPLES, (client + 1) * SAMPLES))
    for client in range(CLIENTS)
]
IMAGE = (8, 8, 1)
NETWORKS = {
    "CNN 16/32/128": (Chain(IMAGE, CLASSES, [128], [[16], [32]], kernel=5), "pool2"),
    "dense 64/64": (Chain(IMAGE, CLASSES, [64, 64], []), "relu_fc1"),
}


def samples() -> LabelledInputs:
    """Return random images and labels."""
    generator = torch.Generator().manual_seed(0)
    images = torch.randn(CLIENTS * SAMPLES, 1, 8, 8, generator=generator)
    return LabelledInputs(images, torch.randint(0, CLASSES, (len(images),), generator=generator))


def bare(split_model: SplitModel, labelled: LabelledInputs, plan: LocalPlan) -> None:
    """One round as people write it: a copy of the model and an optimiser per client."""
    total: dict[str, torch.Tensor] = {}
    for local_update in LOCAL_UPDATES:
        model = copy.deepcopy(split_model.whole)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
        for _, rows in mini_batches(local_update, plan):
            optimizer.zero_grad()
            functional.cross_entropy(model(labelled.inputs[rows]), labelled.labels[rows]).backward()
            optimizer.step()
        for name, value in model.state_dict().items():
            total[name] = total.get(name, 0) + value / CLIENTS


def measure(split_model: SplitModel, plan: LocalPlan) -> dict[str, float]:
    """Return the seconds of a round by each way."""
    labelled = samples()
    ways = {"bare": lambda: bare(split_model, labelled, plan)}
    for name, way in (("one by one", one_by_one), ("engine", train_clients)):
        ways[name] = lambda way=way: way(split_model, labelled, LOCAL_UPDATES, plan).weights.mean(0)
    return fastest(ways, ROUNDS)


def rows() -> Iterator[Row]:
    """Measure the networks and yield their ratios."""
    devices.prepare("cpu", threads=1)
    for name, (chain, cut) in NETWORKS.items():
        split_model = SplitModel(*random_split(chain, cut, 0))
        dense = name.startswith("dense")
        for batch in (32, 8) if dense else (32,):
            took = measure(split_model, replace(PLAN, batch=batch))
            times = ", ".join(f"{way} {1e3 * seconds:.1f} ms" for way, seconds in took.items())
            print(f"{name}, batches of {batch}: {times}")
            against = took["engine"] / took["bare"]
            yield Row(f"round over a bare loop, {name}, batches of {batch}", against, ("<=", 1.25))
            if dense:
                faster = took["one by one"] / took["engine"]
                yield Row(f"  stacked: times as fast as one by one, {name}", faster, (">=", 3.0))


if __name__ == "__main__":
    print_table(rows())
