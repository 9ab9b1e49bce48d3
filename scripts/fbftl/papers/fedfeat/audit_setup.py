"""Findings about paper fedfeat's setting, its equations and its code."""

import math
from statistics import NormalDist

import pandas as pd

from fbftl.findings.published import lookup
from fbftl.papers.audit import AuditRow, judged
from fbftl.papers.fedfeat.backbones import DATASETS, round_weight
from fbftl.privacy.feature_noise import epsilon_at_stated_sensitivity, printed_sigma

DELTAS = (1e-3, 1e-5, 1e-7)
"""What delta may be where nobody says; the second is this project's in the paper's studies."""

TRAINING_SAMPLES = 60_000
"""Of MNIST and Fashion-MNIST."""

TEST_SAMPLES = 10_000
"""Of each of the four data sets."""


def a1(statements: pd.DataFrame) -> AuditRow:
    """A guarantee without its delta."""
    epsilon = lookup(statements, quantity="epsilon_cifar10")
    sigmas = [printed_sigma(float(epsilon), delta) for delta in DELTAS]
    return AuditRow(
        "A1",
        f"Eq. (5), Sec. VIII-A, ε = {epsilon}",
        "δ not stated",
        "; ".join(f"{sigma:.2f}" for sigma in sigmas),
        "σ of the noise",
        judged([], sigmas),
        f"At δ = {', '.join(f'{delta:g}' for delta in DELTAS)}: Eq. (5) needs it, and no table, "
        "figure or line of the setup has it.",
    )


def a3(statements: pd.DataFrame, script: pd.DataFrame) -> AuditRow:
    """Clients in paper and code."""
    stated = lookup(statements, quantity="clients")
    each = lookup(statements, quantity="shards_per_client") * lookup(
        statements, quantity="samples_per_shard"
    )
    computed = TRAINING_SAMPLES // int(each)
    return AuditRow(
        "A3",
        "Sec. VIII-A, clients of MNIST",
        str(stated),
        str(computed),
        "clients",
        judged([stated], [computed]),
        f"Two shards of 300 for each of 10 clients are {int(stated * each):,} of "
        f"{TRAINING_SAMPLES:,} samples; the code has {lookup(script, quantity='clients')} clients "
        f"and samples {lookup(script, quantity='clients_per_round')} or 50 of them in a round.",
    )


def a5(statements: pd.DataFrame, script: pd.DataFrame) -> AuditRow:
    """Normalisation and one more pass in the code."""
    stated, found = (lookup(of, quantity="normalisation_layers") for of in (statements, script))
    passes = lookup(script, quantity="passes_for_features")
    return AuditRow(
        "A5",
        "Table I, layers of normalisation in the CNN",
        str(stated),
        str(found),
        "layers",
        judged([stated], [int(found)]),
        f"The code normalises after both convolutions, and extracts in {passes} further pass in "
        "train mode, so that a sample's features depend on the batch that it is in; the paper "
        "sends those of the last local epoch.",
    )


def a10(statements: pd.DataFrame) -> AuditRow:
    """The norm of the noise."""
    stated = lookup(statements, quantity="noise_norm_over_sigma_is_width_to_the_power")
    width = round_weight("cnn", "cifar10", 1).width
    # E|n| = sigma sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2).
    norm = math.sqrt(2) * math.exp(math.lgamma((width + 1) / 2) - math.lgamma(width / 2))
    return AuditRow(
        "A10",
        f"Eq. (29), d = {width:,}",
        f"{width ** int(stated):,}",
        f"{norm:.1f}",
        "times σ",
        judged([width ** int(stated)], [norm]),
        "The expected norm of d normal numbers is about √d σ, as the paper's own Eq. (16) has it.",
    )


def a11(statements: pd.DataFrame) -> AuditRow:
    """Grey images of CIFAR."""
    stated = lookup(statements, quantity="input_channels")
    channels = DATASETS["cifar10"][0][2]
    return AuditRow(
        "A11",
        "Table I, first convolution, CIFAR-10 and CIFAR-100",
        str(stated),
        str(channels),
        "channels",
        judged([stated], [channels]),
        "Two of the four data sets have colours.",
    )


def a12(statements: pd.DataFrame) -> AuditRow:
    """What the noise would give if features were bounded."""
    epsilon = lookup(statements, quantity="epsilon_cifar10")
    rounds = int(lookup(statements, quantity="rounds_at_least"))
    sigma = printed_sigma(float(epsilon), DELTAS[1])
    computed = [epsilon_at_stated_sensitivity(sigma, DELTAS[1], turns) for turns in (1, rounds)]
    return AuditRow(
        "A12",
        f"Eq. (5), ε of one release and of {rounds} rounds",
        "; ".join([str(epsilon)] * 2),
        "; ".join(f"{value:.3g}" for value in computed),
        "ε",
        judged([epsilon] * 2, computed),
        "Exactly, at δ = 1e-5 and if a sample moved its features by 1 at most, which nothing "
        "ensures: one release is better than stated, and all rounds release the same samples.",
    )


def a14(tables: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """Rounds picked by the test set."""
    rounds = int(lookup(statements, quantity="rounds_at_least"))
    printed = lookup(
        tables, table="II", backbone="cnn", clients=10, method="FedFeat+", dataset="cifar10"
    )
    share = float(printed) / 100
    error = 100 * math.sqrt(share * (1 - share) / TEST_SAMPLES)
    # The mean of the greatest of so many normal numbers, after Blom.
    added = error * NormalDist().inv_cdf((rounds - 0.375) / (rounds + 0.25))
    return AuditRow(
        "A14",
        "Tables II and III, maximum accuracy",
        f"maximum of at least {rounds} rounds, by the test set",
        f"{added:.1f}",
        "points that such a maximum adds by chance at most",
        judged([], [added]),
        f"Of {rounds} models that are equally good at {printed} %, each tested on other "
        f"{TEST_SAMPLES:,} images; the same images for all, and models alike from round to round, "
        "make it less. Here the last round counts, and the maximum stands beside it.",
    )


def a16(tables: pd.DataFrame, statements: pd.DataFrame) -> AuditRow:
    """Weights that sum to 1/N."""
    sizes = sorted(set(tables["clients"]))
    stated = lookup(statements, quantity="sum_of_weights")
    # 1 / N in front of shares |D_i| / |D| that sum to 1 themselves.
    sums = [1 / clients for clients in sizes]
    return AuditRow(
        "A16",
        f"Eq. (8), {' and '.join(map(str, sizes))} clients",
        "; ".join([str(stated)] * len(sizes)),
        "; ".join(f"{total:.2g}" for total in sums),
        "sum of the aggregation weights",
        judged([stated] * len(sizes), sums),
        "1/N and |D_i|/|D| normalise twice: the average of the models shrinks by the number of "
        "clients.",
    )


def a17(statements: pd.DataFrame, script: pd.DataFrame) -> AuditRow:
    """Another step of the server, and another batch at the clients, in the code."""
    stated = lookup(statements, quantity="learning_rate")
    found = lookup(script, quantity="server_learning_rate")
    epochs, batch, local, configured = (
        lookup(script, quantity=name)
        for name in ("server_epochs", "server_batch", "local_batch", "configured_batch")
    )
    return AuditRow(
        "A17",
        "Sec. VIII-A, rate of the server that retrains",
        str(stated),
        str(found),
        "per step",
        judged([stated], [float(found)]),
        f"The paper has Adam; the code SGD, {epochs} epochs and batches of {batch}. Its clients "
        f"train in batches of {local} (32 for non-iid CIFAR-100): the configuration's {configured} "
        "is never read.",
    )
