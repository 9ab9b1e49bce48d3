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
from fbftl.study.full_studies import PAPER, files_of, read_every_full, read_of_size
from fbftl.study.systems import ALL, paper_of, read_systems
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


@pytest.fixture(scope="module")
def studies() -> list[Study]:
    """Return the papers' quick studies, as one, and every full study that there is."""
    config = read_yaml(ROOT / "config.yaml")
    schema = read_yaml(ROOT / "rules" / "schemas" / "config.schema.yaml")
    systems = read_systems(ROOT)
    of_size = [config | {"size": "full", "system": name} for name in PAPER if files_of(ROOT, name)]
    return [resolve(config | {"papers": ALL}, schema, systems)] + [
        resolve(full, schema, systems, read_of_size(ROOT, full, systems)) for full in of_size
    ]


def planned(studies: list[Study], paper: str) -> list[Planned]:
    """Return the tasks of a paper with the settings of its experiments."""
    return [table for study in studies for table in planned_of(study, paper)]


def planned_of(study: Study, paper: str) -> list[Planned]:
    """Return the same of one study."""
    systems = [*read_systems(ROOT), *read_every_full(ROOT)]
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
            values = {"seed": 0, "planned": 1.0, "diverged": False, score: 1.0}
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


FULL_OF = {"thesis": ("c2", "c3")}
"""Chapters whose full studies run every part of every sentence."""

BY_ROWS = {("c2-01", "1000"), ("c2-02", "1000")}
"""Parts that are found by the rows that were seen, which a plan does not tell."""


@pytest.mark.parametrize("paper", FULL_OF)
def test_full_studies_run_every_part(studies, paper):
    sentences = import_module(f"fbftl.papers.{paper}.claims").SENTENCES
    tasks = planned(studies[1:], paper)
    idle = [
        (sentence, part)
        for sentence, parts in sentences.items()
        for part, sides in parts.items()
        if sentence.startswith(FULL_OF[paper]) and (sentence, part) not in BY_ROWS
        if not any(len(first.values) and len(second.values) for first, second in map(sides, tasks))
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
