"""How Sphinx makes a site of these pages: see CONTRIBUTING.md.

The pages are plain Markdown that reads as well without the site. Their own lists of links are the
contents: what a folder's README.md links to at the start of a line, in that order, is below it,
under the caption that ends in a colon before its list.
The keys of a configuration are a page that `./run docs` writes beforehand.
Diagrams become pictures in the page, which need neither a script nor a network.
"""

import re
from itertools import groupby
from pathlib import PurePosixPath
from typing import Any

import mmdr
from docutils import nodes

project = "fbftl-workflow"
author = "The contributors of fbftl-workflow"
extensions = ["myst_parser"]
root_doc = "README"
source_suffix = {".md": "markdown"}
exclude_patterns = ["_build"]
html_theme = "alabaster"
pygments_style = "bw"  # every colour of others has too little contrast
html_theme_options = {"fixed_sidebar": True, "page_width": "70rem"}
html_sidebars = {"**": ["about.html", "navigation.html", "searchfield.html"]}
html_show_sourcelink = False
myst_heading_anchors = 4
myst_enable_extensions = ["tasklist"]
suppress_warnings = [
    "misc.highlighting_failure",  # rows of a csv are no language
    "myst.header",  # rows of the audit are headings of the third level wherever they stand
]

WRITTEN = "keys"
"""The page that is written for the site alone."""

LISTS = ("README", "papers/thesis")
"""Ends of the names of pages that list those below them."""

LINK = re.compile(
    r"^(?P<caption>[A-Z][\w ]+):$|^[-|] \[[^\]]*\]\((?P<page>(?!\S*/tables/)[\w./-]+)\.md\)",
    re.MULTILINE,
)
"""A line of its own that names the list under it, or a page that a line begins with."""


ROLE = re.compile(r'role="[^"]*" aria-roledescription="[^"]*"')
"""Of a drawn diagram: what screen readers do not know."""


def with_contents(app: Any, docname: str, source: list[str]) -> None:
    """Add the contents to a page that lists others, a group of them under each caption."""
    if not docname.endswith(LISTS):
        return
    captions: dict[str, str] = {}
    caption = ""
    for match in LINK.finditer(source[0]):
        caption = match["caption"] or caption
        if match["page"]:
            captions.setdefault(match["page"], caption)
    if docname == root_doc:
        captions[WRITTEN] = caption
    for caption, pages in groupby(captions, captions.get):
        option = f":caption: {caption}\n" if caption else ""
        listed = "\n".join(pages)
        source[0] += f"\n```{{toctree}}\n:hidden:\n{option}\n{listed}\n```\n"


def without_contents(app: Any, docname: str, source: list[str]) -> None:
    """Say of a kept table that pages link to it and no list of contents does."""
    if PurePosixPath(docname).parent.name == "tables":
        source[0] = f"---\norphan: true\n---\n{source[0]}"


def with_pictures(app: Any, doctree: nodes.document) -> None:
    """Draw the diagrams of a page."""
    for block in list(doctree.findall(nodes.literal_block)):
        if block.get("language") == "mermaid":
            picture = ROLE.sub('role="img" aria-label="diagram"', mmdr.render(block.astext()).svg())
            # Labels are set in whatever font a browser has; a little smaller they fit their boxes.
            texts = "svg.flowchart text, svg.flowchart tspan"
            style = f"<style>{texts} {{ font-size: 11px !important }}</style>"
            block.replace_self(nodes.raw("", picture + style, format="html"))


def with_levels(
    app: Any, pagename: str, template: str, context: dict[str, Any], doctree: nodes.document | None
) -> None:
    """Give the captions of the sidebar the level that screen readers ask of a heading."""
    toctree, level = context.get("toctree"), 'role="heading" aria-level="2"'
    if toctree:
        context["toctree"] = lambda **options: toctree(**options).replace('role="heading"', level)


def setup(app: Any) -> None:
    """Register what is done to pages as they are read."""
    app.connect("source-read", with_contents)
    app.connect("source-read", without_contents)
    app.connect("doctree-read", with_pictures)
    app.connect("html-page-context", with_levels)
