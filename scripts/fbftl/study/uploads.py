"""What FbFTL's clients may upload, and which heads a message can be solved for.

FbFTL's own upload, the features, holds what every head needs; every other message lacks something.
"""

from typing import Any

ROWS = ("mlp", "logistic")
SUMS = ("ncm", "fedncm")
MOMENTS = ("ridge", "fed3r", "afl", "lda", "fedcgs", *SUMS)
MEANS = ("fedcof", "fedcof_unit")

HEADS_FROM = {
    "features": (*ROWS, *MOMENTS, *MEANS),
    "means": (*SUMS, *MEANS, "lda"),
    "statistics": MOMENTS,
    "projected": MOMENTS,
    "mixtures": (*ROWS, *MOMENTS),
}
"""By message, the heads that can be solved from it."""

LACKS = {
    "means": "second moments and the samples themselves",
    "statistics": "the samples themselves and each client's means",
    "projected": "the samples themselves and each client's means",
    "mixtures": "each client's means",
}
"""By message, what it does not tell."""

SUMMED = ("means", "statistics", "projected")
"""Messages that add up over clients."""

BOUNDED = ("features", "statistics", "projected")
"""Messages whose sensitivity is known, for the gaussian mechanism."""

SETTLED = {"loss": "persistent", "noise": "once", "label_epsilon": None, "keep": 1.0}
"""Values of axes that mean something for features and their trained head only."""


def is_plain(setting: Any) -> bool:
    """Tell whether a setting uploads features and trains a perceptron on them: FbFTL itself."""
    return setting.message == "features" and setting.head == "mlp"


def faults(setting: Any) -> dict[str, bool]:
    """Return what message, head and the other axes of a setting say against each other."""
    message, head = setting.message, setting.head
    heads = HEADS_FROM[message]
    unsettled = [
        axis for axis, value in SETTLED.items() if getattr(setting, axis) != value
    ] * (not is_plain(setting))  # fmt: skip
    of_means = setting.aggregation == "masked" and message == "means" and head not in SUMS
    return {
        f"asks for head {head} from {message}, which lack {LACKS.get(message)}; choose among "
        f"{', '.join(heads)}, or message: features": head not in heads,
        "has message projected, which needs projection, its dimensions; give it": (
            message == "projected" and setting.projection is None
        ),
        f"masks {message}, which cannot be summed; choose among {', '.join(SUMMED)}, or use "
        "aggregation: open": (
            setting.method == "fbftl"
            and setting.aggregation == "masked"
            and message not in SUMMED
        ),
        f"masks means, of which head {head} needs each client's; use head {' or '.join(SUMS)}": (
            of_means
        ),
        f"puts mechanism {setting.mechanism} on {message}, whose sensitivity is not known; choose "
        f"among {', '.join(BOUNDED)}": (
            message != "features"
            and setting.mechanism != "none"
            and not (message in BOUNDED and setting.mechanism == "gaussian")
        ),
        f"changes {' and '.join(unsettled)}, which only features with a trained head have; leave "
        "it out": bool(unsettled),
    }  # fmt: skip
