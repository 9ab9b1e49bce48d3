"""Pipeline stages in threads of their own, with short queues between them.

For work that leaves Python's lock: decoding, compressing, reading and writing files. An error in a
stage is raised in the thread that uses it.
"""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")

_END: Any = object()
_POLL_S = 0.1


@contextmanager
def prefetched(items: Iterable[T], depth: int) -> Iterator[Iterator[T]]:
    """Iterate over `items` in a thread, at most `depth` items ahead of the caller."""
    queue: Queue[Any] = Queue(depth)
    stop = Event()
    failure: list[BaseException] = []

    def put(item: Any) -> bool:
        """Put an item unless the caller has left."""
        while not stop.is_set():
            try:
                queue.put(item, timeout=_POLL_S)
                return True
            except Full:
                continue
        return False

    def produce() -> None:
        try:
            for item in items:
                if not put(item):
                    return
        except BaseException as error:  # handed to the caller, whatever it is
            failure.append(error)
        put(_END)

    def consume() -> Iterator[T]:
        while (item := queue.get()) is not _END:
            yield item
        if failure:
            raise failure[0]

    thread = Thread(target=produce, daemon=True)
    thread.start()
    try:
        yield consume()
    finally:
        stop.set()
        thread.join()


class Sink(Generic[T]):
    """Hands items to a function in a thread; at most `depth` items wait.

    Leaving the block waits until every item is handled. If the block fails, items that still wait
    are dropped.
    """

    def __init__(self, handle: Callable[[T], None], depth: int) -> None:
        self._handle = handle
        self._queue: Queue[Any] = Queue(depth)
        self._failure: list[BaseException] = []
        self._stop = Event()
        self._thread = Thread(target=self._run, daemon=True)

    def put(self, item: T) -> None:
        """Hand over an item; raises what the function raised for an earlier one."""
        while not self._failure:
            try:
                return self._queue.put(item, timeout=_POLL_S)
            except Full:
                continue
        raise self._failure[0]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None and not self._failure:
            self.put(_END)
        else:
            self._stop.set()
        self._thread.join()
        if kind is None and self._failure:
            raise self._failure[0]

    def _run(self) -> None:
        try:
            while not self._stop.is_set():
                try:
                    item = self._queue.get(timeout=_POLL_S)
                except Empty:
                    continue
                if item is _END:
                    return
                self._handle(item)
        except BaseException as error:  # raised again in the thread that uses the sink
            self._failure.append(error)
