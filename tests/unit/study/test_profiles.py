"""Profiles and environments: every rule is provided for, and every pin is the lock's."""

import re
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement


@pytest.fixture(scope="module")
def rules(root: Path) -> set[str]:
    """Names of the rules whose jobs go to a cluster."""
    texts = [path.read_text() for path in [root / "Snakefile", *(root / "rules").glob("*.smk")]]
    blocks = [b for text in texts for b in re.split(r"^(?=(?:rule|use rule) )", text, flags=re.M)]
    named = {
        m[1] or m[2]: b for b in blocks if (m := re.match(r"rule (\w+):|use rule \w+ as (\w+) ", b))
    }
    return {name for name, block in named.items() if "localrule: True" not in block}


@pytest.fixture(scope="module")
def profile(root: Path) -> dict:
    return yaml.safe_load((root / "profiles/slurm/profile.yaml").read_text())


def test_every_rule_has_resources_or_a_group(rules: set[str], profile: dict) -> None:
    grouped = {entry.split("=")[0] for entry in profile["groups"]}
    provided = grouped | set(profile["set-resources"])
    assert rules - provided == set(), "add these rules to profiles/slurm/profile.yaml"
    assert provided - rules == set(), "these rules are gone: profiles/slurm/profile.yaml"


def test_memory_grows_with_every_attempt(profile: dict) -> None:
    assert profile["retries"] > 0
    asked = [block["mem_mb"] for block in profile["set-resources"].values()]
    assert all(re.fullmatch(r"\d+ \* attempt", entry) for entry in asked)


def test_rules_made_in_loops_ask_for_what_no_profile_can(root: Path) -> None:
    texts = [path.read_text() for path in (root / "rules").glob("*.smk")]
    made = [block for text in texts for block in re.split(r"^ +rule:$", text, flags=re.M)[1:]]
    assert made
    for block in made:
        assert "mem_mb=memory_of_made_rules" in block
        assert "runtime=" in block


def test_both_profiles_agree_on_reruns(root: Path, profile: dict) -> None:
    local = yaml.safe_load((root / "profiles/default/profile.yaml").read_text())
    for key in ("rerun-triggers", "rerun-incomplete", "nolock", "keep-going"):
        assert profile[key] == local[key]


def pins(path: Path) -> dict[str, str]:
    """Return the version that a requirements file pins of each package."""
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    found = {}
    for requirement in map(Requirement, filter(None, lines)):
        (pin,) = requirement.specifier
        assert pin.operator == "==", f"{path.name} does not pin {requirement}"
        found[requirement.name.lower().replace("_", "-")] = pin.version
    return found


def test_what_is_asked_for_is_what_the_lock_pins(root: Path) -> None:
    asked, locked = pins(root / "envs/requirements.txt"), pins(root / "envs/requirements.lock")
    assert asked.items() <= locked.items()


def test_every_conda_environment_takes_the_lock(root: Path) -> None:
    for path in (root / "envs").glob("*.yaml"):
        environment = yaml.safe_load(path.read_text())
        (pip,) = (entry["pip"] for entry in environment["dependencies"] if isinstance(entry, dict))
        assert pip == ["--requirement requirements.txt", "--constraint requirements.lock"]
        assert environment["channels"][-1] == "nodefaults"
