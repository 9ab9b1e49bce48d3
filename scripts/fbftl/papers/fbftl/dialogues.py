"""Lengths of real dialogues, for the uplink that Table IV of paper fbftl leaves out."""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from fbftl.ground.errors import UserError


def words(text: str) -> int:
    """Return the words of a text and one end mark.

    Every word is at least one token of T5's tokenizer, so this is a lower bound of the tokens that
    needs no tokenizer.
    """
    return len(text.split()) + 1


def mean_tokens(path: str | Path, count: Callable[[str], int] = words) -> Fraction:
    """Return the mean length of the dialogues in a JSON-lines file, in the tokens of `count`.

    Raises:
        UserError: if a line is not a record with a text `dialogue`, or the file has none.
    """
    lengths: list[int] = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            try:
                lengths.append(count(json.loads(line)["dialogue"]))
            except (ValueError, KeyError, TypeError, AttributeError):
                raise UserError(
                    f"{path}, line {number}: no record with a text 'dialogue'"
                ) from None
    if not lengths:
        raise UserError(f"{path} holds no dialogues")
    return Fraction(sum(lengths), len(lengths))
