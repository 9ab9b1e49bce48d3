"""What the sentence about DP-SGD (paper survey, experiment 2) compares: the CNN, by epsilon."""

from collections.abc import Mapping
from itertools import pairwise

from fbftl.papers.quantities import ByPart, accuracies

CLEAN = {"method": "fl", "network": "mnist_example"}
NOISY = CLEAN | {"mechanism": "dp_fedavg"}

# An epsilon is for a sample; from the strictest to no noise.
SENTENCES: Mapping[str, ByPart] = {
    "s-05": {
        f"{less:g}": accuracies(
            NOISY | {"epsilon": less}, CLEAN if more is None else NOISY | {"epsilon": more}
        )
        for less, more in pairwise((1.0, 4.0, 16.0, None))
    }
}
