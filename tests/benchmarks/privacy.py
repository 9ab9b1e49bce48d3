"""Times of the privacy pieces on this machine: `python tests/benchmarks/privacy.py`."""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "scripts"), str(ROOT / "scripts" / "figures")]

import numpy as np  # noqa: E402
import plot_label_privacy  # noqa: E402
import torch  # noqa: E402
from fbftl.attacks.inversion import train_decoder  # noqa: E402
from fbftl.methods.private_gd.descent import Descent, OwnSamples, descend  # noqa: E402
from fbftl.models.heads import stacked  # noqa: E402
from fbftl.privacy.accounting import gaussian_sigma, rounds_sigma  # noqa: E402
from fbftl.privacy.label_privacy import batch_entropy, queried_entropy, uniform  # noqa: E402
from fbftl.privacy.noise import sample_noise  # noqa: E402

FIGURE = {
    "classes": 10,
    "total_samples": [5_000, 50_000, 100_000],
    "samples_per_client": list(range(1, 17)),
    "lemma_samples_per_client": [4, 8],
    "lemma_clients": [100, 300, 1_000, 3_000, 10_000, 30_000, 100_000],
    "repetitions": 5,
    "seed": 0,
}


def descent() -> tuple[int, ...]:
    """Descend with 25 stacked heads of 64 hidden units on 200 rows of 64 numbers, 100 steps."""
    rng, seeds = np.random.default_rng(0), range(25)
    x = torch.from_numpy(rng.standard_normal((200, 64), dtype=np.float32))
    labels = torch.from_numpy(rng.integers(2, size=200))
    done = descend(
        lambda some: stacked([64, 64, 1], some, torch.device("cpu")),
        OwnSamples(x, labels, [np.arange(200)] * 25),
        seeds,
        Descent(np.full((100, 25), 16.0), 4.0, 0.1),
    )
    return done.losses.shape


def main() -> None:
    """Print one line per piece: what, its value where it has one, seconds."""
    rng = np.random.default_rng(0)
    features, inputs = rng.random((900, 256)), rng.random((900, 8, 8))
    published = ROOT / "published" / "fbftl" / "fig11.csv"
    with tempfile.TemporaryDirectory() as folder:
        svg = Path(folder) / "label_privacy.svg"
        pieces: list[tuple[str, Callable[[], object]]] = [
            ("H(B|P_y), N = 10, K = 1,000", lambda: batch_entropy(uniform(10), 1000)),
            ("H(B|C_U), UK = 50,000, K = 8", lambda: queried_entropy(uniform(10), 8, 6250)),
            ("H(B|C_U), UK = 50,000, K = 16", lambda: queried_entropy(uniform(10), 16, 3125)),
            (
                "H(B|C_U), UK = 10^7, K = 8, one draw",
                lambda: queried_entropy(uniform(10), 8, 1_250_000, repetitions=1),
            ),
            ("figure 11", lambda: plot_label_privacy.main(published, svg, FIGURE)),
            ("exact Gaussian sigma, epsilon = 1", lambda: gaussian_sigma(1, 1e-6)),
            (
                "PLD sigma, C = 0.1, I = 100, epsilon = 4",
                lambda: rounds_sigma(4, 1e-6, rate=0.1, rounds=100),
            ),
            (
                "noise of 10,000 samples x 256",
                lambda: sample_noise(0, np.arange(10_000), 256).shape,
            ),
            ("25 descents of 100 steps on 200 rows", descent),
            (
                "inversion decoder, 900 samples, 256 features",
                lambda: train_decoder(features, inputs, seed=0, noise_std=1.0).shape,
            ),
        ]
        for name, piece in pieces:
            start = time.perf_counter()
            value = piece()
            print(f"{name:48} {time.perf_counter() - start:8.3f} s  {value}")


if __name__ == "__main__":
    main()
