"""Rows of a split made again, for the repair of a store."""

from collections.abc import Iterator, Mapping

from fbftl.features.extract import Forward, SampleSource, columns_of, features_at
from fbftl.features.store.ragged import Column
from fbftl.features.store.repair import RowsAgain


def rows_again(source: SampleSource, forward: Forward, cut: str, batch: int) -> RowsAgain:
    """Return what `fbftl.features.store.repair` needs to make rows again as they were extracted.

    Batches start where they started in the extraction; the model runs only if features are asked
    for.
    """

    def again(
        split: str, first: int, last: int, *, features: bool
    ) -> Iterator[Mapping[str, Column]]:
        start = first - first % batch
        for item in source.batches(split, batch, start):
            columns = columns_of(item)
            if features:
                columns["features"] = features_at(forward(item.arrays), cut)
            rows = slice(max(first - start, 0), last - start)
            yield {name: column[rows] for name, column in columns.items()}
            start += len(item.client)
            if start >= last:
                return

    return again
