"""The pages of methods and of keys say what the model says, and so does the schema."""

import json
import re

import describe_keys
import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.model.configuration import Configuration
from fbftl.study.pages import method_page, require_lasting, schema_text


@pytest.fixture(scope="module")
def page(root):
    return (root / "docs" / "methods.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def schema(root):
    return json.loads((root / "config" / "schema.json").read_text(encoding="utf-8"))


def test_the_page_is_what_the_records_say(page):
    assert page == method_page(page), "scripts/tools/describe_settings.py makes the page again"


def test_the_schema_is_what_the_model_says(root):
    written = (root / "config" / "schema.json").read_text(encoding="utf-8")
    assert written == schema_text(), "describe_settings.py makes it again"


def test_every_key_has_a_meaning(schema):
    blocks = {"Configuration": schema, **schema["$defs"]}
    without = [
        f"{name}.{key}"
        for name, block in blocks.items()
        for key, described in block["properties"].items()
        if not described.get("description")
    ]
    assert without == [], "give it a line in the docstring of its block"


def test_the_page_of_keys_has_every_block_and_its_links_lead_to_one(schema):
    page = describe_keys.page(schema)
    headings = re.findall(r"^## (.+)$", page, re.M)
    assert len(headings) == len(set(headings)) == len(schema["$defs"]) + 1
    assert set(re.findall(r"\]\(#([^)]+)\)", page)) <= set(map(describe_keys.anchor, headings))
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert len(rows) > 400
    assert {row.count("|") for row in rows} == {5}


def test_the_default_study_has_the_defaults_of_the_model(root):
    """What config.yaml says of the call, and of what every study shares."""
    config = yaml.safe_load((root / "config.yaml").read_text(encoding="utf-8"))
    defaults = {name: field.default for name, field in Configuration.model_fields.items()}
    for key in config.keys() - {"study", "tasks", "experiments"}:
        default = defaults[key]
        assert config[key] == (default.model_dump() if isinstance(config[key], dict) else default)


def test_no_default_and_no_order_ever_changes(page):
    """Names of runs rest on them, and jobs are given defaults untracked."""
    require_lasting(page)
    for name, default in (("descent_steps", "`100`"), ("cut", "`null`"), ("feedback", "`true`")):
        row = re.search(rf"^\| `{name}` .+$", page, re.M)[0]
        changed = page.replace(row, row.replace(f"| {default} |", "| `7` |"))
        with pytest.raises(UserError, match=f"'{name}' has the default `7`.* never changes"):
            require_lasting(changed)
        with pytest.raises(UserError, match="another order"):
            require_lasting(
                page.replace(f", `{name}`", "").replace("_start`.", f"_start`, `{name}`.")
            )
        require_lasting(page.replace(f"{row}\n", ""))
