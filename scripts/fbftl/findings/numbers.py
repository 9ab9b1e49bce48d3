"""Single numbers by name, for claims and for pages: a page writes a name, a script the number.

Those of a task are named `<task>/<setting>/<quantity>`. On a page a name is in a comment that
Markdown does not show, the number after it, and an empty comment ends it:
``<!--digits/fbftl/accuracy:.1f-->98.2<!---->``. What follows the colon is how the number is
printed, as Python's format does. Single numbers of kept tables have such names too, which end in
their column:

`docs/results/papers/fbftl/tables/methods.csv` has what the paper's equations give for its own
networks. Pages take ratios of it: ``papers/fbftl/total_uplink/ftl_c over fbftl``. Of the tables of
uploads they take kilobytes and accuracies, ``front_digits/front/iid labels/8/statistics/kilobytes``
those of the cheapest statistics within a point of raw features; of the tables of rounds how many
times FbFTL's uplink a method sends (``rounds-linear/rounds/FbFTL, bits 2/near_times``); of those
of attacks what one attains at K samples of a client, or against a solved head
(``rival_digits/attacks/server sees features/8/share of features told/value``).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from statistics import fmean

import pandas as pd

from fbftl.findings.exchanged import SELECTED
from fbftl.findings.runs import per_seed
from fbftl.ground.errors import UserError
from fbftl.ground.files import csv_rows

Number = tuple[str, float]
"""Its name and its value."""

SCORES = {
    "test_accuracy": ("accuracy", "spread", 100),
    "rouge1": ("rouge1", "rouge1 spread", 1),
    "ridge_accuracy": ("ridge", "ridge spread", 100),
    "protected_accuracy": ("protected", "protected spread", 100),
}
"""What mean and spread of a task's score are called, and what makes them percent; ridge regression
is on the features that a server received, and protected inference under noise as in training."""


def of_runs(runs: pd.DataFrame) -> Iterator[Number]:
    """Yield score and spread in percent of every setting in one tidy table."""
    measured = [measure for measure in SCORES if measure in runs]
    for measure, setting in product(measured, sorted(runs["setting"].unique())):
        name, (mean, spread, percent) = f"{runs['task'].iloc[0]}/{setting}", SCORES[measure]
        score = percent * per_seed(runs, setting, measure).dropna()
        for of, value in ((mean, score.mean()), (spread, score.std())):
            if pd.notna(value):  # of one seed there is no spread
                yield f"{name}/{of}", value


def of_uplink(task: str, uplink: pd.DataFrame) -> Iterator[Number]:
    """Yield each method's uplink in bits and how many times FbFTL's it is, with the spreads.

    Args:
        task: name of the task.
        uplink: what each method sends by seed (`findings.exchanged`).
    """
    for (method, until), rows in uplink.groupby(["method", "until"], sort=False):
        name = f"{task}/{method}/uplink" + ("" if until == SELECTED else f" to {until}")
        yield name, rows["payload_bits"].mean()
        times = rows["times_fbftl"].dropna()
        if method != "fbftl" and len(times):
            yield f"{name} over fbftl", times.mean()
            if len(times) > 1:
                yield f"{name} over fbftl/spread", times.std()


READING = "as printed"
"""Of the readings of an equation the one that the names stand for."""

BASE = "fbftl"
"""The method that all others are divided by."""


def ratios(paper: str, table: Sequence[Mapping[str, str]]) -> dict[str, float]:
    """Return each method's quantities over those of `BASE`, by name.

    Args:
        paper: its word.
        table: rows with a `quantity`, a `method`, a `reading` and the `exact` number.
    """
    exact = {
        (row["quantity"], row["method"]): float(row["exact"])
        for row in table
        if row["reading"] == READING and row["exact"]
    }
    return {
        f"papers/{paper}/{quantity}/{method} over {BASE}": value / exact[quantity, BASE]
        for (quantity, method), value in exact.items()
        if method != BASE and exact.get((quantity, BASE))
    }


OF_UPLOADS = ("kilobytes", "downlink_kilobytes", "accuracy")
ATTAINED = ("value", "blind")
OF_ROUNDS = (
    *("equal_times", "equal_low", "equal_high"),
    *("near_times", "near_low", "near_high", "near_at_least"),
)

OF_TABLES: Sequence[tuple[str, str, Sequence[str], Sequence[str], Mapping[str, str]]] = (
    ("front*", "front", ("skew", "samples_per_client", "name"), OF_UPLOADS, {}),
    ("front*", "front", ("skew", "samples_per_client", "kind"), OF_UPLOADS, {"cheapest": "yes"}),
    ("rounds", "rounds", ("name",), OF_ROUNDS, {}),
    ("upload_attacks", "attacks", ("adversary", "samples_per_client", "measure"), ATTAINED, {}),
    ("upload_membership", "attacks", ("head",), ("auc",), {"quoted": "True"}),
    ("membership", "attacks", ("mechanism",), ("auc",), {"quoted": "True", "mechanism": "none"}),
    ("short_membership", "attacks", ("head",), ("auc",), {"quoted": "True"}),
    ("inverted", "attacks", ("setting",), ("ssim", "feature_error"), {}),
)
"""Tables, a word for them in names, columns that tell their rows apart but for their seeds, those
with numbers, and what rows have that have names."""


def of_tables(kept: Path) -> dict[str, float]:
    """Return the numbers of the tables of kept tasks, by name; means where rows are of one seed.

    Args:
        kept: folder of kept results.
    """
    found: dict[str, list[float]] = {}
    for table, word, keys, columns, required in OF_TABLES:
        for path in sorted(kept.glob(f"*/tables/{table}.csv")):
            for row in csv_rows(path):
                if not required.items() <= row.items():
                    continue
                name = [path.parents[1].name, word, *(row[key].removesuffix(".0") for key in keys)]
                for of in columns:
                    if row.get(of):
                        found.setdefault("/".join([*name, of]), []).append(float(row[of]))
    return {name: fmean(values) for name, values in found.items()}


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
