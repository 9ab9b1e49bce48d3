"""Findings about paper fedfeat's setting, its equations and its code."""

import math
from statistics import NormalDist

import pandas as pd

from fbftl.findings.published import Numbers, lookup
from fbftl.papers.audit import AuditRow, finding
from fbftl.papers.fedfeat.backbones import DATASETS, round_weight
from fbftl.privacy.feature_noise import epsilon_at_stated_sensitivity, printed_sigma

DELTAS = (1e-3, 1e-5, 1e-7)
"""What delta may be where nobody says; the second is this project's in the paper's studies."""

TRAINING_SAMPLES = 60_000
"""Of MNIST and Fashion-MNIST."""

TEST_SAMPLES = 10_000
"""Of each of the four data sets."""


def a1(text: Numbers) -> AuditRow:
    """A guarantee without its delta."""
    epsilon = text["epsilon_cifar10"]
    sigmas = [printed_sigma(float(epsilon), delta) for delta in DELTAS]
    deltas = ", ".join(f"{delta:g}" for delta in DELTAS)
    return finding("A1", "δ not stated", sigmas, "{:.2f}", epsilon=epsilon, deltas=deltas)


def a3(text: Numbers, script: Numbers) -> AuditRow:
    """Clients in paper and code."""
    stated = text["clients"]
    each = text["shards_per_client"] * text["samples_per_shard"]
    computed = TRAINING_SAMPLES // int(each)
    words = {
        "taken": int(stated * each),
        "samples": TRAINING_SAMPLES,
        "clients": script["clients"],
        "in_a_round": script["clients_per_round"],
    }
    return finding("A3", [stated], [computed], **words)


def a5(text: Numbers, script: Numbers) -> AuditRow:
    """Normalisation and one more pass in the code."""
    stated, in_code = (of["normalisation_layers"] for of in (text, script))
    passes = script["passes_for_features"]
    return finding("A5", [stated], [int(in_code)], passes=passes)


def a10(text: Numbers) -> AuditRow:
    """The norm of the noise."""
    stated = text["noise_norm_over_sigma_is_width_to_the_power"]
    width = round_weight("cnn", "cifar10", 1).width
    # E|n| = sigma sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2).
    norm = math.sqrt(2) * math.exp(math.lgamma((width + 1) / 2) - math.lgamma(width / 2))
    return finding("A10", [width ** int(stated)], [norm], "{:.1f}", printed="{:,}", width=width)


def a11(text: Numbers) -> AuditRow:
    """Grey images of CIFAR."""
    stated = text["input_channels"]
    channels = DATASETS["cifar10"][0][2]
    return finding("A11", [stated], [channels])


def a12(text: Numbers) -> AuditRow:
    """What the noise would give if features were bounded."""
    epsilon = text["epsilon_cifar10"]
    rounds = int(text["rounds_at_least"])
    sigma = printed_sigma(float(epsilon), DELTAS[1])
    computed = [
        epsilon_at_stated_sensitivity(sigma, DELTAS[1], releases) for releases in (1, rounds)
    ]
    return finding("A12", [epsilon] * 2, computed, "{:.3g}", rounds=rounds)


def a14(tables: pd.DataFrame, text: Numbers) -> AuditRow:
    """Rounds picked by the test set."""
    rounds = int(text["rounds_at_least"])
    printed = lookup(
        tables, table="II", backbone="cnn", clients=10, method="FedFeat+", dataset="cifar10"
    )
    share = float(printed) / 100
    error = 100 * math.sqrt(share * (1 - share) / TEST_SAMPLES)
    # The mean of the greatest of so many normal numbers, after Blom.
    added = error * NormalDist().inv_cdf((rounds - 0.375) / (rounds + 0.25))
    maximum = f"maximum of at least {rounds} rounds, by the test set"
    words = {"rounds": rounds, "accuracy": printed, "images": TEST_SAMPLES}
    return finding("A14", maximum, [added], "{:.1f}", **words)


def a16(tables: pd.DataFrame, text: Numbers) -> AuditRow:
    """Weights that sum to 1/N."""
    sizes = sorted(set(tables["clients"]))
    stated = text["sum_of_weights"]
    # 1 / N in front of shares |D_i| / |D| that sum to 1 themselves.
    sums = [1 / clients for clients in sizes]
    return finding(
        "A16", [stated] * len(sizes), sums, "{:.2g}", sizes=" and ".join(map(str, sizes))
    )


def a17(text: Numbers, script: Numbers) -> AuditRow:
    """Another step of the server, and another batch at the clients, in the code."""
    stated = text["learning_rate"]
    in_code = script["server_learning_rate"]
    names = ("server_epochs", "server_batch", "local_batch", "configured_batch")
    words = {name: script[name] for name in names}
    return finding("A17", [stated], [float(in_code)], **words)
