"""Which heads can be solved from what clients upload once, for the plan, jobs and tables.

Features, which FbFTL uploads, hold what every head needs; every other message lacks something.
"""

ROWS = ("mlp", "logistic")
SUMS = ("ncm", "fedncm")
MOMENTS = ("ridge", "fed3r", "afl", "lda", "fedcgs", "fedcof_oracle", *SUMS)
MEANS = ("fedcof", "fedcof_between")

HEADS_FROM = {
    "features": (*ROWS, *MOMENTS, *MEANS),
    "means": (*SUMS, *MEANS, "lda"),
    "statistics": MOMENTS,
    "projected": MOMENTS,
    "mixtures": (*ROWS, *MOMENTS),
}
"""By message, the heads that can be solved from it."""

CANDIDATES = {
    "ridge": "ridge",
    "fed3r": "ridge",
    "lda": "shrinkage",
    "fedcof": "fedcof",
    "fedcof_between": "fedcof",
    "fedcof_oracle": "fedcof",
}
"""By head, the list of the task's block `one_shot` that its regularisation is chosen from."""
