"""The Pareto front of cost and score."""

import pandas as pd
from fbftl.findings.marks import on_front
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=12))
def test_the_front_holds_exactly_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    """Of equal points all are on it, or none."""
    table = pd.DataFrame(points, columns=["cost", "score"])
    expected = [
        not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in points)
        for cost, score in points
    ]
    assert on_front(table["cost"], table["score"]).tolist() == expected
