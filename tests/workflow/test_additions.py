"""One more method or axis: it plans what it adds and nothing that was there."""

from collections import Counter

import pandas as pd
import pytest
from project import Project

METHODS = {
    "study": {"tasks": ["digits"], "experiments": ["methods", "scarcity"]},
    "experiments": {"methods": {"grids": [{"method": ["ftl_c", "fbftl"]}]}},
}
"""What the toy study becomes before the toy method is there."""

WITH_TOY = METHODS | {
    "experiments": {"methods": {"grids": [{"method": ["ftl_c", "fbftl", "toy"]}]}}
}

MODULE = '''"""A toy that trains like FTL_c."""

from fbftl.methods.ftl_c import run

__all__ = ["run"]
'''

RECORD = """    MethodRecord(
        "toy", "Toy_t", "#123456", "X", "fbftl",
        reads="features",
        sends="rounds",
        axes=BY_ROUNDS,
        cost="ftl_c",
    ),
)  # fmt: skip
"""

ADDED = Counter(
    train=1, collect=1, tabulate_methods=1, plot_uplink=1, tabulate_claims=1, write_numbers=1,
    make_index=1,
)  # fmt: skip


@pytest.fixture
def compared(finished: Project) -> Project:
    """A copy in which two methods have been compared."""
    finished.finish(study=METHODS)
    return finished


def test_a_new_method_plans_its_own_job_and_what_shows_it(compared: Project) -> None:
    module = compared.folder / "scripts" / "fbftl" / "methods" / "toy.py"
    module.write_text(MODULE, encoding="utf-8")
    compared.edit("scripts/fbftl/study/methods.py", ")  # fmt: skip\n", RECORD)
    assert compared.planned(study=METHODS) == Counter()
    assert Counter({k: n for k, n in compared.planned(study=WITH_TOY).items() if k != "all"}) == (
        ADDED
    )

    compared.finish(study=WITH_TOY)
    assert compared.planned(study=WITH_TOY) == Counter()
    table = pd.read_csv(compared.results / "digits/tables/methods.csv").set_index("method")
    assert table.index.tolist() == ["ftl_c", "fbftl", "toy"]
    numbers = table[["accuracy", "epochs", "uplink_ledger", "uplink_formula"]]
    assert numbers.loc["toy"].equals(numbers.loc["ftl_c"])
    assert "Toy\\_t" in (compared.results / "digits/tables/methods.md").read_text("utf-8")
    assert "#123456" in (compared.results / "digits/figures/methods.svg").read_text("utf-8")


def test_a_new_axis_plans_nothing_until_it_is_asked_for(finished: Project) -> None:
    finished.edit(
        "scripts/fbftl/study/settings.py",
        "    label_epsilon: float | None = None\n",
        "    toy: int = 3\n    label_epsilon: float | None = None\n",
    )
    finished.edit(
        "scripts/fbftl/study/methods.py", '"label_epsilon",\n', '"label_epsilon", "toy",\n'
    )
    finished.edit(
        "rules/schemas/config.schema.yaml",
        "      label_epsilon:",
        '      toy: {$ref: "#/$defs/axis", items: {type: integer}}\n      label_epsilon:',
    )
    assert finished.planned() == Counter()
    grid = {"fraction": [1.0, 0.5], "plr": [0.0, 0.5]}
    study = {"experiments": {"scarcity": {"grids": [grid, {"toy": [4]}]}}}
    planned = finished.planned(study=study)
    assert (planned["train"], planned["collect"], planned["extract_digits"]) == (1, 1, 0)


OF_ONES_OWN = {
    "study": {"tasks": ["digits"], "experiments": ["scarcity", "losses", "once"]},
    "experiments": {
        "losses": {"grids": [{"fraction": [1.0, 0.5], "plr": [0.0, 0.5]}]},
        "once": {"grids": [{"fraction": [1.0]}]},
    },
}
"""Two more experiments, whose runs the toy study has; in the second nothing varies."""

SWEEPS = Counter(
    collect=2, tabulate_sweep=2, plot_sweep=1, tabulate_claims=1, write_numbers=1, make_index=1
)


def test_an_experiment_of_ones_own_ends_in_a_table_and_a_figure(finished: Project) -> None:
    planned = finished.planned(study=OF_ONES_OWN)
    assert Counter({rule: n for rule, n in planned.items() if rule != "all"}) == SWEEPS
    finished.finish("--report", "results/report.html", "--report-after-run", study=OF_ONES_OWN)
    assert finished.planned(study=OF_ONES_OWN) == Counter()
    digits = finished.results / "digits"
    table = pd.read_csv(digits / "tables/sweep_losses.csv")
    runs = pd.read_csv(digits / "experiments/losses.csv")
    means = runs.groupby(["fraction", "plr"])["test_accuracy"].mean()
    found = table.set_index(["fraction", "plr"])["test_accuracy"]
    assert found.sort_index().tolist() == pytest.approx(means.sort_index().tolist())
    assert len(pd.read_csv(digits / "tables/sweep_once.csv")) == 1
    assert not (digits / "figures/sweep_once.svg").exists()
    assert not (digits / "tables/sweep_scarcity.csv").exists()
    index = (finished.results / "index.html").read_text("utf-8")
    report = (finished.results / "report.html").read_text("utf-8")
    for made in ("tables/sweep_losses.html", "figures/sweep_losses.svg", "tables/sweep_once.html"):
        assert made in index
        assert made in report
