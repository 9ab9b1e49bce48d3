"""Every part of a tested sentence asks for settings that a full study of the project has."""

from collections.abc import Container
from importlib import import_module
from io import StringIO
from itertools import permutations
from pathlib import Path
from zlib import crc32

import pandas as pd
import pytest
from fbftl.findings.runs import per_seed
from fbftl.findings.sentence_rule import Form
from fbftl.papers.claims import OURS
from fbftl.papers.quantities import NOTHING, BySeed, Runs
from fbftl.study.config import Study, resolve
from fbftl.study.full_studies import PAPER, files_of, read_of_size
from fbftl.study.systems import ALL, read_systems
from fbftl.study.yaml_files import read_yaml
from unit.papers.claimed import PAPERS, claims

ROOT = Path(__file__).parents[3]

SCORES = {"images": "test_accuracy", "dialogues": "rouge1"}
"""What tasks of a kind score by."""

STEPS = (1, 2, 3, 4)
"""Of a series, rounds or domains."""


class Planned(Runs):
    """What a study will have run on a task: every measure of every setting, but other kinds'."""

    def measured(self, column: str, **axes: object) -> BySeed:
        """Return some values of a setting that is planned."""
        if column in SCORES.values() and column not in self.table:
            return NOTHING
        return BySeed(per_seed(self.table, axes, "planned"))

    def lists(self, series: str, **axes: object) -> pd.DataFrame:
        """Return some series of a setting that is planned."""
        seeds = per_seed(self.table, axes, "planned").index
        return pd.DataFrame(0.5, index=seeds, columns=STEPS)

    def along(self, series: str, comes_to: object, **axes: object) -> BySeed:
        """Return the same of what its curves come to."""
        return self.measured(series, **axes)

    def until(
        self, series: str, first: dict[str, object], comes_to: object, reaches: object,
        **axes: object,
    ) -> BySeed:  # fmt: skip
        """Return the same where both settings are planned."""
        return self.measured(series, **first) + self.measured(series, **axes)


@pytest.fixture(scope="module")
def studies() -> list[Study]:
    """The quick studies of all papers, and every full one."""
    config = read_yaml(ROOT / "config.yaml")
    systems = read_systems(ROOT)
    full = [
        config | {"size": "full", "system": system} for system in PAPER if files_of(ROOT, system)
    ]
    return [
        resolve(each, systems, read_of_size(ROOT, each, systems))
        for each in (config | {"papers": ALL}, *full)
    ]


def planned(studies: list[Study], paper: str, among: Container[str] | None = None) -> list[Planned]:
    """Return the tasks of a paper with the settings of its experiments, of all or of some."""
    return [table for study in studies for table in planned_by(study, paper, among)]


def planned_by(study: Study, paper: str, among: Container[str] | None = None) -> list[Planned]:
    """Return the tasks of a paper that one study makes."""
    tables = []
    for task, experiments in study.settings.items():
        rows = {
            name: {"setting": name} | setting.deviations()
            for experiment, settings in experiments.items()
            if study.paper[experiment] == paper
            if among is None or experiment in among
            for name, setting in settings.items()
        }
        if rows:
            score = SCORES[study.task(task)["kind"]]
            values = {"task": task, "seed": 0, "planned": 1.0, "diverged": False, score: 1.0}
            table = pd.DataFrame(list(rows.values())).assign(**values)
            # As a tidy table is read back.
            tables.append(Planned(pd.read_csv(StringIO(table.to_csv(index=False)))))
    return tables


BY_ROWS = {("c2-01", "1000"), ("c2-02", "1000")}
"""Parts that are found by the rows that were seen, which a plan does not tell."""


@pytest.mark.parametrize("paper", PAPERS)
def test_full_studies_run_every_part(studies, paper):
    sentences = import_module(f"fbftl.papers.{paper}.claims").SENTENCES
    tasks = planned(studies[1:], paper)
    idle = [
        (sentence, part)
        for sentence, parts in sentences.items()
        for part, sides in parts.items()
        if (sentence, part) not in BY_ROWS
        if not any(len(first.values) and len(second.values) for first, second in map(sides, tasks))
    ]
    assert idle == []


ATTACKED = {
    "eppfl": ("eppfl-11", "eppfl-12", "eppfl-23"),
    "fedfeat": ("fedfeat-25",),
    "survey": ("s-12", "s-15", "s-17", "s-20", "s-21", "s-22", "s-23"),
}
"""Sentences about what adversaries get, which tables beside an experiment tell."""

BY_ATTACKS = ("attacked", "eppfl_attacked", "fedfeat_attacked")
"""Experiments whose every seed is attacked."""


@pytest.mark.parametrize("paper", ATTACKED)
def test_what_adversaries_get_is_compared_on_settings_that_are_attacked(studies, paper):
    sentences = import_module(f"fbftl.papers.{paper}.claims").SENTENCES
    tasks = planned(studies[1:], paper, BY_ATTACKS)
    idle = [
        (sentence, part)
        for sentence in ATTACKED[paper]
        for part, sides in sentences[sentence].items()
        if not any(len(first.values) and len(second.values) for first, second in map(sides, tasks))
    ]
    assert idle == []


class Distinct(Runs):
    """Runs in which every measure of every setting has a value of its own."""

    def measured(self, column: str, **axes: object) -> BySeed:
        """Return a value that tells the measure and the setting."""
        key = crc32(repr((column, sorted(axes.items()))).encode())
        return BySeed(pd.Series([1.0 + key / 2**32]))

    def lists(self, series: str, **axes: object) -> pd.DataFrame:
        """Return values and a last step that tell the series and the setting."""
        value = float(self.measured(series, **axes).values.iloc[0]) / 100
        return pd.DataFrame([[*(value for _ in STEPS), 1.0]], columns=[*STEPS, 1000 * value])

    def accuracy(self, **axes: object) -> BySeed:
        """Return a value that tells the setting."""
        return self.measured("accuracy", **axes)

    def sent(self, method: str, until: str) -> BySeed:
        """Return a value that tells the method."""
        return self.measured("sent", method=method, until=until)

    def along(self, series: str, comes_to: object, **axes: object) -> BySeed:
        """Return a value that tells the curve, what it comes to and the setting."""
        return self.measured(f"{series} {comes_to.__name__}", **axes)

    def until(
        self, series: str, first: dict[str, object], comes_to: object, reaches: object,
        **axes: object,
    ) -> BySeed:  # fmt: skip
        """Return a value that tells both settings."""
        return self.measured(f"{series} until {sorted(first.items())}", **axes)

    def shared(self, axis: str, *sides: dict[str, object]) -> list[float]:
        """Return one value for every axis."""
        return [1.0]


CONDITIONAL = {"c4-17"}
"""Sentences that say under which condition another one fails."""


@pytest.mark.parametrize("paper", PAPERS)
def test_no_sentence_is_the_contrary_of_another_in_the_same_runs(paper):
    compared = {
        (claim.sentence, *(float(side.values.iloc[0]) for side in sides))
        for claim in claims(paper)
        if claim.sentence not in CONDITIONAL | {OURS}
        if claim.form is Form.MORE and claim.margin is None
        # What is sought among the settings that were run has nothing to be told by here.
        for sides in [claim.sides(Distinct(pd.DataFrame()))]
        if all(len(side.values) for side in sides)
    }
    assert [
        (one[0], other[0]) for one, other in permutations(compared, 2) if one[1:] == other[:0:-1]
    ] == []
