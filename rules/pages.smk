"""What stands around a table or figure: its title, how it is to be read, its paper and its seeds."""

import csv


def owner_of(path):
    """Return the task, the paper, or the folder of all papers that a result is of."""
    folders = Path(path).parent.parts
    *_, of = (folder for folder in folders if folder not in ("tables", "figures"))
    return of


def caption_of(path):
    """Return the caption of a result, beside the rules: called as it is, without a wildcard.

    A paper may have a caption of its own.
    """
    of, name = owner_of(path), Path(path).with_suffix("").name
    name = name.removesuffix("_{experiment}")
    of_paper = Path(BASE, "rules", "captions", of, f"{name}.rst").exists()
    return f"captions/{of}/{name}.rst" if of_paper else f"captions/{name}.rst"


TITLES = {}
"""What each table and figure shows, by its path without suffix; a task is its wildcard."""


def under_wildcard(stem, of):
    """Return the path of a task's result as rules write it, the task a wildcard."""
    folders = list(Path(stem).parts)
    folders[folders.index(of)] = "{task}"
    return Path(*folders).as_posix()


def text_of(path):
    """Return title and caption of a table or figure that lies there, or that this call makes."""
    stem = Path(path).with_suffix("").as_posix()
    of = owner_of(path)
    sweep, _, experiment = Path(stem).name.partition("_")
    of_any_task = under_wildcard(stem, of)
    generic = Path(of_any_task).with_name(sweep).as_posix() + "_{experiment}"
    wildcards = {"task": of, "experiment": experiment}
    for name in (stem, of_any_task, generic):
        if name in TITLES:
            return page_text(wildcards, name, TITLES[name])
    return page_text({}, stem, Path(stem).name.replace("_", " ").capitalize())


@cache
def papers_of_results():
    """Return the paper of each table and figure of an experiment, by its path below a task."""
    return {
        path: paper_of(experiment, every_system())
        for experiment, results in OF_EXPERIMENT.items()
        for path in paths(results)
    }


@cache
def paper_titles():
    """Return the papers with their titles, in the order in which pages show them."""
    with open(Path(BASE, "published", "papers.csv"), encoding="utf-8") as file:
        return {row["paper"]: row["title"] for row in csv.DictReader(file)}


def paper_shown(wildcards, path):
    """Return under which paper the report shows a table or figure, with its number."""
    names = dict(wildcards.items())
    stem = Path(path).with_suffix("")
    paper = names.get("paper", owner_of(path))
    titles = {**paper_titles(), "papers": "All papers"}
    if paper not in titles:
        below = "/".join(stem.parts[-2:])
        paper = papers_of_results().get(below, OWN)
    number = [*titles, OWN].index(paper) + 1
    return f"{number} {titles.get(paper, OWN)}"


OWN = "Experiments of your own"
"""What belongs to no paper."""


def labels_shown(wildcards, title, kind, of):
    """Return what the report says of a table or figure: the seeds behind it among it."""
    names = dict(wildcards.items())
    owner = of.format(**names)
    seeds = len(STUDY.task(owner)["seeds"]) if owner in STUDY.tasks else 0
    return {"result": title, "kind": kind, "of": owner, "seeds": seeds}


def page_of(stem, title):
    """Return the param `page_text` of a table.

    Args:
        stem: path of its files without suffix, with wildcards.
        title: what it shows, with wildcards.
    """
    return partial(page_text, stem=stem, title=title)


def page_text(wildcards, stem, title):
    """Return title and caption of a table's page."""
    names = dict(wildcards.items())
    path = f"{stem}.csv".format(**names)
    caption = Path(BASE, "rules", caption_of(f"{stem}.csv"))
    text = caption.read_text(encoding="utf-8") if caption.exists() else ""
    of = {"papers": "all papers"}.get(owner_of(path), owner_of(path))
    return {
        "title": f"{title.format(**names)}: {of}",
        "caption": first_paragraph(text, names),
    }


def first_paragraph(caption, wildcards):
    """Return how a result is to be read, of a caption of the report, as plain text.

    What the report writes in later paragraphs, formulas among them, is left to it.
    """
    text = " ".join(caption.partition("\n\n")[0].split()).replace("**Reading:** ", "")
    for name, value in wildcards.items():
        text = text.replace(f"{{{{ snakemake.wildcards.{name} }}}}", value)
    text = re.sub(r"\\ :sub:`(.+?)`\\?", r"_\1", text).replace("*", "")
    return f"{text[:1].upper()}{text[1:].rstrip(' ,:;.')}." if text else ""
