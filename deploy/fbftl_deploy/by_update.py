"""How far plain FTL_c is from a study's when clients' updates are added one by one.

    python -m fbftl_deploy.by_update PLAN

A study takes one pass over all samples of a round, where a deployment can but add the clients'
updates: the same sum in another order, which rounds otherwise. The study's engine does both here,
from the files that the server's PLAN names, and what differs is printed as one line of JSON.
"""

import json
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from fbftl.exchange.protection import Protection
from fbftl.exchange.repetition import by_gradients, on_updates, run_rounds, whole_update
from fbftl.exchange.uplink import Uplink, compressing
from fbftl.findings.run_file import models
from fbftl.ground.devices import prepare
from fbftl.messages.codec import Compression
from fbftl.methods.ftl_c.images import head
from fbftl.tasks.images import client_features
from fbftl.tasks.task import Inputs, Learner, Repetition
from fbftl.training.batches import Rounds
from fbftl.training.local_updates import flattened

from fbftl_deploy.plans import ServerPlan, read_server


@dataclass(frozen=True)
class Trained:
    """What the study's engine trains.

    models: SHA-256 of the model at each point of its curves.
    weights: (X,) after the last round.
    """

    models: list[str]
    weights: np.ndarray


def measured(plan: ServerPlan) -> dict[str, Any]:
    """Return the models of one pass and of summed updates, and how far they are apart.

    Args:
        plan: of a server of plain FTL_c, all clients of the study taking part.
    """
    one_pass, summed = trained(plan, by_update=False), trained(plan, by_update=True)
    return {
        "one_pass": one_pass.models,
        "summed": summed.models,
        "largest_difference": float(np.abs(one_pass.weights - summed.weights).max()),
        "largest_weight": float(np.abs(one_pass.weights).max()),
    }


def trained(plan: ServerPlan, by_update: bool) -> Trained:
    """Return what the study's engine trains of plain FTL_c.

    Args:
        plan: of its server.
        by_update: whether the clients' updates are made one by one and added, as on a network,
            instead of one pass over the samples of all.
    """
    job = replace(plan.setting.job, seeds=(plan.setting.seed,))
    client_data = client_features(job, Inputs.at(plan.files, prepare("cpu", 1)))
    weights: list[np.ndarray] = []

    def train(learner: Learner, uplink: Uplink, schedule: Iterable[Rounds]) -> list[int]:
        ends = by_gradients(learner, uplink, schedule)
        weights.append(flattened(learner.parameters).detach().numpy().copy())
        return ends

    def protecting(repetition: Repetition, learner: Learner) -> Protection:
        protection = on_updates(repetition, learner)
        if not by_update:
            return protection
        return replace(protection, releasing=compressing(Compression(), None))

    exchanged = whole_update(once={"weights": client_data.frozen_floats})
    learner_of = partial(head, client_data)
    outcome = run_rounds(
        job, client_data, learner_of, exchanged, train=train, protecting=protecting
    )
    return Trained(models(outcome.repetitions)[str(plan.setting.seed)], weights[0])


if __name__ == "__main__":
    print(json.dumps(measured(read_server(sys.argv[1]))))
