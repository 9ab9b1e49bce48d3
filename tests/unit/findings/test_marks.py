"""The Pareto front of cost and score."""

import pandas as pd
from fbftl.findings.marks import on_front
from hypothesis import given
from hypothesis import strategies as st


@given(st.lists(st.tuples(st.integers(1, 8), st.integers(0, 8)), min_size=1, max_size=12))
def test_the_front_holds_exactly_what_nothing_beats(points: list[tuple[int, int]]) -> None:
    table = pd.DataFrame(points, columns=["cost", "score"])
    expected = [
        not any(c <= cost and s >= score and (c, s) != (cost, score) for c, s in points)
        for cost, score in points
    ]
    assert on_front(table["cost"], table["score"]).tolist() == expected


def test_equal_points_are_on_the_front_together() -> None:
    cost = pd.Series([1.0, 2.0, 2.0, 3.0, 4.0, 1.0])
    score = pd.Series([0.5, 0.7, 0.6, 0.7, 0.9, 0.5])
    assert on_front(cost, score).tolist() == [True, True, False, False, True, True]
