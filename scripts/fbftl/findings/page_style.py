"""What all pages of results look like: the front page and each table."""

from html import escape

STYLE = """\
:root { color-scheme: light dark; --ink: #1f2328; --soft: #59636e; --line: #d1d9e0;
  --page: #ffffff; --band: #f3f5f7; --link: #0550ae; --yes: #00694f; --no: #a23b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6edf3; --soft: #a3adb8; --line: #3d444d; --page: #12161c; --band: #1b2129;
    --link: #85bdff; --yes: #4ccaa6; --no: #ffa273; }
}
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page);
  margin: 0 auto; padding: 1rem; max-width: 80rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .5rem 0; }
h2 { font-size: 1.25rem; line-height: 1.3; }
h3 { font-size: 1.05rem; margin-bottom: .3rem; }
p, li { max-width: 46rem; }
a { color: var(--link); }
code { background: var(--band); padding: 0 .2rem; overflow-wrap: anywhere; }
small, .soft { color: var(--soft); font-size: .875rem; }
img { max-width: 100%; height: auto; background: white; }
summary { margin: .5rem 0; padding: .2rem 0; cursor: pointer; }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: .875rem; }
th, td { padding: .35rem .6rem; border-bottom: 1px solid var(--line); text-align: left;
  vertical-align: top; overflow-wrap: break-word; }
thead th { background: var(--band); vertical-align: bottom; position: sticky; top: 0; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
td.number { white-space: nowrap; }
.yes { color: var(--yes); font-weight: 600; } .no { color: var(--no); font-weight: 600; }
th small, td small { display: block; font-weight: normal; overflow-wrap: anywhere; }
@media (max-width: 48rem) {
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  tr { border: 1px solid var(--line); border-radius: .4rem; margin: .6rem 0; padding: .3rem 0; }
  tbody th, td { border: 0; padding: .15rem .6rem; }
  td { display: grid; grid-template-columns: 42% 1fr; gap: .5rem; }
  td:empty { display: none; }
  td::before { content: attr(data-head); color: var(--soft); }
  td small { grid-column: 2; }
  .number, td.number { text-align: left; white-space: normal; }
}
"""
"""Light or dark as the system is; on a phone every row of a table is a card, and none scrolls."""

FOR = ("reproduced", "confirmed", "yes")
AGAINST = ("differs", "contradicted")


def verdict_class(verdict: str) -> str:
    """Return the class of a verdict's colour; one that decides nothing has none."""
    return "yes" if verdict in FOR else "no" if verdict in AGAINST else "open"


def counted(number: int, noun: str) -> str:
    """Return how many there are of something, as in ``2 tables``."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def document(title: str, body: str, style: str = "") -> str:
    """Return a page that needs nothing but what it names.

    Args:
        title: of the window, as text.
        body: what is on the page, in HTML.
        style: rules of this page beside those of all.
    """
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<title>{escape(title)}</title>",
            f"<style>\n{STYLE}{style}</style></head>",
            f"<body>{body}</body></html>",
            "",
        ]
    )
