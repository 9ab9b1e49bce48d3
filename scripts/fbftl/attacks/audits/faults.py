"""Mechanisms broken on purpose: functions of the project replaced for as long as an audit lasts.

Nothing else uses this. A fault names the functions that it replaces, each by what it makes of the
right one; caches of what calibrates noise are emptied before and after, so that no fault stays.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from fbftl.exchange import protection
from fbftl.methods.ecos.counting import counts_sigma, rows_guarantee
from fbftl.methods.private_gd import server
from fbftl.privacy import accounting

CALIBRATING = (
    counts_sigma,
    rows_guarantee,
    server._scheduled,
    protection._round_noise,
)
"""Functions that remember what they found."""

HALVED = "noise halved"
UNCLIPPED = "clip left out"
ADJACENCY = "sensitivity of the other adjacency"
DIVISOR = "divisor that the sum does not have"
ROUNDS = "noise used again in the next round"
CLIENTS = "seeds that repeat between clients"
RELEASES = "seeds that repeat between releases"
FAULTS = (HALVED, UNCLIPPED, ADJACENCY, DIVISOR, ROUNDS, CLIENTS, RELEASES)
"""Every kind of fault, in the order of a table."""


@dataclass(frozen=True)
class Patch:
    """One attribute that is replaced.

    owner: module, class or dictionary that has it.
    name: of the attribute, or the dictionary's key.
    broken: from what is right to what takes its place.
    """

    owner: Any
    name: str
    broken: Callable[[Any], Any]

    def applied(self) -> Any:
        """Return what replaces it, as a context."""
        if isinstance(self.owner, dict):
            return patch.dict(self.owner, {self.name: self.broken(self.owner[self.name])})
        return patch.object(self.owner, self.name, self.broken(getattr(self.owner, self.name)))


@dataclass(frozen=True)
class Fault:
    """A way in which one mechanism may be broken.

    kind: one of `FAULTS`.
    patches: what is replaced.
    """

    kind: str
    patches: tuple[Patch, ...]


@contextmanager
def broken(fault: Fault | None) -> Iterator[None]:
    """Break a mechanism for the time of a block; None leaves it as it is."""
    with ExitStack() as stack:
        _forget()
        for each in fault.patches if fault else ():
            stack.enter_context(each.applied())
        try:
            yield
        finally:
            _forget()


def _forget() -> None:
    for function in CALIBRATING:
        function.cache_clear()


def halving(owner: Any, *names: str) -> Fault:
    """Return the fault that functions give half of the noise that they should."""
    return Fault(HALVED, tuple(Patch(owner, name, half) for name in names))


def half(noise: Callable[..., Any]) -> Callable[..., Any]:
    """Return what draws half of the noise, of the same type."""

    def halved(*args: Any, **kwargs: Any) -> Any:
        drawn = noise(*args, **kwargs)
        return [part / 2 for part in drawn] if isinstance(drawn, list) else drawn / 2

    return halved


def unclipped(owner: Any, name: str = "clip_rows") -> Fault:
    """Return the fault that a function which clips returns its first argument as it is."""
    return Fault(UNCLIPPED, (Patch(owner, name, lambda right: lambda values, *_: values),))


def without_keys(owner: Any, kind: str, keys: Sequence[int], name: str = "stream") -> Fault:
    """Return the fault that streams of noise do not depend on some of their keys.

    Args:
        owner: module that draws from streams.
        kind: of the fault.
        keys: places of the keys among those that follow the concern.
        name: of the function in that module.
    """

    def repeating(right: Callable[..., Any]) -> Callable[..., Any]:
        def stream_without(seed: int, concern: str, *split_by: int) -> Any:
            kept = (0 if at in keys else key for at, key in enumerate(split_by))
            return right(seed, concern, *kept)

        return stream_without

    return Fault(kind, (Patch(owner, name, repeating),))


def same_release(owner: Any, name: str = "noise_seed") -> Fault:
    """Return the fault that a release's noise has the seed of its repetition alone."""
    return Fault(RELEASES, (Patch(owner, name, lambda right: lambda job, seed, *_: seed),))


OTHER_ADJACENCY = Fault(
    ADJACENCY, (Patch(accounting.SENSITIVITY, "replace-one", lambda right: right / 2),)
)
"""Noise for a record left out, where one is replaced."""
