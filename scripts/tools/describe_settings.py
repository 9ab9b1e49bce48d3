"""Write what follows from the typed model of a study: the page of methods, and the JSON schema.

    PYTHONPATH=scripts python scripts/tools/describe_settings.py

For maintainers; no rule runs it. A page whose axes have other defaults by now is left as it is.
"""

from pathlib import Path

from fbftl.ground.errors import ending_with_sentence
from fbftl.ground.files import write_text
from fbftl.study.pages import method_page, require_lasting, schema_text

ROOT = Path(__file__).parents[2]
METHODS = ROOT / "docs" / "methods.md"


if __name__ == "__main__":
    with ending_with_sentence():
        require_lasting(written := METHODS.read_text(encoding="utf-8"))
    write_text(METHODS, method_page(written))
    write_text(ROOT / "config" / "schema.json", schema_text())
