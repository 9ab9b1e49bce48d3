"""Write `docs/methods.md`, the page of methods with their axes, from the records.

    PYTHONPATH=scripts python scripts/tools/describe_methods.py

For maintainers; no rule runs it. A page whose axes have other defaults by now is left as it is.
"""

import sys
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.ground.files import write_text
from fbftl.study.method_page import method_page, require_lasting

PAGE = Path(__file__).parents[2] / "docs" / "methods.md"


if __name__ == "__main__":
    try:
        require_lasting(PAGE.read_text(encoding="utf-8"))
    except UserError as error:
        sys.exit(str(error))
    write_text(PAGE, method_page())
