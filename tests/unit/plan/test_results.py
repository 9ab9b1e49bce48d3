"""Lists of tables and figures: every entry answers for every task that has its experiment."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fbftl.plan import analyses, paths
from fbftl.plan.call import Call
from fbftl.plan.entries import CHAPTERS, Made, Result, every_input, every_param
from fbftl.plan.pages import caption_of, first_paragraph, page_text
from fbftl.plan.results import ANALYSES, LISTS, OF_EXPERIMENT, of_paper
from fbftl.plan.results.swept import SOURCES, SWEEP
from fbftl.plan.targets import read_by_claims, read_by_numbers
from fbftl.study.config import Study, resolve
from fbftl.study.systems import read_systems
from fbftl.study.yaml_files import read_yaml

ATTACKED = {
    "privacy": {"features", "labels"},
    "inverted": {"inverted"},
    "eppfl": {"eppfl"},
    "frameworks": {"framework_attacks"},
    "feature_noise": {"noised_features"},
    "uploads_privacy": {"trust"},
    "uploads": {"uploads"},
    "ecos": {"counts"},
}
"""Names of analyses by the experiment whose settings they look at."""


@pytest.fixture(scope="module")
def study(root: Path) -> Study:
    """The study of all papers."""
    return resolve(read_yaml(root / "config.yaml") | {"papers": "all"}, read_systems(root))


@pytest.fixture
def call(root: Path, study: Study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """A call that makes it in an empty folder."""
    monkeypatch.chdir(tmp_path)
    return Call(study, study, read_systems(root), [], root)


def listed() -> Iterator[Result]:
    for entries in (*OF_EXPERIMENT.values(), *map(of_paper, LISTS), SWEEP, SOURCES):
        yield from (entry for entry in entries if isinstance(entry, Result))


def pairs(study: Study) -> list[tuple[str, str]]:
    return [(task, name) for task in study.tasks for name in study.settings[task]]


def files(value: Any, *asked_for: Any, **further: str) -> list[str]:
    """Return the paths of an input of an entry."""
    found = value(*asked_for, **further) if callable(value) else value
    return [found] if isinstance(found, str) else list(found)


def test_every_entry_has_a_chapter_and_a_script(root):
    for result in listed():
        assert result.chapter in CHAPTERS
        assert (root / "scripts" / result.source).is_file()


def test_everything_listed_has_a_caption(root):
    of_tasks = (
        Made("digits", each, name) for name, entries in OF_EXPERIMENT.items() for each in entries
    )
    of_papers = (Made(f"papers/{name}", each) for name in LISTS for each in of_paper(name))
    swept = (Made("digits", each) for each in (*SWEEP, *SOURCES))
    for made in (*of_tasks, *of_papers, *swept):
        assert (root / "rules" / caption_of(made, root)).is_file(), made


def test_an_entry_reads_files_of_its_task_and_of_the_published_record(call):
    found = set()
    for task, experiment in pairs(call.study):
        entries = OF_EXPERIMENT.get(experiment, [])
        for result in (entry for entry in entries if isinstance(entry, Result)):
            found.add(result.path)
            for value in every_input(result).values():
                for path in files(value, call.study, task, experiment):
                    in_record = path.startswith("published/") and (call.root / path).is_file()
                    assert in_record or path.format(task=task, experiment=experiment).startswith(
                        f"results/{task}/"
                    )
            for value in filter(callable, every_param(result).values()):
                value(call.study, task, experiment)
    assert len(found) > 50  # fewer where test_removals takes methods away


def test_a_sweep_has_its_axes_and_one_source_no_spread(call):
    for result in SWEEP:
        for value in every_param(result).values():
            assert value(call.study, "digits", experiment="scarcity")
    with pytest.raises(ValueError, match="one source network"):
        SOURCES[0].inputs["runs"](call.study, "digits", experiment="scarcity")


def test_attacks_look_at_settings_of_their_task(call):
    for task, experiment in pairs(call.study):
        for analysis in (each for each in ANALYSES if each.name in ATTACKED.get(experiment, ())):
            names = list(analysis.settings(call.study, task))
            assert names, (task, experiment)
            assert set(names) <= call.study.settings[task][experiment].keys()
            assert paths.inputs_of_any(call.study, task, analysis.settings)
    first, second, *_ = analyses.uploads(call.study, "digits")
    assert call.study.setting("digits", first).mechanism == "none"
    assert call.study.setting("digits", second).mechanism == "gaussian"


def test_what_lies_finished_counts_with_what_is_made(call):
    folder = Path("results/mine/experiments")
    folder.mkdir(parents=True)
    (folder / "scarcity.csv").touch()
    (folder / "scarcity.series.csv").touch()
    (folder.parent / "key").touch()
    assert call.finished["mine"] == ["scarcity"]
    assert read_by_numbers(call, "mine") == {"experiments": [f"{folder}/scarcity.csv"]}
    read = read_by_claims(call, "fbftl")
    assert f"{folder}/scarcity.csv" in read["experiments"]
    assert read["uplinks"] == ["results/digits/tables/uplink.csv"]


def test_a_page_has_its_entrys_title_and_the_captions_first_paragraph(root):
    swept = page_text(Made("digits", SWEEP[0], "losses"), root)
    assert swept["title"] == "losses: digits"
    caption = "**Reading:** loss of {{ snakemake.wildcards.task }}\\ :sub:`up`;\n\nMore."
    assert first_paragraph(caption, {"task": "digits"}) == "Loss of digits_up."
