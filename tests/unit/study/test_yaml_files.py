"""Configuration files: nothing that they say is dropped, and what is no YAML is told so."""

from pathlib import Path

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.yaml_files import read_config_file, read_yaml


def test_files_are_read_as_yaml_says(root: Path) -> None:
    for path in (root / "config.yaml", *root.glob("studies/*.yaml")):
        assert read_yaml(path) == yaml.safe_load(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a: 1\nb: 2\na: 3\n", "the key 'a' is given twice, again in line 3"),
        ("a: [1\n", "cannot be read as YAML"),
        ("tasks: &all {digits: *all}\n", "an alias is below its own anchor"),
        ("seeds: [" + "9" * 5000 + "]\n", "cannot be read as YAML"),
        ("a: " + "[" * 3000 + "\n", "cannot be read as YAML"),
        ("? [1, 2]\n: 3\n", "cannot be read as YAML"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, sentence: str) -> None:
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=sentence):
        read_yaml(path)


def test_a_merged_key_may_be_told_again(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    path.write_text("base: &base {a: 1}\nmore:\n  <<: *base\n  a: 2\n", encoding="utf-8")
    assert read_yaml(path)["more"] == {"a": 2}


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"none\.yaml"):
        read_yaml(tmp_path / "none.yaml")


def test_an_anchor_may_be_named_often(tmp_path: Path) -> None:
    path = tmp_path / "study.yaml"
    rows = [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 15)]
    path.write_text("a0: &a0 [1]\n" + "".join(rows), encoding="utf-8")
    assert len(read_yaml(path)) == 15


def test_aliases_that_multiply_without_bounds_are_refused(tmp_path: Path) -> None:
    """What reads the file copies every value wherever an alias names it."""
    path = tmp_path / "study.yaml"
    rows = [f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 60)]
    path.write_text("a0: &a0 [1]\n" + "".join(rows), encoding="utf-8")
    with pytest.raises(UserError, match="aliases make more than 1,000,000 values"):
        read_yaml(path)


@pytest.mark.parametrize("text", ["[]\n", "5\n", "", "word\n"])
def test_a_configuration_without_keys_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "study.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=r"study\.json holds no keys"):
        read_config_file(path)


def test_a_target_after_a_configuration_is_told_from_a_file(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no file .*layers; .* name targets before"):
        read_config_file(tmp_path / "layers")
