"""Findings about the survey's frameworks and its simulation of one."""

from collections.abc import Mapping
from decimal import Decimal

import pandas as pd

from fbftl.findings.published import lookup
from fbftl.ground.floats import FLOAT_BITS
from fbftl.papers.audit import AuditRow, judged

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
    return AuditRow(
        "A10",
        "Table 1, round 1",
        str(published),
        f"{100 / CLASSES:g} by chance",
        "% of the test images",
        judged([published], []),
        "Each of the five networks has learnt by then (one alone has 80.14 %); an average at "
        "chance points to five different initial values, which the paper does not tell.",
    )


def federation_against_one(table: pd.DataFrame, images: Decimal) -> AuditRow:
    """A lead that is smaller than its standard error."""
    last = max(table["round"])
    both = [lookup(table, model=model, round=last) for model in ("Fed", "Net")]
    shares = [float(value) / 100 for value in both]
    error = 100 * sum(share * (1 - share) / float(images) for share in shares) ** 0.5
    return AuditRow(
        "A11",
        f"Table 1, round {last}",
        f"{both[0] - both[1]} ahead",
        f"± {error:.2f} (standard error)",
        "points over the test images",
        judged([both[0] - both[1]], []),
        "The lead of the federation in the last round is a fifth of its standard error, and from "
        "one run; that it reaches a better accuracy does not follow.",
    )


def scores_of_fedmd(published: Decimal) -> AuditRow:
    """A message that is not constant."""
    scores = OPEN_SAMPLES * CLASSES
    return AuditRow(
        "A12",
        "Eq. (18), Table 2",
        str(published),
        f"{scores:,}",
        f"scores a message, {OPEN_SAMPLES:,} open samples",
        judged([published], [scores]),
        "FedMD's message is O(|D_0| N), a score for each open sample and class: constant in the "
        "model, but larger here than the models of the clients.",
    )


def models_of_fedvote(words: pd.DataFrame) -> AuditRow:
    """A download that is left out."""
    published = lookup(words, quantity="fedvote_models")
    models = published + lookup(words, quantity="fedvote_sources")
    return AuditRow(
        "A13",
        "Eq. (11), Table 2",
        str(published),
        str(models),
        "models that a client receives in the round of the vote",
        judged([published], [int(models)]),
        "Clients compare their model with every source model, which they must be sent first: "
        "O(s M), the largest message of all, is left out.",
    )


def security_of_fedmd(published: Decimal) -> AuditRow:
    """Security that scores do not give."""
    bits = FLOAT_BITS * OPEN_SAMPLES * CLASSES
    return AuditRow(
        "A14",
        "Sec. 4.1.5",
        str(published),
        f"{bits:,}",
        "bits a round that depend on a client's model and samples",
        judged([published], [bits]),
        "Scores are answers of the model, which whoever chooses the open samples can question: "
        "for membership as for the model itself. No mechanism bounds what they tell.",
    )


def divisor_of_fd(published: Decimal) -> AuditRow:
    """A mean over clients that lack the label."""
    clients = int(published) + 1
    holding = clients * LABELS_HELD // CLASSES - 1
    return AuditRow(
        "A15",
        "Sec. 4.1.6, Fig. 17",
        str(published),
        str(holding),
        f"others that hold a label, of {clients} clients with {LABELS_HELD} labels each",
        judged([published], [holding]),
        "A sum of mean logits over the clients that hold a label, divided by all others, is drawn "
        "to 0 by those that lack it; here the mean is over those that hold it.",
    )
