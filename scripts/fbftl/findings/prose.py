"""Results in prose: a page writes a name, and a script fills in the number that is behind it.

A name is in a comment that Markdown does not show, the number after it, and an empty comment
ends it: ``<!--digits/fbftl/accuracy:.1f-->98.2<!---->``. What follows the colon is how the number
is printed, as Python's format does.
"""

import re
from collections.abc import Mapping

from fbftl.ground.errors import UserError

FILLED = re.compile(r"<!--(?P<name>[^:>\n]+):(?P<format>[^>\n]*)-->(?P<text>[^<\n]*)<!---->")
"""A number with its name."""


def fill(text: str, numbers: Mapping[str, float], page: str) -> str:
    """Return a page with the number behind every name.

    Args:
        text: the page, in Markdown.
        numbers: the numbers by name.
        page: for the sentence.

    Raises:
        UserError: if a name has no number.
    """

    def filled(match: re.Match[str]) -> str:
        name, how = match["name"], match["format"]
        if name not in numbers:
            raise UserError(
                f"{page} names the number '{name}', which no committed result has; "
                "correct it, or run the study that makes it"
            )
        return f"<!--{name}:{how}-->{format(numbers[name], how)}<!---->"

    return FILLED.sub(filled, text)
