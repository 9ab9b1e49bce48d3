"""What sentences about DP-SGD (paper survey, experiment 2) compare: the CNN, by epsilon."""

from collections.abc import Mapping
from itertools import pairwise

from fbftl.papers.quantities import ByPart, accuracies, measures

CLEAN = {"method": "fl", "network": "mnist_example"}
NOISY = CLEAN | {"mechanism": "dp_fedavg"}

# An epsilon is for a sample; from the strictest to no noise.
SENTENCES: Mapping[str, ByPart] = {
    "s-05": {
        f"{less:g}": accuracies(
            NOISY | {"epsilon": less}, CLEAN if more is None else NOISY | {"epsilon": more}
        )
        for less, more in pairwise((1.0, 4.0, 16.0, None))
    },
    # 75 % is reached under every one of them in the longest curves, and by none at once.
    "s-06": {
        f"{epsilon:g}": measures("epochs_to_75", CLEAN, NOISY | {"epsilon": epsilon})
        for epsilon in (16.0, 4.0, 1.0)
    },
}
