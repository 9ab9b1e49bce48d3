"""Extractions of the toys, and sources that stop before their end."""

from fbftl.features.extract import extract
from unit.features import store_toys as toys


def extract_toys(folder, source=None):
    extract(
        source or toys.ToySource(), toys.toy_forward, toys.toy_targets(folder), batch=toys.BATCH
    )


class StopError(Exception):
    """Stands for whatever ends an extraction early."""


class FailingSource(toys.ToySource):
    """Stops before a row, as a bug or Ctrl-C in the decoder would."""

    def __init__(self, row, error):
        super().__init__()
        self.row, self.error = row, error

    def batches(self, split, size, start=0):
        for batch in super().batches(split, size, start):
            if batch.sample[-1] >= self.row:
                raise self.error
            yield batch
