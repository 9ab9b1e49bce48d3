"""What columns of a table hold: numbers, words or what misleads, which is refused."""

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from fbftl.data.datasets.selection import WHOLE
from fbftl.ground.errors import UserError

NUMBER = r"^[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?$"
"""A number, also with a decimal comma."""

STRAY = 0.1
"""Share of a column's different values up to which words among numbers are mistakes."""

MOST_WORDS = 1000
"""Different words of a column at most, each of which makes an input."""

MANY_CLASSES = 100
"""Classes from which on labels are looked at for quantities and names of rows."""

LARGEST = 1e18
"""Larger numbers are mistakes: scaled by another column's rows they leave 32-bit floats."""


def is_text(kind: pa.DataType) -> bool:
    """Tell whether a column holds words."""
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def kind_of(kind: pa.DataType) -> str:
    """Return whether a column holds numbers, words, truth values or something else."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        return "numbers"
    if is_text(kind):
        return "words"
    return "truth values" if pa.types.is_boolean(kind) else str(kind)


def require_classes(file: str, name: str, column: pa.ChunkedArray, classes: Sequence[str]) -> None:
    """Refuse labels that are quantities, or names of the rows.

    Args:
        file: the training rows' file.
        name: of the column of labels.
        column: its values in training.
        classes: names of the classes that it makes.

    Raises:
        UserError: naming the column.
    """
    fractions = kind_of(column.type) == "numbers" and not all(map(WHOLE.fullmatch, classes))
    if len(classes) > MANY_CLASSES and (fractions or 2 * len(classes) > len(column)):
        raise UserError(
            f"data.train: {file} has {len(classes):,} different labels in column '{name}', which "
            "looks like a quantity or an identifier, not a class; name another column, or group "
            "its values into classes"
        )


def require_readable(where: str, name: str, column: pa.ChunkedArray) -> None:
    """Refuse a column of something else than numbers and words, and numbers that no float holds."""
    kind = kind_of(column.type)
    if kind == "numbers":
        largest = pc.max(pc.abs(column.cast(pa.float64(), safe=False))).as_py()
        if largest > LARGEST:
            raise UserError(
                f"{where} holds {largest:g} in column '{name}'; correct it or rescale the column"
            )
    elif kind not in ("words", "truth values"):
        raise UserError(
            f"{where} holds {kind} in column '{name}'; leave it out, or make numbers or words"
        )


def require_words(where: str, name: str, column: pa.ChunkedArray) -> None:
    """Refuse numbers among which are a few words or decimal commas, and too many words."""
    values = pc.unique(column)
    numbers = pc.filter(values, pc.match_substring_regex(values, NUMBER))
    commas = pc.filter(numbers, pc.match_substring(numbers, ","))
    words = pc.filter(values, pc.invert(pc.is_in(values, numbers)))
    odd = commas if len(commas) else words
    if len(odd) and len(words) <= STRAY * len(values):
        stray = odd[0]
        raise UserError(
            f"{where} has {stray.as_py()!r} in row {1 + pc.index(column, stray).as_py()} of the "
            f"column '{name}', whose other values are numbers; "
            + (
                "write numbers with decimal points and without commas"
                if len(commas)
                else "correct it, or begin every value with a letter if they are categories"
            )
        )
    if len(values) > MOST_WORDS:
        raise UserError(
            f"{where} has {len(values):,} different words in column '{name}', and each would be an "
            f"input; leave the column out, or group them into at most {MOST_WORDS:,}"
        )
