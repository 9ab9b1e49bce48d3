"""The one exception meant for a user's eyes, and a bug's where a value is missing."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from typing import TypeVar

T = TypeVar("T")


class UserError(Exception):
    """One sentence for the user: what is wrong, where, and what to do about it.

    Scripts print only this sentence to the console; the traceback goes to the job's log.
    """


@contextmanager
def ending_with_sentence() -> Iterator[None]:
    """End the program with the sentence of a user's error, without a traceback."""
    try:
        yield
    except UserError as error:
        sys.exit(str(error))


def required(value: T | None) -> T:
    """Return a value that some jobs lack, for code that only those reach which have it.

    Raises:
        ValueError: if it is None: a bug.
    """
    if value is None:
        raise ValueError("a value is missing that this job needs")
    return value


def suggestion(name: object, names: Iterable[object]) -> str:
    """Return how a sentence about an unknown name ends: the name that may be meant, or all."""
    known = sorted(map(str, names))
    if close := get_close_matches(str(name), known, n=1):
        return f"; did you mean '{close[0]}'?"
    return f"; choose among {', '.join(known)}"
