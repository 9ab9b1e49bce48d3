"""Draw a contact sheet of what each choice bought: public images as the cloud has them.

The first seed's purchase in equal steps, own rows first; a bar beneath marks those of the clients'
own domain.
"""

from collections.abc import Sequence

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from fbftl.data.clients import ClientFile
from fbftl.data.domains import domains_in
from fbftl.data.public import PLAIN, public_domains
from fbftl.findings.outsourcing import CHOICES
from fbftl.findings.run_file import read_run
from fbftl.findings.story import Story, listed
from fbftl.findings.style import TEXT_WIDTH, save, use_style

SHOWN = 24
"""Images of each choice."""


def main(runs: Sequence[str], public: str, svg: str, domains: list | None, block: dict) -> None:
    """Draw the sheet; pdf, png and numbers go beside it.

    Args:
        runs: run files, one of each choice.
        public: the file of public samples.
        svg: path of the svg.
        domains: the task's domains, as the configuration lists them.
        block: config block `public` of the task.
    """
    use_style()
    sold = public_domains(block) or (PLAIN,)
    mine = [sold.index(name) for name in domains_in(domains) or (PLAIN,) if name in sold]
    with ClientFile(public) as file:
        # As the store of their features has them, in which the purchases count.
        pixels = np.concatenate([file.column(split, "pixels") for split in file.splits])
        of_splits = [file.domains(split) for split in file.splits]
    domain = np.zeros(len(pixels), int) if of_splits[0] is None else np.concatenate(of_splits)
    documents = {run["setting"].get("purchase_rule", "ecos"): run for run in map(read_run, runs)}
    bought = {
        choice: np.array(documents[choice]["repetitions"][0]["series"]["purchase"])
        for choice in CHOICES
        if choice in documents
    }
    is_own = np.isin(domain, mine)
    save(
        sheet(bought, pixels, is_own), svg, counts_by_domain(bought, domain), story(bought, is_own)
    )


def story(bought: dict[str, np.ndarray], is_own: np.ndarray) -> Story:
    """Return which share of own rows each choice bought."""
    shares = {CHOICES[choice][0]: is_own[rows].mean() for choice, rows in bought.items()}
    parts = [f"{name} {share:.0%}" for name, share in shares.items()]
    return Story(
        f"Own rows among those bought: {listed(parts)}",
        f"A row of {SHOWN} public images for each choice, of the first seed's purchase in equal "
        "steps, own rows first; a bar beneath an image marks the clients' own domain.",
    )


def sheet(bought: dict[str, np.ndarray], pixels: np.ndarray, is_own: np.ndarray) -> plt.Figure:
    """Return the figure.

    Args:
        bought: rows by choice.
        pixels: (n, height, width, channels) of all rows.
        is_own: (n,) which of them are of the clients' own domain.
    """
    size = TEXT_WIDTH / (SHOWN + 4)
    figure, panels = plt.subplots(
        len(bought), SHOWN, figsize=(TEXT_WIDTH, 1.5 * size * len(bought)), squeeze=False
    )
    for line, (choice, rows) in zip(panels, bought.items(), strict=True):
        rows = rows[np.argsort(~is_own[rows], kind="stable")]
        shown = rows[np.linspace(0, len(rows) - 1, min(SHOWN, len(rows))).astype(int)]
        for axes in line:
            axes.set_axis_off()
        for axes, row in zip(line, shown, strict=False):
            image = pixels[row] if pixels.shape[-1] == 3 else pixels[row][..., 0]
            axes.imshow(image, cmap="gray", vmin=0, vmax=255)
            if is_own[row]:
                axes.plot([0, 1], [-0.15, -0.15], transform=axes.transAxes, clip_on=False,
                          color=CHOICES["ideal"][1], linewidth=2)  # fmt: skip
        line[0].text(
            -0.3, 0.5, f"{CHOICES[choice][0]}\n{is_own[rows].mean():.0%} own", fontsize=6,
            transform=line[0].transAxes, ha="right", va="center",
        )  # fmt: skip
    figure.subplots_adjust(left=0.18, right=1, top=1, bottom=0.05, wspace=0.08, hspace=0.1)
    return figure


def counts_by_domain(bought: dict[str, np.ndarray], domain: np.ndarray) -> pd.DataFrame:
    """Return how many rows of each domain each choice bought."""
    return pd.DataFrame(
        {"purchase_rule": choice, "domain": number, "rows": int((domain[rows] == number).sum())}
        for choice, rows in bought.items()
        for number in np.unique(domain)
    )
