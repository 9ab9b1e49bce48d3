"""Which heads can be solved from what clients upload once, for the plan, jobs and tables.

Every message is a file of `methods/one_shot/messages/`, which says by `GIVES` what the server has
of it. The plan reads that without importing the file: it decides what is refused, and one's own
message needs no line elsewhere.
"""

import ast
from functools import cache
from pathlib import Path

from fbftl.ground.errors import UserError

FOLDER = Path(__file__).parents[1] / "methods" / "one_shot" / "messages"

ROWS = ("mlp", "logistic")
SUMS = ("ncm", "fedncm")
DRAWS = ("fishermix", "protohyper")
MOMENTS = ("ridge", "fed3r", "afl", "lda", "fedcgs", "fedcof_oracle", *SUMS, *DRAWS)
MEANS = ("fedcof", "fedcof_between")
CLASSES = ("nb", "qda")

HEADS_OF = {
    "rows": (*ROWS, *MOMENTS, *MEANS, *CLASSES),
    "drawn rows": (*ROWS, *MOMENTS, *CLASSES),
    "statistics": MOMENTS,
    "means": (*SUMS, *MEANS, "lda", *ROWS),
    "moments": (*SUMS, "lda", "nb"),
}
"""By what a message gives, the heads that can be solved from it."""

LACKS = {
    "means": "second moments and the samples themselves",
    "moments": "the samples themselves",
    "statistics": "the samples themselves and each client's means",
    "drawn rows": "each client's means",
}
"""By what a message gives, what it does not tell."""

READ = (
    "message", "head", "means_per_class", "projection", "components", "covariance", "aggregation",
    "bits", "mechanism",
)  # fmt: skip
"""Axes that tell an upload apart in tables, beside epsilon."""


@cache
def declared(message: str, name: str) -> str:
    """Return a line of text that a message's file says of itself, `GIVES` or `REVEALS`.

    Raises:
        UserError: if it says none.
    """
    path = FOLDER / f"{message}.py"
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return str(ast.literal_eval(node.value))
    raise UserError(f"{path} says no {name} of its message; give it a line {name} = '...'")


def gives(message: str) -> str:
    """Return what the server has of a message: rows, drawn rows, statistics, means or moments.

    Raises:
        UserError: if its file says nothing of that kind.
    """
    given = "rows" if message == "features" else declared(message, "GIVES")
    if given not in HEADS_OF:
        raise UserError(
            f"{FOLDER / message}.py gives '{given}'; choose GIVES among {', '.join(HEADS_OF)}"
        )
    return given


MESSAGES = ("features", *sorted(path.stem for path in FOLDER.glob("[!_]*.py")))
"""What a client may upload: each sample's features by itself, or one of the folder's messages."""

HEADS_FROM = {message: HEADS_OF[gives(message)] for message in MESSAGES}
"""By message, the heads that can be solved from it."""

CANDIDATES = {
    "ridge": "ridge",
    "fed3r": "ridge",
    "lda": "shrinkage",
    "nb": "shrinkage",
    "qda": "shrinkage",
    "fedcof": "fedcof",
    "fedcof_between": "fedcof",
    "fedcof_oracle": "fedcof",
    "logistic": "logistic",
}
"""By head, the list of the task's block `one_shot` that its regularisation is chosen from."""
