"""Time of one client update in the round engine, beside a plain loop and pfl-research.

Run from the project's root: OMP_NUM_THREADS=1 python tests/benchmarks/rounds.py

A linear head on 512 features for 10 classes; 100 clients with 500 samples each, 10 per round, one
local step over a client's samples. Times are CPU milliseconds on one thread, the median of several
rounds; pfl-research is left out where it is not installed.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.exchange.post import Post
from fbftl.exchange.rounds import batch_gradient, client_gradient, train_rounds
from fbftl.exchange.uplink import Traffic, Uplink, compressing
from fbftl.ground import devices
from fbftl.messages.codec import Compression
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Training
from fbftl.study.settings import Setting
from fbftl.training.batches import Round, Rounds, rounds
from fbftl.training.network import TrainedNetwork
from fbftl.training.samples import LabelledInputs, TrainingData

CLIENTS, SAMPLES, WIDTH, CLASSES, PER_ROUND = 100, 500, 512, 10, 10
ROWS = [np.arange(client * SAMPLES, (client + 1) * SAMPLES) for client in range(CLIENTS)]
REPETITIONS = 5
TRAINING = Training(
    epochs=1,
    batch=SAMPLES * PER_ROUND,
    clients_per_round=PER_ROUND,
    learning_rate=0.01,
    momentum=0.9,
    weight_decay=5e-4,
    validation=0.0,
    selection="last",
)


def federation() -> tuple[LabelledInputs, LabelledInputs]:
    """Return the clients' samples and a test split of one sample, so that little is evaluated."""
    generator = torch.Generator().manual_seed(0)
    inputs = torch.randn(CLIENTS * SAMPLES, WIDTH, generator=generator)
    labels = torch.randint(0, CLASSES, (CLIENTS * SAMPLES,), generator=generator)
    return LabelledInputs(inputs, labels), LabelledInputs(inputs[:1], labels[:1])


def uplink(releasing: object = None) -> Uplink:
    """Return a loss-free uplink of the head's parameters."""
    floats = WIDTH * CLASSES + CLASSES
    link = link_of(Setting(), 32 * WIDTH)
    return Uplink(
        post=Post(Ledger(), link, 0, no_mechanism()),
        exchanged=Traffic(lambda counts: {"update": floats}, {"weights": floats}),
        owners=np.arange(CLIENTS),
        releasing=releasing,
    )


def learner_of(model: nn.Module, samples: LabelledInputs, test: LabelledInputs) -> TrainedNetwork:
    """Return the engine's learner of one epoch; nothing is held out."""
    return TrainedNetwork(model, TrainingData(samples, np.arange(0), test, TRAINING, one_epoch()))


def together(model: nn.Module, samples: LabelledInputs, test: LabelledInputs) -> None:
    """One epoch of the engine where nothing needs single updates."""
    learner = learner_of(model, samples, test)
    train_rounds(learner, batch_gradient(learner, uplink().arrivals), learner.schedule)


def apart(model: nn.Module, samples: LabelledInputs, test: LabelledInputs) -> None:
    """One epoch of the engine with every client's own update, averaged as it arrives."""

    def average(round_: Round, updates: np.ndarray) -> np.ndarray:
        return updates.sum(axis=0) / np.float32(round_.counts.sum())

    learner = learner_of(model, samples, test)
    train_rounds(learner, client_gradient(learner, average), learner.schedule)


def encoded(model: nn.Module, samples: LabelledInputs, test: LabelledInputs) -> None:
    """One epoch as `apart`, every update really encoded and decoded as plain floats."""
    learner = learner_of(model, samples, test)
    average = uplink(compressing(Compression(), None)).average
    train_rounds(learner, client_gradient(learner, average), learner.schedule)


def plain_loop(model: nn.Module, samples: LabelledInputs, test: LabelledInputs) -> None:
    """One epoch as people write it: a copy of the model and an optimizer step per client."""
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    order = np.random.default_rng(0).permutation(CLIENTS)
    for start in range(0, CLIENTS, PER_ROUND):
        total = [torch.zeros_like(p) for p in model.parameters()]
        for client in order[start : start + PER_ROUND]:
            local = nn.Linear(WIDTH, CLASSES)
            local.load_state_dict(model.state_dict())
            step = torch.optim.SGD(local.parameters(), lr=1.0)
            rows = torch.from_numpy(ROWS[client])
            logits = local(samples.inputs[rows])
            functional.cross_entropy(logits, samples.labels[rows]).backward()
            step.step()
            for sum_, before, after in zip(
                total, model.parameters(), local.parameters(), strict=True
            ):
                sum_ += (before - after).detach() / PER_ROUND
        for parameter, update in zip(model.parameters(), total, strict=True):
            parameter.grad = update
        optimizer.step()


def pfl_research(model: nn.Module, samples: LabelledInputs, test: LabelledInputs) -> None:
    """One epoch in pfl-research's simulated backend: federated averaging, one local epoch."""
    from pfl.aggregate.simulate import SimulatedBackend
    from pfl.algorithm.base import (
        FederatedNNAlgorithm,  # noqa: F401
        NNAlgorithmParams,
    )
    from pfl.algorithm.federated_averaging import FederatedAveraging
    from pfl.data.dataset import Dataset
    from pfl.data.federated_dataset import FederatedDataset
    from pfl.hyperparam import NNEvalHyperParams, NNTrainHyperParams
    from pfl.model.pytorch import PyTorchModel

    def loss(inputs: torch.Tensor, labels: torch.Tensor, eval: bool = False) -> torch.Tensor:
        return functional.cross_entropy(model(inputs), labels)

    model.loss = loss
    model.metrics = lambda inputs, labels, eval=True: {}
    order: Iterator[int] = iter(np.random.default_rng(0).permutation(CLIENTS).tolist())

    def of_user(user: int) -> Dataset:
        rows = torch.from_numpy(ROWS[user])
        return Dataset([samples.inputs[rows], samples.labels[rows]])

    data = FederatedDataset(of_user, lambda: next(order))
    backend = SimulatedBackend(training_data=data, val_data=None)
    wrapped = PyTorchModel(
        model, local_optimizer_create=torch.optim.SGD,
        central_optimizer=torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9),
    )  # fmt: skip
    with redirect_stdout(StringIO()):  # it reports every iteration
        FederatedAveraging().run(
            NNAlgorithmParams(
                central_num_iterations=CLIENTS // PER_ROUND, evaluation_frequency=10**9,
                train_cohort_size=PER_ROUND, val_cohort_size=0,
            ),
            backend, wrapped,
            NNTrainHyperParams(
                local_learning_rate=1.0, local_num_epochs=1, local_batch_size=SAMPLES
            ),
            NNEvalHyperParams(local_batch_size=SAMPLES), [],
        )  # fmt: skip


def one_epoch() -> Iterator[Rounds]:
    """Return the rounds of one epoch."""
    return rounds(ROWS, PER_ROUND, 1, seed=0)


def cpu_ms_per_update(epoch: Callable[..., None]) -> float:
    """Return the median CPU time of a client update over several epochs, in ms."""
    samples, test = federation()
    model = nn.Linear(WIDTH, CLASSES)
    epoch(model, samples, test)
    times = []
    for _ in range(REPETITIONS):
        start = time.process_time()
        epoch(model, samples, test)
        times.append(time.process_time() - start)
    return 1000 * statistics.median(times) / CLIENTS


def lockstep() -> tuple[float, float]:
    """Return the CPU ms per client update and seed of 8 seeds stacked in one batched product, and
    one by one: what running the seeds in lockstep would gain."""
    seeds, samples = 8, federation()[0]
    rows = torch.from_numpy(np.concatenate(ROWS[:PER_ROUND]))
    weights = torch.zeros(seeds, WIDTH, CLASSES, requires_grad=True)

    def loss(weight: torch.Tensor, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        logits = torch.matmul(inputs, weight)
        return functional.cross_entropy(logits.flatten(0, -2), labels.flatten())

    def stacked() -> None:
        inputs = samples.inputs[rows].expand(seeds, -1, -1)
        torch.autograd.grad(loss(weights, inputs, samples.labels[rows].repeat(seeds)), weights)

    def alone() -> None:
        for seed in range(seeds):
            weight = weights[seed].detach().requires_grad_()
            torch.autograd.grad(loss(weight, samples.inputs[rows], samples.labels[rows]), weight)

    results = []
    for step in (stacked, alone):
        step()
        times = []
        for _ in range(2 * REPETITIONS):
            start = time.process_time()
            step()
            times.append(time.process_time() - start)
        results.append(1000 * statistics.median(times) / PER_ROUND / seeds)
    return results[0], results[1]


def main() -> None:
    """Print the table."""
    devices.prepare("cpu", threads=1)
    ways = {
        "plain loop": plain_loop,
        "engine, batch gradient": together,
        "engine, client updates": apart,
        "engine, client updates encoded": encoded,
        "pfl-research": pfl_research,
    }
    print(f"{'CPU ms per client update':34}{'ms':>8}{'of plain loop':>16}")
    baseline = None
    for name, epoch in ways.items():
        try:
            took = cpu_ms_per_update(epoch)
        except ImportError:
            print(f"{name:34}{'not installed':>24}")
            continue
        baseline = baseline or took
        print(f"{name:34}{took:8.3f}{took / baseline:16.2f}")
    together_ms, alone_ms = lockstep()
    print(
        f"\n8 seeds in lockstep {together_ms:.3f} ms per update and seed, one by one {alone_ms:.3f}"
    )


if __name__ == "__main__":
    main()
