"""What clients and server exchange under each method of the language task, entered in the ledger.

`Uploads` is FbFTL: every dialogue once. `Rounds` is FTL_c and FTL_f: every round, its clients'
updates and one broadcast. Both say which rows reach the server and what that cost, up to the epoch
that was chosen.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from fbftl.data.participation import held_out, participating
from fbftl.exchange.post import Post
from fbftl.features.store.features import Features
from fbftl.ground.randomness import stream
from fbftl.messages.channel import PacketLoss, transmit
from fbftl.messages.codec.compression import FLOAT_BITS
from fbftl.messages.codec.header import HEADER_BYTES
from fbftl.messages.dialogues import encode_upload, token_id_bits
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import Link
from fbftl.messages.release import Encoded, encoded
from fbftl.models.t5.head import ALL, first_trained_block, trained_parameters
from fbftl.models.t5.layers import T5Shape
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.tasks.dialogue_job import Job
from fbftl.tasks.dialogues import SeedRun
from fbftl.training.t5 import Samples, schedule_of


class Exchange(Protocol):
    """One method's messages."""

    def received(self, seed: int) -> np.ndarray:
        """Return the rows whose dialogues the server trains on, lost ones left out."""

    def enter(self, ledger: Ledger, run: SeedRun) -> dict[str, Any]:
        """Enter a seed's messages in the ledger; return their counts and bits.

        Bits are sums up to the chosen epoch: ``uplink_payload_bits`` as the paper counts them,
        ``uplink_bits`` as they were sent.
        """


@dataclass(frozen=True)
class Uploads:
    """FbFTL: features and summary of every dialogue, once; a lost one is lost for good.

    Attributes:
        job: the setting with its training values.
        features: the store's training split at the cut.
        shape: of the source model.
    """

    job: Job
    features: Features
    shape: T5Shape

    def received(self, seed: int) -> np.ndarray:
        """Return the rows of participating clients whose packets arrive."""
        offered = self._offered(seed)
        return offered[self._arrives(seed)[offered]]

    def enter(self, ledger: Ledger, run: SeedRun) -> dict[str, Any]:
        """Enter a row per offered dialogue, and the broadcast of the extractor."""
        offered = self._offered(run.seed)
        bits = self._messages.bits
        payload = FLOAT_BITS * self.features.values.shape[1]
        broadcast = self._broadcast_bits()
        ids = self._token_id_bits()
        # A packet is one dialogue's upload, however long.
        link = Link(PacketLoss(self.job.setting.plr), 0, int(bits.max()))
        post = Post(ledger, link, run.seed, no_mechanism())
        post.broadcast({"weights": broadcast // FLOAT_BITS})
        post.up(
            {"features": self.features.values.shape[1]},
            self.features.client,
            sample=self.features.sample,
            content=self._messages,
            offered=offered,
            token_id_bits=ids,
        )
        arrived = self.received(run.seed)
        training, _ = held_out(arrived, self.job.plan.validation, run.seed)
        batches = len(np.unique(self.features.client[offered]))
        return {
            "offered": len(offered),
            "received": len(arrived),
            "seen": len(training),
            "upload_batches": batches,
            "numbers_per_batch": payload // FLOAT_BITS * len(offered) / batches,
            "uplink_payload_bits": payload * len(offered),
            "uplink_bits": int(bits[offered].sum()),
            "downlink_bits": broadcast + 8 * HEADER_BYTES,
            "token_id_bits": None if ids is None else int(ids[offered].sum()),
        }

    def _offered(self, seed: int) -> np.ndarray:
        return participating(self.features.client, self.job.setting.fraction, seed)

    def _arrives(self, seed: int) -> np.ndarray:
        """Draw which dialogues arrive, (n,); a packet is one dialogue's upload."""
        blocks = np.ones(len(self.features), dtype=np.int64)
        channel = PacketLoss(self.job.setting.plr)
        return ~transmit(blocks, channel, 0, stream(seed, "loss")).lost

    @cached_property
    def _messages(self) -> Encoded:
        """Each dialogue's message, which all seeds share."""
        return encoded(self._encoded())

    def _encoded(self) -> Iterator[bytes]:
        values, labels = self.features.values, self.features.labels
        at, label_at = self.features.offsets, self.features.label_offsets
        for row in range(len(self.features)):
            yield encode_upload(
                values[at[row] : at[row + 1]],
                labels[label_at[row] : label_at[row + 1]],
                self.shape.vocab_size,
            )

    def _token_id_bits(self) -> np.ndarray | None:
        """Bits of each dialogue's own token ids (n,), where features are a look-up of them."""
        if first_trained_block(self.shape, self.job.cut) > 0:
            return None
        return token_id_bits(np.diff(self.features.token_offsets), self.shape.vocab_size)

    def _broadcast_bits(self) -> int:
        """Bits of the extractor, Eq. (13): the frozen parameters, each counted once."""
        trained = trained_parameters(self.shape, self.job.cut)
        return FLOAT_BITS * (trained_parameters(self.shape, ALL) - trained)


@dataclass(frozen=True)
class Rounds:
    """FTL_c and FTL_f: a batch of clients per round, each sending one update of what is trained.

    Attributes:
        job: the setting with its training values.
        samples: all clients' samples.
        shape: of the source model.
    """

    job: Job
    samples: Samples
    shape: T5Shape

    def received(self, seed: int) -> np.ndarray:
        """Return the rows of participating clients."""
        return participating(self.samples.clients, self.job.setting.fraction, seed)

    def enter(self, ledger: Ledger, run: SeedRun) -> dict[str, Any]:
        """Enter a row per round and client, and a broadcast per round."""
        offered = self.received(run.seed)
        training, _ = held_out(offered, self.job.plan.validation, run.seed)
        epochs = schedule_of(self.samples, training, self.job.plan, run.seed)
        held = epochs[: len(run.curve) + run.diverged]
        clients = [np.unique(self.samples.clients[batch]) for epoch in held for batch in epoch]
        numbers = trained_parameters(self.shape, self.job.cut)
        payload = FLOAT_BITS * numbers
        sent = payload + 8 * HEADER_BYTES
        messages = [len(own) for own in clients]
        post = Post(ledger, Link(PacketLoss(0.0), 0, sent), run.seed, no_mechanism())
        for number, own in enumerate(clients, start=1):
            post.broadcast({"weights": numbers}, number)
            post.up({"update": numbers}, own, number)
        updates = run.chosen.updates if run.chosen else 0
        batches = sum(messages[:updates])
        return {
            "offered": len(offered),
            "received": len(offered),
            "seen": len(training),
            "upload_batches": batches,
            "numbers_per_batch": numbers,
            "uplink_payload_bits": payload * batches,
            "uplink_bits": sent * batches,
            "downlink_bits": sent * updates,
            "token_id_bits": None,
        }
