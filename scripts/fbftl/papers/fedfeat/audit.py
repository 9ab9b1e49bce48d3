"""Audit rows of paper fedfeat: its tables, its setting, its equations and its code."""

import math
from statistics import NormalDist

import pandas as pd

from fbftl.papers.audit import AuditFinding, finding
from fbftl.papers.fedfeat.backbones import DATASETS, round_weight
from fbftl.papers.record import PaperRecord
from fbftl.privacy.feature_noise import epsilon_at_stated_sensitivity, printed_sigma

PARTITIONS = ("iid", "non-iid")
GAINING = ("cifar10", "cifar100", "fmnist")
"""The data sets whose gains the paper states."""


def accuracies(record: PaperRecord) -> pd.DataFrame:
    """Return Tables II and III: a row per setting and data set, a column per method, in %."""
    tables = record.published["tables"]
    shown = tables[tables["table"].isin(["II", "III"])]
    scores = shown.assign(score=shown["printed"].astype(float))
    keys = ["partition", "backbone", "clients", "dataset"]
    return scores.pivot(index=keys, columns="method", values="score")


def metric(record: PaperRecord, quantity: str) -> pd.DataFrame:
    """Return one quantity of Tables IV and V: a row per partition and backbone, by epsilon."""
    tables = record.published["tables"]
    shown = tables[tables["table"].isin(["IV", "V"]) & (tables["quantity"] == quantity)]
    return shown.assign(epsilon=shown["epsilon"].astype(float)).pivot(
        index=["partition", "backbone"], columns="epsilon", values="printed"
    )


def a2(record: PaperRecord) -> AuditFinding:
    """Correlations that Eq. (5) cannot give."""
    printed = metric(record, "feature_correlation")
    first, last = printed.columns.min(), printed.columns.max()
    computed = [_correlation_at(float(weak), first, last) for weak in printed[first]]
    grown = sorted(printed[last].astype(float) / printed[first].astype(float))
    words = {"first": first, "last": last, "times": last / first}
    words |= {"grown": ", ".join(f"{times:.1f}" for times in grown)}
    return finding(list(printed[last]), computed, "{:.4f}", **words)


def _correlation_at(correlation: float, epsilon: float, other: float) -> float:
    """Return s / sqrt(s^2 + sigma^2) at another epsilon, sigma being inverse to it."""
    ratio = correlation / math.sqrt(1 - correlation**2) * other / epsilon
    return ratio / math.sqrt(1 + ratio**2)


def a4(record: PaperRecord) -> AuditFinding:
    """The headline runs have noise, the code has none."""
    noised = metric(record, "accuracy")
    strongest = noised.columns.max()
    headline = accuracies(record)["FedFeat+"].xs((10, "cifar10"), level=("clients", "dataset"))
    published = [f"{headline[key]:.2f}" for key in noised.index]
    mechanisms = record.number("script", quantity="noise_mechanisms")
    computed = list(map(float, noised[strongest]))
    return finding(published, computed, "{:.2f}", strongest=strongest, mechanisms=mechanisms)


def a6(record: PaperRecord) -> AuditFinding:
    """Consistently."""
    scores = accuracies(record)
    lost = (scores["FedFeat+"] < scores["FedAvg"]).groupby("partition").sum()
    stated = record.number("statements", quantity="cells_lost_to_fedavg")
    few, none = (int(lost[partition]) for partition in PARTITIONS)
    shown = f"few; {stated}", f"{few}; {none}"
    return finding([stated], [none], shown=shown, cells=len(scores) // 2)


def _greatest_gains(record: PaperRecord) -> list[float]:
    """Return the greatest gain over FedAvg by partition and data set, with the CNN."""
    scores = accuracies(record)
    gains = (scores["FedFeat+"] - scores["FedAvg"]).xs("cnn", level="backbone")
    greatest = gains.groupby(["partition", "dataset"]).max()
    return [round(greatest[part, data], 2) for part in PARTITIONS for data in GAINING]


def _stated(record: PaperRecord, beginning: str) -> list[str]:
    text = record.numbers("statements")
    return [str(text[f"{beginning}_{part}_{data}"]) for part in PARTITIONS for data in GAINING]


def a7(record: PaperRecord) -> AuditFinding:
    """Gains "up to" that the tables exceed."""
    greatest = str(record.number("statements", quantity="greatest_gain"))
    gains = _greatest_gains(record)
    return finding([*_stated(record, "gain"), greatest], [*gains, max(gains)], "{:.2f}")


def a8(record: PaperRecord) -> AuditFinding:
    """The conclusion's round numbers."""
    return finding(_stated(record, "concluded_gain"), _greatest_gains(record), "{:.2f}")


def a9(record: PaperRecord) -> AuditFinding:
    """A divergence that is said to rise and falls."""
    stated = record.number("statements", quantity="direction_of_kl_with_epsilon")
    printed = metric(record, "kl_divergence").loc["non-iid"].astype(float)
    change = printed[printed.columns.max()] - printed[printed.columns.min()]
    computed = [int(math.copysign(1, value)) for value in change]
    return finding([stated] * len(computed), computed, "{:+d}", printed="+{}")


def a15(record: PaperRecord) -> AuditFinding:
    """Fashion-MNIST accuracies that equal MNIST's."""
    cnn = accuracies(record).xs("cnn", level="backbone").unstack("dataset")
    gaps = (cnn[method]["mnist"] - cnn[method]["fmnist"] for method in ("FedFeat+", "FedAvg"))
    printed, usual = ([of.min(), of.max()] for of in gaps)
    shown = [f"{bound:.2f}" for bound in printed]
    return finding(shown, list(map(float, usual)), "{:.2f}", between=" to ")


DELTAS = (1e-3, 1e-5, 1e-7)
"""What delta may be where nobody says; the second is this project's in the paper's studies."""

TRAINING_SAMPLES = 60_000
"""Of MNIST and Fashion-MNIST."""

TEST_SAMPLES = 10_000
"""Of each of the four data sets."""


def a1(record: PaperRecord) -> AuditFinding:
    """A guarantee without its delta."""
    epsilon = record.number("statements", quantity="epsilon_cifar10")
    sigmas = [printed_sigma(float(epsilon), delta) for delta in DELTAS]
    deltas = ", ".join(f"{delta:g}" for delta in DELTAS)
    return finding("δ not stated", sigmas, "{:.2f}", epsilon=epsilon, deltas=deltas)


def a3(record: PaperRecord) -> AuditFinding:
    """Clients in paper and code."""
    text, script = record.numbers("statements"), record.numbers("script")
    stated, each = text["clients"], text["shards_per_client"] * text["samples_per_shard"]
    words = {
        "taken": int(stated * each),
        "samples": TRAINING_SAMPLES,
        "clients": script["clients"],
        "in_a_round": script["clients_per_round"],
    }
    return finding([stated], [TRAINING_SAMPLES // int(each)], **words)


def a5(record: PaperRecord) -> AuditFinding:
    """Normalisation and one more pass in the code."""
    stated, in_code = (
        record.number(table, quantity="normalisation_layers") for table in ("statements", "script")
    )
    passes = record.number("script", quantity="passes_for_features")
    return finding([stated], [int(in_code)], passes=passes)


def a10(record: PaperRecord) -> AuditFinding:
    """The norm of the noise."""
    quantity = "noise_norm_over_sigma_is_width_to_the_power"
    stated = record.number("statements", quantity=quantity)
    width = round_weight("cnn", "cifar10", 1)["width"]
    # E|n| = sigma sqrt(2) Gamma((d + 1) / 2) / Gamma(d / 2).
    norm = math.sqrt(2) * math.exp(math.lgamma((width + 1) / 2) - math.lgamma(width / 2))
    return finding([width ** int(stated)], [norm], "{:.1f}", printed="{:,}", width=width)


def a11(record: PaperRecord) -> AuditFinding:
    """Grey images of CIFAR."""
    stated = record.number("statements", quantity="input_channels")
    return finding([stated], [DATASETS["cifar10"][0][2]])


def a12(record: PaperRecord) -> AuditFinding:
    """What the noise would give if features were bounded."""
    text = record.numbers("statements")
    epsilon, rounds = text["epsilon_cifar10"], int(text["rounds_at_least"])
    sigma = printed_sigma(float(epsilon), DELTAS[1])
    computed = [
        epsilon_at_stated_sensitivity(sigma, DELTAS[1], releases) for releases in (1, rounds)
    ]
    return finding([epsilon] * 2, computed, "{:.3g}", rounds=rounds)


def a14(record: PaperRecord) -> AuditFinding:
    """Rounds picked by the test set."""
    rounds = int(record.number("statements", quantity="rounds_at_least"))
    cell = {"table": "II", "backbone": "cnn", "clients": 10, "method": "FedFeat+"}
    printed = record.number("tables", dataset="cifar10", **cell)
    share = float(printed) / 100
    error = 100 * math.sqrt(share * (1 - share) / TEST_SAMPLES)
    # The mean of the greatest of so many normal numbers, after Blom.
    added = error * NormalDist().inv_cdf((rounds - 0.375) / (rounds + 0.25))
    maximum = f"maximum of at least {rounds} rounds, by the test set"
    words = {"rounds": rounds, "accuracy": printed, "images": TEST_SAMPLES}
    return finding(maximum, [added], "{:.1f}", **words)


def a16(record: PaperRecord) -> AuditFinding:
    """Weights that sum to 1/N."""
    clients = sorted(set(record.published["tables"]["clients"]))
    stated = record.number("statements", quantity="sum_of_weights")
    # 1 / N in front of shares |D_i| / |D| that sum to 1 themselves.
    sums, sizes = [1 / count for count in clients], " and ".join(map(str, clients))
    return finding([stated] * len(sums), sums, "{:.2g}", sizes=sizes)


def a17(record: PaperRecord) -> AuditFinding:
    """Another step of the server, and another batch at the clients, in the code."""
    script = record.numbers("script")
    stated = record.number("statements", quantity="learning_rate")
    names = ("server_epochs", "server_batch", "local_batch", "configured_batch")
    in_code = float(script["server_learning_rate"])
    return finding([stated], [in_code], **{name: script[name] for name in names})
