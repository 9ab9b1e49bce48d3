"""The text around a table or figure: its title, how it is to be read, its paper and its seeds."""

import re
from functools import cache
from pathlib import Path
from typing import Any

from fbftl.ground.files import csv_rows
from fbftl.plan.call import Call
from fbftl.plan.entries import CHAPTERS, REPORTED, Entry
from fbftl.plan.results import OF_EXPERIMENT, OF_NO_LIST, of_paper, paths_of
from fbftl.plan.results.swept import SOURCES, SWEEP

OWN = "Experiments of your own"
"""What belongs to no paper."""


def owner_of(path: str) -> str:
    """Return the task, the paper, or the folder of all papers that a result is of."""
    *_, of = (part for part in Path(path).parent.parts if part not in ("tables", "figures"))
    return of


def caption_of(path: str, root: Path) -> str:
    """Return the caption of a result below `rules`, called as it is, without a wildcard.

    A paper may have a caption of its own.

    Args:
        path: of a file of the result, with wildcards or without.
        root: the project's folder.
    """
    name = Path(path).stem.removesuffix("_{experiment}")
    of_paper = f"captions/{owner_of(path)}/{name}.rst"
    return of_paper if (root / "rules" / of_paper).exists() else f"captions/{name}.rst"


def page_text(path: str, title: str, root: Path, **wildcards: str) -> dict[str, str]:
    """Return title and caption of a result's page.

    Args:
        path: of a file of the result, with wildcards.
        title: what it shows, with wildcards.
        root: the project's folder.
        wildcards: their values.
    """
    caption = root / "rules" / caption_of(path, root)
    text = caption.read_text(encoding="utf-8") if caption.exists() else ""
    of = owner_of(path.format(**wildcards))
    return {
        "title": f"{title.format(**wildcards)}: {'all papers' if of == 'papers' else of}",
        "caption": first_paragraph(text, wildcards),
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


def text_of(path: str, root: Path) -> dict[str, str]:
    """Return title and caption of a table or figure that lies there, or that a call makes.

    Args:
        path: of a file of the result, without wildcards.
        root: the project's folder.
    """
    entry, experiment = _entry_of(path)
    if entry is None:
        return page_text(path, Path(path).stem.replace("_", " ").capitalize(), root)
    wildcards = {"task": owner_of(path), "experiment": experiment}
    return page_text(_as_listed(path, entry), entry.title, root, **wildcards)


def reported(call: Call, path: str) -> dict[str, Any] | None:
    """Return how the report shows a file: its caption, chapter, paper and labels.

    None of a file that it does not show: every table is shown as HTML, every figure as SVG.
    """
    entry, experiment = _entry_of(path)
    if entry is None or Path(path).suffix != f".{REPORTED[entry.kind]}":
        return None
    study, of = call.study, owner_of(path)
    labels = {
        "result": entry.title.format(experiment=experiment),
        "kind": entry.kind.removesuffix("s"),
        "of": of,
        "seeds": len(study.task(of)["seeds"]) if of in study.tasks else 0,
    }
    return {
        "caption": caption_of(_as_listed(path, entry), call.root),
        "category": paper_shown(call, path),
        "subcategory": CHAPTERS[entry.chapter],
        "labels": labels,
    }


def _entry_of(path: str) -> tuple[Entry | None, str]:
    """Return the entry of a table or figure, and the experiment of one that any experiment gets."""
    name = "/".join(Path(path).with_suffix("").parts[-2:])
    any_of, _, experiment = name.partition("_")
    entries = _entries(owner_of(path) if Path(path).parts[1] == "papers" else "")
    return entries.get(name) or entries.get(f"{any_of}_{{experiment}}"), experiment


def _as_listed(path: str, entry: Entry) -> str:
    """Return a path with the name that its entry has, which captions are called after."""
    return Path(path).with_name(f"{Path(entry.path).name}{Path(path).suffix}").as_posix()


@cache
def _entries(paper: str) -> dict[str, Entry]:
    """Return the entries of tasks, or of a paper, by the last two parts of their paths."""
    if paper == "papers":
        return {f"papers/{entry.path}": entry for entry in OF_NO_LIST}
    lists = [of_paper(paper)] if paper else [*OF_EXPERIMENT.values(), OF_NO_LIST, SWEEP, SOURCES]
    return {entry.path: entry for several in lists for entry in several}


def paper_titles(root: Path) -> dict[str, str]:
    """Return the papers with their titles, in the order in which pages show them."""
    return {row["paper"]: row["title"] for row in csv_rows(root / "published" / "papers.csv")}


def paper_shown(call: Call, path: str) -> str:
    """Return under which paper the report shows a table or figure, with its number.

    Args:
        call: what the workflow makes.
        path: of a file of the result.
    """
    of = owner_of(path)
    titles = {**paper_titles(call.root), "papers": "All papers"}
    if of not in titles:
        of = _papers_of_results(call).get("/".join(Path(path).with_suffix("").parts[-2:]), OWN)
    return f"{[*titles, OWN].index(of) + 1} {titles.get(of, OWN)}"


@cache
def _papers_of_results(call: Call) -> dict[str, str]:
    """Return the paper of each table and figure of an experiment, by its path below a task."""
    return {
        path: call.paper_of(experiment)
        for experiment, entries in OF_EXPERIMENT.items()
        for path in paths_of(entries)
    }
