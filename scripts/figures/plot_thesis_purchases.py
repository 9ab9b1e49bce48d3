"""Figures of the thesis on public samples that counts of features buy (chapter 5).

Each function draws one; pdf, png and its numbers go beside the svg.
"""

from itertools import cycle

import numpy as np
import pandas as pd
from fbftl.data.clients import ClientFile
from fbftl.data.public import PLAIN, public_domains
from fbftl.findings.outsourcing import CHOICES
from fbftl.findings.plots.kinds import lines, pictures
from fbftl.findings.plots.spec import ACCURACY, Look, Panel, Scale, Spec, level, marks, to_draw
from fbftl.findings.run_file import read_run
from fbftl.findings.steps import Paths
from fbftl.findings.style import NEUTRAL, TEXT_WIDTH, save
from fbftl.study.clients import domains_in
from fbftl.study.outsourcing import COUNTING

BLIND = ("kcenter", "random", "ideal")
"""Choices that need nothing of the clients."""

COUNTS = ("centroids", "sigma")
"""What tells counts apart."""

DRAWN = (("white", ":", ">"), ("#B5C3DE", "--", "P"), ("", "-", "o"))
"""Fillings, lines and markers of ECOS, the fewest centroids first."""


def ecos(table: str, svg: str) -> None:
    """Draw what counts buy: share of the domain, accuracy by noise and centroids, and by purchase.

    The study varies one thing at a time from where it runs proximity alone. What needs nothing of
    the clients is a level at every noise. Ticks of noise have its ε.
    """
    rows = to_draw(table)
    rows = rows[(rows["label_source"] == "bought") & (rows["purchase_purpose"] == "label")]
    apart = rows[rows["purchase_rule"] == "proximity"].sort_values("purchase")
    centre = apart.iloc[len(apart) // 2]
    plain = rows[
        (rows["purchase_rule"] == "ecos") & (rows["purchase_allocation"] == "cap")
        & (rows["score_power"] == 1) & (rows["bits"] == 32)
    ]  # fmt: skip
    here = plain[plain["purchase"] == centre["purchase"]]
    by_centroids = "ECOS, R = {:.0f}".format
    series = here["centroids"].map(by_centroids)
    share = marks(here, "sigma", "own_share", series=series, panel="share")
    in_cloud = level(100 * rows["inherent_share"].iloc[0], share, "share in cloud", panel="share")
    accuracy = marks(here, "sigma", series=series, panel="accuracy")
    frames = [share, in_cloud, accuracy]
    counts, (_, colour, _) = sorted(here["centroids"].dropna().unique()), CHOICES["ecos"]
    looks = {
        by_centroids(count): Look(colour, marker, dash, filling, size=6.5)
        for count, (filling, dash, marker) in zip(counts, cycle(DRAWN), strict=False)
    }
    blind = rows[rows["purchase"].eq(centre["purchase"]) & rows["purchase_rule"].isin(BLIND)]
    for choice, (name, colour, marker) in CHOICES.items():
        if choice == "ecos":
            line, name = plain, by_centroids(centre["centroids"])
        else:
            line, looks[name] = rows[rows["purchase_rule"] == choice], Look(colour, marker)
        if choice in COUNTING:
            line = line[line[[*COUNTS]].eq(centre[[*COUNTS]]).all(axis=1)]
        frames.append(marks(line, "purchase", series=name, panel="purchase"))
        for score in blind.loc[blind["purchase_rule"] == choice, "accuracy"]:
            frames.append(level(100 * score, accuracy, name, panel="accuracy"))
    looks["share in cloud"] = Look(NEUTRAL, "", width=0.9)
    noises = here.groupby("sigma")["epsilon_added"].first().map("\nε = {:.2f}".format)
    ticks = {at: f"{at:g}{words}".replace("ε = nan", "no ε") for at, words in noises.items()}
    noise, frame = Scale("noise σ on each count, and its ε", ticks=ticks), pd.concat(frames)
    scores = frame.loc[frame["panel"].ne("share"), ["low", "high"]]
    y = Scale(ACCURACY, limits=(scores["low"].min() - 2, scores["high"].max() + 2))
    bought = Scale("samples bought B", ticks=sorted(rows["purchase"].unique()))
    alike = f"B = {centre['purchase']:g}"
    of_domain = Scale("share of own domain (%)", limits=(0, None))
    panels = {
        "share": Panel(noise, of_domain, f"Samples bought, {alike}"),
        "accuracy": Panel(noise, y, f"By noise, {alike}"),
        "purchase": Panel(bought, y, f"σ = {centre['sigma']:g}, R = {centre['centroids']:g}"),
    }
    figure = lines(frame, Spec(looks, panels, (TEXT_WIDTH, 3.3), legend=4))
    save(figure, svg, rows, "Domain of samples bought by noisy counts, and accuracy")


SHOWN = 24
"""Images of each choice."""


def purchases(runs: Paths, public: str, svg: str, domains: list | None, block: dict) -> None:
    """Draw what each choice bought: public images as the cloud has them, a row per choice.

    The first seed's purchase in equal steps, own domain first; a bar beneath marks those of the
    clients' own domain.

    Args:
        runs: run files, one of each choice.
        public: the file of public samples.
        svg: path of the svg.
        domains: the task's domains, as the configuration lists them.
        block: config block `public` of the task.
    """
    sold = public_domains(block) or (PLAIN,)
    mine = [sold.index(name) for name in domains_in(domains) or (PLAIN,) if name in sold]
    with ClientFile(public) as file:
        # As the store of their features has them, in which the purchases count.
        pixels = np.concatenate([file.column(split, "pixels") for split in file.splits])
        of_splits = [file.domains(split) for split in file.splits]
    domain = np.zeros(len(pixels), int) if of_splits[0] is None else np.concatenate(of_splits)
    is_own = np.isin(domain, mine)
    documents = {run["setting"].get("purchase_rule", "ecos"): run for run in map(read_run, runs)}
    images, under, counts = {}, {}, []
    for choice in [choice for choice in CHOICES if choice in documents]:
        bought = np.array(documents[choice]["repetitions"][0]["series"]["purchase"])
        counts += [
            {"purchase_rule": choice, "domain": each, "rows": int((domain[bought] == each).sum())}
            for each in np.unique(domain)
        ]
        ordered = bought[np.argsort(~is_own[bought], kind="stable")]
        shown = ordered[np.linspace(0, len(ordered) - 1, min(SHOWN, len(ordered))).astype(int)]
        name = f"{CHOICES[choice][0]}\nown domain: {is_own[bought].mean():.0%} of {len(bought)}"
        images[name] = pixels[shown] / 255
        under[name] = [CHOICES["ideal"][1] if is_own[row] else None for row in shown]
    figure = pictures(images, TEXT_WIDTH / (SHOWN + 4), under)
    numbers = pd.DataFrame(counts).assign(seeds=1)
    save(figure, svg, numbers, "Public images bought, own domain underlined")
