"""The documentation: every link leads somewhere, and the table of symbols names what there is."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from fbftl.messages.ledger import SCHEMA
from fbftl.study.model.block import ConfigBlock
from fbftl.study.model.tasks import ImageTask
from fbftl.study.settings import DEFAULTS
from fbftl.study.yaml_files import read_yaml

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "results" / "README.md"])
CODE = re.compile(r"^ *```.*?^ *```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
FILE = re.compile(
    r"`((?:tests|scripts|rules|studies|envs|published|profiles|workflow|docs)/[\w./-]+)`"
)
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")


def links(page: Path) -> Iterator[tuple[Path, str]]:
    """Yield where a page's links into the project lead, each with its anchor or nothing."""
    for path, anchor in LINK.findall(CODE.sub("", page.read_text(encoding="utf-8"))):
        yield (page.parent / path).resolve() if path else page, anchor


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and the site make them."""
    headings = re.findall(r"^#+ (.+)$", CODE.sub("", page.read_text(encoding="utf-8")), re.M)
    plain = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in plain}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    for target, anchor in links(page):
        assert target.exists(), target
        if anchor:
            assert anchor in anchors(target), f"{target} has no heading #{anchor}"


def test_every_file_that_a_page_names_is_there():
    """Those that the guide has its reader write are left out."""
    guide = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
    written = set(re.findall(r"^`([^`\n]+)`[^\n]*:\n\n```", guide, re.MULTILINE))
    named = {
        (path, page.name)
        for page in PAGES
        if page.name != "CHANGELOG.md"  # which names what was there
        for path in re.findall(FILE, page.read_text(encoding="utf-8"))
    }
    assert len(named) > 100
    missing = {(path, page) for path, page in named if not (ROOT / path).exists()}
    assert [path for path, _ in missing if path not in written] == []


def test_every_page_is_reached_from_the_first():
    seen, queue = set(), [ROOT / "docs" / "README.md"]
    while queue:
        page = queue.pop()
        if page not in seen:
            seen.add(page)
            queue += [target for target, _ in links(page) if target.suffix == ".md"]
    tables = {page for page in PAGES if page.parent.name == "tables"}
    # This one `./run docs` writes, for the site alone.
    written = {ROOT / "docs" / "keys.md"}
    assert {page for page in PAGES if page.is_relative_to(ROOT / "docs")} - tables - written <= seen


def has(whole: Any, part: Any) -> bool:
    """Tell whether a study has all that an excerpt of it shows; a grid is shown whole."""
    if isinstance(part, dict):
        return all(key in whole and has(whole[key], part[key]) for key in part)
    return all(item in whole for item in part) if isinstance(part, list) else whole == part


def test_every_figure_of_the_gallery_has_lines_of_its_study():
    text = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    excerpts = re.findall(r"^```yaml\n(\w+: # of (\S+)\n.*?)^```", text, re.MULTILINE | re.DOTALL)
    assert len(excerpts) == len(re.findall(r"^\*\*", text, re.MULTILINE)) == 7
    for excerpt, file in excerpts:
        assert has(read_yaml(ROOT / file), yaml.safe_load(excerpt)), excerpt


def of_task() -> set[str]:
    """Return the keys of a task with images, with those of its blocks below."""
    blocks = {key: field.annotation for key, field in ImageTask.model_fields.items()}
    return {
        f"{key}.{inner}"
        for key, block in blocks.items()
        if isinstance(block, type) and issubclass(block, ConfigBlock)
        for inner in block.known_keys()
    }


def test_the_symbols_name_what_there_is():
    columns = (of_task(), set(DEFAULTS), set(SCHEMA.names))
    page = (ROOT / "docs" / "reading-results.md").read_text(encoding="utf-8")
    text = page.partition("## Symbols\n")[2].partition("\n## ")[0]
    rows = [line.split("|")[3:6] for line in text.splitlines() if line.startswith("| ")][1:]
    assert len(rows) > 30
    for row in rows:
        for names, cell in zip(columns, row, strict=True):
            assert set(re.findall(r"`([^`]+)`", cell)) <= names, cell


def test_files_of_the_data_folder_have_the_digests_that_the_page_gives(data_folder):
    text = (ROOT / "docs" / "cost.md").read_text(encoding="utf-8")
    digests = dict(re.findall(r"^\| `([\w./-]+)` .*\| `([0-9a-f]{64})` \|$", text, re.MULTILINE))
    assert len(digests) == 6
    there = {name: data_folder / name for name in digests if (data_folder / name).is_file()}
    assert there
    for name, path in there.items():
        assert hashlib.sha256(path.read_bytes()).hexdigest() == digests[name]
