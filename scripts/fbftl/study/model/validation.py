"""A block of a configuration as its model has it: defaults filled in, every fault one sentence.

The sentence names the key, its value and the remedy.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from fbftl.ground.errors import UserError, suggestion
from fbftl.study.model.block import LARGEST, ConfigBlock

NUMBERS = ("an integer", "a number")

KINDS = {
    "int_type": "an integer",
    "float_type": "a number",
    "finite_number": "a number",
    "string_type": "a string",
    "bool_type": "a boolean",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a block of keys",
    "model_type": "a block of keys",
    "model_attributes_type": "a block of keys",
}
"""What a value should be, by the type of pydantic's error."""

NAMES = "use letters, digits, '.', '_' and '-', a letter or digit first"

BOUNDS = {
    "greater_than": "more than",
    "greater_than_equal": "at least",
    "less_than": "less than",
    "less_than_equal": "at most",
}
"""What to give instead of a number out of bounds, before the bound."""


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
    kinds = dict.fromkeys(KINDS[each["type"]] for each in here if each["type"] in KINDS)
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
            kinds_known = facts["expected_tags"].replace("'", "")
            return f"{where}.kind is {value.get('kind')!r}; choose among {kinds_known}"
        case "contradiction":
            return f"{where} {facts['fault']}"
        case "literal_error":
            values = facts["expected"].replace("'", "").replace(" or ", ", ")
            return f"{where} is {value!r}; choose among {values}"
        case "twice":
            return f"{where} lists a value twice; remove one"
        case "too_short" | "string_too_short" if not value:
            return f"{where} is empty; give at least one entry"
        case "too_short":
            return f"{where} has {len(value)} entries; give at least {facts['min_length']}"
        case "too_long":
            return f"{where} has {len(value)} entries; give at most {facts['max_length']}"
        case "string_too_long":
            longest = facts["max_length"]
            return f"{where} has the name {value!r}; shorten it to {longest} characters"
        case "string_pattern_mismatch":
            return f"{where} has the name {value!r}; {NAMES}"
        case bounds if bounds in BOUNDS:
            (bound,) = facts.values()
            whole = int(bound) if bound == int(bound) else bound
            return f"{where} is {_shown(value)}; give {BOUNDS[bounds]} {whole}"
        case _ if isinstance(value, int) and abs(value) > LARGEST:
            return f"{where} is {_shown(value)}; give at most {LARGEST}"
        case _ if kinds:
            hint = "" if kinds.keys().isdisjoint(NUMBERS) else _float_hint(value)
            return f"{where} is {_shown(value)}, not {' or '.join(kinds)}{hint}"
        case _:
            return f"{where}: {error['msg']}"


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


def _shown(value: Any) -> str:
    """Return a value as a sentence quotes it."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) > 2**126:
        return "a number of very many digits"
    return str(value) if isinstance(value, date) else repr(value)


def _float_hint(value: Any) -> str:
    try:
        float(value if isinstance(value, str) else "")
    except ValueError:
        return ""
    return (
        "; YAML reads a power of ten only with a decimal point and a sign, as in 1.0e-5 or 1.0e+5"
    )
