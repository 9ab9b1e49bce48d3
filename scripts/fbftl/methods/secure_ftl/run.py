"""A run of Secure FTL: two parties that share few samples, what each sees, rounds, score.

Liu et al. (2020), the framework that paper survey describes in Sec. 4.1.3. Party A has features and
labels y = ±1 of its samples, party B other features of the few that they have in common, and each a
network u = tanh(x W). B's samples are classified by phi = Phi · u_B with Phi the mean of y u_A. The
loss, a mean over the N common samples, is

    sum ln(1 + exp(-y phi)) - gamma sum u_A · u_B + N lambda / 2 (|W_A|^2 + |W_B|^2)

with ln(1 + exp(-a)) = ln 2 - a/2 + a^2/8 up to second order. So every gradient is a matrix of the
one party times numbers of the other, for each dimension k of the representation: no party needs
the other's numbers, only their products with its own.
"""

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
import torch

from fbftl.exchange.post import Post
from fbftl.ground.errors import UserError
from fbftl.ground.randomness import stream
from fbftl.messages.channel import link_of
from fbftl.messages.ledger import Ledger
from fbftl.methods.secure_ftl.products import Product, Shares, plain
from fbftl.models.modes import digest
from fbftl.privacy.mechanisms import no_mechanism
from fbftl.study.job import Job, Training
from fbftl.training.curves import MEASURES, Curves, Measure, record
from fbftl.training.tasks.task import ClientSamples, Inputs, Outcome, client_samples


@dataclass(frozen=True)
class Party:
    """What one party holds.

    features: (n, p) of its samples, a column of ones among them; the common samples come first.
    weights: (p, d).
    """

    features: np.ndarray
    weights: np.ndarray

    def represented(self, features: np.ndarray | None = None) -> np.ndarray:
        """Return u of its samples or of others, (n, d)."""
        return np.tanh((self.features if features is None else features) @ self.weights)

    def slopes(self) -> np.ndarray:
        """Return each u's derivative by each weight of its dimension, (d, n, p)."""
        inner = 1 - self.represented() ** 2
        return inner.T[:, :, None] * self.features[None]

    def stepped(self, gradient: np.ndarray, rate: float, decay: float) -> "Party":
        """Return the party after a step of gradient descent."""
        return replace(self, weights=self.weights - rate * (gradient + decay * self.weights))


@dataclass(frozen=True)
class Parties:
    """Both parties.

    a: with labels, more samples than the common ones.
    b: with the common samples only.
    labels: (n_A,) ±1 of A's samples.
    gamma: weight of the alignment.
    """

    a: Party
    b: Party
    labels: np.ndarray
    gamma: float

    @property
    def common(self) -> int:
        """Number of common samples N."""
        return len(self.b.features)

    @property
    def direction(self) -> np.ndarray:
        """Phi, (d,)."""
        return self.labels @ self.a.represented() / len(self.labels)

    def matrix_of_b(self) -> np.ndarray:
        """Return B's factor of its gradient, (d, p, N + d)."""
        u, slopes = self.b.represented(), self.b.slopes()
        of_samples = slopes.transpose(0, 2, 1)
        return np.concatenate([of_samples, of_samples @ u / 4], axis=2) / self.common

    def numbers_of_a(self) -> np.ndarray:
        """Return A's factor of B's gradient, (d, N + d)."""
        n, phi = self.common, self.direction
        linear = -np.outer(self.labels[:n], phi) / 2 - self.gamma * self.a.represented()[:n]
        return np.concatenate([linear.T, np.outer(phi, phi)], axis=1)

    def matrix_of_a(self) -> np.ndarray:
        """Return A's factor of its gradient, (d, p, N + d)."""
        n, slopes, labels = self.common, self.a.slopes(), self.labels
        of_phi = np.einsum("knp,n->kp", slopes, labels) / len(labels)
        linear = -of_phi[:, :, None] * labels[:n] / 2
        linear = linear - self.gamma * slopes[:, :n].transpose(0, 2, 1)
        quadratic = of_phi[:, :, None] * self.direction / 4
        return np.concatenate([linear, quadratic], axis=2) / n

    def numbers_of_b(self) -> np.ndarray:
        """Return B's factor of A's gradient, (d, N + d)."""
        u = self.b.represented()
        return np.concatenate([u.T, u.T @ u], axis=1)

    def stepped(
        self, of_a: np.ndarray | None, of_b: np.ndarray | None, rate: float, decay: float
    ) -> "Parties":
        """Return both after a step, given their gradients (d, p) by dimension; None takes none."""
        a, b = (
            party if gradient is None else party.stepped(gradient.T, rate, decay)
            for party, gradient in ((self.a, of_a), (self.b, of_b))
        )
        return replace(self, a=a, b=b)

    def loss(self, decay: float) -> float:
        """Return the loss by Taylor's expansion."""
        n, u = self.common, self.b.represented()
        margins = self.labels[:n] * (u @ self.direction)
        rest = -self.gamma * (self.a.represented()[:n] * u).sum() / n
        rest += decay / 2 * sum((party.weights**2).sum() for party in (self.a, self.b))
        return float(np.mean(np.log(2) - margins / 2 + margins**2 / 8) + rest)

    def predicted(self, features: np.ndarray) -> np.ndarray:
        """Return what B says of its view of samples (n, p): ±1, (n,)."""
        return np.where(self.b.represented(features) @ self.direction >= 0, 1, -1)


OWN_MEASURES = {"accuracy_alone": Measure("share", "higher", diverged=0.0)}
"""Alone client 1, which has no labels, can but name the more frequent class."""

PROTECTED_MEASURES = {
    "gradient_error": Measure("slope", "lower"),
    "predictions_apart": Measure("share", "lower"),
}
"""Of protected rounds beside open ones from the same start: the largest difference of an element of
a gradient from that of the same weights in the open, and the largest share of test samples of a
round whose predictions differ from those of parties who multiply in the open all along."""

Views = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Both parties' features (n, p) of samples, a column of ones among them, and ±1 for each (n,)."""


def run(job: Job, inputs: Inputs) -> Outcome:
    """Train both parties, one repetition per seed; the score is client 1's."""
    client_data = client_samples(job, inputs)
    ledger = Ledger(method=job.setting.method, store=client_data.provenance["features"])
    repetitions = []
    for seed in job.seeds:
        post = Post(ledger, link_of(job.setting, client_data.block_bits), seed, no_mechanism())
        multiply: Product = Shares(post) if job.setting.protection == "beaver" else plain(post)
        repetition = trained(job, client_data, seed, multiply)
        arrived = {"received": repetition["offered"] if post.arrived(np.arange(2)).any() else 0}
        rounds = range(job.network_training.local_rounds + 1)
        repetitions.append(repetition | arrived | post.totals(rounds))
    measures = MEASURES | OWN_MEASURES
    if job.setting.protection != "plain":
        measures |= PROTECTED_MEASURES
    return Outcome(repetitions, ledger, client_data.provenance, measures)


def trained(job: Job, client_data: ClientSamples, seed: int, multiply: Product) -> dict[str, Any]:
    """Train one repetition by gradient descent; return its record."""
    training = job.network_training
    parties, common = initial_parties(job, client_data, seed)
    _, theirs, classes = _views(client_data.test, client_data.classes)
    curves, steps = Curves(), 0
    in_the_open = InTheOpen(parties) if job.setting.protection != "plain" else None
    for round_number in range(1, training.local_rounds + 1):
        of_b = multiply(parties.matrix_of_b(), parties.numbers_of_a(), 1, round_number)
        of_a = multiply(parties.matrix_of_a(), parties.numbers_of_b(), 0, round_number)
        steps += (of_a is not None) + (of_b is not None)
        if in_the_open is not None:
            in_the_open.step(parties, of_a, of_b, training)
        parties = parties.stepped(of_a, of_b, training.learning_rate, training.weight_decay)
        loss = parties.loss(training.weight_decay)
        predicted = parties.predicted(theirs)
        right = predicted == classes
        if in_the_open is not None:
            in_the_open.compare(predicted, theirs)
        weights = torch.from_numpy(parties.a.weights), torch.from_numpy(parties.b.weights)
        curves.append(loss, None, None, float(right.mean()), digest(weights), right)
    repetition = record(curves, "last")
    blind = max((classes == side).mean() for side in (-1, 1))
    counts = {"offered": common, "seen": common if steps else 0, "clients": 2}
    measured = {"seed": seed, "accuracy_alone": float(blind)}
    privacy = {"privacy": [asdict(no_mechanism())]}
    beside = {} if in_the_open is None else in_the_open.measures()
    return repetition | counts | measured | beside | privacy


@dataclass
class InTheOpen:
    """Two parties without protection, beside protected ones whose messages arrive or not.

    parties: as they are after the rounds so far.
    error: largest difference of an element of a protected gradient.
    apart: largest share of samples of a round whose predictions differ.
    """

    parties: Parties
    error: float = 0.0
    apart: float = 0.0

    def step(
        self, protected: Parties, of_a: np.ndarray | None, of_b: np.ndarray | None,
        training: Training,
    ) -> None:  # fmt: skip
        """Compare a round's gradients with those of the same weights; take the step in the open."""
        for gradient, exact in zip((of_a, of_b), open_gradients(protected), strict=True):
            if gradient is not None:
                self.error = max(self.error, float(np.abs(gradient - exact).max()))
        a, b = (
            None if gradient is None else exact
            for gradient, exact in zip((of_a, of_b), open_gradients(self.parties), strict=True)
        )
        self.parties = self.parties.stepped(a, b, training.learning_rate, training.weight_decay)

    def compare(self, predicted: np.ndarray, theirs: np.ndarray) -> None:
        """Compare what the protected parties predict, (n,), of client 1's view of samples."""
        self.apart = max(self.apart, float((predicted != self.parties.predicted(theirs)).mean()))

    def measures(self) -> dict[str, float]:
        """Return what was found."""
        return {"gradient_error": self.error, "predictions_apart": self.apart}


def open_gradients(parties: Parties) -> tuple[np.ndarray, np.ndarray]:
    """Return both parties' gradients (d, p), multiplied in the open."""
    of_a = np.einsum("dmn,dn->dm", parties.matrix_of_a(), parties.numbers_of_b())
    return of_a, np.einsum("dmn,dn->dm", parties.matrix_of_b(), parties.numbers_of_a())


def initial_parties(job: Job, client_data: ClientSamples, seed: int) -> tuple[Parties, int]:
    """Return both parties with random weights, and the number of their common samples.

    Raises:
        UserError: if the task has fewer samples than are to be common.
    """
    setting, count = job.setting, len(client_data.samples.labels)
    order = stream(seed, "common samples").permutation(count)[: setting.most_samples]
    if setting.common_samples > len(order):
        raise UserError(
            f"secure_ftl on {job.task} is to have {setting.common_samples} common samples of "
            f"{len(order)}; give common_samples at most {len(order)}"
        )
    mine, theirs, classes = _views(client_data.samples.at(order), client_data.classes)
    theirs = theirs[: setting.common_samples]
    a, b = (
        Party(values, _initial(values.shape[1], setting.aligned_dimensions, seed, number))
        for number, values in enumerate((mine, theirs))
    )
    return Parties(a, b, classes, setting.alignment_weight), setting.common_samples


def _initial(width: int, dimensions: int, seed: int, party: int) -> np.ndarray:
    """Return a party's random weights (p, d)."""
    return stream(seed, "init", party).normal(size=(width, dimensions)) / np.sqrt(width)


def _views(samples: Any, classes: int) -> Views:
    """Return what both parties see of samples."""
    everything = samples.at(np.arange(len(samples.labels)))
    values = everything.inputs.flatten(1).cpu().numpy().astype(np.float64)
    ones = np.ones((len(values), 1))
    first, second = (np.hstack([half, ones]) for half in np.array_split(values, 2, axis=1))
    upper = everything.labels.cpu().numpy() >= classes / 2
    return first, second, np.where(upper, 1, -1)
