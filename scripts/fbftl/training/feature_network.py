"""A network whose clients tell what their features are, and whose classifier a server retrains.

FedFeat+ (paper fedfeat, Eq. 2-12): noise enters every forward pass at the boundary between
extractor and classifier, and what passes it is what clients send. CCVR (Luo et al. 2021) asks for
statistics of the same features.
"""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from fbftl.ground.randomness import stream
from fbftl.models.modes import couples_samples
from fbftl.models.stack import Clip
from fbftl.privacy.feature_noise import FeatureNoise
from fbftl.training.batches import Round
from fbftl.training.local_network import LocalNetwork
from fbftl.training.local_updates import (
    FEDAVG,
    Hooks,
    LocalPlan,
    MiniBatch,
    SplitModel,
    Trained,
    batched,
)
from fbftl.training.optimisers import OPTIMISERS
from fbftl.training.samples import TrainingData


@dataclass(frozen=True)
class FeatureRequest:
    """What is asked of clients' features.

    source: whose they are: of the client's extractor in its last_epoch or after it, or of the
        averaged one.
    epochs: passes E_r that the server makes over them; at 0 nobody is asked for any.
    clip: L2 norm that each sample's features are clipped to; None leaves them as they are.
    noise: what is added to them in every pass, in training too; None adds nothing.
    step: how the server trains on them: as clients, printed, released or chosen.
    noised_by: seed of that noise.
    """

    source: str
    epochs: int
    clip: float | None = None
    noise: FeatureNoise | None = None
    step: str = "clients"
    noised_by: int = 0


@dataclass(frozen=True)
class ReportedFeatures:
    """What a client's features are in a round.

    client: its number.
    rows: (n,) rows of its samples.
    clean: (n, ...) as the extractor gives them.
    sent: (n, ...) as they are sent, noise added.
    labels: (n,).
    """

    client: int
    rows: np.ndarray
    clean: Tensor
    sent: Tensor
    labels: Tensor


class FeatureNetwork(LocalNetwork):
    """The global network, with the features that clients tell of in a round.

    Args:
        split_model: extractor and classifier, on the training device.
        training_data: what it trains on.
        plan: how clients train, and the server after them.
        seed: the repetition's seed.
        hooks: what else is different from FedAvg; the boundary is this network's own.
        request: what is asked of features.
        clients: rows of every client, by its number.
    """

    def __init__(
        self, split_model: SplitModel, training_data: TrainingData, plan: LocalPlan, seed: int,
        hooks: Hooks = FEDAVG, *, request: FeatureRequest, clients: Sequence[np.ndarray] = (),
    ) -> None:  # fmt: skip
        if request.clip is not None:
            split_model = SplitModel(
                nn.Sequential(split_model.front, Clip(request.clip)), split_model.rest
            )
        self._in_training = request.source == "last_epoch" and request.epochs > 0
        if self._in_training or request.noise is not None:
            hooks = replace(hooks, boundary=self._pass)
        super().__init__(split_model, training_data, plan, seed, hooks)
        self.request, self.clients = request, clients
        self.received: Sequence[ReportedFeatures] = ()
        self._reported: dict[int, list[ReportedFeatures]] = {}
        self._draws: dict[int, np.random.Generator] = {}

    @property
    def sends_features(self) -> bool:
        """Whether clients send features together with their weights."""
        return self.request.epochs > 0 and self.request.source != "averaged"

    @property
    def width(self) -> int:
        """Numbers of one sample's features."""
        return self.crossing_shape.numel()

    def train(self, round_: Round) -> Trained | None:
        """Train the clients of a round; those that are asked to tell what their features are."""
        self._reported = {int(client): [] for client in round_.clients}
        self._draws = {
            client: stream(self.request.noised_by, "feature_noise", round_.number, client)
            for client in self._reported
        }
        trained = super().train(round_)
        if self.sends_features and self.request.source == "after":
            # Every client extracts once more, with the weights that it sends.
            before = self.weights()
            for index, client in enumerate(map(int, round_.clients)):
                self.set_weights(self.sent_weights(client))
                rows = round_.rows[index][round_.present[index]]
                self._reported[client].append(self.extracted(client, rows))
            self.set_weights(before)
        return trained

    def client_message(self, round_: Round) -> np.ndarray:
        """Return the message of the one client of a round that was trained.

        Its weights, and features and labels (in the order of `reported`) if it sends them too.
        """
        weights = super().client_message(round_)
        if not self.sends_features:
            return weights
        (reported,) = self.reported(round_, np.ones(1, dtype=bool))
        parts = (part.float().flatten().cpu().numpy() for part in (reported.sent, reported.labels))
        return np.concatenate([weights, *parts])

    def sent_weights(self, client: int) -> Tensor:
        """Return the weights (X,) that a client of the last round sent."""
        return self._latest[client]

    def reported(self, round_: Round, arrives: np.ndarray) -> list[ReportedFeatures]:
        """Return the features of the clients of a round whose message arrives (C,)."""
        return [_joined(self._reported[int(client)]) for client in round_.clients[arrives]]

    def extracted(self, client: int, rows: np.ndarray) -> ReportedFeatures:
        """Return what the extractor as it stands gives for a client's rows, noise added."""
        samples = self.training_data.samples.at(rows)
        with torch.no_grad():
            clean = self.split_model.front(samples.inputs)
        return ReportedFeatures(client, rows, clean, self._noised(clean, client), samples.labels)

    def retrain(self, round_number: int, received: Sequence[ReportedFeatures]) -> None:
        """Retrain the classifier from its present values on what the server heard, Eq. (11)-(12).

        Args:
            round_number: the round, from 1.
            received: what clients reported; nothing leaves it as it is.
        """
        self.received = received
        if received:
            features = torch.cat([reported.sent for reported in received])
            self.retrain_on(
                round_number, features, torch.cat([reported.labels for reported in received])
            )

    def retrain_on(self, round_number: int, features: Tensor, labels: Tensor) -> None:
        """Retrain the classifier on features (n, ...) with labels (n,) after a round."""
        training = self.plan.training
        plan = replace(self.plan, epochs=self.request.epochs)
        if self.request.step in STEPS:
            plan = stepping(plan, self.request.step)
        else:
            rate = training.server_learning_rate or training.learning_rate
            batch = training.server_batch or plan.batch
            plan = replace(plan, batch=batch, training=replace(training, learning_rate=rate))
        order = stream(self.seed, "retraining", round_number)
        if self.request.step == "chosen":
            draws = stream(self.seed, "retraining_choice", round_number)
            plan = chosen_plan(self.split_model.rest, features, labels, candidates(plan), draws)
        retrain(self.split_model.rest, features, labels, plan, order)

    def _pass(self, features: Tensor, mini_batch: MiniBatch) -> Tensor:
        """Let features pass the boundary with their noise; keep those of the last epoch."""
        client = mini_batch.local_update.client
        sent = self._noised(features, client)
        if self._in_training and mini_batch.last:
            labels = self.training_data.samples.labels[mini_batch.rows]
            kept = ReportedFeatures(
                client, mini_batch.rows, features.detach(), sent.detach(), labels
            )
            self._reported[client].append(kept)
        return sent

    def _noised(self, features: Tensor, client: int) -> Tensor:
        if self.request.noise is None:
            return features
        noise = self.request.noise.draw(tuple(features.shape), self._draws[client])
        return features + torch.from_numpy(noise).to(features.device)


STEPS = {"printed": ("adam", 0.01, None), "released": ("sgd", 0.001, 128)}
"""Optimiser, rate and batch of paper fedfeat's server; None leaves the clients' batch.

The paper prints Adam at 0.01, the authors' code has SGD without momentum.
"""

RATES = (0.001, 0.01, 0.05)
"""Of SGD, beside the two steps of `STEPS`: what a server chooses among."""

HELD_OUT = 0.2
"""Share of the features by which it chooses."""


def stepping(plan: LocalPlan, step: str) -> LocalPlan:
    """Return the plan of a server that takes a step of `STEPS`."""
    optimiser, rate, batch = STEPS[step]
    training = replace(plan.training, learning_rate=rate, momentum=0.0)
    return LocalPlan(plan.epochs, batch or plan.batch, training, optimiser)


def candidates(plan: LocalPlan) -> list[LocalPlan]:
    """Return the plans that a server chooses among: those of `STEPS`, and SGD at `RATES`."""
    rates = [replace(plan, training=replace(plan.training, learning_rate=r)) for r in RATES]
    return [*(stepping(plan, step) for step in STEPS), *rates]


def chosen_plan(
    classifier: nn.Module, features: Tensor, labels: Tensor, plans: Sequence[LocalPlan],
    draw: np.random.Generator,
) -> LocalPlan:  # fmt: skip
    """Return the plan after which a copy of the classifier has the least loss on held-out features.

    Args:
        classifier: stays as it is.
        features: (n, ...) what enters it.
        labels: (n,).
        plans: the first of equals is taken; one of fewer than ten features is the first.
        draw: of what is held out, and of the mini-batches.
    """
    if len(labels) < 10:
        return plans[0]
    order = torch.from_numpy(draw.permutation(len(labels))).to(labels.device)
    out, kept = order[: int(HELD_OUT * len(order))], order[int(HELD_OUT * len(order)) :]
    seed = int(draw.integers(2**31))

    def loss_after(plan: LocalPlan) -> float:
        copy = deepcopy(classifier)
        retrain(copy, features[kept], labels[kept], plan, np.random.default_rng(seed))
        with torch.no_grad():
            loss = functional.cross_entropy(copy(features[out]), labels[out]).item()
        return loss if np.isfinite(loss) else float("inf")

    return min(plans, key=loss_after)


def _joined(reported: Sequence[ReportedFeatures]) -> ReportedFeatures:
    """Return what one client told in several mini-batches."""
    if len(reported) == 1:
        return reported[0]
    rows = np.concatenate([batch.rows for batch in reported])
    parts = zip(*((batch.clean, batch.sent, batch.labels) for batch in reported), strict=True)
    return ReportedFeatures(reported[0].client, rows, *map(torch.cat, parts))


def retrain(
    classifier: nn.Module, features: Tensor, labels: Tensor, plan: LocalPlan,
    order: np.random.Generator,
) -> None:  # fmt: skip
    """Train a classifier in place on features, with a fresh optimiser.

    Args:
        classifier: what follows the boundary, on the training device.
        features: (n, ...) what enters it.
        labels: (n,).
        plan: epochs, batch, optimiser and its rate.
        order: draws the mini-batches.
    """
    least = 2 if couples_samples(classifier) else 1
    if len(labels) < least:
        return
    optimiser = OPTIMISERS[plan.optimiser].alone(list(classifier.parameters()), plan.training)
    for _, rows in batched(np.arange(len(labels)), plan, order, least):
        at = torch.from_numpy(rows).to(labels.device)
        loss = functional.cross_entropy(classifier(features[at]), labels[at])
        gradients = torch.autograd.grad(loss, optimiser.parameters)
        optimiser.step([gradient.contiguous() for gradient in gradients])
