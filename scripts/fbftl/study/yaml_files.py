"""Configuration files as YAML, read so that nothing they say is dropped in silence.

A task with the key `like` takes the block of the task that it names and changes single keys.
"""

import json
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from fbftl.ground.errors import UserError, suggestion

MERGE = "tag:yaml.org,2002:merge"
"""Of the key `<<`, whose mapping the others go over."""


_SAFE_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""YAML's loader of plain values, the one in C where it was built."""


class _Strict(_SAFE_LOADER):
    """YAML's safe loader, which lets the last of two equal keys win, made to refuse them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping whose keys are all told once."""
        keys = set()
        for key_node, _ in node.value:
            if key_node.tag == MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in keys:
                line = key_node.start_mark.line + 1
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' is given twice, again in line {line}"
                )
            keys.add(key if isinstance(key, Hashable) else id(key))
        return super().construct_mapping(node, deep)


def read_yaml(path: str | Path) -> Any:
    """Return what a YAML file says.

    Raises:
        UserError: if it cannot be read, is no YAML, tells a key twice, or holds itself.
    """
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Strict)
        json.dumps(content, default=str, skipkeys=True)  # refuses an alias below its own anchor
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{path} cannot be read as YAML: {reason}") from error
    return content


def read_config_file(path: str | Path) -> dict[str, Any]:
    """Return what a file says that is laid over the configuration.

    Raises:
        UserError: as `read_yaml`, or if the file is missing or holds no keys.
    """
    if not Path(path).is_file():
        raise UserError(
            f"--configfile: there is no file {path}; every word up to the next option is read as a "
            "file, so name targets before --configfile"
        )
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise UserError(f"{path} holds no keys; write the keys of config.yaml that it changes")
    return content


def laid_over(config: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration with another laid over it, key by key, as `--configfile` does."""
    merged = dict(config)
    for key, value in more.items():
        below = merged.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            value = laid_over(below, value)
        merged[key] = value
    return merged


LIKE = "like"
"""Key of a task that names the task whose block it takes."""


def with_likes(config: Mapping[str, Any]) -> dict[str, Any]:
    """Return a configuration whose tasks have the blocks that they take from others.

    A task's keys go over those of the block that it takes as a file of `--configfile` goes over the
    configuration: single keys change, lists are replaced whole.

    Args:
        config: as YAML has it; left unchanged.

    Raises:
        UserError: where a task is like one that is not defined, or in the end like itself.
    """
    tasks = config.get("tasks")
    if not isinstance(tasks, Mapping):
        return dict(config)
    return {**config, "tasks": {name: _block(tasks, name, ()) for name in tasks}}


def _block(tasks: Mapping[str, Any], name: str, above: tuple[str, ...]) -> Any:
    """Return the block of a task; `above` are the tasks that are like it, the first one first."""
    block = tasks[name]
    if not isinstance(block, Mapping) or LIKE not in block:
        return block
    other, chain = block[LIKE], (*above, name)
    key = f"config: tasks.{name}.{LIKE}"
    if not isinstance(other, str) or other not in tasks:
        hint = suggestion(other, tasks)
        raise UserError(f"{key} names the task {other!r}, which is not defined{hint}")
    if other in chain:
        circle = ", which is like ".join((*chain[chain.index(other) :], other))
        raise UserError(f"{key} is circular: {circle}; write out one of these tasks")
    changes = {key: value for key, value in block.items() if key != LIKE}
    lower = _block(tasks, other, chain)
    return laid_over(lower, changes) if isinstance(lower, Mapping) else lower
