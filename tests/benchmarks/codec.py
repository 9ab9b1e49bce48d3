"""Measure the codec: lengths against their limits, speed, and its share of a training round.

Run from the project's root: OMP_NUM_THREADS=1 python tests/benchmarks/codec.py
Times are CPU seconds of the fastest of several repetitions, on one core.
"""

import sys
import time
from collections.abc import Callable
from itertools import pairwise
from math import ceil
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

from fbftl.codec import Compression, compress, decode, encode, encode_each, message_size
from fbftl.codec.header import HEADER_BYTES
from fbftl.feedback import compress_with_feedback, memory

WIDTH = 4096
HEAD = (256, 256, 128, 10)
CLIENTS = 8


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


def head_gradients(
    weights: list[np.ndarray], features: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    """Return each client's summed gradient of a ReLU head, (clients, parameters).

    The forward and backward passes of all clients are stacked: the cheapest round there is.
    """
    inputs = [features]
    for index, weight in enumerate(weights):
        outputs = inputs[-1] @ weight
        last = index == len(weights) - 1
        inputs.append(outputs if last else np.maximum(outputs, 0))
    scores = np.exp(inputs[-1] - inputs[-1].max(axis=-1, keepdims=True))
    errors = scores / scores.sum(axis=-1, keepdims=True)
    errors[np.arange(len(labels))[:, None], np.arange(labels.shape[1]), labels] -= 1
    gradients = []
    for weight, layer_input in zip(reversed(weights), reversed(inputs[:-1]), strict=True):
        gradients.append(layer_input.transpose(0, 2, 1) @ errors)
        errors = (errors @ weight.T) * (layer_input > 0)
    return np.concatenate([g.reshape(len(g), -1) for g in reversed(gradients)], axis=1)


def print_round_share() -> None:
    """Print the time of a round's compression beside that of its gradients."""
    rng = np.random.default_rng(0)
    shapes = pairwise(HEAD)
    weights = [rng.standard_normal(s, dtype=np.float32) / np.sqrt(s[0]) for s in shapes]
    weights = [weight.astype(np.float32) for weight in weights]
    parameters = sum(weight.size for weight in weights)
    remembered = memory(CLIENTS, parameters)
    clients = np.arange(CLIENTS)
    print(f"\nA round of {CLIENTS} clients, head of {parameters:,} parameters, plain numpy: ms")
    names = ("gradients", "codec", "with feedback", "share")
    print(f"{'K':>4} {'q':>3} {'r':>5}" + "".join(f"{name:>14}" for name in names))
    for samples in (8, 64, 500):
        features = np.maximum(rng.standard_normal((CLIENTS, samples, HEAD[0])), 0)
        features = features.astype(np.float32)
        labels = rng.integers(0, HEAD[-1], (CLIENTS, samples))
        gradients = head_gradients(weights, features, labels)
        round_time = cpu_seconds(lambda f=features, y=labels: head_gradients(weights, f, y), 15)
        for bits, keep in [(8, 1.0), (2, 1.0), (32, 0.1), (8, 0.1), (2, 0.01), (2, 0.001)]:
            c = Compression(bits, keep)
            codec = cpu_seconds(lambda g=gradients, c=c: compress(g, c), 15)
            remembered[:] = 0
            feedback = cpu_seconds(
                lambda g=gradients, c=c: compress_with_feedback(g, remembered, clients, c), 15
            )
            share = feedback / (feedback + round_time)
            print(f"{samples:4} {bits:3} {keep:5} {1e3 * round_time:13.2f}", end="")
            print(f" {1e3 * codec:13.2f} {1e3 * feedback:13.2f} {share:13.0%}")


def main() -> None:
    """Print the three tables."""
    print_sizes()
    print_speed()
    print_round_share()


if __name__ == "__main__":
    main()
