"""Figures of the thesis on networks of several widths, and on one that is robust (chapter 4).

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from fractions import Fraction
from typing import Any

import pandas as pd
from fbftl.data.domains import name_of
from fbftl.findings.plots import kinds
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, alongside, marks, to_draw
from fbftl.findings.runs import by_setting
from fbftl.findings.shown import figure_labels, shown
from fbftl.findings.steps import Axes, Methods
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save
from fbftl.findings.wording import LAWS
from fbftl.study.clients import domains_in

TITLES = {"by_domain": "Budgets by domain", "spread": "Budgets spread over domains"}
"""Titles of panels, by the order in which budgets go over clients."""

WHATEVER = ("fedavg",)
"""Methods whose clients all train the same width, whatever their budgets."""


def as_in_the_thesis(table: pd.DataFrame) -> pd.DataFrame:
    """Return the rows under exponential budgets, a run of each method and order.

    Bases begin rescaled, as the thesis has it, where such ran under every order that the method ran
    under; else none of them do. Their layers are not rescaled.

    Args:
        table: of widths; FedAvg has no budgets, and is given those of the first order.
    """
    rows = table.fillna({"budgets": "exponential", "budget_order": "by_domain"})
    rows = rows[(rows["budgets"] == "exponential") & ~rows["rescaled_layers"]]
    in_order = rows.groupby(["method", "budget_order"])["rescaled_init"].transform("any")
    return rows[rows["rescaled_init"] == in_order.groupby(rows["method"]).transform("all")]


def orders_of(rows: pd.DataFrame) -> dict[str, str]:
    """Return titles of the orders of budgets under which anything ran; one panel at least."""
    ran = rows.loc[~rows["method"].isin(WHATEVER), "budget_order"].unique()
    if set(ran) == {"by_domain"} and has_one_domain(rows):
        return {"by_domain": "Budgets by client"}
    orders = {order: title for order, title in TITLES.items() if order in ran}
    return orders or {"by_domain": "All clients train one width"}


def has_one_domain(rows: pd.DataFrame) -> bool:
    """Tell whether a table of widths is of one domain, and has no accuracies by domain."""
    with_spread = {name for name in rows.columns if f"{name}_spread" in rows.columns}
    return len(with_spread - {"gap"}) <= 1


def widths(table: str, svg: str, methods: Methods) -> None:
    """Draw accuracy against width, a line per method, under each order of budgets; and its uplink.

    Budgets that follow the domains leave whole domains too poor for wide networks; beside them,
    where it ran, the same budgets spread over the domains. Last, accuracy at full width against
    what a round sends.
    """
    rows = as_in_the_thesis(to_draw(table))
    methods_shown = shown(methods)
    frames, looks = [], {}
    for look in methods_shown.values():
        of_method = rows[rows["method"] == look.name]
        # FedAvg's networks are trained apart, each for itself.
        alone = look.name in WHATEVER
        name = f"{look.figure_label} of each width" if alone else look.figure_label
        # A line would make up the widths between that did not run.
        dotted = ":" if alone and of_method["width"].nunique() == rows["width"].nunique() else ""
        looks[name] = Look.of(look, line=dotted if alone else "-")
        for order in orders_of(rows):
            line = of_method if alone else of_method[of_method["budget_order"] == order]
            frames.append(marks(line, "width", series=name, panel=order))
        for order in ("by_domain", "spread"):
            points = of_method[of_method["budget_order"] == order]
            if not alone:
                points = points[points["width"] == points["width"].max()]
            names = [f"width {width:g}" if alone else "" for width in points["width"]]
            at, series = points["uplink_bits"] / 1e6, f"_{name}, {order}"
            frames.append(marks(points, at, series=series, panel="uplink", name=names))
            filling = "white" if order == "spread" else ""
            looks[series] = Look.of(look, line=dotted, filling=filling, size=7)
    ticks = sorted(rows["width"].unique())
    x, y = Scale("share of the full width", "log2", ticks), Scale(ACCURACY)
    panels = {order: Panel(x, y, title) for order, title in orders_of(rows).items()}
    uplink = "Full width; FedAvg at each width"
    if "spread" in panels:
        uplink += "; hollow: budgets spread"
    sent = Scale("uplink of all clients per round (Mb)", "log 1-2-5", margin=0.15)
    panels["uplink"] = Panel(sent, y, uplink)
    size = (TEXT_WIDTH, 2.7 * -(-len(panels) // 2) + 0.3)
    figure = kinds.lines(pd.concat(frames), Spec(looks, panels, size, 2, 4))
    save(figure, svg, rows, "Accuracy by width of the network and by uplink")


def domains(table: str, svg: str, domains: list[Any], methods: Methods) -> None:
    """Draw accuracy in each domain at full width, a bar per method: whose domains starve.

    Whiskers are one standard deviation over seeds. A panel for each order of budgets over the
    domains.

    Args:
        table: path of the table.
        svg: path of the svg.
        domains: of the task, as the configuration lists them.
        methods: the methods of the runs, in the order of the bars.
    """
    rows = as_in_the_thesis(to_draw(table))
    names, frames = [name_of(domain) for domain in domains_in(domains)], []
    budgeted = {name: look for name, look in shown(methods).items() if name not in WHATEVER}
    smallest = rows["method"].isin(WHATEVER) & (rows["width"] == rows["width"].min())
    fits = "FedAvg that fits all budgets"
    for order in orders_of(rows):
        of_order = rows[rows["budget_order"].eq(order) & rows["width"].eq(1)]
        of_order = of_order.assign(label=of_order["method"].map(figure_labels(budgeted)))
        drawn = pd.concat([of_order.dropna(subset="label"), rows[smallest].assign(label=fits)])
        frames += [
            marks(drawn.assign(domain=name), "domain", name, series=drawn["label"], panel=order)
            for name in names
        ]
    looks = {look.figure_label: Look.of(look) for look in budgeted.values()}
    looks[fits] = Look("#AAAAAA")
    x, y = Scale("domain", "categories"), Scale("test accuracy (%)")
    panels = {order: Panel(x, y, title) for order, title in orders_of(rows).items()}
    figure = kinds.bars(pd.concat(frames), Spec(looks, panels, (TEXT_WIDTH, 2.6), legend=4))
    save(figure, svg, rows, "Accuracy in each domain at full width")


ROW = ["budgets", "budget_order", "clients_per_round"]
"""Axes that have a row for each of their values."""

APART = "no budgets: each width apart"
"""What FedAvg's networks have in place of a law."""

FIRST = {APART: 0, "exponential": 1}
"""Rows before the others."""

WIDTHS = ("the narrowest", "the whole network")
"""What titles of the panels call the widths."""

THROUGH = "mean of FedAvg"
"""The line through all rows."""

ORDERS = {"by_domain": "", "poorest_first": "; poorest first", "spread": "; spread"}
"""What follows a law's name; a law deals the widest networks to the first domains without it."""


def width_laws(table: str, svg: str, methods: Methods) -> None:
    """Draw accuracy at the least and the full width by law of what clients can train (Fig. C.4).

    A row is a law, an order in which it deals widths to clients, and a number of clients in a round
    (Fig. C.5). Networks of FedAvg, which has no budgets, have the first row, and a line through all
    others. Bases of Split-Mix that begin as slices of the whole network are filled.
    """
    rows, methods_shown = to_draw(table), shown(methods)
    rows = rows[rows["width"].isin([rows["width"].min(), rows["width"].max()])]
    groups = rows.fillna({"budgets": APART}).groupby(ROW, sort=False, dropna=False)
    ordered = sorted(groups, key=lambda at: (pd.notna(at[0][2]), FIRST.get(at[0][0], 2)))
    without = rows[rows["budgets"].isna()].drop(columns="spread")
    ends, panel = (0, len(ordered) - 1), without["width"]
    frames = [marks(without, end, series=THROUGH, panel=panel) for end in ends]
    laws, looks = {}, {}
    for number, ((law, order, clients), of_law) in enumerate(ordered):
        of_round = "" if pd.isna(clients) else f"; {clients:g} clients a round"
        laws[number] = f"{LAWS.get(law, law)}{ORDERS.get(order, '')}{of_round}"
        for (method, rescaled), of_method in of_law.groupby(["method", "rescaled_init"]):
            look, is_own = methods_shown[method], method == "splitmix" and not rescaled
            begins = ", bases of their own" if is_own else ", slices at the start"
            name = look.figure_label + (begins if method == "splitmix" else "")
            frames.append(marks(of_method, number, series=name, panel=of_method["width"]))
            looks[name] = Look.of(look, line="", filling="white" if is_own else "")
    order = list(figure_labels(methods_shown).values())
    looks = dict(sorted(looks.items(), key=lambda named: order.index(named[0].split(", ")[0])))
    several = [name for name in looks if name != "FedAvg"]
    frame = alongside(pd.concat(frames), several, 0.16).rename(columns={"x": "y", "y": "x"})
    looks = {THROUGH: Look(NEUTRAL, "", width=0.8), **looks}
    x, y = Scale(ACCURACY, "score"), Scale("widths that clients can train", ticks=laws)
    widths = zip(sorted(rows["width"].unique()), WIDTHS, strict=False)
    panels = {at: Panel(x, y, f"width {Fraction(at)} ({words})") for at, words in widths}
    size = (TEXT_WIDTH, 0.36 * len(laws) + 1.1)
    figure = kinds.rows(frame, Spec(looks, panels, size, legend=3))
    save(figure, svg, rows, "Accuracy at the least and the full width under laws of budgets")


WEIGHTS = (0.0, 0.2, 0.5, 1.0)
"""Weights of disturbed inputs in FedAvg's loss that are drawn; 0 is plain FedAvg."""

ONE = "FedAvg, by the weight of disturbed inputs in its loss"
TWO = "two normalisations, by the share λ of the disturbed inputs' normalisation"
"""Series of rows: networks with one normalisation for all inputs, and with one for each kind."""

DISTURBED = {"standard": "Clean inputs", "random": "Random noise", "robust": "Attacked by PGD"}
"""Titles of the panels by their scores."""

SCORES = {
    "standard": "standard_accuracy",
    "robust": "robust_accuracy",
    "random": "random_noise_accuracy",
}
"""Measures at a λ by their scores."""

PREFIX = f"{SCORES['robust']}_at_"


def robust(runs: str, svg: str, axes: Axes) -> None:
    """Draw accuracy on clean inputs, under random noise and under PGD, a panel for each.

    A row is a weight of disturbed inputs in the loss of FedAvg, which has one normalisation for
    clean and disturbed inputs, or a share λ of the disturbed inputs' normalisation in a network
    that has one for each kind. All scores are by the same normalisation of the test inputs.
    """
    rows = disturbed(to_draw(runs, axes))
    is_own = rows["disturbed_normalisation"] == "own"
    is_level = ~is_own & rows["robust_weight"].isin(WEIGHTS)
    levels = rows[is_level].drop_duplicates("robust_weight").sort_values("robust_weight")
    drawn = pd.concat([levels.assign(series=ONE), rows[is_own].assign(series=TWO)])
    drawn = drawn.assign(row=range(len(drawn)))
    frames = [
        marks(drawn, "row", score, series=drawn["series"], panel=score) for score in DISTURBED
    ]
    frame = pd.concat(frames).rename(columns={"x": "y", "y": "x"})
    names = [f"weight {weight:g}" for weight in levels["robust_weight"]]
    names += [f"λ = {share:g}" for share in rows.loc[is_own, "share"]]
    x, y = Scale(ACCURACY), Scale(ticks=dict(enumerate(names)))
    panels = {score: Panel(x, y, title) for score, title in DISTURBED.items()}
    looks = {ONE: Look("#D55E00"), TWO: Look("#7A0177", "s")}
    figure = kinds.rows(frame, Spec(looks, panels, (TEXT_WIDTH, 2.9), legend=1))
    save(figure, svg, rows, "Accuracy on clean and on disturbed inputs")


def disturbed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row per normalisation, weight and λ: accuracy over seeds on each kind of inputs."""
    frames, axes = [], ["disturbed_normalisation", "robust_weight"]
    for column in sorted(name for name in table if name.startswith(PREFIX)):
        share = column.removeprefix(PREFIX)
        scores = {name: f"{measure}_at_{share}" for name, measure in SCORES.items()}
        at_share = by_setting(table.dropna(subset=[column]), axes, scores)
        frames.append(at_share.assign(share=float(share)))
    return pd.concat(frames, ignore_index=True)
