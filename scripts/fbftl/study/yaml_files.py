"""Configuration files as YAML, read so that nothing they say is dropped in silence."""

from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from fbftl.ground.errors import UserError

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
        UserError: if it cannot be read, is no YAML, tells a key twice, holds itself, or holds too
            much.
    """
    try:
        content = yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Strict)
        _require_tree(content, set(), {})
    except (OSError, ValueError, yaml.YAMLError, RecursionError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{path} cannot be read as YAML: {reason}") from error
    return content


LARGEST = 1_000_000
"""Values that a file may hold, each counted wherever an alias names it; a study has thousands."""


def _require_tree(value: Any, above: set[int], seen: dict[int, int]) -> int:
    """Return how many values there are, and refuse what has no end or takes too long to read.

    Args:
        value: what YAML says.
        above: the mappings and lists that hold it, by identity.
        seen: values in those that were counted, which aliases may name several times.

    Raises:
        ValueError: if it holds itself, or more than `LARGEST` values.
    """
    inside = value.values() if isinstance(value, dict) else value
    if not isinstance(value, dict | list):
        return 1
    if id(value) in above:
        raise ValueError("an alias is below its own anchor; write out what it should say")
    if id(value) not in seen:
        lower = above | {id(value)}
        seen[id(value)] = 1 + sum(_require_tree(inner, lower, seen) for inner in inside)
    if seen[id(value)] > LARGEST:
        raise ValueError(f"its aliases make more than {LARGEST:,} values of it; name fewer")
    return seen[id(value)]


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
