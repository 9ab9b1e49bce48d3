"""Figures of the thesis on networks of several widths, and on one that is robust (chapter 4).

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from typing import Any

import pandas as pd
from fbftl.data.domains import name_of
from fbftl.findings.plots.kinds import bars, lines
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, marks, to_draw
from fbftl.findings.runs import by_setting
from fbftl.findings.shown import figure_labels, shown
from fbftl.findings.steps import Axes, Methods
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save
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
        looks[name] = Look.of(look, line=":" if alone else "-")
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
            looks[series] = Look.of(look, line="", filling="white" if order == "spread" else "")
    ticks = sorted(rows["width"].unique())
    x, y = Scale("share of the full width", "log2", ticks), Scale(ACCURACY)
    panels = {order: Panel(x, y, title) for order, title in orders_of(rows).items()}
    uplink = "At full width, and FedAvg of each"
    if "spread" in panels:
        uplink += "; hollow: budgets spread"
    sent = Scale("sent up by all clients in a round (Mb)", limits=(0, None), margin=0.15)
    panels["uplink"] = Panel(sent, y, uplink)
    columns = 1 if len(panels) == 2 else 2
    size = (TEXT_WIDTH, 2.5 * -(-len(panels) // columns))
    figure = lines(pd.concat(frames), Spec(looks, panels, size, columns, 4))
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
    x, y = Scale("domain", "categories"), Scale("accuracy at full width (%)")
    panels = {order: Panel(x, y, title) for order, title in orders_of(rows).items()}
    figure = bars(pd.concat(frames), Spec(looks, panels, (TEXT_WIDTH, 2.6), legend=4))
    save(figure, svg, rows, "Accuracy in each domain at full width")


PANEL = ["budgets", "budget_order", "clients_per_round"]
"""Axes that have a panel for each of their values."""

ORDERS = {"by_domain": "", "poorest_first": ", poorest first", "spread": ", spread"}
"""What follows a law's name; a law deals the widest networks to the first domains without it."""

LAWS = {"lognormal": "log-normal", "ln0.5_0.4": "log-normal (.5, .4)", "8-2-1-1": "8 : 2 : 1 : 1"}
"""Names of laws that are not words."""

COLUMNS = 3
"""Panels side by side."""


def width_laws(table: str, svg: str, methods: Methods) -> None:
    """Draw accuracy against width, a panel for each law of what clients can train (Fig. C.4).

    Also for each order in which a law deals widths to clients, and for fewer clients in a round
    (Fig. C.5). Networks of FedAvg, which has no budgets, are in every panel. Bases of Split-Mix
    that begin as slices of the whole network are filled.
    """
    rows = to_draw(table)
    with_budgets, of_each = rows[rows["budgets"].notna()], rows[rows["budgets"].isna()]
    groups = with_budgets.groupby(PANEL, sort=False, dropna=False)
    ordered = sorted(groups, key=lambda at: (pd.notna(at[0][2]), at[0][0] != "exponential"))
    x, y = Scale("share of width", "log2", sorted(rows["width"].unique())), Scale(ACCURACY)
    panels, frames, looks = {}, [], {}
    for number, ((law, order, clients), of_panel) in enumerate(ordered):
        of_round = "" if pd.isna(clients) else f", {clients:g} clients a round"
        panels[number] = Panel(x, y, f"{LAWS.get(law, law)}{ORDERS[order]}{of_round}")
        lines_here = pd.concat([of_panel, of_each]).groupby(["method", "rescaled_init"], sort=False)
        for (method, rescaled), line in lines_here:
            look = shown(methods)[method]
            begins = ", slices at the start" if rescaled else ", bases of their own"
            name = look.figure_label + (begins if method == "splitmix" else "")
            frames.append(marks(line, "width", series=name, panel=number))
            filling = "white" if method == "splitmix" and not rescaled else ""
            dotted = ":" if line["budgets"].isna().all() else "-"
            looks[name] = Look.of(look, line=dotted, filling=filling, size=3.5)
    order = [look.figure_label for look in shown(methods).values()]
    looks = dict(sorted(looks.items(), key=lambda named: order.index(named[0].split(", ")[0])))
    size = (TEXT_WIDTH, 1.7 * -(-len(panels) // COLUMNS) + 0.6)
    figure = lines(pd.concat(frames), Spec(looks, panels, size, COLUMNS, legend=3))
    save(figure, svg, rows, "Accuracy by width under laws of budgets")


CLEAN = "clean inputs alone"
"""What stands for a normalisation where nothing is disturbed, FedAvg."""

NORMALISED = {
    "own": ("two normalisations", Look("#7A0177")),
    "shared": ("one normalisation", Look("#000000", "", "--")),
    CLEAN: ("FedAvg", Look(NEUTRAL, "", ":")),
}
"""Label and look by whose the normalisation of disturbed inputs is; what has no λ is a level."""

DISTURBED = {"standard": "Clean inputs", "random": "Random noise as large", "robust": "PGD"}
"""Titles of the panels by their scores."""

SCORES = {
    "standard": "standard_accuracy",
    "robust": "robust_accuracy",
    "random": "random_noise_accuracy",
}
"""Measures at a λ by their scores."""

PREFIX = f"{SCORES['robust']}_at_"

LEVELS_AT = (-0.04, 1.04)
"""Weights at which a level has a mark with a bar."""


def robust(runs: str, svg: str, axes: Axes) -> None:
    """Draw accuracy on clean inputs, under random noise and under PGD against λ, a panel for each.

    λ mixes the two normalisations of disturbed and clean inputs. One normalisation for both kinds
    of inputs is a level: nothing is left to choose.
    """
    rows = disturbed(to_draw(runs, axes))
    frames = []
    for score in DISTURBED:
        for kind, (name, _) in NORMALISED.items():
            line = rows[rows["disturbed_normalisation"] == kind]
            if kind != "own":
                line = pd.concat([line.iloc[:1].assign(share=share) for share in LEVELS_AT])
            if score in line and line[score].notna().any():
                frames.append(marks(line, "share", score, series=name, panel=score))
    x, y = Scale("weight λ of their normalisation"), Scale(ACCURACY, margin=0.15)
    panels = {score: Panel(x, y, title) for score, title in DISTURBED.items()}
    spec = Spec(dict(NORMALISED.values()), panels, (TEXT_WIDTH, 2.6), legend=3)
    save(lines(pd.concat(frames), spec), svg, rows, "Accuracy on clean and on disturbed inputs")


def disturbed(table: pd.DataFrame) -> pd.DataFrame:
    """Return a row per normalisation and λ: both accuracies over seeds, and under random noise.

    FedAvg, which sees no disturbed inputs and is not attacked, has a row of its own.
    """
    clean, attacked = (table[table["method"] == method] for method in ("fedavg", "robust"))
    alone = by_setting(clean, [], {"standard": "test_accuracy"})
    frames = [alone.assign(disturbed_normalisation=CLEAN)]
    for column in sorted(name for name in attacked if name.startswith(PREFIX)):
        share = column.removeprefix(PREFIX)
        scores = {name: f"{measure}_at_{share}" for name, measure in SCORES.items()}
        at_share = by_setting(attacked, ["disturbed_normalisation"], scores)
        frames.append(at_share.assign(share=float(share)))
    return pd.concat(frames, ignore_index=True)
