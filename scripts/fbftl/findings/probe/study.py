"""The study's own calls that train nothing: codec, channel, partition, accounts, solved heads."""

from collections.abc import Callable
from typing import Any

import numpy as np

from fbftl.data.partition import partition
from fbftl.findings.probe.inputs import floats, integers, numbers
from fbftl.messages.channel import BurstLoss, IndependentLoss, transmit
from fbftl.messages.codec.compression import Compression
from fbftl.messages.codec.decoder import decode
from fbftl.messages.codec.encoder import encode, encode_each
from fbftl.messages.codec.entropy import entropy_bits, log2_choices
from fbftl.messages.feedback import compress_with_feedback, memory
from fbftl.messages.statistics import LabelledRows, Statistics
from fbftl.methods.ecos.coverage import clustered, farthest_first
from fbftl.methods.one_shot.mixtures import Fitting
from fbftl.privacy import accounting, composition, masking, noise, schedules
from fbftl.privacy.label_privacy import batch_entropy
from fbftl.training.closed_form import LinearHead, fed3r, fedcgs, fedncm, lda, ridge
from fbftl.training.logistic import logistic

CLASSES = 5


def _rows(count: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Return samples (count, width) float32 that lie around their classes, and their labels."""
    classes, centres = integers(CLASSES, count), floats(CLASSES, width, draw=1)
    return centres[classes] + floats(count, width), classes


def _codec() -> list[Any]:
    values, labels = floats(9, 257) / 3, integers(10, 9)
    values[2, ::3] = values[2, 0]  # equal magnitudes at the border of what is kept
    pairs = [Compression(bits, keep) for bits in (1, 4, 8, 16, 32) for keep in (0.1, 1.0)]
    messages = [
        encode(values, labels, 10, pair, coding)
        for pair in pairs
        for coding in ("packed", "entropy")
    ]
    each = [encode_each(values, labels, 10, pair)[1] for pair in pairs]
    counts = integers(50, 16)
    return [messages, [decode(message).values for message in messages], each,
            entropy_bits(counts), log2_choices(500, 77)]  # fmt: skip


def _feedback() -> list[Any]:
    state = memory(4, 300)
    for draw in range(3):
        sent = compress_with_feedback(
            floats(3, 300, draw=draw) / 3, state, np.array([0, 2, 3]), Compression(4, 0.1)
        )
    return [state, sent.values]


def _channel() -> list[Any]:
    blocks, random = integers(30, 500), np.random.default_rng(1)
    sent = [
        transmit(blocks, channel, 2, random)
        for channel in (IndependentLoss(0.1), BurstLoss(0.1, 5))
    ]
    return [[part.lost, part.attempts] for part in sent]


def _partition() -> list[Any]:
    labels = integers(10, 500)
    kinds = [
        {"partition": "iid", "clients": 20},
        {"partition": "shards", "clients": 20, "shards_per_client": 2},
        {"partition": "dirichlet", "clients": 20, "alpha": 0.3},
        {"partition": "dirichlet_equal", "samples_per_client": 25, "alpha": 0.3},
    ]
    return [
        partition(labels, {"clients": None, "samples_per_client": None} | kind, 3) for kind in kinds
    ]


def _accounts() -> list[Any]:
    """ε and noise of single releases, of sampled rounds by PLD, and of several kinds together."""
    events = [
        composition.gaussian(3.0, 4),
        composition.pure(0.1, 5),
        composition.rounds(3.0, 0.1, 4),
    ]
    zero = [accounting.gaussian_epsilon(s, 1e-6) for s in (0.5, 1.0, 7.3)]
    return [*zero, accounting.gaussian_sigma(1.5, 1e-6), accounting.loose_zcdp_rho(1.5, 1e-6),
            accounting.rounds_epsilon(3.0, 1e-5, rate=0.05, rounds=10),
            composition.compose(events, 1e-5, "add-remove").epsilon,
            accounting.gaussian_delta(1.3, 0.7)]  # fmt: skip


def _noise() -> list[Any]:
    values, drawn = floats(20, 33), noise.sample_noise(3, np.arange(20), 33)
    schedule = schedules.named("dynamic", 3.0, 40, 0.3, 0.9)
    fitted = schedules.fitted_gamma(40, np.arange(1, 9), 0.9 ** np.arange(8.0), np.full(8, 0.01))
    answers = noise.respond(integers(5, 20), np.arange(20), epsilon=1.0, classes=5, seed=3)
    ring = masking.to_ring(values.ravel())
    return [noise.clip_rows(values, 3.0), noise.relative_range(values), drawn, answers, schedule,
            noise.add_relative(values, drawn, sigma=0.1, relative_range=3.3), fitted, ring,
            masking.from_ring(ring), batch_entropy(np.full(10, 0.1), 50),
            noise.noisy_sum(values, noise_std=0.3, seed=1, round_number=2)]  # fmt: skip


def _head(head: LinearHead) -> list[Any]:
    values, _ = _rows(90, 24)
    return [head.weights, head.bias, head.scores(values)]


def _solved_heads() -> list[Any]:
    """Heads in closed form, with the regularisation chosen on held-out samples."""
    values, labels = _rows(300, 24)
    kept = Statistics.of(values[:240], labels[:240], CLASSES)
    held_out = Statistics.of(values[240:], labels[240:], CLASSES)
    ratios = (1e-3, 1e-1, 1.0)
    solved = [ridge(kept, ratios, held_out), fed3r(kept, ratios), lda(kept, (0.1, 0.5), held_out)]
    solved += [fedcgs(kept), fedncm(kept.counts, kept.sums)]
    scarce = Statistics.of(values[:10], labels[:10], CLASSES)
    return [_head(part.head) for part in (*solved, ridge(scarce, (0.0,)))]


def _logistic_heads() -> list[Any]:
    values, labels = _rows(200, 24)
    rows = LabelledRows(values[:150], labels[:150], np.zeros(150, dtype=np.int64))
    held_out = LabelledRows(values[150:], labels[150:], np.zeros(50, dtype=np.int64))
    solved = logistic(rows, CLASSES, (1e-3, 1e-2), held_out)
    return [solved.regularisation, *_head(solved.head)]


def _mixtures() -> list[Any]:
    values, _ = _rows(80, 12)
    random = np.random.default_rng(1)
    mixture = Fitting(1e-3).fitted(values, 3, random)
    round_ = Fitting(1e-3, spherical=True).fitted(values, 2, random)
    return [mixture.rows(), round_.rows(), mixture.draw(20, random), mixture.log_likelihood(values)]


def _coverage() -> list[Any]:
    values, _ = _rows(200, 16)
    clusters = clustered(values, 9, 1)
    return [clusters.centroids, clusters.member, farthest_first(values, 20, 3), numbers(3)]


OPERATIONS: dict[str, Callable[[], Any]] = {
    "codec": _codec,
    "feedback": _feedback,
    "channel": _channel,
    "partition": _partition,
    "accounts": _accounts,
    "noise": _noise,
    "solved-heads": _solved_heads,
    "logistic-heads": _logistic_heads,
    "mixtures": _mixtures,
    "coverage": _coverage,
}
"""Every operation by its name."""
