"""A progress bar with rate and time left, for work that tells how far it is."""


class ProgressBar:
    """Shows one bar per split on the console: the `progress` of `fbftl.features.extract.extract`.

    A split that goes on where an earlier call was starts its bar there, so that the rate and the
    time left are those of this call.
    """

    def __init__(self) -> None:
        self._split: str | None = None
        self._bar = None

    def __call__(self, split: str, done: int, total: int) -> None:
        """Show that `done` of `total` rows of `split` are through."""
        from tqdm import tqdm

        if split != self._split:
            self._split = split
            self._bar = tqdm(desc=split, initial=done, total=total, unit=" samples", leave=True)
        self._bar.update(done - self._bar.n)
        if done == total:
            self._bar.close()
