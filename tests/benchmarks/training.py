"""The head trainer against what it could cost, and against what people write.

Run: python tests/benchmarks/training.py [default] [hidden] [narrow] [wide] [paper]

Each row is measured side by side, round after round, in one process on one thread; the fastest
round counts, because other load on the machine can only slow a round down.

  bare        torch.optim.SGD on a module, over batches that already lie in memory
  DataLoader  the same over a DataLoader of a TensorDataset
  fused       the bare loop with the optimizer's fused kernel, which the trainer uses
  trainer     fbftl.training.stacked.train, one seed
  lockstep    fbftl.training.stacked.train, eight seeds in one process
"""

import argparse
import sys
from collections.abc import Iterable, Iterator

import numpy as np
import torch
from ratios import SCRIPTS, Row, fastest, print_table
from torch.nn import functional
from torch.utils.data import DataLoader, TensorDataset

sys.path.insert(0, str(SCRIPTS))

from fbftl.ground import devices
from fbftl.models.heads import head_module, stacked
from fbftl.study.job import Training
from fbftl.training.batches import shuffled
from fbftl.training.stacked import StackedSamples, train

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

HEADS = {
    "default": ([256, 10], 200, 7),
    "hidden": ([256, 256, 10], 200, 7),
    "narrow": ([256, 64, 10], 200, 7),
    "wide": ([512, 512, 512, 64, 10], 100, 3),
    "paper": ([4096, 4096, 4096, 512, 10], 4, 2),
}
"""Widths of each head, steps of a round, rounds."""


def plain(
    widths: list[int],
    batches: Iterable[tuple[torch.Tensor, torch.Tensor]],
    fused: bool | None = None,
) -> None:
    """Train a module on batches, as a bare loop does."""
    model = head_module(widths, 0)
    optimizer = torch.optim.SGD(
        model.parameters(), lr=0.01, momentum=0.9, weight_decay=5e-4, fused=fused
    )
    for values, labels in batches:
        optimizer.zero_grad()
        functional.cross_entropy(model(values), labels).backward()
        optimizer.step()


def ours(
    widths: list[int], values: torch.Tensor, labels: torch.Tensor, steps: int, seeds: int
) -> None:
    """Train heads in lockstep; the evaluation after the epoch sees one row only."""
    rows = [np.arange(len(labels))] * seeds
    shared = torch.zeros(seeds, dtype=torch.int64)
    samples = StackedSamples(values[None], labels[None], shared)
    first_row = StackedSamples(values[None, :1], labels[None, :1], shared)
    train(
        stacked(widths, range(seeds), torch.device("cpu")),
        shuffled(rows, BATCH, steps, 1, range(seeds)),
        lambda epoch: samples,
        [torch.arange(0)] * seeds,
        first_row,
        TRAINING,
    )


def measure(widths: list[int], steps: int, rounds: int) -> dict[str, float]:
    """Return seconds per step of each way to train one head."""
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
            "fused": lambda: plain(widths, prepared, fused=True),
            "DataLoader": lambda: [plain(widths, loader) for _ in range(passes)],
            "trainer": lambda: ours(widths, values, labels, steps, 1),
            "lockstep": lambda: ours(widths, values, labels, steps, 8),
        },
        rounds,
    )
    return {name: seconds / steps for name, seconds in best.items()}


def rows(heads: Iterable[str] = ("default", "hidden", "narrow", "paper")) -> Iterator[Row]:
    """Measure the heads and yield their ratios."""
    devices.prepare("cpu", threads=1)
    for head in heads:
        widths, steps, rounds = HEADS[head]
        took = measure(widths, steps, rounds)
        print(f"head {'-'.join(map(str, widths))}, {steps} steps of {BATCH}, one thread")
        for name, seconds in took.items():
            print(f"  {name:<11}{1e3 * seconds:9.3f} ms/step")
        share, bound = took["bare"] / took["trainer"], (">=", 0.9)
        yield Row(f"trainer: share of the bare loop's speed, {head} head", share, bound)
        fused = took["fused"] / took["trainer"]
        yield Row("  of the bare loop with the fused kernel", fused)
        yield Row("  times a DataLoader loop's speed", took["DataLoader"] / took["trainer"])
        eight = took["lockstep"] / took["trainer"]
        target = ("<=", 4.5) if head == "default" else None
        yield Row(f"lockstep: 8 seeds over one, {head} head", eight, target)


def main() -> None:
    """Print the tables of the heads that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("heads", nargs="*", metavar="HEAD", help=f"of {', '.join(HEADS)}")
    heads = parser.parse_args().heads
    if unknown := set(heads) - set(HEADS):
        parser.error(f"there is no head {', '.join(sorted(unknown))}")
    print_table(rows(heads) if heads else rows())


if __name__ == "__main__":
    main()
