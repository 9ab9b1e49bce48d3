"""Full studies: what they make, and what is refused of them."""

import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.plan.opened import Prepared
from fbftl.study.config import Study, resolve
from fbftl.study.full_studies import read_every_full, read_of_size
from fbftl.study.systems import read_systems

CONFIG = """
study: {tasks: [digits], experiments: [scarcity]}
tasks:
  digits:
    data: {kind: digits}
    source: {kind: pretrain, image: [8, 8, 1]}
    features: {cut: fc1}
    training: {epochs: 3}
experiments:
  scarcity: {grids: [{plr: [0, 0.5]}]}
  few: {tasks: [digits], grids: [{fraction: [0.1]}]}
"""

FADE = """# Seeds: 3, because an example needs no more.
paper: thesis
data_folder: data
study: {tasks: [digits-full, wide-full], experiments: [scarcity, few]}
tasks:
  digits-full: {like: digits, seeds: [100, 101, 102]}
  wide-full: {like: digits-full, features: {cut: fc2}}
experiments:
  few: {tasks: [wide-full]}
"""

MORE = """# Seeds: 3, because an example needs no more.
paper: thesis
study: {tasks: [photos-full], experiments: [bits]}
tasks:
  photos-full: {like: photos, seeds: [100, 101, 102]}
experiments:
  bits:
    grids:
      - bits: [2]
      - {bits: [8], tasks: [photos-full]}
"""

PHOTOS = """
study: {tasks: [photos], experiments: [scarcity]}
tasks:
  photos:
    data: {kind: digits, test_fraction: 0.4}
    source: {kind: pretrain, image: [8, 8, 1]}
    features: {cut: fc1}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project whose system `fade` has a full study of two files."""
    (tmp_path / "studies" / "full").mkdir(parents=True)
    files = {"config": CONFIG, "studies/photos": PHOTOS, "studies/full/fade": FADE}
    for name, text in (files | {"studies/full/fade-more": MORE}).items():
        (tmp_path / f"{name}.yaml").write_text(text)
    return tmp_path


def made(folder: Path, size: str, **config: Any) -> Study:
    """Return the study of a size of the system fade."""
    laid = yaml.safe_load(CONFIG) | {"size": size, "system": "fade"} | config
    return resolve(laid, of_size=read_of_size(folder, laid, []))


def test_a_full_study_is_made_of_all_its_files(folder):
    study = made(folder, "full")
    assert {task: list(of_task) for task, of_task in study.settings.items()} == {
        "digits-full": ["scarcity"],
        "wide-full": ["scarcity", "few"],
        "photos-full": ["bits"],
    }
    assert study.task("photos-full")["data"]["test_fraction"] == 0.4
    assert study.task("wide-full")["seeds"] == [100, 101, 102]
    assert study.paper == {"scarcity": "fbftl", "few": "thesis", "bits": "thesis"}


def test_one_file_alone_makes_its_own_tasks_and_knows_those_of_the_others(folder):
    more = """paper: thesis
study: {tasks: [narrow-full], experiments: [few, bits]}
tasks: {narrow-full: {like: digits-full, features: {cut: fc2}, seeds: [100]}}
experiments: {}
"""
    (folder / "studies/full/fade-few.yaml").write_text(more)
    text = (folder / "studies/full/fade-more.yaml").read_text()
    shared = text + "      - {bits: [4], tasks: [narrow-full]}\n"
    (folder / "studies/full/fade-more.yaml").write_text(shared)
    fade = FADE.replace("few: {tasks: [wide-full]}", "few: {tasks: [wide-full, narrow-full]}")
    (folder / "studies/full/fade.yaml").write_text(fade)

    alone, whole = (made(folder, "full", system=name) for name in ("fade-few", "fade"))
    assert {task: list(of_task) for task, of_task in alone.settings.items()} == {
        "narrow-full": ["few", "bits"]
    }
    assert alone.settings["narrow-full"] == whole.settings["narrow-full"]
    assert alone.task("narrow-full") == whole.task("narrow-full")
    assert alone.config["data_folder"] is None
    with pytest.raises(UserError, match=r"'fade-fex', which has no full .*'fade-few'"):
        made(folder, "full", system="fade-fex")


def test_every_file_is_of_a_paper(root):
    files = {f"{study.name}.yaml": study.paper for study in read_every_full(root)}
    assert {f.relative_to(root / "studies").as_posix() for f in root.glob("studies/full/*")} == {
        *files
    }
    assert {*files.values()} <= {"fbftl", *(system.paper for system in read_systems(root))}


def test_what_a_file_says_of_size_and_system_is_read_without_the_engine(root, tmp_path):
    study = tmp_path / "study.yaml"
    study.write_text("size: full\nsystem: fate\n")
    with pytest.raises(UserError, match="did you mean 'fade'"):
        Prepared.of_files(root, [str(study)])


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        ({"system": "fate"}, r"system is 'fate', which has no full study; did you mean 'fade'\?"),
        ({"system": None}, "system is None, which has no full study; choose among fade"),
        ({"size": "quick"}, "system is 'fade', but size is quick; set size: full"),
        ({"papers": "thesis"}, "papers is thesis, but a full study is of one"),
        ({"tasks": {"wide-full": {}}}, r"tasks\.wide-full is fixed by studies/full/fade\.yaml"),
    ],
)
def test_a_call_that_names_no_study_of_a_size_is_refused(folder, config, sentence):
    with pytest.raises(UserError, match=sentence):
        made(folder, **({"size": "full"} | config))


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("wide-full", "wide", r"fade\.yaml: the task 'wide' is of a full .* call it 'wide-full'"),
        ("digits-full: {", "digits-quick: {", r"the task 'digits-quick' is of a full"),
        ("[100, 101, 102]", "[100, 99]", r"tasks\.digits-full\.seeds has 99, .* from 100 on"),
        ("[100, 101, 102]", "98-101", r"tasks\.digits-full\.seeds has 98, .* from 100 on"),
        ("digits, seeds: [100, 101, 102]", "digits", r"lacks the key 'seeds'; give some"),
        ("like: digits,", "like: digit,", "names the task 'digit', which is not defined"),
        ("wide-full: {like: digits-full", "wide-full: {like: digit-full", "mean 'digits-full'"),
        ("few: {tasks: [wide-full]}", "few: {}", "'few' is for other tasks than digits-"),
        ("wide-full: {", "photos-full: {seeds: [100], ", "the task 'photos-full' is defined by"),
        ("data_folder: data", "exact: true", "key 'exact' does not exist; choose among data_f"),
    ],
)
def test_what_is_no_full_study_is_refused(folder, old, new, sentence):
    file = folder / "studies/full/fade.yaml"
    assert old in FADE
    file.write_text(FADE.replace(old, new))
    with pytest.raises(UserError, match=sentence):
        made(folder, "full")


def test_the_example_of_the_page_is_a_full_study(root, linked):
    page = (root / "docs/cost.md").read_text()
    (example,) = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (linked / "studies/full/fade-example.yaml").write_text(example)
    config = yaml.safe_load((root / "config.yaml").read_text())
    config |= {"size": "full", "system": "fade"}
    systems = read_systems(root)
    study = resolve(config, systems, read_of_size(linked, config, systems))
    assert study.task("digits-fade-full")["training"]["rounds"] == 200
    assert study.settings["digits-fade-full"]["fairness"]
