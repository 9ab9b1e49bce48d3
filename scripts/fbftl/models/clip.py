"""A layer that bounds what leaves it: each sample's features clipped to an L2 norm."""

from torch import Tensor, nn


class Clip(nn.Module):
    """Scales down samples (n, ...) that are longer than a norm; for training and testing alike.

    Args:
        norm: the longest that a sample's features are.
    """

    def __init__(self, norm: float) -> None:
        super().__init__()
        # Products are rounded to 32 bits, so aim just below what a guarantee assumes.
        self.norm = norm * (1 - 1e-6)

    def forward(self, features: Tensor) -> Tensor:
        """Return features of which none is longer."""
        lengths = features.flatten(1).norm(dim=1).clamp_min(self.norm)
        return features * (self.norm / lengths).view(-1, *[1] * (features.ndim - 1))
