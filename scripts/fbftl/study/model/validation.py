"""A block of a configuration as its model has it: defaults filled in, every fault one sentence.

The sentence names the key, its value and the remedy.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fbftl.ground.errors import UserError, suggestion
from fbftl.study.model.block import ConfigBlock

NAMES = "use letters, digits, '.', '_' and '-', a letter or digit first"

FLOAT = re.compile(r"[-+]?[\d.]+[eE][-+]?\d+")
"""What YAML takes for text, though it looks like a number."""

FLOAT_HINT = (
    "YAML reads a power of ten only with a decimal point and a sign, as in 1.0e-5 or 1.0e+5"
)


def filled(model: type[ConfigBlock], given: Any, root: str = "config:") -> dict[str, Any]:
    """Return a block in builtin types, with the defaults of what it leaves out.

    Args:
        model: of the block.
        given: as YAML has it; left unchanged.
        root: for sentences: where the block is.

    Raises:
        UserError: at the first fault found.
    """
    try:
        return model.model_validate(given).model_dump(by_alias=True)
    except ValidationError as refused:
        raise UserError(_sentence(refused.errors(include_url=False), given, root)) from None


def _sentence(errors: Sequence[ErrorDetails], given: Any, root: str) -> str:
    """Return the first fault in one sentence; of alternatives the one that fits the most."""
    paths = [_path(error, given) for error in errors]
    highest = min(paths, key=len)
    # Every alternative of a union has errors of its own, at its place or below it.
    path = max((each for each in paths if each[: len(highest)] == highest), key=len)
    here = [error for each, error in zip(paths, errors, strict=True) if each == path]
    error, where = here[0], f"{root} {'.'.join(map(str, path)) or 'the top level'}"
    value, facts = error["input"], error.get("ctx", {})
    match error["type"]:
        case "unknown":
            key = ".".join(map(str, (*path, facts["key"])))
            return f"{root} key '{key}' does not exist{suggestion(facts['key'], facts['keys'])}"
        case "missing":
            above = ".".join(map(str, path[:-1])) or "the top level"
            return f"{root} {above} lacks the key '{path[-1]}'; add it"
        case "union_tag_not_found":
            return f"{where} lacks the key 'kind'; add it"
        case "union_tag_invalid":
            kinds = facts["expected_tags"].replace("'", "")
            return f"{where}.kind is {value.get('kind')!r}; choose among {kinds}"
        case "contradiction":
            return f"{where} {error['msg']}"
        case "string_pattern_mismatch":
            return f"{where} has the name {value!r}; {NAMES}"
    should = " or ".join(dict.fromkeys(each["msg"].partition(" should ")[2] for each in here))
    hint = f"; {FLOAT_HINT}" if isinstance(value, str) and FLOAT.fullmatch(value) else ""
    return f"{where} is {value!r}; it should {should}{hint}"


def _path(error: ErrorDetails, given: Any) -> tuple[int | str, ...]:
    """Return where an error is, without what pydantic says of kinds, alternatives and keys."""
    path: list[int | str] = []
    kind_known = False
    for step in error["loc"]:
        if isinstance(given, Mapping) and step == given.get("kind") and not kind_known:
            kind_known = True
        elif _holds(given, step):
            given, kind_known = given[step], False
            path.append(step)
    if error["type"] == "missing":
        return (*path, error["loc"][-1])
    return tuple(path[:-1] if "[key]" in error["loc"] else path)


def _holds(given: Any, step: int | str) -> bool:
    """Tell whether a value has a key or an index."""
    if isinstance(given, Mapping):
        return step in given
    return isinstance(given, list) and isinstance(step, int) and step < len(given)
