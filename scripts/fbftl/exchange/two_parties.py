"""Repetitions of two parties that share few samples: what each sees, their rounds, their score."""

from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from fbftl.exchange.post import Post
from fbftl.exchange.products import Product, products_under
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.messages.ledger import Ledger
from fbftl.messages.link import link_of
from fbftl.models.digest import digest
from fbftl.privacy.homomorphic import NumberCipher
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job
from fbftl.tasks.task import HeldSamples, Outcome
from fbftl.training.alignment import Alliance, Party
from fbftl.training.curves import Curves, record
from fbftl.training.measures import MEASURES, SERIES, Measure, Series

OWN_MEASURES = {
    "accuracy_alone": Measure("share", "higher", diverged=0.0),
    "largest_margin": Measure("logits"),
}
"""Alone client 1, which has no labels, can but name the more frequent class."""

OWN_SERIES = {"exact_loss": Series("nats")}
"""The loss without Taylor's expansion, of the same weights."""

Views = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Both parties' features (n, p) of samples, a column of ones among them, and ±1 for each (n,)."""


def run_pair(job: Job, held: HeldSamples) -> Outcome:
    """Train both parties, one repetition per seed; the score is client 1's."""
    ledger = Ledger(method=job.setting.method, store=held.provenance["features"])
    protected = job.setting.protection == "paillier"
    ciphers = (NumberCipher(), NumberCipher()) if protected else None
    repetitions = []
    for seed in job.seeds:
        post = Post(ledger, link_of(job.setting, held.block_bits), seed, no_mechanism())
        multiply = products_under(job.setting.protection, post, ciphers)
        found = trained(job, held, seed, multiply)
        arrived = {"received": found["offered"] if post.arrived(np.arange(2)).any() else 0}
        repetitions.append(found | arrived | post.totals(range(job.training.rounds + 1)))
    measures, series = MEASURES | OWN_MEASURES, SERIES | OWN_SERIES
    return Outcome(repetitions, ledger, held.provenance, measures, series)


def trained(job: Job, held: HeldSamples, seed: int, multiply: Product) -> dict[str, Any]:
    """Train one repetition by gradient descent; return its record."""
    training = job.training
    alliance, common = begun(job, held, seed)
    _, theirs, classes = _views(held.test, held.classes)
    curves, exact, margin, steps = Curves(), [], 0.0, 0
    for turn in range(1, training.rounds + 1):
        of_b = multiply(alliance.matrix_of_b(), alliance.numbers_of_a(), 1, turn)
        of_a = multiply(alliance.matrix_of_a(), alliance.numbers_of_b(), 0, turn)
        steps += (of_a is not None) + (of_b is not None)
        alliance = alliance.stepped(of_a, of_b, training.learning_rate, training.weight_decay)
        taylor, true = alliance.losses(training.weight_decay)
        accuracy = float((alliance.predicted(theirs) == classes).mean())
        weights = torch.from_numpy(alliance.a.weights), torch.from_numpy(alliance.b.weights)
        curves.append(taylor, None, None, accuracy, digest(weights))
        exact.append(true)
        margin = max(margin, float(np.abs(alliance.b.represented() @ alliance.direction).max()))
    found = record(curves, "last")
    found["series"]["exact_loss"] = exact
    blind = max((classes == side).mean() for side in (-1, 1))
    counts = {"offered": common, "seen": common if steps else 0, "clients": 2}
    own = {"seed": seed, "accuracy_alone": float(blind), "largest_margin": margin}
    privacy = {"privacy": [asdict(no_mechanism())]}
    return found | counts | own | privacy


def begun(job: Job, held: HeldSamples, seed: int) -> tuple[Alliance, int]:
    """Return both parties with random weights, and the number of their common samples.

    Raises:
        UserError: if the task has fewer samples than are to be common.
    """
    setting, count = job.setting, len(held.samples.labels)
    order = stream(seed, "common samples").permutation(count)[: setting.most_samples]
    if setting.common_samples > len(order):
        raise UserError(
            f"secure_ftl on {job.task} is to have {setting.common_samples} common samples of "
            f"{len(order)}; give common_samples at most {len(order)}"
        )
    mine, theirs, classes = _views(held.samples.at(order), held.classes)
    theirs = theirs[: setting.common_samples]
    parties = [
        Party(own, _initial(own.shape[1], setting.dimensions, seed, number))
        for number, own in enumerate((mine, theirs))
    ]
    return Alliance(*parties, classes, setting.alignment), setting.common_samples


def _initial(width: int, dimensions: int, seed: int, party: int) -> np.ndarray:
    """Return a party's random weights (p, d)."""
    return stream(seed, "init", party).normal(size=(width, dimensions)) / np.sqrt(width)


def _views(samples: Any, classes: int) -> Views:
    """Return what both parties see of samples."""
    everything = samples.at(np.arange(len(samples.labels)))
    values = everything.inputs.flatten(1).cpu().numpy().astype(np.float64)
    ones = np.ones((len(values), 1))
    halves = np.array_split(values, 2, axis=1)
    upper = everything.labels.cpu().numpy() >= classes / 2
    return *(np.hstack([half, ones]) for half in halves), np.where(upper, 1, -1)
