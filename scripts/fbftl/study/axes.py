"""Axes of settings, each described once, as a field of a block; those that several methods share.

Grids, the refusal and the removal of values without effect, the page of methods and the defaults
that jobs rest on follow from it. An axis that one method alone reads is a field of that method's
axes, in a module of `study/methods/`.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin

from pydantic import Field

from fbftl.ground.floats import FLOAT_BITS
from fbftl.ground.ring import FRACTION_BITS
from fbftl.study.model.block import (
    ConfigBlock,
    Count,
    Layer,
    Many,
    Number,
    Positive,
    PositiveShare,
    Rate,
    meanings,
)
from fbftl.study.widths import Law


class AxisValues(Protocol):
    """Whatever has the axes as attributes: a setting of the plan, or the axes that a job knows."""

    def __getattr__(self, axis: str, /) -> Any: ...


@dataclass(frozen=True)
class Needs:
    """What a setting has to have for an axis to have an effect.

    what: as a sentence names it: "give ... beside it".
    met: tells whether a setting has it.
    """

    what: str
    met: Callable[[AxisValues], bool]


class Axes(ConfigBlock):
    """Axes of settings: the type of each says its values and what it needs to have an effect.

    The default is that under which nothing happens. Names of runs rest on it: it never changes.
    """


@dataclass(frozen=True)
class Axis:
    """One axis of settings.

    annotation: type of its values.
    doc: what it means, in a sentence.
    needs: what all has to be given beside it; without effect it falls back to its default.
    """

    name: str
    annotation: Any
    default: Any
    doc: str
    needs: tuple[Needs, ...] = ()

    @cached_property
    def type(self) -> type:
        """Plain type of its values that are not none."""
        first = _members(self.annotation)[0]
        return type(get_args(first)[0]) if get_origin(first) is Literal else first

    @cached_property
    def listed(self) -> tuple[Any, ...]:
        """Values that it may have where these are listed, else nothing."""
        listed = (each for each in _members(self.annotation) if get_origin(each) is Literal)
        return tuple(value for each in listed for value in get_args(each))

    def lacks(self, setting: AxisValues) -> Needs | None:
        """Return the first need that a setting does not meet, None if it meets all."""
        return next((need for need in self.needs if not need.met(setting)), None)


def axes_in(block: type[Axes]) -> dict[str, Axis]:
    """Return the axes that are fields of a block, by name."""
    explained = meanings(block)
    return {
        name: Axis(
            name,
            field.rebuild_annotation(),
            field.default,
            explained.get(name, ""),
            tuple(each for each in field.metadata if isinstance(each, Needs)),
        )
        for name, field in block.model_fields.items()
    }


def _members(annotation: Any) -> list[Any]:
    """Return what a type is a union of, without bounds and none."""
    if get_origin(annotation) is Annotated:
        return _members(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return [member for each in get_args(annotation) for member in _members(each)]
    return [] if annotation is NoneType else [annotation]


IN_STEPS = ("dp_gd", "dp_fedavg")
"""Mechanisms that add noise in steps or rounds, over which a schedule shares out the budget."""

CALIBRATED = ("relative", "gaussian", "update_gaussian", "dp_fedavg", "dp_gd", "counts")
"""Mechanisms whose noise has the multiplier sigma, given or calibrated from epsilon."""


def is_compressed(setting: AxisValues) -> bool:
    """Tell whether messages have fewer bits or fewer elements than plain ones."""
    return setting.bits != FLOAT_BITS or setting.keep != 1


LOSES_PACKETS = Needs("a packet loss rate plr", lambda setting: bool(setting.plr or setting.blr))
LOSES_BLOCKS = Needs("a block loss rate blr", lambda setting: setting.blr > 0)
COMPRESSES = Needs("bits or keep", is_compressed)
MECHANISM_GIVEN = Needs("a mechanism", lambda setting: setting.mechanism != "none")
NOISY_STEPS = Needs("mechanism dp_gd or dp_fedavg", lambda setting: setting.mechanism in IN_STEPS)
RISING = Needs(
    "schedule exp or dynamic",
    lambda setting: setting.mechanism in IN_STEPS and setting.schedule != "uniform",
)
MASKED = Needs("aggregation: masked", lambda setting: setting.aggregation == "masked")

Epochs = Annotated[int, Field(ge=1, le=1000)]


class SharedAxes(Axes):
    """The axes that several methods share.

    method: method that trains the model, one of those above.
    cut: cut layer m_c; null takes the task's own.
    network: network that starts at random, by its name in the task's block networks; null takes
        the source's architecture with the task's head.
    fraction: share of the clients that take part, with all their samples.
    samples_per_client: samples per client K; null takes the task's own.
    partition: how samples are dealt to clients: iid; shards of samples sorted by label;
        balanced_shards, one of each class in turn; dirichlet, each class divided at random;
        dirichlet_equal, with equally many samples for all. Null takes the task's own.
    alpha: concentration of a Dirichlet partition; null takes the task's own.
    clients: number of clients U; null takes the task's own.
    clients_per_round: clients of a round, U C; a step of FbFTL's server takes the samples of as
        many. Null takes the task's own.
    most_samples: samples that a client keeps at most; null keeps all.
    plr: packet loss rate PLR, given directly.
    blr: block loss rate BLR, from which the packet loss rate follows by Eq. (18) of paper fbftl.
    burst: mean length of a loss burst in blocks; 1 loses blocks independently.
    retransmissions: retransmissions n_r that a lost block gets at most.
    loss: persistent: a lost upload stays lost; reshuffled: every pass loses other whole
        mini-batches, as in the public script.
    bits: bits q per sent element; 32 sends the float itself.
    keep: keep ratio r: share of the elements that are sent, the largest ones.
    feedback: error feedback of the gradient methods under compression, Eq. (20)-(21) of paper
        fbftl.
    mechanism: noise: none; relative, paper fbftl's, without a guarantee; gaussian, on clipped
        features or statistics; feature_gaussian and feature_laplace, paper fedfeat's, without a
        guarantee; laplace, on activations; counts, on counts; update_gaussian, on each update;
        dp_fedavg on the sum of a round and dp_gd on that of a step, both by a trusted server.
    sigma: noise multiplier; null has it calibrated from epsilon.
    epsilon: privacy loss epsilon that the mechanism is calibrated to.
    noise_draw: once draws an upload's noise once; redrawn draws it anew in every epoch, as the
        public script does.
    label_epsilon: epsilon of randomised response on the labels; null sends the labels unchanged.
    schedule: how the privacy budget is divided among steps or rounds: uniform; exp, by noise that
        falls or rises exponentially; dynamic, by how much a step influences the result under
        momentum.
    decay: first over last noise variance under schedule exp or dynamic; below 1 the noise rises.
    accountant: exact composition, or zcdp as in the thesis.
    local_epochs: passes E that a client makes over its samples in a round before it sends.
    local_batch: samples per step of a client's local epochs; null takes the task's own.
    aggregation: open: the server sees every message; masked: it sees only their sum. Masks come
        from a trusted dealer, a model of secure aggregation.
    server_epochs: passes E_r of the server over received features; 0 makes none.
    width: width as a share of the whole network: of FedAvg's network, of a base of Split-Mix, of
        the narrowest network of HeteroFL and SHeteroFL.
    budgets: widths that clients can train: exponential (quarters of them 1, 1/2, 1/4, 1/8), rich
        (halves 1, 1/2), steps (quarters 1, 3/4, 1/2, 1/4), uniform, lognormal, full (all 1), or as
        released 8-2-1-1 (quarters 1, 1, 1/2, 1/8) and ln0.5_0.4 (log-normal).
    budget_order: which domains have clients of which width: by_domain, the widest first;
        poorest_first; or spread, every width in every domain.
    rescaled_init: whether the initial weights of a base are slices of the whole network's,
        rescaled.
    public_data: open data on which clients or the server train first: source, letters; target,
        samples of the task's own kind.
    transfer_epochs: passes over the public data before the first round.
    fraction_bits: fractional bits f of masked numbers, which are rounded to multiples of 2^-f.
    rescaled_layers: whether the outputs of a base's hidden layers are divided by its width before
        batch normalisation.
    """

    method: str = "fbftl"
    cut: Layer | int | None = None
    network: str | None = None
    fraction: PositiveShare = 1.0
    samples_per_client: Count | None = None
    partition: (
        Literal["iid", "shards", "balanced_shards", "dirichlet", "dirichlet_equal"] | None
    ) = None
    alpha: Positive | None = None
    clients: Count | None = None
    clients_per_round: Count | None = None
    most_samples: Count | None = None
    plr: Rate = 0.0
    blr: Rate = 0.0
    burst: Annotated[Number, Field(ge=1, le=1_000_000), LOSES_BLOCKS] = 1.0
    retransmissions: Annotated[int, Field(ge=0, le=1000), LOSES_BLOCKS] = 0
    loss: Annotated[Literal["persistent", "reshuffled"], LOSES_PACKETS] = "persistent"
    bits: Literal[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 32] = 32
    keep: PositiveShare = 1.0
    feedback: Annotated[bool, COMPRESSES] = True
    mechanism: str = "none"
    sigma: Annotated[Positive | None, MECHANISM_GIVEN] = None
    epsilon: Annotated[Positive | None, MECHANISM_GIVEN] = None
    noise_draw: Annotated[Literal["once", "redrawn"], MECHANISM_GIVEN] = "once"
    label_epsilon: Annotated[Number, Field(gt=0, le=100)] | None = None
    schedule: Annotated[Literal["uniform", "exp", "dynamic"], NOISY_STEPS] = "uniform"
    decay: Annotated[Positive, RISING] = 1.0
    accountant: Annotated[Literal["exact", "zcdp"], NOISY_STEPS] = "exact"
    local_epochs: Epochs = 1
    local_batch: Count | None = None
    aggregation: Literal["open", "masked"] = "open"
    server_epochs: Annotated[int, Field(ge=0, le=1000)] = 1
    width: Annotated[Number, Field(ge=0.0001, le=1)] = 1.0
    budgets: Law = "exponential"
    budget_order: Literal["by_domain", "poorest_first", "spread"] = "by_domain"
    rescaled_init: bool = False
    public_data: Literal["source", "target"] = "source"
    transfer_epochs: Many = 10
    fraction_bits: Annotated[int, Field(ge=0, le=60), MASKED] = FRACTION_BITS
    rescaled_layers: bool = False


SHARED = axes_in(SharedAxes)
"""All of them, by name."""

CLIENTS = ("fraction", "samples_per_client", "partition", "alpha", "clients")
LINK = ("plr", "blr", "burst", "retransmissions")
COMPRESSION = ("bits", "keep")
NOISE = ("mechanism", "sigma", "epsilon")
SCHEDULE = ("schedule", "decay", "accountant")

OF_FEATURES = ("noise_draw", "label_epsilon")
"""Of uploads of every sample's features with its label."""

SUMS = ("aggregation", "fraction_bits")
"""What methods read whose messages add up."""

BY_ROUNDS = (*CLIENTS, *LINK, *COMPRESSION, "feedback", *NOISE, *SCHEDULE)
"""What training by rounds of clients reads."""

WIDTHS = (*BY_ROUNDS, "network", "local_epochs", "width", "budgets", "budget_order")
"""What methods read whose clients train networks of the widths that they can."""

OPEN_DATA = ("public_data", "transfer_epochs")


def shared_faults(setting: AxisValues) -> Iterator[str]:
    """Yield what shared axes of a setting say against each other, each with its remedy."""
    plr, blr, mechanism = setting.plr, setting.blr, setting.mechanism
    if plr > 0 and blr > 0:
        yield "gives both plr and blr, two ways to say what is lost; keep one"
    if 1 < setting.burst < blr / (1 - blr):
        yield (
            f"asks for bursts of {setting.burst} blocks at BLR {blr}, which are too short; give "
            "burst at least blr / (1 - blr)"
        )
    if setting.loss == "reshuffled" and plr == 0:
        yield "is reshuffled, which is for a packet loss rate; use loss: persistent"
    if setting.clients is not None and setting.samples_per_client is not None:
        yield "gives both clients and samples_per_client, which follow from each other; keep one"
    if setting.sigma is not None and setting.epsilon is not None:
        yield "gives both sigma and epsilon; keep one"
    if mechanism in CALIBRATED and setting.sigma is None and setting.epsilon is None:
        yield f"has mechanism {mechanism}, which needs sigma or epsilon; give one"
    if setting.aggregation != "open" and is_compressed(setting):
        yield "masks compressed messages, whose sum cannot be decoded; use bits 32 and keep 1"
    if setting.schedule == "dynamic" and setting.decay <= 1:
        yield f"has schedule dynamic, whose decay is {setting.decay:g}; give decay above 1"
    if setting.schedule == "exp" and setting.decay == 1:
        yield "has schedule exp, whose decay is 1; give decay above 1, or below for rising noise"
    if mechanism == "dp_fedavg" and setting.accountant == "zcdp":
        yield (
            "accounts sampled rounds by zCDP, which sampling does not amplify; use accountant "
            "exact, which composes them by their privacy loss distributions"
        )
