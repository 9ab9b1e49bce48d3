"""What sentences of FbFTL compare, on tables whose answers are known."""

import pandas as pd
from fbftl.papers.fbftl.claims import ROBUSTNESS
from fbftl.papers.quantities import Runs
from fbftl.papers.rivals.claims import SENTENCES

MEASURED = ("test_accuracy", "uplink_payload_bits")


def name_of(row: dict[str, object]) -> str:
    """Return a setting's name: its method and every axis that differs from its default."""
    axes = (f"{k}={v}" for k, v in row.items() if k not in (*MEASURED, "method") and v is not None)
    return "+".join([str(row["method"]), *axes])


def table(*rows: dict[str, object]) -> pd.DataFrame:
    """Return a tidy table, a seed a row."""
    axes = {key: None for row in rows for key in row if key not in (*MEASURED, "method")}
    measured = [key for key in MEASURED if any(key in row for row in rows)]
    named = [
        {"task": "toy", "seed": 0, "diverged": False, "setting": name_of(row)} | row for row in rows
    ]
    order = ["task", "setting", "method", *axes, "seed", "diverged", *measured]
    return pd.DataFrame(named, columns=order)


def test_the_least_share_that_keeps_95_percent_is_found_by_seed():
    accuracy = {
        "fbftl": {None: 0.8, 0.1: 0.79, 0.01: 0.5, 0.001: 0.2},
        "ftl_c": {None: 0.8, 0.1: 0.79, 0.01: 0.78, 0.001: 0.77},
    }
    runs = table(
        *(
            {"method": method, "fraction": 0.1, "keep": keep, "test_accuracy": value}
            for method, by_share in accuracy.items()
            for keep, value in by_share.items()
        )
    )
    ftl_c, fbftl = ROBUSTNESS["fbftl-19"]["share"](Runs(runs))
    assert (list(ftl_c.values), list(fbftl.values)) == ([0.001], [0.1])


def test_a_share_is_whole_where_none_keeps_it_and_nothing_where_none_was_run():
    rows = [{"method": "fbftl", "fraction": 0.1, "keep": None, "test_accuracy": 0.8}]
    rows += [
        {"method": "fbftl", "fraction": 0.1, "keep": keep, "test_accuracy": 0.1}
        for keep in (0.1, 0.01, 0.001)
    ]
    ftl_c, fbftl = ROBUSTNESS["fbftl-19"]["share"](Runs(table(*rows)))
    assert ftl_c.values.empty
    assert list(fbftl.values) == [1.0]


def test_the_front_holds_what_costs_no_more():
    mixtures = {"message": "mixtures", "components": 0}
    runs = table(
        {"method": "one_shot", "covariance": "spherical", "bits": 16, **mixtures}
        | {"uplink_payload_bits": 10, "test_accuracy": 0.7},
        {"method": "one_shot", "message": "means", "head": "fedcof"}
        | {"uplink_payload_bits": 9, "test_accuracy": 0.6},
        {"method": "one_shot", "message": "statistics", "head": "lda"}
        | {"uplink_payload_bits": 11, "test_accuracy": 0.9},
    )
    best, ours = SENTENCES["r-16"]["8"](Runs(runs))
    assert [round(float(side.values.iloc[0])) for side in (best, ours)] == [60, 70]
