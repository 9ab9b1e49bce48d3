"""How pages and figures write the axes of a setting: in words, with their values."""

import re
from collections.abc import Mapping
from typing import Any

from fbftl.findings.uploads import HEADS, WORDS

AS_TASK = "the task's own"
"""What is written of clients where a setting leaves them as they are."""

SENTENCES = {
    "adaptation_epochs": "{} epochs of adaptation",
    "adversary": "{} adversarial loss",
    "alignment_weight": "alignment {}",
    "alpha": "α = {}",
    "cka_estimator": "{} similarity",
    "client_part": "clients hold up to {}",
    "client_rate": "rate {}",
    "clients": "{} clients",
    "common_samples": "{} common samples",
    "clients_per_round": "{} clients per round",
    "components": "G = {}",
    "coral_weight": "CORAL {}",
    "covariance": "{} covariance",
    "cut": "cut at {}",
    "descent_momentum": "momentum {}",
    "digest_rate": "digest rate {}",
    "distillation_weight": "teachers' weight {}",
    "epsilon": "ε = {}",
    "kept_gradients": "{} gradients kept",
    "local_epochs": "{} local epochs",
    "majority_users": "m = {}",
    "most_samples": "at most {} samples",
    "purchase_rule": "{} purchases",
    "samples_per_client": "K = {}",
    "schedule": "{} schedule",
    "seed_samples": "{} seed samples",
    "server_epochs": "{} server epochs",
    "server_rate": "server's rate {}",
    "server_step": "{} server step",
    "transfer_epochs": "{} epochs of transfer",
    "vote_candidates": "{} candidates",
    "vote_round": "vote in round {}",
}
"""What is written of an axis, around its value."""

VALUES = {
    **{("message", message): text for message, text in WORDS.items()},
    **{("head", head): text for head, text in HEADS.items()},
    ("aggregation", "masked"): "masked averages",
    ("clients", "1"): "one client",
    ("components", "0"): "G chosen",
    ("feedback", "False"): "no error feedback",
    ("head", "ridge"): "ridge regression",
    ("initial_weights", "common"): "a common start",
    ("initial_weights", "own"): "starts of their own",
    ("kept_gradients", "hook"): "large gradients dropped",
    ("laplace_sensitivity", "channel_maximum"): "Laplace noise by channel",
    ("laplace_sensitivity", "clip"): "Laplace noise, clipped",
    ("loss", "reshuffled"): "loss reshuffled",
    ("mask_shape", "scalar"): "one mask for all weights",
    ("network", "cnn"): "CNN",
    ("network", "cnn_one"): "CNN, one-layer classifier",
    ("network", "mlp"): "MLP",
    ("network", "mlp_two"): "MLP, two-layer classifier",
    ("noise_draw", "redrawn"): "noise drawn every epoch",
    ("partition", "balanced_shards"): "balanced shards",
    ("partition", "shards"): "two labels per client",
    ("protection", "beaver"): "in shares",
    ("protection", "plain"): "unprotected",
    ("public_data", "target"): "open samples",
    ("purchase_rule", "kcenter"): "K-Center's purchases",
    ("rescaled_init", "True"): "rescaled initial weights",
    ("schedule", "exp"): "exponential schedule",
    ("selection_reading", "code"): "selection as the code has it",
    ("server_optimiser", "adam"): "Adam at the server",
    ("server_optimiser", "momentum"): "momentum at the server",
    ("start", "means"): "from class means",
    ("start", "random"): "from random weights",
    ("start", "zero"): "from zero",
}
"""What is written of a value of an axis, where the value alone says it."""

NAMES = {
    "alpha": "concentration of labels α",
    "blr": "block loss rate",
    "bits": "bits per number",
    "fraction": "share of the clients",
    "keep": "share of elements sent",
    "plr": "packet loss rate",
    "sigma": "noise σ",
}
"""What an axis is called, where its key would not say it."""

LAWS = {
    "exponential": "1, 1/2, 1/4, 1/8",
    "rich": "1, 1/2",
    "steps": "1, 3/4, 1/2, 1/4",
    "8-2-1-1": "1, 1, 1/2, 1/8",
    "lognormal": "log-normal",
    "ln0.5_0.4": "released log-normal",
}
"""Laws of what clients can train, by the widths of their equal groups, or by their name."""

OMITTED = ("network", "mechanism", "mask_shape=vector")
"""Axes, and a value of one, that other words imply."""


def axis_name(axis: str) -> str:
    """Return what an axis is called, as the label of a scale; what no table here has as its key."""
    return NAMES.get(axis, axis.replace("_", " "))


def mechanism_words(mechanism: str) -> str:
    """Return how tables write a mechanism of noise, and behind a comma what calibrates it."""
    names = {"dp_fedavg": "DP-FedAvg", "dp_gd": "DP-GD"}
    for name, text in names.items():
        mechanism = mechanism.replace(name, text)
    words = mechanism.replace("_", " ")
    return words.replace("gaussian", "Gaussian").replace("laplace", "Laplace")


def words(axis: str, value: str) -> str:
    """Return how figures write the value of an axis; what no table here has keeps its own words."""
    value = value.removesuffix(".0")
    if (axis, value) in VALUES:
        return VALUES[axis, value]
    if axis in SHARES:
        return SHARES[axis](float(value))
    if axis in SENTENCES:
        return SENTENCES[axis].format(value)
    return f"{axis_name(axis)} {value.replace('_', ' ')}"


def setting_words(axes: Mapping[str, str]) -> str:
    """Return how figures write a setting beside its method's name, empty if that tells all.

    Args:
        axes: values of the axes in which it deviates.
    """
    return ", ".join(
        words(axis, value)
        for axis, value in axes.items()
        if axis not in OMITTED and f"{axis}={value}" not in OMITTED
    )


def listed_words(axes: str) -> str:
    """Return how figures write axes that a table lists as "axis value, axis value"."""
    return setting_words(dict(part.split(" ", 1) for part in axes.split(", ") if part))


def dealt_words(partition: str) -> str:
    """Return how figures write the way in which labels are dealt."""
    return VALUES.get(("partition", partition), partition)


def axes_of(setting: str) -> dict[str, str]:
    """Return the method and the values of the axes in which a setting deviates, given its name."""
    method, *axes = re.split(r"\+(?=\w+=)", setting)  # a number may have a plus too
    return {"method": method} | dict(axis.split("=", 1) for axis in axes)


def share_words(share: float) -> str:
    """Return how figures write a share of the clients."""
    return "all clients" if share == 1 else f"{100 * share:g}% of the clients"


def bits_words(bits: float) -> str:
    """Return how figures write the bits of a number."""
    return "1 bit" if bits == 1 else f"{bits:g} bits"


def kept_words(keep: float) -> str:
    """Return how figures write the share of a message's elements that are sent."""
    return "all elements" if keep == 1 else f"{100 * keep:g}% of elements"


SHARES = {
    "bits": bits_words,
    "fraction": share_words,
    "keep": kept_words,
    "keep_activations": "{:.0%} of activations".format,
    "keep_gradients": "{:.0%} of gradients".format,
}
"""What is written of an axis by its value."""


def rounds_words(axes: Mapping[str, Any]) -> list[str]:
    """Return how a head's training by rounds is written: its start, compression, then the rest.

    Args:
        axes: values of the axes in which a setting differs from others of its method.
    """
    start = [words("start", axes["start"])] if "start" in axes else []
    if of_start := _sent(axes.get("start_bits"), axes.get("start_keep")):
        start = [f"{' '.join(start)} ({', '.join(of_start)})".lstrip()]
    named = ("start", "start_bits", "start_keep", "bits", "keep")
    rest = [words(axis, str(value)) for axis, value in axes.items() if axis not in named]
    return [*start, *_sent(axes.get("bits"), axes.get("keep")), *rest]


def _sent(bits: int | None, keep: float | None) -> list[str]:
    sent = [] if bits is None else [bits_words(bits)]
    return sent if keep is None else [*sent, kept_words(keep)]


def compression_words(row: Mapping[str, Any]) -> str:
    """Return how figures write a compression: bits of an element, share of elements, feedback."""
    feedback = ", no error feedback" if row["feedback"] is False else ""
    return f"{bits_words(row['q'])}, {kept_words(row['r'])}{feedback}"


def codec_words(bits: float, keep: float) -> str:
    """Return how a mark is named: bits of an element and, below all, the share of elements."""
    return bits_words(bits) if keep == 1 else f"{bits_words(bits)}, {100 * keep:g}%"
