"""Two parties that hold parts of the same samples: representations, Taylor loss, its gradients.

Liu et al. (2020), the framework that paper survey describes in Sec. 4.1.3. Party A has features and
labels y = ±1 of its samples, party B other features of the few that they have in common, and each a
network u = tanh(x W). B's samples are classified by phi = Phi · u_B with Phi the mean of y u_A. The
loss, a mean over the N common samples, is

    sum ln(1 + exp(-y phi)) - gamma sum u_A · u_B + N lambda / 2 (|W_A|^2 + |W_B|^2)

with ln(1 + exp(-a)) = ln 2 - a/2 + a^2/8 up to second order. So every gradient is a matrix of the
one party times numbers of the other, for each dimension k of the representation: no party needs
the other's numbers, only their products with its own.
"""

from dataclasses import dataclass, replace

import numpy as np


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

    def losses(self, decay: float) -> tuple[float, float]:
        """Return the loss by Taylor's expansion, and the exact one."""
        n, u = self.common, self.b.represented()
        margins = self.labels[:n] * (u @ self.direction)
        rest = -self.gamma * (self.a.represented()[:n] * u).sum() / n
        rest += decay / 2 * sum((party.weights**2).sum() for party in (self.a, self.b))
        taylor = np.mean(np.log(2) - margins / 2 + margins**2 / 8)
        return float(taylor + rest), float(np.mean(np.logaddexp(0, -margins)) + rest)

    def predicted(self, features: np.ndarray) -> np.ndarray:
        """Return what B says of its view of samples (n, p): ±1, (n,)."""
        return np.where(self.b.represented(features) @ self.direction >= 0, 1, -1)
