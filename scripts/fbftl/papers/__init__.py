"""Where the published record disagrees with itself: one row per finding, argued in
`docs/papers/`.

Every value in a row is computed from `published/` and the formulas, or measured by a run.
"""
