"""The text around a table or figure: its title, how it is to be read, its paper and its seeds."""

import re
from pathlib import Path
from typing import Any

from fbftl.ground.files import csv_rows
from fbftl.plan.call import Call
from fbftl.plan.entries import CHAPTERS, Made
from fbftl.plan.paths import EXPERIMENT
from fbftl.plan.results import OF_EXPERIMENT

OWN = "Experiments of your own"
"""What belongs to no paper."""


def caption_of(made: Made, root: Path) -> str:
    """Return the file of a result's caption below `rules`, called after its entry.

    A paper may have a caption of its own.
    """
    name = Path(made.entry.path).name.removesuffix(f"_{EXPERIMENT}")
    name = name.format(experiment=made.experiment)
    of_paper = f"captions/{made.owner}/{name}.rst"
    return of_paper if (root / "rules" / of_paper).exists() else f"captions/{name}.rst"


def page_text(made: Made, root: Path) -> dict[str, str]:
    """Return title and caption of a result's page."""
    text = (root / "rules" / caption_of(made, root)).read_text(encoding="utf-8")
    title = made.entry.title.format(experiment=made.experiment)
    of = "all papers" if made.owner == "papers" else made.owner
    return {
        "title": title if of in title else f"{title}: {of}",
        "caption": first_paragraph(text, {"task": made.owner, "experiment": made.experiment}),
    }


def first_paragraph(caption: str, wildcards: dict[str, str]) -> str:
    """Return how a result is to be read, of a caption of the report, as plain text.

    What the report writes in later paragraphs, formulas among them, is left to it.
    """
    text = " ".join(caption.partition("\n\n")[0].split()).replace("**Reading:** ", "")
    for name, value in wildcards.items():
        text = text.replace(f"{{{{ snakemake.wildcards.{name} }}}}", value)
    text = re.sub(r"\\ :sub:`(.+?)`\\?", r"_\1", text).replace("*", "")
    return f"{text[:1].upper()}{text[1:].rstrip(' ,:;.')}." if text else ""


def reported(call: Call, made: Made) -> dict[str, Any]:
    """Return how the report shows a result: its caption, chapter, paper and labels."""
    study, of = call.study, made.owner
    papers = {row["paper"]: row["title"] for row in csv_rows(call.root / "published/papers.csv")}
    titles = {**papers, "papers": "All papers", OWN: OWN}
    if made.entry in OF_EXPERIMENT.get(made.experiment, ()):
        paper = call.paper_of(made.experiment)
    else:
        paper = of if of in titles else OWN
    return {
        "caption": caption_of(made, call.root),
        "category": f"{[*titles].index(paper) + 1} {titles[paper]}",
        "subcategory": CHAPTERS[made.entry.chapter],
        "labels": {
            "result": made.entry.title.format(experiment=made.experiment),
            "kind": made.entry.kind.removesuffix("s"),
            "of": of,
            "seeds": len(study.task(of)["seeds"]) if of in study.tasks else 0,
        },
    }
