"""Extraction: every sample once through the frozen model, into one store per cut layer.

Decoding, the forward pass and writing run at the same time in three threads with short queues
between them, so that the pass costs what its slowest part costs. In memory at a time are at most
`QUEUE_BATCHES` + 2 decoded batches, as many batches of features, and about four chunks per store,
whatever the number of samples; ids and labels (about 20 bytes per row) come on top at the end.

Features that do not differ from sample to sample are told: no head on them beats a guess.
Stages are for work that leaves Python's lock; an error in one is raised in the thread that uses it.
"""

import logging
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np

from fbftl.features.store.format import Column, Ragged, as_column
from fbftl.features.store.provenance import Provenance, Target
from fbftl.features.store.publish import StoreWriter, writer_of
from fbftl.ground.errors import UserError
from fbftl.ground.files import writing

T = TypeVar("T")

_END: Any = object()


@contextmanager
def prefetched(items: Iterable[T], depth: int) -> Iterator[Iterator[T]]:
    """Iterate over `items` in a thread, at most `depth` items ahead of the caller."""
    source = iter(items)
    with ThreadPoolExecutor(1) as pool:
        waiting = deque(pool.submit(next, source, _END) for _ in range(depth))

        def ahead() -> Iterator[T]:
            while (item := waiting.popleft().result()) is not _END:
                waiting.append(pool.submit(next, source, _END))
                yield item

        try:
            yield ahead()
        finally:
            pool.shutdown(cancel_futures=True)


@contextmanager
def sink(handle: Callable[[T], None], depth: int) -> Iterator[Callable[[T], None]]:
    """Yield what hands an item to a function in a thread; at most `depth` items wait.

    Leaving the block waits until every item is handled. If the block or the function fails, items
    that still wait are dropped.
    """
    waiting: deque[Future[None]] = deque()

    def handle_after(before: Future[None] | None, item: T) -> None:
        if before is not None:
            before.result()
        handle(item)

    def put(item: T) -> None:
        if len(waiting) > depth:
            waiting.popleft().result()
        waiting.append(pool.submit(handle_after, waiting[-1] if waiting else None, item))

    with ThreadPoolExecutor(1) as pool:
        try:
            yield put
            for handled in waiting:
                handled.result()
        finally:
            pool.shutdown(cancel_futures=True)


SPLITS = ("train", "test")
"""What is extracted, in this order."""

QUEUE_BATCHES = 2
"""Batches that may wait between two stages."""

Arrays = Mapping[str, "np.ndarray | Sequence[np.ndarray]"]
"""Inputs of one batch by name: arrays over rows, or lists with one array per row."""

Forward = Callable[[Arrays], Mapping[str, "np.ndarray | Sequence[np.ndarray]"]]
"""The frozen model: inputs of a batch -> per cut (n, width) float32, or n × (length_i, width).

What it returns is written while it works on the next batch, so it must not reuse its buffers.
"""

Stage = Callable[[Arrays], Arrays]
"""What is done to a batch's inputs ahead of time, in the thread that reads them: on a GPU, the copy
to it, so that the next batch travels while this one is computed."""


class Batch(Protocol):
    """Some neighbouring rows of a split."""

    arrays: Arrays
    client: np.ndarray
    sample: np.ndarray


class SampleSource(Protocol):
    """Where samples come from, in an order that never changes."""

    def count(self, split: str) -> int:
        """Return the number of rows of a split."""

    def batches(self, split: str, size: int, start: int = 0) -> Iterator[Batch]:
        """Yield rows ``start, start + 1, ...`` in batches of `size`."""


@dataclass(frozen=True)
class Extraction:
    """What a task's `features` block asks for, ready to run, all its cuts in one pass.

    samples: the clients' samples as the model takes them.
    forward: the frozen model, with an output per cut.
    provenances: of the features at each cut, by the cut's name, the task's own first.
    stage: what is done to a batch ahead of time.
    """

    samples: SampleSource
    forward: Forward
    provenances: dict[str, Provenance]
    stage: Stage = dict


def extract(
    source: SampleSource,
    forward: Forward,
    targets: Sequence[Target],
    *,
    batch: int,
    stage: Stage = dict,
) -> None:
    """Extract the features of every sample, once, into one store per target.

    What an interrupted extraction has finished is used again, chunk by chunk, and the finished
    stores are byte-identical to those of an undisturbed one. Stores that are finished are kept.

    Args:
        source: the samples; its array ``label`` is stored beside the features, and ``tokens`` and
            ``domain`` if there are any.
        forward: the frozen model, called in this thread. It returns at least the cuts that the
            targets' provenances name.
        targets: one per cut layer, all filled in one pass.
        batch: rows per forward pass.
        stage: what is done to a batch before `forward` gets it.

    Raises:
        UserError: if the forward pass is not repeatable, returns no such cut, or changes shape; if
            a split is empty; if the disk is full, after which finished chunks are kept.
    """
    counts = {split: source.count(split) for split in SPLITS}
    for split, count in counts.items():
        if count == 0:
            raise UserError(f"Split {split} has no samples: there is nothing to extract.")
    with writing(targets[0].work_path):
        opened = [(target.provenance.cut, writer_of(target, counts, batch)) for target in targets]
        writers = [(cut, writer) for cut, writer in opened if writer is not None]
        if writers:
            for split in SPLITS:
                _extract_split(source, stage, forward, writers, split, batch)
        for _, writer in writers:
            writer.publish()


def _extract_split(
    source: SampleSource,
    stage: Stage,
    forward: Forward,
    writers: Sequence[tuple[str, StoreWriter]],
    split: str,
    batch: int,
) -> None:
    total = source.count(split)
    next_row = min(writer.next_row(split) for _, writer in writers)
    if next_row == total:
        return
    # Batches start where they would have started undisturbed, so that sums come out the same.
    start = next_row - next_row % batch

    def write(item: tuple[int, Mapping[str, Column], dict[str, Column]]) -> None:
        first, features, columns = item
        for cut, writer in writers:
            writer.append(split, first, features[cut], columns)

    staged = ((item, stage(item.arrays)) for item in source.batches(split, batch, start))
    with prefetched(staged, QUEUE_BATCHES) as batches, sink(write, QUEUE_BATCHES) as put:
        is_first = True
        for item, inputs in batches:
            if is_first:
                require_repeatable(forward, inputs)
            outputs = forward(inputs)
            for cut, _ in writers:
                if cut not in outputs:
                    raise UserError(
                        f"The forward pass gives no cut {cut!r}, only {', '.join(sorted(outputs))}."
                    )
            features = {cut: as_column(outputs[cut]) for cut, _ in writers}
            if is_first and split == "train":
                for cut, column in features.items():
                    warn_of_alike(cut, column)
            is_first = False
            put((start, features, columns_of(item)))
            start += len(item.client)
    if start != total:
        raise UserError(f"Split {split} promised {total} samples and gave {start}.")


def require_repeatable(forward: Forward, arrays: Arrays) -> None:
    """Pass the same two rows twice and refuse a model that gives different features.

    Raises:
        UserError: if they differ by more than rounding.
    """
    few = {name: rows[:2] for name, rows in arrays.items()}
    first, second = forward(few), forward(few)
    for cut in first:
        pairs = zip(first[cut], second[cut], strict=True)
        if not all(np.allclose(a, b, rtol=1e-3, atol=1e-5, equal_nan=True) for a, b in pairs):
            raise UserError(
                f"The feature extractor gives other features at {cut} when it is run again on the "
                "same samples: is dropout active? Put it into eval mode."
            )


def columns_of(batch: Batch) -> dict[str, Column]:
    """Return what a store holds beside the features of a batch.

    Raises:
        UserError: if a column holds no numbers.
    """
    columns = {
        "labels": as_column(batch.arrays["label"]),
        "client": np.asarray(batch.client, np.int32),
        "sample": np.asarray(batch.sample, np.int64),
    }
    if "tokens" in batch.arrays:
        columns["tokens"] = as_column(batch.arrays["tokens"])
    if "domain" in batch.arrays:
        columns["domain"] = np.asarray(batch.arrays["domain"], np.int32)
    for name, column in columns.items():
        dtype = (column.values if isinstance(column, Ragged) else column).dtype
        if dtype.kind not in "biuf":
            raise UserError(f"Column {name} holds {dtype}, which is no number: encode it first.")
    return columns


log = logging.getLogger("fbftl")

LEAST_DEVIATION = 1e-3
"""Root mean square deviation from the mean, absolute and by the features' own size, that is little:
heads start at values and step at rates that are made for features of about 1."""


def warn_of_alike(cut: str, features: Column) -> None:
    """Log a sentence if a batch's features hardly vary; those of dialogues are left out."""
    # Of one sample there is nothing to say.
    if isinstance(features, Ragged) or len(features) < 2:
        return
    values = features.astype(np.float64)
    size = max(float(np.sqrt(np.square(values).mean())), 1.0)
    deviation = float(np.sqrt(values.var(axis=0).mean())) / size
    if deviation < LEAST_DEVIATION:
        log.warning(
            "features at %s vary by %.1e from sample to sample: heads on them reach little more "
            "than the majority share; take another cut, or a source with trained weights",
            *(cut, deviation),
        )
