"""Configuration files as YAML, read so that nothing they say is dropped in silence."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from fbftl.ground.errors import UserError

MERGE = "tag:yaml.org,2002:merge"
"""Of the key `<<`, whose mapping the others go over."""


class _Strict(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):
    """YAML's safe loader, which lets the last of two equal keys win, made to refuse them."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        """Return a mapping whose keys are all told once."""
        told = set()
        for key_node, _ in node.value:
            if key_node.tag == MERGE:
                continue
            key = self.construct_object(key_node, deep=True)
            if isinstance(key, Hashable) and key in told:
                line = key_node.start_mark.line + 1
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' is told twice, again in line {line}"
                )
            told.add(key if isinstance(key, Hashable) else id(key))
        return super().construct_mapping(node, deep)


def read_yaml(path: str | Path) -> Any:
    """Return what a YAML file says.

    Raises:
        UserError: if it cannot be read, is no YAML, or tells a key twice.
    """
    try:
        return yaml.load(Path(path).read_text(encoding="utf-8"), Loader=_Strict)
    except (OSError, UnicodeDecodeError, yaml.YAMLError, RecursionError) as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise UserError(f"{path} cannot be read as YAML: {said}") from error
