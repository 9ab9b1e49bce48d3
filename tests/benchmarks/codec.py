"""Measure the codec: lengths against their limits, speed, and its share of a training round.

Run from the project's root:

    OMP_NUM_THREADS=1 python tests/benchmarks/codec.py

Times are CPU seconds of the fastest of several repetitions, on one core.
"""

import sys
import time
from collections.abc import Callable
from math import ceil
from pathlib import Path

import numpy as np
import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.exchange.post import Post
from fbftl.exchange.rounds import batch_gradient, client_gradient
from fbftl.exchange.uplink import Releasing, Traffic, Uplink, compressing
from fbftl.ground import devices
from fbftl.messages.codec import Compression, compress, decode, encode, encode_each, message_size
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.encoded import EncodedRows
from fbftl.messages.feedback import memory
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.models.heads import head_module
from fbftl.models.networks import vgg
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Training
from fbftl.study.settings import Setting
from fbftl.training.batches import Round
from fbftl.training.network import TrainedNetwork
from fbftl.training.samples import LabelledInputs, TrainingData

WIDTH = 4096
CLIENTS = 8
TRAINING = Training(
    epochs=1,
    batch=64,
    clients_per_round=1,
    learning_rate=0.01,
    momentum=0.9,
    weight_decay=5e-4,
    validation=0.0,
    selection="last",
)


def cpu_seconds(function: Callable[[], object], repetitions: int = 7) -> float:
    """Return the CPU time of the fastest call."""
    times = []
    for _ in range(repetitions):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times)


def relu_features(rows: int) -> np.ndarray:
    """Return (rows, WIDTH) float32, about half of them zero."""
    normal = np.random.default_rng(0).standard_normal((rows, WIDTH), dtype=np.float32)
    return np.maximum(normal, 0)


def print_sizes() -> None:
    """Print the bits of messages of at least 64 KiB against what bounds them."""
    print(f"\nLengths in bits: ReLU features, {WIDTH} wide, as many rows as give 64 KiB packed")
    print(f"{'q':>3} {'r':>5} {'rows':>5} {'nominal':>9} {'packed':>9} {'/nominal':>9}", end="")
    print(f" {'entropy':>9} {'limit':>9} {'model':>7} {'over limit':>11}")
    for bits in (32, 16, 12, 8, 4, 2, 1):
        for keep in (1.0, 0.1, 0.01, 0.001):
            compression = Compression(bits, keep)
            row_bits = compress(relu_features(1), compression).bits[0] - 8 * HEADER_BYTES
            rows = ceil(2**19 / row_bits * 1.15)
            size = message_size(relu_features(rows), compression=compression)
            over = (size.entropy_coded - size.model) / size.limit - 1
            print(f"{bits:3} {keep:5} {rows:5} {size.nominal:9.0f} {size.packed:9}", end="")
            print(f" {size.packed / size.nominal:9.3f} {size.entropy_coded:9}", end="")
            print(f" {size.limit:9.0f} {size.model:7} {over:11.2%}")


def print_speed() -> None:
    """Print MB of float32 input handled per second."""
    features = relu_features(1000)
    megabytes = features.nbytes / 1e6
    names = ("one message", "row messages", "values+lengths", "range-coded", "decode")
    print(f"\nMB/s of input: 1,000 x {WIDTH} ReLU features, encoded")
    print(f"{'q':>3} {'r':>5}" + "".join(f"{name:>16}" for name in names))
    for bits, keep in [(32, 1.0), (8, 1.0), (2, 1.0), (8, 0.1), (2, 0.1), (8, 0.01), (2, 0.001)]:
        compression = Compression(bits, keep)
        message = encode(features, compression=compression)
        work = (
            lambda c=compression: encode(features, compression=c),
            lambda c=compression: encode_each(features, compression=c),
            lambda c=compression: compress(features, c),
            lambda c=compression: encode(features, compression=c, coding="entropy"),
            lambda m=message: decode(m),
        )
        speeds = (megabytes / cpu_seconds(function) for function in work)
        print(f"{bits:3} {keep:5}" + "".join(f"{speed:16.0f}" for speed in speeds))


def head() -> tuple[nn.Module, tuple[int, ...]]:
    """Return the default task's head and the shape of its input."""
    return head_module([256, 256, 10], 0), (256,)


def network() -> tuple[nn.Module, tuple[int, ...]]:
    """Return the default task's network, extractor and head, and the shape of its input."""
    extractor = vgg((8, 8, 1), [[16], [32]], [256], 256).eval()
    return nn.Sequential(extractor, nn.ReLU(), nn.Linear(256, 10)), (1, 8, 8)


def one_round(samples: int) -> Round:
    """Return a round of CLIENTS clients with so many samples each."""
    rows = np.arange(CLIENTS * samples).reshape(CLIENTS, samples)
    # The third, which is neither made for its digest nor measured.
    return Round(2, np.arange(CLIENTS), rows, np.ones(rows.shape, dtype=bool))


def learner_of(model: nn.Module, shape: tuple[int, ...], samples: int) -> TrainedNetwork:
    """Return the engine's learner of such rounds, on random samples."""
    generator = torch.Generator().manual_seed(0)
    labelled = LabelledInputs(
        torch.randn(CLIENTS * samples, *shape, generator=generator),
        torch.randint(0, 10, (CLIENTS * samples,), generator=generator),
    )
    return TrainedNetwork(model, TrainingData(labelled, np.arange(0), labelled, TRAINING, []))


def link_to_server(parameters: int, releasing: Releasing, compression: Compression) -> Uplink:
    """Return an uplink without loss whose every message counts as one block."""
    link = link_of(Setting(), 40 * parameters)
    return Uplink(
        post=Post(Ledger(), link, 0, no_mechanism(), compression),
        exchanged=Traffic(lambda counts: {"update": parameters}, {"weights": parameters}),
        owners=np.arange(CLIENTS),
        releasing=releasing,
    )


def print_round_share() -> None:
    """Print what the codec takes of a real round: gradients, encoding, link and average.

    A round is the engine's own: every client's update in one batched pass (`client_gradient`),
    then everything that `Uplink.average` does. The codec's time is that of the encoding with
    error feedback: selecting, quantising, packing, what the server reads, and the memory.
    """
    print(f"\nA round of {CLIENTS} clients through the engine: CPU ms")
    names = ("plain round", "round", "codec", "share")
    print(f"{'model':>8} {'X':>7} {'K':>4} {'q':>3} {'r':>5}", end="")
    print("".join(f"{name:>13}" for name in names))
    for name, build in (("head", head), ("network", network)):
        model, shape = build()
        parameters = sum(parameter.numel() for parameter in model.parameters())
        for samples in (8, 64):
            arriving, learner = one_round(samples), learner_of(model, shape, samples)
            everyone = np.ones(CLIENTS, dtype=bool)
            plain = batch_gradient(learner, lambda round_, all_=everyone: all_)
            plain_ms = 1e3 * cpu_seconds(lambda g=plain, round_=arriving: g(round_), 15)
            for bits, keep in [(8, 1.0), (2, 1.0), (32, 0.1), (8, 0.1), (2, 0.01), (2, 0.001)]:
                share_of(name, learner, arriving, Compression(bits, keep), plain_ms, parameters)


def share_of(
    name: str,
    learner: TrainedNetwork,
    arriving: Round,
    compression: Compression,
    plain_ms: float,
    parameters: int,
) -> None:
    """Print one row: a compressed round, and the codec's part of it."""
    releasing = compressing(compression, memory(CLIENTS, parameters))
    spent = []

    def timed(round_: Round, updates: np.ndarray) -> EncodedRows:
        start = time.process_time()
        sent = releasing(round_, updates)
        spent.append(time.process_time() - start)
        return sent

    uplink = link_to_server(parameters, timed, compression)
    gradient = client_gradient(learner, uplink.average)
    gradient(arriving)
    spent.clear()
    rounds = 30
    start = time.process_time()
    for _ in range(rounds):
        gradient(arriving)
    whole, codec = (time.process_time() - start) / rounds, sum(spent) / rounds
    samples = int(arriving.counts[0])
    print(
        f"{name:>8} {parameters:7,} {samples:4} {compression.bits:3} {compression.keep:5}", end=""
    )
    print(f"{plain_ms:13.2f}{1e3 * whole:13.2f}{1e3 * codec:13.2f}{codec / whole:13.0%}")


def main() -> None:
    """Print the three tables."""
    devices.prepare("cpu", threads=1)
    print_sizes()
    print_speed()
    print_round_share()


if __name__ == "__main__":
    main()
