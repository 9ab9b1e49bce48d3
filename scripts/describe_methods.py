"""Write `docs/methods.md`, the page of methods with their axes, from the records.

    python scripts/describe_methods.py

For maintainers; no rule runs it.
"""

from pathlib import Path

from fbftl.ground.files import write_text
from fbftl.study.method_page import method_page

PAGE = Path(__file__).parents[1] / "docs" / "methods.md"


if __name__ == "__main__":
    write_text(PAGE, method_page())
