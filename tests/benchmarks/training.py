"""The head trainer against what it could cost, and against what people write.

Run: python tests/benchmarks/training.py [--paper-head]

Each row is measured side by side, round after round, in one process on one thread; the fastest
round counts, because other load on the machine can only slow a round down.

  bare        torch.optim.SGD on a module, over batches that already lie in memory
  DataLoader  the same over a DataLoader of a TensorDataset
  trainer     fbftl.training.train, one seed
  lockstep    fbftl.training.train, eight seeds in one process
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import torch
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))

import numpy as np
from fbftl.batches import shuffled
from fbftl.heads import stacked
from fbftl.job import Training
from fbftl.methods.network import head_module
from fbftl.training import Samples, train

BATCH = 64
TRAINING = Training(
    epochs=1,
    batch=BATCH,
    clients_per_round=8,
    learning_rate=0.01,
    momentum=0.9,
    weight_decay=5e-4,
    validation=0.0,
    selection="last",
)


def plain(widths: list[int], batches: Iterable[tuple[torch.Tensor, torch.Tensor]]) -> None:
    """Train a module on batches, as a bare loop does."""
    model = head_module(widths, 0)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4)
    for values, labels in batches:
        optimizer.zero_grad()
        functional.cross_entropy(model(values), labels).backward()
        optimizer.step()


def ours(
    widths: list[int], values: torch.Tensor, labels: torch.Tensor, steps: int, seeds: int
) -> None:
    """Train heads in lockstep; the evaluation after the epoch sees one row only."""
    rows = [np.arange(len(labels))] * seeds
    samples = Samples(values[None], labels[None])
    one = Samples(values[None, :1], labels[None, :1])
    train(
        stacked(widths, range(seeds), torch.device("cpu")),
        shuffled(rows, BATCH, steps, 1, range(seeds)),
        lambda epoch: samples,
        [torch.arange(0)] * seeds,
        one,
        TRAINING,
    )


def fastest(candidates: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Return the fastest seconds of each candidate over interleaved rounds."""
    best = dict.fromkeys(candidates, float("inf"))
    for _ in range(rounds):
        for name, run in candidates.items():
            started = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - started)
    return best


def measure(widths: list[int], steps: int, rounds: int) -> None:
    """Print one head's table."""
    generator = torch.Generator().manual_seed(0)
    count = min(steps * BATCH, 6400)
    values = torch.randn(count, widths[0], generator=generator).relu()
    labels = torch.randint(0, widths[-1], (count,), generator=generator)
    order = torch.randperm(count, generator=generator)
    prepared = [
        (values[order[s % count :][:BATCH]], labels[order[s % count :][:BATCH]])
        for s in range(0, steps * BATCH, BATCH)
    ]
    loader = DataLoader(TensorDataset(values, labels), batch_size=BATCH, shuffle=True)
    passes = max(1, steps * BATCH // count)
    best = fastest(
        {
            "bare": lambda: plain(widths, prepared),
            "DataLoader": lambda: [plain(widths, loader) for _ in range(passes)] and None,
            "trainer": lambda: ours(widths, values, labels, steps, 1),
            "lockstep": lambda: ours(widths, values, labels, steps, 8),
        },
        rounds,
    )
    print(f"head {'-'.join(map(str, widths))}, {steps} steps of {BATCH}")
    for name, seconds in best.items():
        print(f"  {name:<11}{1e3 * seconds / steps:8.3f} ms/step")
    print(f"  trainer's share of the bare loop's speed {best['bare'] / best['trainer']:.2f}")
    print(f"  DataLoader's share                       {best['bare'] / best['DataLoader']:.2f}")
    print(f"  eight seeds over one                     {best['lockstep'] / best['trainer']:.2f}")


def main() -> None:
    """Print the tables of the default head and, if asked, of the paper's."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--paper-head", action="store_true")
    paper = parser.parse_args().paper_head
    torch.set_num_threads(1)
    measure([256, 64, 10], steps=200, rounds=7)
    measure([512, 512, 512, 64, 10], steps=100, rounds=5)
    if paper:
        measure([4096, 4096, 4096, 512, 10], steps=4, rounds=2)


if __name__ == "__main__":
    main()
