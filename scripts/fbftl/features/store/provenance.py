"""Where features come from: the fields that say whether a cache may be used for a question."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any

from fbftl.ground.errors import UserError

IDENTITY = ("source", "cut", "preprocessing", "data")
"""Fields that decide what the features are; the others are recorded for the reader."""


@dataclass(frozen=True)
class Provenance:
    """What made a feature store.

    Two provenances are equal when their identity is: source, cut, preprocessing and data.

    source: digest of the source model's weights.
    cut: name of the cut layer whose output is stored.
    preprocessing: what was done to a sample before the model; builtin types only.
    data: digest of the client file.
    dtype: storage dtype of the features: float32, float16 or bfloat16.
    width: numbers per feature vector; 0 until extracted.
    counts: samples per split; empty until extracted.
    libraries: versions of the libraries that computed the features.
    """

    source: str
    cut: str
    preprocessing: Mapping[str, Any]
    data: str
    dtype: str = field(default="float32", compare=False)
    width: int = field(default=0, compare=False)
    counts: Mapping[str, int] = field(default_factory=dict, compare=False)
    libraries: Mapping[str, str] = field(default_factory=dict, compare=False)

    def document(self) -> dict[str, Any]:
        """Return the fields as JSON-ready builtins."""
        return asdict(self)


def provenance_of(document: Mapping[str, Any]) -> Provenance:
    """Read the provenance in a store's document; KeyError if a field is missing."""
    return Provenance(**{field.name: document[field.name] for field in fields(Provenance)})


def require_same(found: Provenance, expected: Provenance, store: str) -> None:
    """Refuse a store whose features are not the expected ones.

    Raises:
        UserError: naming the first identity field that differs, with both values.
    """
    for name in IDENTITY:
        difference = _first_difference(name, getattr(found, name), getattr(expected, name))
        if difference:
            field_name, has, wants = difference
            raise UserError(
                f"Feature store {store} holds other features than asked for: {field_name} is "
                f"{has!r} there, expected {wants!r}; extract the features again."
            )


def _first_difference(name: str, found: Any, expected: Any) -> tuple[str, Any, Any] | None:
    """Return (dotted field name, found, expected) of the first difference, or None."""
    if isinstance(found, Mapping) and isinstance(expected, Mapping):
        for key in sorted({*found, *expected}):
            inner = _first_difference(f"{name}.{key}", found.get(key), expected.get(key))
            if inner:
                return inner
        return None
    if isinstance(found, tuple | list) and isinstance(expected, tuple | list):
        same = list(found) == list(expected)  # JSON turns tuples into lists
    else:
        same = found == expected
    return None if same else (name, found, expected)
