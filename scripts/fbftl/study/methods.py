"""The methods: one record each, from which the plan derives all that it must know of them.

The schema's enumerations, the constraints of training rules, the axes that a method may be asked
for, looks, labels and cost schemes come from here. Jobs, tables and figures never import this
module: what they need of a record reaches them as params, so that one more method makes no old
result again.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from fbftl.study.settings import DEFAULTS

LINK = ("plr", "blr", "burst", "retransmissions")
COMPRESSION = ("bits", "keep")
NOISE = ("mechanism", "sigma", "epsilon")
CLIENTS = ("fraction", "samples_per_client", "partition", "alpha", "clients")
SCHEDULE = ("schedule", "decay", "accountant")
BY_ROUNDS = (*CLIENTS, *LINK, *COMPRESSION, "feedback", *NOISE, *SCHEDULE)
"""Axes that training by rounds of clients reads."""

WIDTHS = (*BY_ROUNDS, "network", "local_epochs", "width", "budgets", "budget_order")
"""Axes of methods whose clients train networks of the widths that they can."""


@dataclass(frozen=True)
class MethodRecord:
    """What the plan knows of one method; `fbftl.methods.<name>` trains it.

    label: as its paper writes it, an index behind an underscore.
    paper: the word of the paper that it is from.
    reads: what it trains on: features, or clients and source.
    sends: once is before training, rounds is an update of each client every round, local is what
        clients have after local epochs (weights, scores or logits), nothing is no message at all.
    axes: axes that its run reads.
    mechanisms: privacy mechanisms that it offers.
    public: whether it takes statistics from features of public samples.
    compresses: whether its messages may have fewer bits and fewer elements.
    cost: the scheme in `fbftl.cost.scheme` that counts it; none has no formula.
    kinds: kinds of task that it runs on.
    further: what it reads that everybody may: open data, source models or several architectures,
        each by the key of the task's block that tells of it.
    """

    name: str
    label: str
    colour: str
    marker: str
    paper: str
    reads: str
    sends: str
    axes: tuple[str, ...]
    mechanisms: tuple[str, ...] = ("none",)
    public: bool = False
    compresses: bool = True
    cost: str | None = None
    kinds: tuple[str, ...] = ("images",)
    further: tuple[str, ...] = ()

    @property
    def by_rounds(self) -> bool:
        """Whether clients send in rounds."""
        return self.sends in ("rounds", "local")

    @property
    def trains_network(self) -> bool:
        """Whether its clients train a network, so that dropout and batch normalisation matter."""
        return self.by_rounds and (self.reads == "clients and source" or "network" in self.axes)

    def knows(self, axis: str) -> bool:
        """Tell whether a setting of this method may deviate in an axis."""
        if axis in NOISE:
            return self.mechanisms != ("none",)
        if axis in SCHEDULE and not {"dp_fedavg", "dp_gd"} & set(self.mechanisms):
            return False
        if axis in (*COMPRESSION, "feedback") and not self.compresses:
            return False
        return axis == "method" or axis in self.axes


RECORDS = (
    MethodRecord(
        "fl", "FL", "#CC79A7", "D", "fbftl",
        reads="clients and source",
        sends="rounds",
        axes=(*BY_ROUNDS, "network"),
        mechanisms=("none", "relative", "dp_fedavg"),
        cost="fl",
    ),
    MethodRecord(
        "sfl", "SFL", "#E69F00", "v", "fbftl",
        reads="clients and source",
        sends="rounds",
        axes=(*BY_ROUNDS, "network"),
        compresses=False,
        cost="sfl",
    ),
    MethodRecord(
        "ftl_f", "FTL_f", "#009E73", "^", "fbftl",
        reads="clients and source",
        sends="rounds",
        axes=BY_ROUNDS,
        mechanisms=("none", "relative", "dp_fedavg"),
        cost="ftl_f",
        kinds=("images", "dialogues"),
    ),
    MethodRecord(
        "ftl_c", "FTL_c", "#0072B2", "s", "fbftl",
        reads="features",
        sends="rounds",
        axes=("cut", *BY_ROUNDS),
        mechanisms=("none", "relative", "dp_fedavg"),
        cost="ftl_c",
        kinds=("images", "dialogues"),
    ),
    MethodRecord(
        "fbftl", "FbFTL", "#D55E00", "o", "fbftl",
        reads="features",
        sends="once",
        axes=(
            "cut", *CLIENTS, *LINK, "loss", *COMPRESSION, *NOISE, "noise", "label_epsilon",
            "aggregation", "message", "projection", "components", "covariance", "head",
        ),
        mechanisms=("none", "relative", "gaussian"),
        cost="fbftl",
        kinds=("images", "dialogues"),
    ),
    MethodRecord(
        "released", "public script", "#56B4E9", "P", "fbftl",
        reads="clients and source",
        sends="nothing",
        axes=("cut", *CLIENTS, "plr", "loss"),
        compresses=False,
    ),
    MethodRecord(
        "fedavg", "FedAvg", "#000000", "*", "fedfeat",
        reads="clients and source",
        sends="local",
        axes=(
            *BY_ROUNDS, "network", "local_epochs", "start", "drawn", "most_samples", "width",
            "local_batch",
        ),
        mechanisms=("none", "relative", "dp_fedavg"),
    ),
    MethodRecord(
        "fedprox", "FedProx", "#D4AF37", "$P$", "rivals",
        reads="clients and source",
        sends="local",
        axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples", "proximal"),
        mechanisms=("none", "relative", "dp_fedavg"),
    ),
    MethodRecord(
        "scaffold", "SCAFFOLD", "#5E4FA2", "$C$", "rivals",
        reads="clients and source",
        sends="local",
        axes=(*BY_ROUNDS, "network", "local_epochs", "most_samples"),
        compresses=False,
    ),
    MethodRecord(
        "fedfeat", "FedFeat+", "#8B4513", "h", "fedfeat",
        reads="clients and source",
        sends="local",
        axes=(
            *BY_ROUNDS, "network", "local_epochs", "features_from", "server_epochs",
            "feature_clip", "weighting", "local_batch", "server_step",
        ),
        mechanisms=("none", "feature_gaussian", "feature_laplace", "gaussian"),
    ),
    MethodRecord(
        "fedvote", "FedVote", "#A6761D", "$V$", "survey",
        reads="clients and source",
        sends="local",
        axes=(
            *BY_ROUNDS, "network", "local_epochs", "most_samples",
            "sources", "selection_round", "votes", "similarity",
        ),
        compresses=False,
        further=("sources",),
    ),
    MethodRecord(
        "fedhealth", "FedHealth", "#1B7837", "$H$", "survey",
        reads="clients and source",
        sends="local",
        axes=(
            *BY_ROUNDS, "network", "local_epochs", "most_samples", "public_data",
            "transfer_epochs", "adaptation", "alignment", "protection",
        ),
        compresses=False,
        further=("open",),
    ),
    MethodRecord(
        "fedmd", "FedMD", "#666666", "$M$", "survey",
        reads="clients and source",
        sends="local",
        axes=(
            *CLIENTS, *LINK, "local_epochs", "most_samples", "public_data", "transfer_epochs",
            "digest_rate",
        ),
        compresses=False,
        further=("open", "architectures"),
    ),
    MethodRecord(
        "fd", "FD", "#7570B3", "$D$", "survey",
        reads="clients and source",
        sends="local",
        axes=(
            *CLIENTS, *LINK, "network", "local_epochs", "most_samples", "distillation",
            "seed_samples",
        ),
        compresses=False,
    ),
    MethodRecord(
        "ccvr", "CCVR", "#999933", "p", "fedfeat",
        reads="clients and source",
        sends="local",
        axes=(*BY_ROUNDS, "network", "local_epochs", "server_epochs", "aggregation"),
        compresses=False,
    ),
    MethodRecord(
        "eppfl", "EPPFL", "#882255", "d", "eppfl",
        reads="clients and source",
        sends="local",
        axes=(
            *BY_ROUNDS, "network", "local_epochs", "aggregation", "keep_activations",
            "keep_gradients", "kept_gradients", "reading", "sensitivity", "mask", "client_part",
        ),
        mechanisms=("none", "laplace"),
        compresses=False,
    ),
    MethodRecord(
        "private_gd", "private GD", "#8C564B", "X", "thesis",
        reads="features",
        sends="once",
        axes=(*CLIENTS, *NOISE, *SCHEDULE, "steps", "momentum", "neighbours"),
        mechanisms=("none", "dp_gd"),
        public=True,
    ),
    MethodRecord(
        "secure_ftl", "Secure FTL", "#B2182B", "$S$", "survey",
        reads="clients and source",
        sends="local",
        axes=(
            *LINK, "most_samples", "alignment", "protection", "common_samples", "dimensions",
        ),
        compresses=False,
    ),
    MethodRecord(
        "splitmix", "Split-Mix", "#7A0177", "8", "thesis",
        reads="clients and source",
        sends="local",
        axes=(*WIDTHS, "rescaled_init"),
        compresses=False,
    ),
    MethodRecord(
        "splitmix_heads", "Split-Mix on features", "#C51B7D", "H", "thesis",
        reads="features",
        sends="local",
        axes=("cut", *WIDTHS, "rescaled_init"),
        compresses=False,
    ),
    MethodRecord(
        "robust", "robust FedAvg", "#35978F", "$R$", "thesis",
        reads="clients and source",
        sends="local",
        axes=(*BY_ROUNDS, "network", "local_epochs", "norms"),
        compresses=False,
    ),
    MethodRecord(
        "heterofl", "HeteroFL", "#8C510A", "<", "thesis",
        reads="clients and source",
        sends="local",
        axes=WIDTHS,
        compresses=False,
    ),
    MethodRecord(
        "sheterofl", "SHeteroFL", "#5AAE61", ">", "thesis",
        reads="clients and source",
        sends="local",
        axes=WIDTHS,
        compresses=False,
    ),
    MethodRecord(
        "fade", "FADE", "#17BECF", "$F$", "thesis",
        reads="clients and source",
        sends="local",
        axes=(
            *NOISE, "network", "aggregation", "adversary", "majority_users", "participation",
            "opt_out", "local_steps", "discriminator_rate", "discriminator_steps",
            "discriminator_sees", "unlabelled_loss",
        ),
        mechanisms=("none", "update_gaussian"),
        compresses=False,
    ),
    MethodRecord(
        "ecos", "ECOS", "#3D5A98", "$E$", "thesis",
        reads="features",
        sends="once",
        axes=(
            *CLIENTS, *NOISE, "bits", "aggregation", "choice", "allocation", "centroids",
            "purchase", "score_power", "sampling", "uploaders", "labels", "purpose",
        ),
        mechanisms=("none", "counts"),
        public=True,
    ),
)  # fmt: skip
"""Every method, in the order in which tables and figures show them."""

_BY_NAME = {record.name: record for record in RECORDS}


def record(name: str) -> MethodRecord:
    """Return the record of a method."""
    return _BY_NAME[name]


def names(**traits: str) -> list[str]:
    """Return the names of the methods with these traits, as in ``reads="features"``."""
    return [
        record.name
        for record in RECORDS
        if all(getattr(record, trait) == value for trait, value in traits.items())
    ]


def knowing(axis: str) -> list[str]:
    """Return the names of the methods that know an axis."""
    return [record.name for record in RECORDS if record.knows(axis)]


def offering(mechanism: str) -> list[str]:
    """Return the names of the methods that offer a privacy mechanism."""
    return [record.name for record in RECORDS if mechanism in record.mechanisms]


def on_kind(kind: str) -> list[str]:
    """Return the names of the methods that run on a kind of task."""
    return [record.name for record in RECORDS if kind in record.kinds]


def mechanisms() -> list[str]:
    """Return every privacy mechanism that some method offers."""
    return list(dict.fromkeys(name for record in RECORDS for name in record.mechanisms))


def axes_by_method() -> dict[str, dict[str, Any]]:
    """Return the axes that each method's run reads, with their defaults: what its jobs are told."""
    return {r.name: {axis: DEFAULTS[axis] for axis in r.axes} for r in RECORDS}


def rows(shown: Iterable[str]) -> list[dict[str, Any]]:
    """Return what tables and figures are told of methods, in builtin types and the fixed order.

    Args:
        shown: names of the methods that occur.
    """
    told = ("name", "label", "colour", "marker", "sends", "cost")
    wanted = set(shown)
    return [{key: getattr(r, key) for key in told} for r in RECORDS if r.name in wanted]
