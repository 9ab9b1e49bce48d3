"""One-shot methods: clients upload once what the server solves a head from.

Features hold what every head needs; every other message lacks something.
"""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from fbftl.study.axes import CLIENTS, LINK, NOISE, OF_FEATURES
from fbftl.study.axes import SUMS as SUMMING
from fbftl.study.axis import Axes, AxisValues, Needs
from fbftl.study.model.block import Many
from fbftl.study.record import Block, MethodRecord, keys
from fbftl.study.rings import noise_bound, statistics_bound
from fbftl.study.uploads import HEADS_FROM, SUMS

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

OF_MEANS = Needs("message: means, sent open", lambda setting: (
    setting.message == "means" and setting.aggregation == "open"
))  # fmt: skip
PROJECTED = Needs("message: projected", lambda setting: setting.message == "projected")
OF_MIXTURES = Needs("message: mixtures", lambda setting: setting.message == "mixtures")


class OneShotAxes(Axes):
    """Axes of one-shot alone.

    message: what a client uploads: features, means, statistics, projected or mixtures.
    means_per_class: means that a client sends of a class, whose samples it splits among them at
        random; of fewer samples one each.
    projection: dimensions k that features are projected to at random before their statistics.
    components: components G of a mixture for each class that a client has samples of; 0 has each
        client choose among the task's for each class, by samples that it holds out.
    covariance: of a mixture's components: diagonal, or spherical, as FedPFT's are.
    head: what the server solves: mlp is the task's perceptron, trained; logistic, ridge, fed3r,
        afl, lda, fedcgs, fedcof, fedcof_between (with the scatter between classes), fedcof_oracle
        (on statistics), ncm and fedncm are linear.
    """

    message: Literal["features", "means", "statistics", "projected", "mixtures"] = "features"
    means_per_class: Annotated[Many, OF_MEANS] = 1
    projection: Annotated[Many | None, PROJECTED] = None
    components: Annotated[int, Field(ge=0, le=10_000), OF_MIXTURES] = 1
    covariance: Annotated[Literal["diagonal", "spherical"], OF_MIXTURES] = "diagonal"
    head: Literal[
        "mlp",
        "logistic",
        "ridge",
        "fed3r",
        "afl",
        "lda",
        "fedcgs",
        "fedcof",
        "fedcof_between",
        "fedcof_oracle",
        "ncm",
        "fedncm",
    ] = "mlp"


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what message, head and the other axes of a setting say against each other."""
    message, head, heads = setting.message, setting.head, HEADS_FROM[setting.message]
    if (message, head) == ("features", "mlp"):
        yield (
            "uploads features and trains a perceptron on them, which is FbFTL; use method: fbftl, "
            f"or a head among {', '.join(heads[1:])}"
        )
    if head not in heads:
        yield (
            f"asks for head {head} from {message}, which lack {LACKS.get(message)}; choose among "
            f"{', '.join(heads)}, or message: features"
        )
    if message == "projected" and setting.projection is None:
        yield "has message projected, which needs projection, its dimensions; give it"
    if setting.aggregation != "open":
        if message not in SUMMED:
            yield (
                f"masks {message}, which cannot be summed; choose among {', '.join(SUMMED)}, or "
                "use aggregation: open"
            )
        if message == "means" and head not in SUMS:
            yield (
                f"masks means, of which head {head} needs each client's; use head "
                f"{' or '.join(SUMS)}"
            )
    gaussians = message == "mixtures" and setting.components == 1
    bounded = setting.mechanism == "gaussian" and (message in BOUNDED or gaussians)
    if message != "features" and setting.mechanism != "none" and not bounded:
        yield (
            f"puts mechanism {setting.mechanism} on {message}, whose sensitivity is not known; "
            f"choose among {', '.join(BOUNDED)}, or gaussian on mixtures of components: 1"
        )


def together(_setting: AxisValues) -> tuple[Any, ...]:
    """Return what settings have in common that run in one process: they read the same files."""
    return ()


def largest_sum(setting: AxisValues, task: Block, samples: int) -> float | None:
    """Return the bound on a masked sum, of samples that are clipped and scaled to length one.

    Without a mechanism nothing clips them. What epsilon comes to only a job knows.
    """
    if setting.mechanism == "none":
        return None
    return statistics_bound(samples) + noise_bound(setting.sigma or 0.0)


# Where messages and heads are compared, `findings/uploads.py` has the published name of each pair.
RECORD = MethodRecord(
    "one_shot", "one-shot", "#E7298A", "$1$", "rivals",
    place=60,
    reads="features",
    sends="once",
    axes=("cut", *CLIENTS, *LINK, "bits", *NOISE, *SUMMING, OneShotAxes),
    named=("message",),
    fixed=("loss", "keep", *OF_FEATURES),
    mechanisms=("none", "relative", "gaussian"),
    faults=faults,
    largest_sum=largest_sum,
    block=keys("one_shot"),
    together=together,
    alike_together=True,
)  # fmt: skip
