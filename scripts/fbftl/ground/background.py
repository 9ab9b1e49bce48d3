"""Pipeline stages in threads of their own, a few items ahead of or behind the caller.

For work that leaves Python's lock: decoding, compressing, reading and writing files. An error in a
stage is raised in the thread that uses it.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

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
