"""The report's page: its figures are the files' own, whatever characters these have."""

from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

from fbftl.findings.report_page import ShownResult, address, entry
from hypothesis import given
from hypothesis import strategies as st

SVG = """\
<svg><dc:description>A &amp; B's "rate" is &lt; 1 &#37;. Two lines.</dc:description>
<path d="M 0 1 \nL 2 3"/></svg>
"""


class Picture(HTMLParser):
    """The attributes of a page's first picture, as a browser reads them."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.attributes: dict[str, str | None] = {}
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "img":
            self.attributes = dict(attrs)


@given(st.text(st.characters(codec="ascii", exclude_categories=["Cc"])))
def test_a_figure_keeps_every_character_in_its_address(text: str) -> None:
    source = Picture(f"<img src='{address(text)}'>").attributes["src"]
    assert unquote(str(source)) == f"data:image/svg+xml,{text}"
    assert "#" not in str(source)


def test_a_figure_says_what_is_seen_and_keeps_what_is_drawn(tmp_path: Path) -> None:
    svg = tmp_path / "one.svg"
    svg.write_text(SVG)
    shown = ShownResult(svg, "1 Ants", "1 Cost", "One", "digits", 3, "")
    picture = Picture(entry(shown)).attributes
    assert picture["alt"] == 'A & B\'s "rate" is < 1 %. Two lines.'
    assert unquote(str(picture["src"])).endswith(SVG.replace("\n", " "))
