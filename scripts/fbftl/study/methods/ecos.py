"""ECOS: clients buy public samples like theirs from a cloud, which learns noisy counts alone."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from fbftl.study.axes import CLIENTS, NOISE, SUMS, Axes, AxisValues, Needs
from fbftl.study.clients import domains_in, taking_part
from fbftl.study.dealing_faults import Dealt
from fbftl.study.model.block import Many, Number, PositiveShare
from fbftl.study.outsourcing import COUNTING
from fbftl.study.record import Block, MethodRecord


def _counts(setting: AxisValues) -> bool:
    """Tell whether clients send counts of their rows."""
    return setting.purchase > 0 and setting.purchase_rule in COUNTING


PURCHASE = "purchase above 0, and a purchase_rule that counts rows"

BUYS = Needs(PURCHASE, lambda setting: setting.purchase > 0)
SHARES_OUT = Needs(
    PURCHASE, lambda setting: setting.purchase > 0 and setting.purchase_rule == "ecos"
)
COUNTS = Needs(PURCHASE, _counts)
SENDS = Needs(
    f"uploaders, or {PURCHASE}", lambda setting: setting.uploaders > 0 or _counts(setting)
)


Rule = Literal["ecos", "random", "kcenter", "proximity", "ideal"]


class ECOSAxes(Axes):
    """Axes of ECOS alone.

    purchase_rule: rule by which public samples are bought: ecos, proximity (whole clusters, those
        of the highest counts first), kcenter, random, or ideal (samples of the clients' own
        domains).
    purchase_allocation: how a purchase is divided among clusters: cap, bounded by their sizes;
        printed, as the thesis prints it.
    centroids: clusters R over which clients count their samples.
    purchase: public samples B that are bought.
    score_power: power s of the counts in that division.
    count_sampling: probability γ with which a sample is counted.
    uploaders: clients that also upload their features.
    label_source: where labels of bought samples come from: bought with them, or a client's private
        kNN.
    purchase_purpose: what a purchase is for: label trains on the labels; compress also on a
        teacher's scores.
    """

    purchase_rule: Annotated[Rule, BUYS] = "ecos"
    purchase_allocation: Annotated[Literal["cap", "printed"], SHARES_OUT] = "cap"
    centroids: Annotated[Many, COUNTS] = 100
    purchase: Annotated[int, Field(ge=0, le=100_000_000)] = 0
    score_power: Annotated[Number, Field(gt=0, le=1000), SHARES_OUT] = 1.0
    count_sampling: Annotated[PositiveShare, COUNTS] = 1.0
    uploaders: Annotated[int, Field(ge=0, le=100_000_000)] = 0
    label_source: Annotated[Literal["bought", "client"], BUYS] = "bought"
    purchase_purpose: Annotated[Literal["label", "compress"], BUYS] = "label"


def faults(setting: AxisValues) -> Iterator[str]:
    """Yield what a setting says against itself."""
    if setting.purchase == setting.uploaders == 0:
        yield (
            "buys nothing and has nobody upload, so that there is nothing to train on; give "
            "purchase or uploaders"
        )


def block(_setting: AxisValues, task: Block) -> dict[str, Any]:
    """Return what jobs read of public samples that are sold, and of heads on them."""
    sources = [{"domains": source["domains"]} for source in task["public"]["sources"]]
    return {
        "public": {"sources": sources},
        "one_shot": task["one_shot"],
        "outsourcing": task["outsourcing"],
    }


def together(setting: AxisValues) -> tuple[Any, ...]:
    """Return what settings have in common that train in one process: the clustering, or none."""
    return (setting.centroids if setting.purchase_rule in COUNTING else None,)


def size_faults(setting: AxisValues, task: Block, dealt: Dealt) -> Iterator[str]:
    """Yield what the task's public sources or its clients cannot give."""
    rows, clients = dealt.public, dealt.clients
    if setting.purchase_rule == "ideal" and setting.purchase > 0:
        sold = {name for source in task["public"]["sources"] for name in _domains(source)}
        if sold.isdisjoint(_domains(task["clients"])):
            yield (
                "buys rows of the clients' own domains, and the public sources have none; leave "
                "purchase_rule: ideal out"
            )

    for axis in ("purchase", "centroids") if rows is not None and setting.purchase else ():
        if (number := getattr(setting, axis)) > rows:
            yield (
                f"has {axis} {number}, but the public sources have {rows} rows; give at most {rows}"
            )
    if clients is None:
        return
    if setting.uploaders > clients:
        yield (
            f"has {setting.uploaders} uploaders, but there are {clients} clients; give at most "
            f"{clients}"
        )
    if clients != 1 and setting.label_source == "client":
        yield (
            f"has a client give labels, but there are {clients} clients; give clients 1, or "
            "label_source: bought"
        )
    if setting.aggregation != "open" and taking_part(clients, setting.fraction) < 2:
        yield (
            "masks the counts of one client, whose sum is its message; give clients at least 2, a "
            "fraction that leaves two, or aggregation: open"
        )


def _domains(block: Block) -> tuple[tuple[str, ...], ...]:
    """Return the domains that a block lists, the plain one without any."""
    return domains_in(block["domains"]) or (("plain",),)


RECORD = MethodRecord(
    "ecos", "ECOS", "#3D5A98", "$E$", "thesis-ecos",
    place=260,
    reads="features",
    sends="once",
    axes=(*CLIENTS, *NOISE, *SUMS, "bits", ECOSAxes),
    needs={**dict.fromkeys((*NOISE, *SUMS), COUNTS), "bits": SENDS},
    mechanisms=("none", "counts"),
    public=True,
    # A client that gives labels protects them, whatever its counts.
    privacy=("delta",),
    faults=faults,
    size_faults=size_faults,
    block=block,
    together=together,
    ignores=("epochs", "learning_rate", "momentum", "weight_decay"),
)  # fmt: skip
