"""The dealer of masked sums, a process of its own on the loopback.

It shares a key with every client, and tells the server the sum of the masks of those whose messages
arrived: once for each sum, since two sets of one sum would show what one client sent. Whoever calls
says a word that the run gave it. A call and its reply are one line of JSON and one message each.
"""

import hmac
import json
import socket
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from fbftl.exchange.ring_messages import BYTES, IDS, seal, unseal
from fbftl.ground.errors import UserError
from fbftl.ground.ring import Ring
from fbftl.privacy import masking
from fbftl.privacy.masking import KEY_BYTES, LEAST_SUMMED

from fbftl_deploy.plans import Dealer, DealerPlan, read_dealer

LOOPBACK = "127.0.0.1"
LONGEST_LINE = 1000
SECONDS = 60.0
"""That either end waits for the other."""


@dataclass
class DealerProcess:
    """A dealer with the sums that it has told.

    plan: what it was told before the run.
    sums: the clients of each sum that was told, by its number.
    """

    plan: DealerPlan
    sums: dict[int, list[int]] = field(default_factory=dict)

    def reply(self, call: dict[str, Any], message: bytes) -> bytes:
        """Return what a call is answered.

        Raises:
            ValueError: if the caller is not known, or may not be told.
        """
        dealer = masking.Dealer(bytes.fromhex(self.plan.secret))
        if call["kind"] == "key":
            self._require(call, self.plan.tokens.get(str(call["client"]), ""))
            key = np.frombuffer(dealer.key(int(call["client"])), dtype=np.uint8)
            return seal(key.astype(np.uint64), BYTES, 0)
        self._require(call, self.plan.server)
        sum_number, count = int(call["sum_number"]), int(call["count"])
        clients = unseal(message, IDS, sum_number).tolist()
        if self.sums.setdefault(sum_number, clients) != clients:
            raise ValueError(
                f"sum {sum_number} was told of other clients; two sets show what one sent"
            )
        ring = Ring(int(call["bits"]), int(call["fraction_bits"]))
        if len(clients) < LEAST_SUMMED or len(set(clients)) < len(clients):
            raise ValueError(
                f"{len(clients)} messages arrived, and no sum is told of fewer than {LEAST_SUMMED}"
            )
        return seal(dealer.sum_of_masks(clients, sum_number, count, ring), ring, sum_number)

    def _require(self, call: dict[str, Any], token: str) -> None:
        if not token or not hmac.compare_digest(token, str(call["token"])):
            raise ValueError("the caller does not know the word that the run gave it")


def serve(plan: DealerPlan) -> None:
    """Answer calls, one after the other, until the process is ended."""
    process = DealerProcess(plan)
    with socket.create_server((LOOPBACK, plan.port), backlog=64) as listening:
        while True:
            connection, _ = listening.accept()
            with connection:
                connection.settimeout(SECONDS)
                try:
                    line, message = _received(connection)
                    status, reply = b"0\n", process.reply(json.loads(line), message)
                except (ValueError, KeyError, TypeError, OSError, UserError) as error:
                    status, reply = b"1\n", str(error).encode()
                try:
                    connection.sendall(status + reply)
                except OSError:
                    continue


def key_of(dealer: Dealer, client: int) -> bytes:
    """Return the key that a client shares with the dealer.

    Raises:
        UserError: if the dealer gives none.
    """
    reply = _called(dealer, {"kind": "key", "client": client}, b"")
    return unseal(reply, BYTES, 0, KEY_BYTES).astype(np.uint8).tobytes()


@dataclass(frozen=True)
class RemoteDealer:
    """How the server reaches the dealer."""

    dealer: Dealer

    def sum_of_masks(
        self, clients: Sequence[int], sum_number: int, count: int, ring: Ring
    ) -> np.ndarray:
        """Return the sum (count,) of the masks of clients in the sum `sum_number`.

        Raises:
            UserError: if the dealer tells none, as of fewer than two.
        """
        call = {"kind": "masks", "sum_number": sum_number, "count": count, "bits": ring.bits}
        call["fraction_bits"] = ring.fraction_bits
        message = seal(np.array(clients, dtype=np.uint64), IDS, sum_number)
        return unseal(_called(self.dealer, call, message), ring, sum_number, count)


def _called(dealer: Dealer, call: dict[str, Any], message: bytes) -> bytes:
    """Return the dealer's reply to a call."""
    line = json.dumps(call | {"token": dealer.token}).encode() + b"\n"
    try:
        with socket.create_connection((LOOPBACK, dealer.port), timeout=SECONDS) as connection:
            connection.sendall(line + message)
            connection.shutdown(socket.SHUT_WR)
            status, reply = _received(connection)
    except OSError as error:
        raise UserError(f"the dealer on port {dealer.port} does not answer: {error}") from error
    if status != b"0":
        raise UserError(f"the dealer refuses: {reply.decode(errors='replace')}")
    return reply


def _received(connection: socket.socket) -> tuple[bytes, bytes]:
    """Return the line and the message of whoever is at the other end.

    Raises:
        ValueError: if there is no line.
    """
    parts = []
    while part := connection.recv(2**16):
        parts.append(part)
    line, newline, message = b"".join(parts).partition(b"\n")
    if not newline or len(line) > LONGEST_LINE:
        raise ValueError("a call is one line and a message")
    return line, message


if __name__ == "__main__":
    serve(read_dealer(sys.argv[1]))
