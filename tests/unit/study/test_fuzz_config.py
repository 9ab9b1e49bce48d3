"""Whatever a configuration holds, it is accepted or refused in one sentence."""

import copy
import datetime
import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml
from fbftl.ground.errors import UserError
from fbftl.study.config import resolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from snakemake.common.configfile import load_configfile
from snakemake.exceptions import WorkflowError

CASES = 1000 if "FBFTL_WHOLE" in os.environ else 100

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 70),
    st.sampled_from([10**30, -(2**63), 2**64]),
    st.floats(),
    st.text(max_size=12),
    st.sampled_from(
        [
            "1e-5",
            "../x",
            "/etc/passwd",
            "a\nb",
            "<script>",
            "{task}",
            "\x00",
            "é",
            "=",
            "fbftl",
            "fc1",
        ]
    ),
    st.dates(datetime.date(1990, 1, 1), datetime.date(2030, 1, 1)),
    st.binary(max_size=4),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(
            st.one_of(st.text(max_size=8), st.integers(), st.none()), inner, max_size=4
        ),
    ),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def good(root: Path) -> dict[str, Any]:
    """The default configuration, cut down to two experiments so that a case is fast."""
    config = yaml.safe_load((root / "config.yaml").read_text())
    names = config["study"]["experiments"][:2]
    config["study"]["experiments"] = names
    config["experiments"] = {name: config["experiments"][name] for name in names}
    return config


def places(node: Any, path: tuple = ()) -> list[tuple]:
    """Return the path of every node below a nested structure."""
    paths = [path] if path else []
    if isinstance(node, dict):
        paths += [p for key, inner in node.items() for p in places(inner, (*path, key))]
    elif isinstance(node, list):
        paths += [p for i, inner in enumerate(node) for p in places(inner, (*path, i))]
    return paths


def mutated(config: dict[str, Any], data: st.DataObject) -> dict[str, Any]:
    """Return a copy with one to three places replaced, removed, renamed or added to."""
    config = copy.deepcopy(config)
    for _ in range(data.draw(st.integers(1, 3))):
        paths = places(config)
        if not paths:
            break
        *above, key = data.draw(st.sampled_from(paths))
        node: Any = config
        for step in above:
            node = node[step]
        match data.draw(st.sampled_from(["replace", "remove", "add", "rename"])):
            case "replace":
                node[key] = data.draw(VALUES)
            case "remove":
                del node[key]
            case "add" if isinstance(node, dict):
                node[data.draw(st.text(max_size=8))] = data.draw(VALUES)
            case "rename" if isinstance(node, dict):
                node[data.draw(st.one_of(st.text(max_size=8), st.integers()))] = node.pop(key)
            case _:
                node.insert(key, data.draw(VALUES))
    return config


def require_sentence(refused: UserError) -> None:
    assert str(refused).isprintable()
    assert len(str(refused)) < 1000


def require_answer(config: Any) -> None:
    """Accept a configuration whose jobs can be written down, or one sentence that refuses it."""
    try:
        study = resolve(config)
    except UserError as refused:
        require_sentence(refused)
        return
    for task, experiments in study.settings.items():
        for named in experiments.values():
            for name in list(named)[:3]:
                json.dumps(study.job(task, name))
                assert "/" not in name


@settings(max_examples=CASES, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_a_mutated_configuration(data, good):
    require_answer(mutated(good, data))


@settings(max_examples=100)
@given(config=st.dictionaries(st.sampled_from(["study", "tasks", "experiments", "seeds"]), VALUES))
def test_a_configuration_out_of_thin_air(config):
    require_answer(config)


TAGGED = {
    "a function": "!!python/name:os.system",
    "a tuple": "!!python/tuple [0, 1]",
    "a date": "2026-01-01",
    "bytes": "!!binary aGVsbG8=",
    "a set": "!!set {0, 1}",
    "no number": ".nan",
}


@pytest.mark.parametrize("value", TAGGED.values(), ids=TAGGED)
def test_what_yaml_tags_build_is_refused(value, good, tmp_path):
    """Snakemake's own reader builds some of what tags ask for, before this project sees it."""
    path = tmp_path / "study.yaml"
    path.write_text(yaml.safe_dump(good | {"seeds": "HERE"}).replace("HERE", value))
    with pytest.raises(UserError, match="config: seeds is "):
        resolve(load_configfile(str(path)))


@pytest.mark.parametrize("function", ["object/apply", "object/new"])
def test_tags_that_call_something_call_nothing(function, tmp_path):
    path, trace = tmp_path / "study.yaml", tmp_path / "called"
    path.write_text(f"seeds: !!python/{function}:os.system ['touch {trace}']\n")
    with pytest.raises(WorkflowError, match="not valid JSON or YAML"):
        load_configfile(str(path))
    assert not trace.exists()
