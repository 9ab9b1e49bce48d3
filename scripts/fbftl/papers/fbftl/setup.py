"""Paper fbftl's two experiments: their clients and epochs, and the lengths of real dialogues.

The lengths are for the uplink that Table IV leaves out.
"""

import json
from fractions import Fraction
from pathlib import Path

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
    """Return the epochs behind a published number of upload batches, I U C = epochs × U."""
    return int(record.number(table, quantity="upload_batches", **key)) // clients


def words(text: str) -> int:
    """Return the words of a text and one end mark.

    Every word is at least one token of T5's tokenizer, so this is a lower bound of the tokens that
    needs no tokenizer.
    """
    return len(text.split()) + 1


def mean_tokens(path: str | Path) -> Fraction:
    """Return the mean length of the dialogues in a JSON-lines file, counted in `words`."""
    with open(path, encoding="utf-8") as file:
        lengths = [words(json.loads(line)["dialogue"]) for line in file]
    return Fraction(sum(lengths), len(lengths))
