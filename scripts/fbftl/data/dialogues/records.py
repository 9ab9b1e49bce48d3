"""A dialogue with its summary: what one client sample of the language task is."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Record:
    """One dialogue.

    id: its name in the data set.
    dialogue: the turns, one per line, each ``Name: text``; may be empty.
    summary: the reference summary.
    """

    id: str
    dialogue: str
    summary: str
