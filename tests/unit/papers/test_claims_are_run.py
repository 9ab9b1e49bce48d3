"""Every tested sentence asks for settings that a study of the project has, at least in a part."""

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
from fbftl.study.systems import ALL, System, paper_of, read_systems
from fbftl.study.yaml_files import read_yaml
from unit.papers.claimed import PAPERS, claims

ROOT = Path(__file__).parents[3]

SCORES = {"images": "test_accuracy", "dialogues": "rouge1"}
"""What tasks of a kind score by."""


class Planned(Runs):
    """What a study will have run on a task: every measure of every setting, but other kinds'."""

    def measured(self, column: str, **axes: object) -> BySeed:
        """Return some values of a setting that is planned."""
        if column in SCORES.values() and column not in self.table:
            return NOTHING
        return BySeed(per_seed(self.table, axes, "planned"))

    def along(self, series: str, comes_to: object, **axes: object) -> BySeed:
        """Return the same of what its curves come to."""
        return self.measured(series, **axes)

    def until(
        self, series: str, first: dict[str, object], comes_to: object, reaches: object,
        **axes: object,
    ) -> BySeed:  # fmt: skip
        """Return the same where both settings are planned."""
        return self.measured(series, **first) + self.measured(series, **axes)


Studies = list[tuple[Study, list[System]]]
"""Studies with the systems that say of which paper an experiment is."""


@pytest.fixture(scope="module")
def studies() -> Studies:
    """The papers' quick studies, and the full study of every system that has one."""
    config = read_yaml(ROOT / "config.yaml") | {"papers": ALL}
    schema = read_yaml(ROOT / "rules" / "schemas" / "config.schema.yaml")
    systems = read_systems(ROOT)
    found = [(resolve(config, schema, systems), systems)]
    for system in PAPER:
        if files_of(ROOT, system):
            asked = read_yaml(ROOT / "config.yaml") | {"size": "full", "system": system}
            of_size = read_of_size(ROOT, asked, systems)
            found.append((resolve(asked, schema, systems, of_size=of_size), [*systems, *of_size]))
    return found


def planned(studies: Studies, paper: str) -> list[Planned]:
    """Return the tasks of a paper with the settings of its experiments."""
    return [table for study, systems in studies for table in planned_of(study, systems, paper)]


def planned_of(study: Study, systems: list[System], paper: str) -> list[Planned]:
    """Return them of one study."""
    tables = []
    for task, experiments in study.settings.items():
        rows = {
            name: {"setting": name} | setting.deviations()
            for experiment, settings in experiments.items()
            if paper_of(experiment, systems) == paper
            for name, setting in settings.items()
        }
        if rows:
            score = SCORES[study.task(task)["kind"]]
            values = {"task": task, "seed": 0, "planned": 1.0, "diverged": False, score: 1.0}
            table = pd.DataFrame(list(rows.values())).assign(**values)
            # As a tidy table is read back.
            tables.append(Planned(pd.read_csv(StringIO(table.to_csv(index=False)))))
    return tables


@pytest.mark.parametrize("paper", PAPERS)
def test_some_part_of_every_tested_sentence_is_run(studies, paper):
    sentences = import_module(f"fbftl.papers.{paper}.claims").SENTENCES
    tasks = planned(studies, paper)
    idle = [
        sentence
        for sentence, parts in sentences.items()
        if not any(
            len(first.values) and len(second.values)
            for sides in parts.values()
            for first, second in map(sides, tasks)
        )
    ]
    assert idle == []


class Distinct(Runs):
    """Runs in which every measure of every setting has a value of its own."""

    def measured(self, column: str, **axes: object) -> BySeed:
        """Return a value that tells the measure and the setting."""
        key = crc32(repr((column, sorted(axes.items()))).encode())
        return BySeed(pd.Series([1.0 + key / 2**32]))

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
        (
            claim.sentence,
            *(float(side.values.iloc[0]) for side in claim.sides(Distinct(pd.DataFrame()))),
        )
        for claim in claims(paper)
        if claim.sentence not in CONDITIONAL | {OURS}
        if claim.form is Form.MORE and claim.margin is None
    }
    assert [
        (one[0], other[0]) for one, other in permutations(compared, 2) if one[1:] == other[:0:-1]
    ] == []


@pytest.mark.parametrize("system", ["eppfl", "fedfeat"])
def test_every_part_of_its_paper_is_run_by_a_full_study(studies, system):
    tasks = [
        table
        for study, systems in studies
        if study.config["system"] == system
        for table in planned_of(study, systems, PAPER[system])
    ]
    sentences = import_module(f"fbftl.papers.{PAPER[system]}.claims").SENTENCES
    assert [
        (sentence, part)
        for sentence, parts in sentences.items()
        for part, sides in parts.items()
        if not any(len(first.values) and len(second.values) for first, second in map(sides, tasks))
    ] == []
