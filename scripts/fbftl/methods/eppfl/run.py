"""EPPFL's rounds (paper eppfl, Algorithm 1): split training, and averages that nobody else reads.

A client holds a network's first half, its edge server a copy of the rest. Every local step sends
activations and labels up and gradients down. After its epochs a client sends its half's weights to
the aggregator, and the edge server that of the rest, in clear. Means are plain, Eq. (9) and (10).

Under `aggregation: masked` the clients' weights are fixed point under a mask of the client's own
(`privacy/masking.py`). The aggregator sums what arrives and hands the sum on, the dealer tells the
clients the sum of these clients' masks, and the clients subtract it and divide. Who sees what:

- The aggregator and the dealer together read every client's weights; neither does alone.
- The aggregator and a client read the mean, as every client does; no single other client's.
- The edge server reads its copy's weights, and labels and activations as they are sent.

A client may drop out before its epochs (its activations are lost) or after masking (its weights
are). Either way the round's means are those of the others. Of fewer than two masked messages the
dealer tells no sum, and the round leaves the weights as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import torch
from torch import Tensor

from fbftl.exchange.averaging import by_samples, in_rounds
from fbftl.exchange.post import Post
from fbftl.exchange.protection import Protection
from fbftl.exchange.repetition import parameter_count, run_rounds
from fbftl.exchange.secure_sum import RING_MEASURES
from fbftl.exchange.uplink import Traffic, Uplink
from fbftl.ground.errors import required
from fbftl.ground.floats import FLOAT_BYTES
from fbftl.ground.ring import Ring
from fbftl.messages.codec import NotFiniteError
from fbftl.methods.eppfl.activations import Boundary, Crossing, cut_map
from fbftl.models.cost.payload import CutMap
from fbftl.privacy import mechanisms
from fbftl.privacy.masking import (
    KEY_BYTES,
    LEAST_SUMMED,
    NUMBER_BYTES,
    WORD,
    Dealer,
    fixed_point,
    masked,
    reach,
    require_room,
    unmasked_sum,
)
from fbftl.privacy.release import noise_seed
from fbftl.study.job import Job
from fbftl.training.batches import Round
from fbftl.training.curves import MEASURES, SERIES, Measure, Series
from fbftl.training.local_network import LocalNetwork, local_network
from fbftl.training.local_updates import FEDAVG, Hooks
from fbftl.training.tasks.task import ClientSamples, Inputs, Outcome, Repetition, client_samples

SEED_BITS = 64
"""What tells an edge server where a client's random selections of a round were made."""

OWN_MEASURES = {
    "protected_accuracy": Measure("share", "higher", diverged=0.0),
    "activations": Measure("numbers", "lower"),
    "parameters": Measure("numbers", "lower"),
}
"""What EPPFL measures beside the others: the accuracy under dropping and noise, one sample's
activations at the boundary, and the weights of the whole network.
"""


@dataclass(frozen=True)
class MessageFloats:
    """What is sent, in floats.

    cut: one sample's activations.
    front: numbers of the clients' half.
    rest: numbers of the edge servers' half.
    """

    cut: CutMap
    front: int
    rest: int

    @classmethod
    def of(cls, learner: LocalNetwork) -> "MessageFloats":
        """Return the sizes of a learner's messages."""
        front = learner.client_floats
        return cls(cut_map(learner.crossing_shape), front, parameter_count(learner) - front)


@dataclass
class EdgeRounds:
    """One repetition's rounds.

    boundary: what values cross between clients and edge servers.
    dealer: who shares a key with each client.
    protected: test accuracy under dropping and noise, after each round, where there is any.
    values: floats of activations and gradients of each round.
    sizes: of its messages, once there has been one.
    """

    job: Job
    boundary: Boundary
    dealer: Dealer
    protected: list[float] = field(default_factory=list)
    sizes: MessageFloats | None = None
    _summed: bool = False

    @property
    def secret(self) -> bool:
        """Whether the clients' weights are masked."""
        return self.job.setting.aggregation == "masked"

    @property
    def ring(self) -> Ring:
        """The ring of masked weights, which nothing bounds: whole words."""
        return Ring(fraction_bits=self.job.setting.fraction_bits)

    def step(self, learner: LocalNetwork, uplink: Uplink, round_: Round) -> Tensor:
        """Train, exchange and average one round; return the mean of its clients' losses."""
        trained, sizes = required(learner.train(round_)), MessageFloats.of(learner)
        self.sizes = sizes
        arrives = self._exchange(uplink, round_, sizes)
        if arrives.sum() >= (LEAST_SUMMED if self.secret else 1):
            weights = trained.weights[torch.from_numpy(arrives).to(trained.weights.device)]
            clients = uplink.owners[round_.clients[arrives]].tolist()
            learner.set_weights(self._average(weights, clients, round_.number, sizes.front))
        if not self.boundary.crossing.sends_all:
            tested = self.boundary.tested(round_.number, learner.weights().device)
            self.protected.append(learner.tested(tested))
        return trained.losses.mean()

    def _average(
        self, weights: Tensor, clients: Sequence[int], round_number: int, front: int
    ) -> Tensor:
        """Return the mean (X,) of weights (A, X), the first `front` through their masks."""
        if not torch.isfinite(weights).all():
            raise NotFiniteError("a client's weights are not finite")
        average = by_samples(weights, np.ones(len(weights)))
        if self.secret:
            width = 1 if self.job.setting.mask_shape == "scalar" else None
            front_weights = weights[:, :front].cpu().numpy()
            mean = masked_mean(front_weights, clients, self.dealer, round_number, width, self.ring)
            average[:front] = torch.from_numpy(mean).to(average)
        return average

    def _exchange(self, uplink: Uplink, round_: Round, sizes: MessageFloats) -> np.ndarray:
        """Send all messages of a round; return which clients' weights arrive (C,)."""
        post, setting, round_number = uplink.post, self.job.setting, round_.number
        client, samples = uplink.owners[round_.clients], round_.counts * setting.local_epochs
        self._hand_out(post, uplink.owners, sizes, round_number)
        up, down, place_bits = crossing_floats(self.boundary.crossing, sizes.cut)
        values = {"activations": samples * up, "labels": samples}
        seed_bits = SEED_BITS if up < sizes.cut.width else 0
        trains = post.up(values, client, round_number, receiver="edge", beside=seed_bits)
        back = {"gradients": samples * down}
        post.answer(back, trains, sender="edge", beside=samples * place_bits)
        half = {"weights": sizes.front * self._floats_per_number}
        at = np.flatnonzero(trains.arrives)
        receipt = post.up(half, client, round_number, receiver="aggregator", offered=at)
        post.between({"weights": sizes.rest}, "edge", "aggregator", round_number, client[at])
        if self.secret:  # the dealer is told whose masked weights arrived, an id of 32 bits each
            count = int(receipt.arrives.sum())
            post.between({"mask": count}, "aggregator", "dealer", receipt.round)
            self._summed |= count >= LEAST_SUMMED
        uplink.count(trains, values)
        uplink.count(receipt, half)
        arrives = np.zeros(len(client), dtype=bool)
        arrives[at] = receipt.arrives
        return arrives

    @property
    def _floats_per_number(self) -> int:
        return NUMBER_BYTES // FLOAT_BYTES if self.secret else 1

    def _hand_out(
        self, post: Post, clients: np.ndarray, sizes: MessageFloats, round_number: int
    ) -> None:
        """Send what begins a round: the global weights, and what unmasks the clients' half."""
        if self.secret and round_number == 1:
            post.down({"mask": KEY_BYTES // FLOAT_BYTES}, clients, sender="dealer")
        numbers = sizes.front * (self._floats_per_number if self._summed else 1)
        post.broadcast({"weights": numbers}, round_number, sender="aggregator")
        if self._summed:
            width = 1 if self.job.setting.mask_shape == "scalar" else sizes.front
            masks = {"mask": width * self._floats_per_number}
            post.broadcast(masks, round_number, sender="dealer")
        post.between({"weights": sizes.rest}, "aggregator", "edge", round_number)

    def with_measures(self, repetition: dict) -> dict:
        """Return a repetition's record with what EPPFL measures beside; rounds not run are 0."""
        curves, epoch, sizes = repetition["series"], repetition["epoch"], required(self.sizes)
        test = curves["test_accuracy"]
        shown = [*self.protected, *[0.0] * (len(test) - len(self.protected))]
        if self.boundary.crossing.sends_all:
            shown = test
        if repetition["diverged"]:
            shown = [
                b if a is not None else 0.0 for a, b in zip(curves["loss"], shown, strict=True)
            ]
        return repetition | {
            "protected_accuracy": shown[epoch - 1],
            "activations": sizes.cut.width,
            "parameters": sizes.front + sizes.rest,
            "series": curves | {"protected_accuracy": shown},
            **(self.ring.record if self.secret else {}),
        }


def crossing_floats(crossing: Crossing, cut: CutMap) -> tuple[int, int, int]:
    """Return activations sent of a sample, gradients sent back, and bits of these ones' positions.

    Positions are a bit for every place of the map: which gradients are largest only they tell. The
    public code sends whole tensors whatever it drops.
    """
    if crossing.whole_batch:
        return cut.width, cut.width, 0
    place_bits = cut.width if crossing.keep_gradients < 1 else 0
    back = cut.kept(crossing.keep_gradients)
    if crossing.kept_gradients == "hook":
        back = cut.width - back
    return cut.kept(crossing.keep_activations), back, place_bits


def masked_mean(
    values: np.ndarray, clients: Sequence[int], dealer: Dealer, round_number: int,
    width: int | None = None, ring: Ring = WORD,
) -> np.ndarray:  # fmt: skip
    """Return the mean (X,) of clients' values (A, X), exact in fixed point, by way of their masks.

    Raises:
        UserError: for a set of one, a missing key, or values that could leave the ring.
    """
    largest = sum(reach(fixed_point(client_weights, ring)) for client_weights in values)
    require_room(largest, ring, len(values))
    messages = [
        masked(client_weights, dealer.key(client), round_number, width, ring)
        for client_weights, client in zip(values, clients, strict=True)
    ]
    masks = dealer.sum_of_masks(
        clients, round_number, values.shape[1] if width is None else width, ring
    )
    return unmasked_sum(messages, masks, ring) / len(values)


def crossing_of(job: Job) -> Crossing:
    """Return how values cross the boundary under a setting."""
    setting, noisy = job.setting, job.setting.mechanism == "laplace"
    return Crossing(
        keep_activations=setting.keep_activations,
        keep_gradients=setting.keep_gradients,
        kept_gradients=setting.kept_gradients,
        reading=setting.selection_reading,
        epsilon=setting.epsilon if noisy else None,
        clip=job.privacy.activation_clip
        if noisy and setting.laplace_sensitivity == "clip"
        else None,
    )


def on_activations(repetition: Repetition, learner: LocalNetwork) -> Protection:
    """Return what noise on activations guarantees the sample that is sent most often."""
    job, crossing = repetition.job, crossing_of(repetition.job)
    schedule = list(learner.schedule)
    if crossing.epsilon is None:
        return Protection(schedule, (mechanisms.no_mechanism(),))
    clients = np.concatenate([round_.clients for round_ in schedule])
    taken = np.bincount(clients[clients >= 0])
    up, _, _ = crossing_floats(crossing, cut_map(learner.crossing_shape))
    sent = up * job.setting.local_epochs * int(taken.max())
    record = mechanisms.laplace(epsilon=crossing.epsilon, clip=crossing.clip, coordinates=sent)
    return Protection(schedule, (record,))


Watch = Callable[[Repetition, LocalNetwork], None]
"""Is handed the clients and the network of a repetition that begins."""


def train_with_edges(job: Job, client_data: ClientSamples, watch: Watch | None = None) -> Outcome:
    """Train by EPPFL, one repetition per seed.

    Args:
        job: the setting with its training values.
        client_data: what the clients hold.
        watch: of whoever attacks the networks afterwards.
    """
    rounds: list[EdgeRounds] = []

    def initial_learner(repetition: Repetition) -> LocalNetwork:
        seed = repetition.seed
        crossing = crossing_of(job)
        drawn_by = seed if crossing.epsilon is None else noise_seed(job, seed)
        edge_rounds = EdgeRounds(job, Boundary(crossing, drawn_by), Dealer.of_study(seed))
        rounds.append(edge_rounds)
        hooks = FEDAVG if crossing.is_open else Hooks(boundary=edge_rounds.boundary)
        learner = local_network(client_data, repetition, hooks)
        if watch is not None:
            watch(repetition, learner)
        return learner

    outcome = run_rounds(
        job, client_data, initial_learner, lambda _: Traffic(lambda _: {}, {}),
        train=in_rounds(lambda: rounds[-1].step), protecting=on_activations,
    )  # fmt: skip
    repetitions = [
        each.with_measures(repetition)
        for each, repetition in zip(rounds, outcome.repetitions, strict=True)
    ]
    return replace(
        outcome,
        repetitions=repetitions,
        measures={**MEASURES, **OWN_MEASURES, **RING_MEASURES},
        series=SERIES | {"protected_accuracy": Series("share", "round")},
    )


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train the split network from scratch, one repetition per seed."""
    return train_with_edges(job, client_samples(job, inputs))
