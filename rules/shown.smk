"""Tables and figures in the report: outputs with caption, paper and labels, and params of pages."""


def written(path, folder="results/{task}"):
    """Return the outputs of a table or figure whose rule is written out."""
    return outputs(WRITTEN_OUT[path], folder)


def page(path, folder="results/{task}"):
    """Return the param `page_text` of a table whose rule is written out."""
    return page_of(WRITTEN_OUT[path], folder)


def outputs(entry, folder):
    """Return the files of a table or figure below a folder, by format, for the report too."""
    path = f"{folder}/{entry.path}"
    files = {suffix: f"{path}.{suffix}" for suffix in FORMATS[entry.kind]}
    shown = REPORTED[entry.kind]
    return files | {shown: reported(files[shown], entry)}


def reported(path, entry):
    """Return an output of a task, of a paper or of all papers that the report shows.

    Its caption has its name, without a wildcard; a paper may have a caption of its own.
    """
    kind = entry.kind.removesuffix("s")
    return report(
        path,
        caption=pages.caption_of(path, BASE),
        category=partial(paper_shown, path=path),
        subcategory=CHAPTERS[entry.chapter],
        labels=partial(labels_shown, path=path, title=entry.title, kind=kind),
    )


def paper_shown(wildcards, path):
    """Return under which paper the report shows a table or figure, with its number."""
    return pages.paper_shown(CALL, path, wildcards.get("paper"))


def labels_shown(wildcards, path, title, kind):
    """Return what the report says of a table or figure: the seeds behind it among it."""
    of = pages.owner_of(path).format(**dict(wildcards.items()))
    return pages.labels(STUDY, title, kind, of)


def page_of(entry, folder):
    """Return the param `page_text` of a table: its title and its caption."""
    return partial(page_shown, path=f"{folder}/{entry.path}.csv", title=entry.title)


def page_shown(wildcards, path, title):
    """Return title and caption of a table's page."""
    return pages.page_text(path, title, BASE, **dict(wildcards.items()))
