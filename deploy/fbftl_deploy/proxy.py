"""A counting proxy on the loopback: what each client and the server really exchange, byte by byte.

One port for each client, behind which is the SuperLink. Bytes pass unchanged. Where they are plain
HTTP/1.1 they are also counted by what is called and by whether they are headers or bodies; under
TLS there is their number alone.
"""

import asyncio
import threading
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

LOOPBACK = "127.0.0.1"
AT_ONCE = 2**16
"""Bytes that are read at once."""

UNREAD = "unread"
"""What bytes are called that are no HTTP/1.1."""


@dataclass
class Traffic:
    """Bytes of one client in one direction, by call and part.

    total: of all that passed.
    calls: bytes by the name of the call and by `headers` or `body`.
    number: calls by name.
    """

    total: int = 0
    calls: Counter[tuple[str, str]] = field(default_factory=Counter)
    number: Counter[str] = field(default_factory=Counter)


class Reader:
    """Reads one direction of an HTTP/1.1 connection as it passes, and counts.

    Args:
        traffic: added to.
        names: of the calls that were made and not yet answered; a request adds its own.
        asks: whether this is the direction of requests.
    """

    def __init__(self, traffic: Traffic, names: deque[str], asks: bool) -> None:
        self.traffic, self.names, self.asks = traffic, names, asks
        self._head = b""
        self._name = UNREAD
        self._body: int | None = 0
        """Bytes of the body that are still to come; None where nobody can tell."""

    def feed(self, data: bytes) -> None:
        """Count some bytes."""
        self.traffic.total += len(data)
        while data:
            if self._body is None:
                self.traffic.calls[self._name, UNREAD] += len(data)
                return
            if self._body:
                taken = min(self._body, len(data))
                self.traffic.calls[self._name, "body"] += taken
                self._body -= taken
                data = data[taken:]
                continue
            self._head += data
            head, ended, data = self._head.partition(b"\r\n\r\n")
            if not ended:
                return
            self._begin(head)
            self._head = b""

    def _begin(self, head: bytes) -> None:
        """Take the headers of a request or of an answer."""
        first, *lines = head.decode("latin-1").split("\r\n")
        fields = {
            name.strip().lower(): value.strip()
            for name, _, value in (line.partition(":") for line in lines)
        }
        if self.asks:
            words = first.split(" ")
            self._name = words[1].rsplit("/", 1)[-1] if len(words) == 3 else UNREAD
            self.names.append(self._name)
            self.traffic.number[self._name] += 1
        else:
            self._name = self.names.popleft() if self.names else UNREAD
        self.traffic.calls[self._name, "headers"] += len(head) + 4
        chunked = "chunked" in fields.get("transfer-encoding", "")
        self._body = None if chunked else int(fields.get("content-length", 0))


@dataclass
class Proxy:
    """A proxy with a port for each client.

    ports: port of each client.
    target: port of the SuperLink.
    tls: whether what passes is encrypted, so that it is not read.
    up, down: what has passed of each client.
    """

    ports: Mapping[int, int]
    target: int
    tls: bool = False
    up: dict[int, Traffic] = field(default_factory=dict)
    down: dict[int, Traffic] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.up = {client: Traffic() for client in self.ports}
        self.down = {client: Traffic() for client in self.ports}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> "Proxy":
        self._thread.start()
        for client, port in self.ports.items():
            listening = asyncio.start_server(self._handler(client), LOOPBACK, port)
            asyncio.run_coroutine_threadsafe(listening, self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._cancel(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    async def _cancel(self) -> None:
        tasks = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _handler(self, client: int) -> Callable[..., Awaitable[None]]:
        async def handle(
            from_client: asyncio.StreamReader, to_client: asyncio.StreamWriter
        ) -> None:
            try:
                from_server, to_server = await asyncio.open_connection(LOOPBACK, self.target)
            except OSError:
                to_client.close()
                return
            names: deque[str] = deque()
            asks = Reader(self.up[client], names, asks=True)
            answers = Reader(self.down[client], names, asks=False)
            with suppress(asyncio.CancelledError):
                await asyncio.gather(
                    self._pump(from_client, to_server, asks),
                    self._pump(from_server, to_client, answers),
                    return_exceptions=True,
                )

        return handle

    async def _pump(
        self, source: asyncio.StreamReader, sink: asyncio.StreamWriter, reader: Reader
    ) -> None:
        try:
            while data := await source.read(AT_ONCE):
                if self.tls:
                    reader.traffic.total += len(data)
                else:
                    reader.feed(data)
                sink.write(data)
                await sink.drain()
        finally:
            sink.close()
