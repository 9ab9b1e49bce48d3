"""A configuration against its schema: defaults filled in, and every fault one sentence.

The sentence names the key, its value and the remedy.
"""

import copy
import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import ValidationError
from jsonschema.validators import extend

from fbftl.ground.errors import UserError

LARGEST = 2**63 - 1
"""No whole number is larger: arrays and random streams count in 64 bits."""


def require_plain(value: Any, path: tuple[str, ...] = ()) -> None:
    """Refuse what YAML can say and a configuration cannot mean: dates, NaN, endless numbers.

    Raises:
        UserError: naming the key.
    """
    where = f"config: {'.'.join(path) or 'the top level'}"
    match value:
        case Mapping():
            for key, inner in value.items():
                if not isinstance(key, str):
                    raise UserError(f"{where} has the key {key!r}, which is no text; quote it")
                require_plain(inner, (*path, key))
        case list():
            for index, inner in enumerate(value):
                require_plain(inner, (*path, str(index)))
        case float() if not math.isfinite(value):
            raise UserError(f"{where} is {value}; give a number")
        case int() if abs(value) > LARGEST:
            shown = value if abs(value) < LARGEST**2 else "a number of very many digits"
            raise UserError(f"{where} is {shown}; give at most {LARGEST}")
        case None | bool() | int() | float() | str():
            pass
        case _:
            raise UserError(f"{where} is a {type(value).__name__}; quote it or give a number")


def require_valid(value: Any, schema: Mapping[str, Any], root: str = "config:") -> None:
    """Check a value and fill in its defaults, in place.

    Args:
        value: of builtin types.
        schema: JSON schema, draft 2020-12.
        root: for sentences: where the value is.

    Raises:
        UserError: at the first fault found.
    """
    for error in _Validator(schema).iter_errors(value):
        raise UserError(_sentence(error, root))


def suggestion(name: str, names: Any) -> str:
    """Return how a sentence about an unknown name ends: the name that may be meant, or all."""
    close = difflib.get_close_matches(str(name), [str(k) for k in names], n=1)
    if close:
        return f"; did you mean '{close[0]}'?"
    return f"; choose among {', '.join(sorted(str(k) for k in names))}"


def _is_integer(_: Any, value: Any) -> bool:
    """Tell whether a value is an integer and written as one; 8.0 would fail in a job."""
    return isinstance(value, int) and not isinstance(value, bool)


def _fill_defaults(
    validator: Any, properties: Mapping[str, Any], instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Check `properties` as the specification says, after filling in missing keys."""
    if validator.is_type(instance, "object"):
        for key, subschema in properties.items():
            if "default" in subschema:
                instance.setdefault(key, copy.deepcopy(subschema["default"]))
    yield from Draft202012Validator.VALIDATORS["properties"](
        validator, properties, instance, schema
    )


def _match(
    validator: Any, pattern: str, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Check `pattern` by the specification: for Python `$` also matches before a line's end."""
    if validator.is_type(instance, "string") and (
        "\n" in instance or not re.search(pattern, instance)
    ):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


_Validator = extend(
    Draft202012Validator,
    {"properties": _fill_defaults, "pattern": _match},
    type_checker=Draft202012Validator.TYPE_CHECKER.redefine("integer", _is_integer),
)


def _sentence(error: ValidationError, root: str) -> str:
    """Return an error as one sentence; `root` says where the value that was checked is."""
    path = ".".join(str(part) for part in error.absolute_path)
    where = f"{root} {path or 'the top level'}"
    wanted = error.validator_value
    match error.validator:
        case "additionalProperties":
            properties = error.schema.get("properties", {})
            key = next(k for k in error.instance if k not in properties)
            full = f"{path}.{key}" if path else key
            return f"{root} key '{full}' does not exist{suggestion(key, properties)}"
        case "required":
            missing = next(k for k in wanted if k not in error.instance)
            return f"{where} lacks the key '{missing}'; add it"
        case "enum":
            listed = ", ".join(v if isinstance(v, str) else json.dumps(v) for v in wanted)
            return f"{where} is {error.instance!r}; choose among {listed}"
        case "type":
            kinds = wanted if isinstance(wanted, str) else " or ".join(wanted)
            article = "an" if kinds[0] in "aio" else "a"
            return (
                f"{where} is {error.instance!r}, not {article} {kinds}{_float_hint(error.instance)}"
            )
        case "minimum":
            return f"{where} is {error.instance!r}; give at least {wanted}"
        case "maximum":
            return f"{where} is {error.instance!r}; give at most {wanted}"
        case "exclusiveMinimum":
            return f"{where} is {error.instance!r}; give more than {wanted}"
        case "exclusiveMaximum":
            return f"{where} is {error.instance!r}; give less than {wanted}"
        case "uniqueItems":
            return f"{where} lists a value twice; remove one"
        case "minItems" | "minProperties":
            return f"{where} is empty; give at least one entry"
        case "maxLength":
            return f"{where} has the name {error.instance!r}; shorten it to {wanted} characters"
        case "pattern":
            return (
                f"{where} has the name {error.instance!r}; use letters, digits, '.', '_' and '-', "
                "a letter or digit first"
            )
        case _:
            return f"{where}: {error.message}"


def _float_hint(value: Any) -> str:
    if not isinstance(value, str):
        return ""
    try:
        float(value)
    except ValueError:
        return ""
    return (
        "; YAML reads a power of ten only with a decimal point and a sign, as in 1.0e-5 or 1.0e+5"
    )
