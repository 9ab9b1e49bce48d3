"""Figures of FbFTL that need no run: packet loss, retransmission, label privacy.

Each function computes its numbers and draws them; pdf, png and csv go beside the svg.
"""

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from fbftl.findings.plots.kinds import lines
from fbftl.findings.plots.spec import Look, Panel, Scale, Spec, marks, named_at_ends
from fbftl.findings.published import read
from fbftl.findings.shown import figure_labels, shown
from fbftl.findings.steps import Methods
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, ordered_colors, save
from fbftl.models.cost.architectures import vgg16
from fbftl.papers.fbftl.claims import loss_curves, packet_blocks, payload_curves
from fbftl.privacy.label_privacy import (
    Estimate,
    batch_entropy,
    drawn_types,
    empirical_entropy,
    estimate,
    queried_entropy,
    truncated_entropy,
    uniform,
)

LEAST_LOSS = 1e-6
"""Left end of the figure."""

POINTS = 201

RETRANSMISSIONS = range(4)
"""n_r, the most times that a block is sent again."""

AT_COUNTS = {"fbftl": (5e-4, 8e-4, 1.2e-2, 4e-2), "fl": (1e-4, 2.5e-4, 8e-4, 2.3e-3)}
"""Block loss rate at which the count of each curve is written, by n_r."""


def packet_loss(svg: str | Path, methods: Methods) -> None:
    """Draw packet loss against block loss rate for the paper's four packets (Figs. 6 and 7).

    Args:
        svg: path of the svg.
        methods: the looks of the four.
    """
    blocks, looks, seen = packet_blocks(vgg16()), {}, set()
    numbers = loss_curves(blocks, np.geomspace(LEAST_LOSS, 1, POINTS))
    for name, look in sorted(shown(methods).items()):
        # Dashed over another whose packets are as large.
        looks[look.figure_label] = Look(look.colour, "", "--" if blocks[name] in seen else "-")
        seen.add(blocks[name])
    series = numbers["method"].map(figure_labels(shown(methods)))
    frame = marks(numbers, 100 * numbers["blr"], "plr", series=series)
    panel = Panel(
        Scale("block loss rate (%)", "log plain", margin=0), Scale("packet loss rate (%)")
    )
    figure = lines(frame, Spec(looks, {"": panel}, (TEXT_WIDTH, 2.8), legend=4))
    save(
        figure, svg, numbers, "Packet loss by block loss, of packets of the size that VGG-16 needs"
    )


def retransmission(svg: str | Path, methods: Methods) -> None:
    """Draw expected payload and the packet loss left with retransmissions (Eqs. (18) and (19)).

    Args:
        svg: path of the svg.
        methods: the looks of the two.
    """
    blocks = packet_blocks(vgg16())
    two = {method: blocks[method] for method in AT_COUNTS}
    payload = payload_curves(np.linspace(0, 1, POINTS), RETRANSMISSIONS)
    residual = loss_curves(two, np.geomspace(1e-5, 0.999, POINTS), RETRANSMISSIONS)
    counts = {f"_{count}": f"$n_r$ = {count}" for count in RETRANSMISSIONS}
    series = "_" + payload["retransmissions"].astype(str)
    left = marks(payload, "blr", "payload", series=series, panel="payload", factor=1)
    frames, looks = [named_at_ends(left, counts)], {count: Look(NEUTRAL, "") for count in counts}
    for method, rates in AT_COUNTS.items():
        look = shown(methods)[method]
        for count, rate in zip(RETRANSMISSIONS, rates, strict=True):
            name = look.figure_label if count == 0 else f"_{look.figure_label} {count}"
            curve = residual[residual["method"] == method]
            curve = curve[curve["retransmissions"] == count]
            nearest = (np.log(curve["blr"]) - np.log(rate)).abs().idxmin()
            at = np.where(curve.index == nearest, f"{count}", "")
            frames.append(marks(curve, "blr", "plr", series=name, panel="left", name=at, factor=1))
            looks[name] = Look(look.colour, "", "--" if method == "fl" else "-", width=1)
    panels = {
        "payload": Panel(Scale("block loss rate", margin=0),
                         Scale("expected payload over one sending"),
                         "Payload with $n_r$ retransmissions"),
        "left": Panel(Scale("block loss rate", "log", limits=(1e-5, 1)),
                      Scale("packet loss rate left", "log", limits=(1e-7, 2)),
                      "Loss left, and $n_r$ on each line"),
    }  # fmt: skip
    numbers = pd.concat([payload.assign(panel="payload"), residual.assign(panel="residual loss")])
    figure = lines(pd.concat(frames), Spec(looks, panels, (TEXT_WIDTH, 3.2), legend=2))
    save(figure, svg, numbers, "Payload and packet loss with retransmissions")


AFTER = {
    "exact": ("after it, exact", "", "-"),
    "truncated": ("over the first U batch types alone", "", ":"),
    "published": ("published", "o", "", "white"),
}
"""Words, marker, line and filling of curves after the query."""


def label_privacy(printed: str | Path, svg: str | Path, setting: dict[str, Any]) -> None:
    """Draw label privacy against samples per client, exact beside published (Fig. 11, row A1).

    Left: the adversary's uncertainty about one client's batch before and after it has seen all U
    batches; the published points collapse because they sum over the first U batch types only, which
    the truncated curve reproduces. Right: Lemma 2, the query leakage vanishes as U grows.

    Args:
        printed: csv of the published points: series (prior, queried), UK, K, printed in bits.
        svg: the figure to write.
        setting: `classes` (N), `total_samples` (UK, list), `samples_per_client` (K, list),
            `lemma_samples_per_client` (K, list), `lemma_clients` (U, list), `repetitions`, `seed`.
    """
    parts = [uncertainty(setting), published_points(read(printed)), query_leakage(setting)]
    numbers = pd.concat(parts, ignore_index=True)
    totals = numbers.loc[numbers["series"] == "exact", "UK"].unique()
    sizes = numbers.loc[numbers["series"] == "query leakage", "K"].unique()
    prior = numbers[numbers["series"] == "prior"]
    frames = [marks(prior, "K", "bits", series="before the query", factor=1)]
    looks = {"before the query": Look(NEUTRAL, "", "--")}
    for kind, (words, *look) in AFTER.items():
        for total, colour in zip(totals, ordered_colors(len(totals)), strict=True):
            curve = numbers[numbers["series"].eq(kind) & numbers["UK"].eq(total)]
            # The first of each kind is in the legend.
            name = words if words not in looks else f"_{words}, {total}"
            looks[name] = Look(colour, *look, size=4.5)
            curve = marks(curve, "K", "bits", series=name, factor=1)
            ends = {name: f"UK = {total:,}"} if kind == "exact" else {}
            frames.append(named_at_ends(curve, ends))
    leaked = numbers[numbers["series"] == "query leakage"]
    names = leaked["K"].map(lambda size: f"_K = {size}")
    right = marks(leaked, "U", "bits", series=names, panel="query", factor=1)
    frames.append(named_at_ends(right, {f"_K = {size}": f"K = {size}" for size in sizes}))
    looks |= {f"_K = {size}": Look(size=4) for size in sizes}
    panels = {
        "": Panel(Scale("samples per client K", ticks=setting["samples_per_client"][1::2]),
                  Scale("uncertainty of a batch (bits)"),
                  f"One client's batch, {setting['classes']} classes"),
        "query": Panel(Scale("clients U", "log"), Scale("query leakage L$_q$ (bits)", "log"),
                       "Leaked by the query (Lemma 2)"),
    }  # fmt: skip
    frame = pd.concat(frames).assign(low=np.nan, high=np.nan)
    spec = Spec(looks, panels, (TEXT_WIDTH, 3.6), legend=4)
    figure = lines(frame, spec)
    save(figure, svg, numbers, "Uncertainty of a batch's labels, and leakage by a query")


def uncertainty(setting: dict[str, Any]) -> pd.DataFrame:
    """Return the left panel's computed curves: prior, exact and truncated, in bits."""
    p, sizes = uniform(setting["classes"]), setting["samples_per_client"]
    rows = [row("prior", batch_entropy(p, size), size) for size in sizes]
    for total, size in product(setting["total_samples"], sizes):
        clients = total // size
        draws = drawn_types(p, size, clients, setting["repetitions"], setting["seed"])
        for series, entropy in (("exact", empirical_entropy), ("truncated", truncated_entropy)):
            measured = estimate([entropy(ranks) for ranks in draws])
            rows.append(row(series, measured, size, clients, total))
    return pd.DataFrame(rows)


def query_leakage(setting: dict[str, Any]) -> pd.DataFrame:
    """Return the right panel's curves: L_q, Eq. (34), against U, in bits."""
    p, rows = uniform(setting["classes"]), []
    how = {name: setting[name] for name in ("repetitions", "seed")}
    for size in setting["lemma_samples_per_client"]:
        entropy = batch_entropy(p, size)
        for clients in setting["lemma_clients"]:
            queried = queried_entropy(p, size, clients, **how)
            leaked = Estimate(entropy - queried.mean, queried.spread)
            rows.append(row("query leakage", leaked, size, clients, clients * size))
    return pd.DataFrame(rows)


def published_points(points: pd.DataFrame) -> pd.DataFrame:
    """Return the published points after the query in the layout of the computed rows."""
    queried = points[points["series"] == "queried"].astype({"UK": int})
    return pd.DataFrame(
        row("published", float(p.printed), p.K, p.UK // p.K, p.UK) for p in queried.itertuples()
    )


def row(
    series: str, value: float | Estimate, size: int, clients: Any = pd.NA, total: Any = pd.NA
) -> dict[str, Any]:
    """Return one drawn point; what has no repetitions has no spread."""
    measured = value if isinstance(value, Estimate) else Estimate(value, pd.NA)
    at = {"series": series, "UK": total, "U": clients, "K": size}
    return at | {"bits": measured.mean, "spread": measured.spread}
