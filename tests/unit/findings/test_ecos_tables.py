"""Tables and figures of purchases: means over seeds, and what counts cost."""

import pandas as pd
from fbftl.findings.outsourcing import purchases
from fbftl.findings.runs import reached
from fbftl.study.outsourcing import ASKED
from fbftl.study.settings import DEFAULTS


def rows(*settings: dict) -> pd.DataFrame:
    """Return a tidy table of some settings, two seeds of each."""
    plain = {axis: DEFAULTS[axis] for axis in ASKED}
    measured = {"own_share": 0.3, "inherent_share": 0.1, "bought": 300.0, "downlink_bits": 9.0}
    measured["frozen_bits"] = 99.0
    measured |= {"labelled": 300.0, "label_accuracy": 1.0}
    return pd.DataFrame(
        plain
        | measured
        | {"setting": str(sorted(axes)) + str(axes), "seed": seed, "diverged": False}
        | {"test_accuracy": 0.8 + 0.02 * seed, "uplink_bits": 0.0}
        | axes
        for axes in settings
        for seed in (0, 1)
    )


def bought(choice: str = "ecos", **axes) -> dict:
    return {"purchase_rule": choice, "purchase": 300} | axes


def test_a_row_is_a_setting_and_choices_without_counts_have_neither_noise_nor_centroids():
    table = purchases(rows(bought("random"), bought(sigma=10.0), bought()))
    assert table["purchase_rule"].tolist() == ["ecos", "ecos", "random"]
    assert sorted(table["sigma"][:2]) == [0.0, 10.0]
    assert table[["sigma", "centroids"]].iloc[2].isna().all()
    assert table["accuracy"].round(6).eq(0.81).all()


def test_epsilons_are_by_kind_of_neighbours():
    guarantees = pd.DataFrame(
        {"setting": "a", "given_mechanism": "counts", "adjacency": kind, "given_epsilon": value}
        for kind, value in (("replace-one", 0.5), ("add-remove", 0.2))
    )
    assert reached(guarantees, adjacency="add-remove").to_dict() == {"a": 0.2}
    assert reached(guarantees, given_mechanism="other").empty
