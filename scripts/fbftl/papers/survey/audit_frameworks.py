"""Findings about the survey's frameworks and its simulation of one."""

from collections.abc import Mapping
from decimal import Decimal

import pandas as pd

from fbftl.findings.published import lookup
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.audit import AuditRow, finding

OPEN_SAMPLES, CLASSES = 1000, 10
"""Of an example: open samples that FedMD's clients score, and classes."""

LABELS_HELD = 2
"""Labels that each of the example's clients holds, of FD's non-iid clients."""


def rows(published: Mapping[str, pd.DataFrame]) -> list[AuditRow]:
    """Return the rows of system frameworks.

    Args:
        published: `table1`, accuracy by round, and `frameworks`, numbers behind words.
    """
    words = published["frameworks"]
    return [
        first_round(published["table1"]),
        federation_against_one(published["table1"], lookup(words, quantity="test_images")),
        scores_of_fedmd(lookup(words, quantity="fedmd_message")),
        models_of_fedvote(words),
        security_of_fedmd(lookup(words, quantity="fedmd_leak")),
        divisor_of_fd(lookup(words, quantity="fd_divisor")),
    ]


def first_round(table: pd.DataFrame) -> AuditRow:
    """The federation's first round at chance."""
    published = lookup(table, model="Fed", round=1)
    return finding("A10", [published], f"{100 / CLASSES:g} by chance")


def federation_against_one(table: pd.DataFrame, images: Decimal) -> AuditRow:
    """A lead that is smaller than its standard error."""
    last = max(table["round"])
    both = [lookup(table, model=model, round=last) for model in ("Fed", "Net")]
    shares = [float(value) / 100 for value in both]
    error = 100 * sum(share * (1 - share) / float(images) for share in shares) ** 0.5
    ahead, chance = f"{both[0] - both[1]} ahead", f"± {error:.2f} (standard error)"
    return finding("A11", ahead, chance, last=last)


def scores_of_fedmd(published: Decimal) -> AuditRow:
    """A message that is not constant."""
    scores = OPEN_SAMPLES * CLASSES
    return finding("A12", [published], [scores], "{:,}", samples=OPEN_SAMPLES)


def models_of_fedvote(words: pd.DataFrame) -> AuditRow:
    """A download that is left out."""
    published = lookup(words, quantity="fedvote_models")
    models = published + lookup(words, quantity="fedvote_sources")
    return finding("A13", [published], [int(models)])


def security_of_fedmd(published: Decimal) -> AuditRow:
    """Security that scores do not give."""
    bits = FLOAT_BITS * OPEN_SAMPLES * CLASSES
    return finding("A14", [published], [bits], "{:,}")


def divisor_of_fd(published: Decimal) -> AuditRow:
    """A mean over clients that lack the label."""
    clients = int(published) + 1
    holding = clients * LABELS_HELD // CLASSES - 1
    return finding("A15", [published], [holding], clients=clients, labels=LABELS_HELD)
