"""The uplink of the gradient methods: clients' updates released, lost, averaged, and recorded.

Where only the arrival of updates matters, their content is never made: the server's average is
the plain batch gradient over what arrives (`arrivals`). Where something is done to each update,
it is encoded, and the average is over what the server decodes (`average`).
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from fbftl.ground.randomness import stream
from fbftl.messages.codec import Compression
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.feedback import compress_with_feedback
from fbftl.messages.ledger import BROADCAST, FLOAT_BITS, Ledger, privacy_columns
from fbftl.messages.link import Delivery, Link
from fbftl.messages.release import Release, release
from fbftl.messages.sample import MessageSample, mean, measure
from fbftl.privacy.mechanisms import PrivacyRecord
from fbftl.privacy.noise import add_relative, noisy_sum, relative_range


@dataclass(frozen=True)
class Updates:
    """One round's updates before they are sent.

    values: (C, X) float32, the sum g_u of each client's per-sample gradients.
    clients: (C,) client of each.
    counts: (C,) samples K_u of each.
    round: number of the round, from 1.
    """

    values: np.ndarray
    clients: np.ndarray
    counts: np.ndarray
    round: int


Releasing = Callable[[Updates], Release]
"""What clients do to their updates before these go on the link."""

Averaging = Callable[[Release, Updates, np.ndarray], np.ndarray]
"""How the server averages what arrives (C,) booleans: a mean gradient (X,)."""


def compressing(compression: Compression, memory: np.ndarray | None) -> Releasing:
    """Return the release of compressed updates, with error feedback (Eq. 20-21) or without.

    Args:
        compression: q and r.
        memory: (U, X) float32, one row per client, changed in place; None for no feedback.
    """

    def compressed(updates: Updates) -> Release:
        if memory is None:
            return release(updates.values, compression)
        return compress_with_feedback(updates.values, memory, updates.clients, compression)

    return compressed


def relatively_noisy(sigma: float, compression: Compression, seed: int) -> Releasing:
    """Return the release of updates under the paper's relative noise (Sec. V-B), as printed."""

    def noised(updates: Updates) -> Release:
        largest = relative_range(updates.values, int(updates.counts.max()))
        noise = stream(seed, "update_noise", updates.round).standard_normal(
            updates.values.shape, dtype=np.float32
        )
        return release(
            add_relative(updates.values, noise, sigma=sigma, largest=largest), compression
        )

    return noised


def arrived(sent: Release, arrives: np.ndarray) -> np.ndarray:
    """Return the updates that arrive, (arrivals, X); without a copy where none is lost."""
    return sent.values if arrives.all() else sent.values[arrives]


def mean_of_arrivals(sent: Release, updates: Updates, arrives: np.ndarray) -> np.ndarray:
    """Return the sum of the updates that arrive over their samples."""
    return arrived(sent, arrives).sum(axis=0) / max(int(updates.counts[arrives].sum()), 1)


def noisy_mean(sigma: float, clip_norm: float, samples_per_round: float, seed: int) -> Averaging:
    """Return DP-FedAvg's average: clipped updates, one noise on their sum, a fixed divisor.

    Args:
        sigma: noise standard deviation over the clip norm.
        clip_norm: L2 clip norm of an update.
        samples_per_round: expected samples of a round; the real number would leak who took part.
        seed: the repetition's seed.
    """

    def averaged(sent: Release, updates: Updates, arrives: np.ndarray) -> np.ndarray:
        total = noisy_sum(
            arrived(sent, arrives), sigma=sigma, clip_norm=clip_norm, seed=seed, turn=updates.round
        )
        return total / np.float32(samples_per_round)

    return averaged


@dataclass
class Uplink:
    """One repetition's uplink.

    link: the lossy link.
    floats: floats of a client's message, given its number of samples K_u.
    answer_floats: floats of the answer to a client's message, likewise; none under most methods.
    seed: the repetition's seed.
    compression: q and r, for what the paper counts of a message.
    releasing: what clients do to an update; None where updates are never made.
    averaging: how the server averages.
    """

    link: Link
    floats: Callable[[np.ndarray], np.ndarray]
    seed: int
    compression: Compression
    releasing: Releasing | None = None
    averaging: Averaging = mean_of_arrivals
    answer_floats: Callable[[np.ndarray], np.ndarray] = np.zeros_like
    _sample: list[MessageSample] = field(default_factory=list)
    _sent: list[dict[str, np.ndarray | list[bytes] | None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._losses = stream(self.seed, "loss")

    def arrivals(self, clients: np.ndarray, counts: np.ndarray) -> np.ndarray:
        """Send updates whose content nothing changes; return which arrive (C,).

        Args:
            clients: (C,) clients of the round.
            counts: (C,) samples K_u of each.
        """
        payload = FLOAT_BITS * self.floats(counts)
        return self._send(clients, counts, payload, payload + 8 * HEADER_BYTES, None).arrives

    def average(self, clients: np.ndarray, counts: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Send updates (C, X) and return the average (X,) that the server steps with.

        A round without clients sends nothing and is averaged as any other: under DP-FedAvg its
        noise hides that nobody took part.
        """
        updates = Updates(values, clients, counts, round=len(self._sent) + 1)
        sent = self.releasing(updates) if len(clients) else Release(values, values, [])
        # Rounds 1, 2, 4, ... are measured: updates change early.
        if sent.messages and updates.round & (updates.round - 1) == 0:
            self._sample += measure(sent, [0], self.compression)
        nominal = self.compression.bits * self.compression.keep * self.floats(counts)
        payload = np.ceil(nominal).astype(np.int64)
        delivery = self._send(clients, counts, payload, sent.bits, sent.digests)
        return self.averaging(sent, updates, delivery.arrives)

    def _send(
        self,
        clients: np.ndarray,
        counts: np.ndarray,
        payload: np.ndarray,
        bits: np.ndarray,
        digests: list[bytes] | None,
    ) -> Delivery:
        delivery = self.link.send(bits, self._losses)
        self._sent.append(
            {
                "client": clients,
                "payload_bits": payload,
                "bits": bits,
                "packets": delivery.blocks,
                "attempts": delivery.attempts,
                "lost": ~delivery.arrives,
                "sha256": digests,
                "answer": self.answer_floats(counts),
            }
        )
        return delivery

    def enter(
        self, ledger: Ledger, owners: np.ndarray, downlink_floats: int, privacy: PrivacyRecord
    ) -> dict[str, int]:
        """Enter all messages so far in the ledger; return how many were sent and lost.

        Args:
            ledger: where they go.
            owners: client ids of the client numbers used so far.
            downlink_floats: floats of the broadcast that begins each round.
            privacy: the mechanism's guarantee, on every upload.
        """
        lengths = [len(sent["client"]) for sent in self._sent]
        rounds = np.arange(1, len(lengths) + 1)
        joined = {
            name: np.concatenate([sent[name] for sent in self._sent])
            for name in ("client", "payload_bits", "bits", "packets", "attempts", "lost", "answer")
        }
        answer, round_of_message = joined.pop("answer"), np.repeat(rounds, lengths)
        digests = [x for sent in self._sent for x in sent["sha256"] or []]
        joined["client"] = owners[joined["client"]]
        ledger.add(
            sum(lengths),
            seed=self.seed,
            direction="up",
            round=round_of_message,
            sha256=digests or None,
            **joined,
            **privacy_columns(privacy),
        )
        ledger.add_downlink(self.seed, rounds, downlink_floats, BROADCAST)
        answered = (answer > 0) & ~joined["lost"]
        ledger.add_downlink(
            self.seed, round_of_message[answered], answer[answered], joined["client"][answered]
        )
        return {"messages": sum(lengths), "messages_lost": int(joined["lost"].sum())}

    def measured(self) -> dict[str, float]:
        """Return what a sample of the messages measures; nothing where updates are never made."""
        return mean(self._sample)
