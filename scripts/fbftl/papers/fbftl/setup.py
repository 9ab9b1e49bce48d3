"""Paper fbftl's two experiments: their clients and epochs, and the lengths of real dialogues.

The lengths are for the uplink that Table IV leaves out.
"""

import json
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

from fbftl.ground.errors import UserError
from fbftl.models.cost.payload import Federation
from fbftl.papers.record import PaperRecord


def federation(record: PaperRecord, task: str) -> Federation:
    """Return the clients of `cifar10` or `samsum`; UC is the fraction times U, rounded."""
    clients, samples, fraction = (
        record.number("setup", task=task, quantity=quantity)
        for quantity in ("clients", "samples_per_client", "client_fraction")
    )
    return Federation(int(clients), int(samples), round(clients * fraction))


def epochs(record: PaperRecord, table: str, clients: int, **key: object) -> int:
    """Return the epochs behind a published number of upload batches, I U C = epochs × U.

    Raises:
        UserError: if the batches are no whole number of epochs.
    """
    batches = int(record.number(table, quantity="upload_batches", **key))
    if batches % clients:
        raise UserError(f"{batches} published upload batches are no whole epochs of {clients}")
    return batches // clients


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
