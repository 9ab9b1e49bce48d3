"""One-shot methods: clients upload once, and the server solves or trains a head.

Features hold what every head needs; every other message lacks something.
"""

from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from fbftl.ground.floats import FLOAT_BITS
from fbftl.study.axes import (
    CLIENTS,
    COMPRESSES,
    COMPRESSION,
    LINK,
    NOISE,
    OF_FEATURES,
    Axes,
    AxisValues,
    Needs,
)
from fbftl.study.axes import SUMS as SUMMING
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import Many
from fbftl.study.record import Block, MethodRecord, alike_in, keys
from fbftl.study.uploads import CLASSES, HEADS_FROM, LACKS, MESSAGES, SUMS, gives

SUMMED = ("means", "statistics", "projected")
"""Messages that add up over clients."""

BOUNDED = ("features", "statistics", "projected")
"""Messages whose sensitivity is known, for the gaussian mechanism."""

OF_MEANS = Needs("message: means, sent open", lambda setting: (
    setting.message == "means" and setting.aggregation == "open"
))  # fmt: skip
PROJECTED = Needs("message: projected", lambda setting: setting.message == "projected")
OF_MIXTURES = Needs("message: mixtures", lambda setting: setting.message == "mixtures")
SPREAD = Needs("message: mixtures or moments", lambda setting: (
    setting.message in ("mixtures", "moments")
))  # fmt: skip
OF_GRAM = Needs("message: statistics or projected", lambda setting: (
    setting.message in ("statistics", "projected")
))  # fmt: skip
QUANTISED = Needs("bits below 32 and a message that is no single feature", lambda setting: (
    setting.bits != FLOAT_BITS and setting.message != "features"
))  # fmt: skip

KEPT = ("features", "batch", "means")
"""Messages of which elements may be left out: all others make no sense with zeros in them."""


HEADS = HEADS_FROM["features"]
"""What a server may solve: from features, everything."""


class OneShotAxes(Axes):
    """Axes of one-shot alone.

    message: what a client uploads: features, each sample's by itself; or one message of all its
        samples: batch (features in one message), means, moments (means and variances), statistics
        (second moments), projected (second moments after a projection), mixtures, or one of your
        own in methods/one_shot/messages/.
    means_per_class: means that a client sends of a class, whose samples it splits among them at
        random; of fewer samples one each.
    projection: dimensions k of a random projection of features before their statistics are taken;
        null does not project.
    components: components G of the mixture of each class at a client; 0 lets the client choose G
        for each class by held-out samples.
    covariance: covariance of a mixture's components, diagonal or spherical (as in FedPFT); of
        moments, diagonal (variances of each class) or shared (one for all classes of a client).
    gram: how second moments are sent: their triangle, or a factor of the scatter around class
        means, which stays positive semidefinite under any rounding.
    levels: quantisation levels of a feature or mean below 32 bits: spanning its range, or fitted
        by least squares.
    test_features: whether test features are plain, as a deployed model reads them, or compressed
        like the clients'.
    head: what the server makes: mlp, the task's block `head`, trained (linear if `[]`); nb and qda,
        a Gaussian for each class; the others are linear, and explained with the one-shot baselines.
    """

    message: Literal[MESSAGES] = "features"  # type: ignore[valid-type]
    means_per_class: Annotated[Many, OF_MEANS] = 1
    projection: Annotated[Many | None, PROJECTED] = None
    components: Annotated[int, Field(ge=0, le=10_000), OF_MIXTURES] = 1
    covariance: Annotated[Literal["diagonal", "spherical", "shared"], SPREAD] = "diagonal"
    gram: Annotated[Literal["triangle", "factor"], OF_GRAM] = "triangle"
    levels: Annotated[Literal["spanning", "fitted"], QUANTISED] = "spanning"
    test_features: Annotated[Literal["plain", "compressed"], COMPRESSES] = "plain"
    head: Literal[HEADS] = "mlp"  # type: ignore[valid-type]


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
            f"asks for head {head} from {message}, which lack {LACKS[gives(message)]}; choose "
            f"among {', '.join(heads)}, or message: features"
        )
    if setting.keep != 1 and message not in KEPT:
        yield f"keeps {setting.keep:g} of {message}; leave elements out of {', '.join(KEPT)} alone"
    if setting.test_features == "compressed" and message not in KEPT:
        yield f"compresses test features as {message}; use test_features: plain"
    wrong = "shared" if message == "mixtures" else "spherical"
    if message in ("mixtures", "moments") and setting.covariance == wrong:
        yield f"has covariance {wrong} for {message}; use covariance: diagonal"
    if setting.gram == "factor" and (setting.aggregation != "open" or setting.mechanism != "none"):
        yield "masks or noises a factor, which does not add up; use gram: triangle"
    if head in CLASSES and setting.mechanism != "none":
        yield f"has head {head} under a mechanism, which scales features; use head lda"
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


def task_faults(setting: AxisValues, _task: Block, training: Block) -> Iterator[str]:
    """Yield that a head would be chosen by the samples that it is judged on."""
    if setting.head == "mlp" and training["selection"] == "test":
        yield (
            "its epoch would be chosen on the test samples that uploads are compared on: give the "
            "task's training selection: validation, or last"
        )


def size_faults(setting: AxisValues, _task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield a projection that is wider than what it projects."""
    if dealt.width is not None and (setting.projection or 0) > dealt.width:
        yield (
            f"has projection {setting.projection}, which is wider than the {dealt.width} numbers "
            "of a feature; give at most as many"
        )


def parts(setting: AxisValues) -> tuple[str, ...]:
    """Return the module of its message, which jobs import by its name."""
    return () if setting.message == "features" else (f"messages.{setting.message}",)


# Where messages and heads are compared, `findings/uploads.py` has the published name of each pair.
RECORD = MethodRecord(
    "one_shot", "one-shot", "#E7298A", "$1$", "rivals",
    place=60,
    reads="features",
    sends="once",
    axes=("cut", *CLIENTS, *LINK, *COMPRESSION, *NOISE, *SUMMING, OneShotAxes),
    named=("message",),
    fixed=("loss", *OF_FEATURES),
    mechanisms=("none", "relative", "gaussian"),
    faults=faults,
    task_faults=task_faults,
    size_faults=size_faults,
    parts=parts,
    anneals=True,
    block=keys("one_shot"),
    together=alike_in(),
)  # fmt: skip
