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
