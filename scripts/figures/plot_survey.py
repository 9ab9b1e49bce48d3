"""Figures of the survey: frameworks, votes for source models, a federation, DP-SGD.

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from dataclasses import replace

import pandas as pd
from fbftl.findings.plots.kinds import bands, lines, votes_by_category
from fbftl.findings.plots.spec import (
    ACCURACY,
    PRINTED,
    Look,
    Panel,
    Scale,
    Spec,
    in_order,
    level,
    marks,
    to_draw,
    with_rows,
)
from fbftl.findings.published import read
from fbftl.findings.runs import read_tidy
from fbftl.findings.shown import shown
from fbftl.findings.steps import Methods
from fbftl.findings.style import COLUMN_WIDTH, NEUTRAL, TEXT_WIDTH, save
from fbftl.findings.tables import read_table
from fbftl.findings.wording import axes_of, dealt_words, listed_words, setting_words


def frameworks(table: str, svg: str, methods: Methods) -> None:
    """Draw each framework's accuracy against what a client sends for it: a point per setting.

    Where a framework has several settings in a panel, each point says in what they differ.

    Args:
        table: the frameworks' table.
        svg: path of the svg.
        methods: the methods of its rows.
    """
    rows = with_rows(read_table(table).dropna(subset=["accuracy"]), table)
    looks, frames, panels = {}, [], {}
    x, y = Scale("uplink per client (bit)", "log", margin=0.08), Scale(ACCURACY, "score")
    for partition, in_panel in rows.groupby("partition"):
        panels[partition] = Panel(x, y, f"Labels: {dealt_words(str(partition))}")
        for method, settings in in_panel.groupby("method", sort=False):
            look = shown(methods)[str(method)]
            marker = "o" if look.marker.startswith("$") else look.marker
            looks[look.figure_label] = Look(look.colour, marker, "", size=6.5)
            differences = what_differs(list(settings["variant"]))
            names = [", ".join(filter(None, [look.figure_label, each])) for each in differences]
            at = {"series": look.figure_label, "panel": partition, "name": names}
            frames.append(marks(settings, "up", **at))
    spec = Spec(looks, panels, (0.9 * TEXT_WIDTH, 2.6 * len(panels)), columns=1)
    figure = lines(pd.concat(frames), spec)
    save(figure, svg, rows, "Accuracy of frameworks against uplink per client")


def what_differs(variants: list[str]) -> list[str]:
    """Return in words of each setting, written as "axis value, axis value", what not all have."""
    named = [variant.split(", ") if isinstance(variant, str) else [] for variant in variants]
    shared = set(named[0]).intersection(*named)
    apart = [[part for part in parts if part not in shared] for parts in named]
    return [listed_words(", ".join(parts)) for parts in apart]


DASHES = ("-", "--", "-.", ":")
"""Of methods and their numbers of seed samples, in turn."""


def gains(series: str, svg: str, methods: Methods) -> None:
    """Draw what every client gains by taking part, against training alone: who loses is seen.

    A panel for each way in which labels are dealt, with a scale of its own.

    Args:
        series: the experiment's series, a row per setting, seed and client.
        svg: path of the svg.
        methods: the methods of the experiment.
    """
    rows = read_tidy(series)
    gained = with_rows(rows[rows["series"] == "gain_by_client"], series)
    # Of all clients of all seeds, ascending, each with its rank in percent.
    ordered = gained.sort_values(["setting", "value"]).rename(columns={"value": "gain"})
    rank = ordered.groupby("setting")["gain"]
    ordered["rank"] = 100 * (rank.cumcount() + 0.5) / rank.transform("size")
    ranks = ordered[["setting", "rank", "gain"]].assign(seeds=gained["seed"].nunique())
    looks, labels, dealt = {}, {}, {}
    for setting in ranks["setting"].unique():
        axes = axes_of(setting)
        look = shown(methods)[axes["method"]]
        dealt[setting] = dealt_words(axes.get("partition", "iid"))
        telling = {"seed_samples": axes["seed_samples"]} if "seed_samples" in axes else {}
        labels[setting] = ", ".join(filter(None, [look.figure_label, setting_words(telling)]))
        looks.setdefault(labels[setting], Look(look.colour, "", DASHES[len(looks) % len(DASHES)]))
    frame = marks(ranks, "rank", "gain", series=ranks["setting"].map(labels))
    frame["panel"] = ranks["setting"].map(dealt)
    x = Scale("clients of all seeds, by gain (%)", limits=(0, 100))
    panels = {
        words: Panel(x, Scale("gain (points of accuracy)", reference=0), f"Labels: {words}")
        for words in sorted({*dealt.values()})
    }
    figure = lines(frame, Spec(looks, panels, (TEXT_WIDTH, 3.2), legend=4))
    save(figure, svg, ranks, "Gains in accuracy by taking part, client by client")


def votes(series: str, svg: str, models: dict[str, str]) -> None:
    """Draw how clients' votes fall on the source models: a bar per setting, a dot per seed.

    Args:
        series: the experiment's series, a row per setting, seed and source model.
        svg: path of the svg.
        models: what each source model learnt from, in the order of the votes.
    """
    rows = read_tidy(series)
    counted = with_rows(rows[rows["series"] == "votes"], series)
    vote_shares = shares(counted, list(models)).assign(seeds=counted["seed"].nunique())
    names = {}
    for setting in sorted(vote_shares["setting"].unique(), key=distinguishing):
        samples, vote_round, similarity = distinguishing(setting)
        many = "all" if samples == float("inf") else f"{samples:g}"
        names[setting] = f"{many} samples, round {vote_round}, CKA {similarity}"
    frame = marks(
        vote_shares, vote_shares["model"].str.replace("_", " "), "share",
        series=vote_shares["setting"].map(names),
    )  # fmt: skip
    panel = Panel(
        Scale("source model", "categories"), Scale("share of the votes (%)", limits=(0, 104))
    )
    looks = in_order(list(names.values()))
    spec = Spec(looks, {"": panel}, (TEXT_WIDTH, 0.4 * TEXT_WIDTH), legend=2)
    save(votes_by_category(frame, spec), svg, vote_shares, "Votes for each source model")


def shares(counted: pd.DataFrame, models: list[str]) -> pd.DataFrame:
    """Return each model's share of a setting's votes in every seed.

    Settings that leave models out are left out.
    """
    counts = counted.groupby("setting")["step"].max()
    whole = counted[counted["setting"].map(counts) == len(models)]
    total = whole.groupby(["setting", "seed"])["value"].transform("sum")
    named = whole["step"].map(dict(enumerate(models, start=1)))
    of_models = whole.assign(share=whole["value"] / total, model=named)
    return of_models[["setting", "seed", "model", "share"]]


def distinguishing(setting: str) -> tuple[float, int, str]:
    """Return what tells a setting from the others: samples, round and similarity."""
    axes = axes_of(setting)
    samples, similarity = axes.get("most_samples", "inf"), axes.get("cka_estimator", "unbiased")
    return float(samples), int(axes["vote_round"]), similarity


MODELS = {"Fed": ("D", "federation"), "Net": ("s", "one client")}
"""Models of Table 1: their markers, and whom they are of."""


def federation(series: str, table1: str, svg: str) -> None:
    """Draw a federation's accuracy by round against one client's, over the points of Table 1.

    Args:
        series: the experiment's series, a row per setting, seed and round.
        table1: the published points, of MNIST.
        svg: path of the svg.
    """
    ours = by_round(to_draw(series))
    printed = read(table1).assign(accuracy=lambda table: table["printed"].astype(float) / 100)
    printed = printed.rename(columns={"model": "who"})[["who", "round", "accuracy"]]
    names = sorted(ours["who"].unique())
    looks, labels = in_order(names), {}
    for model, (marker, whom) in MODELS.items():
        labels[model] = f"{whom}, printed (MNIST)"
        looks[labels[model]] = replace(PRINTED, marker=marker)
    theirs = marks(printed, "round", series=printed["who"].map(labels))
    frame = pd.concat([marks(ours, "round", series=ours["who"]), theirs])
    panel = Panel(Scale("round"), Scale(ACCURACY))
    spec = Spec(looks, {"": panel}, (COLUMN_WIDTH, COLUMN_WIDTH), legend=2)
    figure = bands(frame, spec)
    drawn = pd.concat([ours, printed.assign(printed=True)])
    save(figure, svg, drawn, "Accuracy of a federation by round")


def by_round(series: pd.DataFrame) -> pd.DataFrame:
    """Return mean and spread of each setting's accuracy by round, with who it is."""
    accuracy = series[series["series"] == "test_accuracy"].rename(columns={"step": "round"})
    by_setting = accuracy.groupby(["setting", "round"])["value"]
    means = by_setting.agg(accuracy="mean", spread="std", seeds="count").reset_index()
    return means.assign(who=means["setting"].map(who), printed=False)


def who(setting: str) -> str:
    """Return whom a setting is of."""
    axes = axes_of(setting)
    if axes.get("clients") == "1":
        return "one client"
    is_apart = axes.get("initial_weights") == "own"
    return "federation, own starts" if is_apart else "federation, common start"


DPSGD = {
    "DP-SGD, ε per sample": Look("#0072B2"),
    "without noise": Look("#0072B2", "", ":"),
    "printed for MNIST, without noise": Look(NEUTRAL, "", "-.", width=0.8),
    "printed for MNIST, ε not reported": Look(NEUTRAL, "", "--", width=0.8),
}
"""Looks of the line and of its levels."""


def dpsgd(table: str, svg: str) -> None:
    """Draw DP-SGD's accuracy against epsilon, with what is published as levels of their own."""
    points = to_draw(table)
    noisy = points[points["epsilon"].notna()].sort_values("epsilon")
    clean = points[points["epsilon"].isna()].iloc[0]
    line, *levels = DPSGD
    frame = marks(noisy, "epsilon", series=line)
    heights = (clean["accuracy"], clean["published"], noisy["published"].iloc[0])
    across = [level(100 * y, frame, name) for y, name in zip(heights, levels, strict=True)]
    x = Scale("privacy loss ε", "log", list(noisy["epsilon"]))
    panel = Panel(x, Scale(ACCURACY, limits=(0, 103)))
    figure = lines(pd.concat([frame, *across]), Spec(DPSGD, {"": panel}, legend=1))
    save(figure, svg, points, "DP-SGD's accuracy against ε")
