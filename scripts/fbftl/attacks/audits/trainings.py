"""Canaries in whole trainings, by one run of which an audit bounds epsilon from below.

Private descent learns a task's rows beside canaries, inputs along axes of their own with one label
or the other. In DP-FedAvg's rounds every client is a canary, whose update is along an axis of its
own; it takes part in the training or does not.
"""

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray

from fbftl.attacks.audits.mechanism import LONG
from fbftl.attacks.audits.one_run import MOST_CANARIES, least_epsilon_of_run
from fbftl.exchange.post import Receipt
from fbftl.exchange.protection import Protection, protection_by_rounds
from fbftl.ground.errors import required
from fbftl.ground.randomness import stream
from fbftl.methods.private_gd.clipping import outputs_for
from fbftl.methods.private_gd.descent import Descent, OwnSamples, descend
from fbftl.methods.private_gd.server import noise_of
from fbftl.models.heads import Head
from fbftl.privacy.noise import clip_rows
from fbftl.privacy.tradeoffs import AccountantsTradeOff, gaussian_tradeoff
from fbftl.study.job import Job
from fbftl.study.release import noise_seed
from fbftl.tasks.task import LabelledFeatures
from fbftl.training.batches import Round

CANARY = 10.0
"""Length of a canary's input, beside which its bias moves its gradient little."""


@dataclass(frozen=True, eq=False)
class Canaries:
    """What one run tells of its canaries.

    scores: (m,) above 0 where the second kind is likelier.
    kinds: (m,) whether each is of the second kind.
    """

    scores: NDArray[np.float64]
    kinds: NDArray[np.bool_]


def canaries_in_descent(job: Job, client_data: LabelledFeatures, seed: int) -> Canaries:
    """Train one head by private descent on the task's rows and on canaries.

    The head is linear, of the task's clipped features and an axis for each canary, all in the
    training that the setting says.

    Args:
        job: a setting of private GD under noise.
        client_data: what the clients hold.
        seed: of the coins, the initial values and the noise.
    """
    values = clip_rows(client_data.payload.values, 1.0)
    rows, width = values.shape
    kinds = _coins(seed)
    inputs = np.zeros((rows + MOST_CANARIES, width + MOST_CANARIES), dtype=np.float32)
    inputs[:rows, :width] = values
    inputs[rows:, width:] = CANARY * np.eye(MOST_CANARIES)
    labels = np.concatenate([client_data.payload.labels, kinds.astype(np.int64)])
    samples = OwnSamples(
        torch.from_numpy(inputs), torch.from_numpy(labels), [np.arange(len(labels))]
    )
    how = Descent(
        noise_of(job).multipliers[:, None],
        required(job.privacy.gradient_clip),
        job.network_training.learning_rate,
    )
    outputs = outputs_for(client_data.classes)

    def zeros(_: object) -> Head:
        return Head([torch.zeros(1, inputs.shape[1], outputs)], [torch.zeros(1, 1, outputs)])

    head = descend(zeros, samples, [seed], how, [noise_seed(job, seed)]).head
    weights = head.weights[0][0, width:].numpy().astype(np.float64)
    scores = weights[:, 0] if outputs == 1 else weights[:, 1] - weights[:, 0]
    return Canaries(scores, kinds)


def canaries_in_rounds(job: Job, seed: int) -> Canaries:
    """Run DP-FedAvg's rounds over canary clients alone, and add up what the server steps with.

    Args:
        job: a setting of a gradient method under dp_fedavg.
        seed: of the coins, of who takes part and of the noise.
    """
    kinds = _coins(seed)
    clients = [np.array([client]) for client in range(MOST_CANARIES)]
    protected = protection_by_rounds(job, clients, seed, ())
    clip_norm = required(protected.records[0].clip_norm)
    total, number = np.zeros(MOST_CANARIES), 0
    for rounds in protected.schedule:
        for round_ in rounds.single(number):
            sending = round_.clients[kinds[round_.clients]]
            updates = np.zeros((len(sending), MOST_CANARIES), dtype=np.float32)
            updates[np.arange(len(sending)), sending] = LONG * clip_norm
            total += _averaged(protected, round_, sending, updates)
            number += 1
    # Halfway between what is expected of a canary in the training and of one that is not.
    return Canaries(total - number * clip_norm / MOST_CANARIES / 2, kinds)


def _averaged(protected: Protection, round_: Round, sending: NDArray, updates: NDArray) -> NDArray:
    present = np.ones((len(sending), 1), dtype=bool)
    of_canaries = Round(round_.index, sending, sending[:, None], present)
    sent = protected.releasing(of_canaries, updates).values if len(sending) else updates
    return protected.averaging(of_canaries, Receipt(sending, round_.number, present[:, 0], sent))


def proven_in_one_run(job: Job, client_data: LabelledFeatures, seed: int) -> float | None:
    """Return an epsilon that one run proves its training not to lie below; None without canaries.

    Private descent states a Gaussian curve. Sampled rounds state epsilon at one delta, and no more
    is held against them.
    """
    delta = required(job.privacy.delta)
    if job.setting.mechanism == "dp_gd":
        canaries = canaries_in_descent(job, client_data, seed)
        return least_epsilon_of_run(
            canaries.scores, canaries.kinds, lambda epsilon: gaussian_tradeoff(epsilon, delta)
        )
    if job.setting.mechanism == "dp_fedavg":
        canaries = canaries_in_rounds(job, seed)
        return least_epsilon_of_run(
            canaries.scores,
            canaries.kinds,
            lambda epsilon: AccountantsTradeOff(np.array([epsilon]), np.array([delta])),
        )
    return None


def _coins(seed: int) -> NDArray[np.bool_]:
    return stream(seed, "canaries").random(MOST_CANARIES) < 0.5
