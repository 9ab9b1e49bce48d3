"""What every block of a configuration is made of: numbers, names, lists, and the block itself.

The meaning of a key is its line in the docstring of its block. The JSON schema for editors, the
page of settings and the defaults of a configuration follow from these classes.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from inspect import cleandoc
from typing import Annotated, Any, ClassVar, Self, TypeVar

from pydantic import (
    MISSING,
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    WrapValidator,
    model_validator,
)
from pydantic_core import PydanticCustomError

LARGEST = 2**63 - 1
"""No whole number is larger: arrays and random streams count in 64 bits."""

ABSENT: Any = MISSING
"""Default of a key that a filled configuration has only where somebody gave it."""

MEANING = re.compile(r"^(\w+(?:, \w+)*): (.+(?:\n +.+)*)", re.MULTILINE)
"""A line of a docstring that tells of fields, with the lines that continue it."""

T = TypeVar("T")


def meanings(described: type) -> dict[str, str]:
    """Return what the docstring of a class says of its fields, by their names."""
    return {
        name: " ".join(meaning.split())
        for names, meaning in MEANING.findall(cleandoc(described.__doc__ or ""))
        for name in names.split(", ")
    }


def _as_written(value: Any, require: Callable[[Any], Any]) -> Any:
    """Return a number that is valid as it was written: 1 stays a whole number."""
    require(value)
    return value


def _distinct(values: list[T]) -> list[T]:
    if any(value in values[:place] for place, value in enumerate(values)):
        raise PydanticCustomError("contradiction", "lists a value twice; remove one")
    return values


_NUMBER = WrapValidator(_as_written)

Number = Annotated[float, _NUMBER]
NotNegative = Annotated[float, Field(ge=0, le=1_000_000), _NUMBER]
Positive = Annotated[float, Field(gt=0, le=1_000_000), _NUMBER]
"""Beyond a million no setting says anything; far beyond, float32 has no such number."""

Share = Annotated[float, Field(ge=0, le=1), _NUMBER]
PositiveShare = Annotated[float, Field(gt=0, le=1), _NUMBER]
Rate = Annotated[float, Field(ge=0, lt=1), _NUMBER]
Probability = Annotated[float, Field(gt=0, lt=1), _NUMBER]
Split = Annotated[float, Field(ge=0, le=0.5), _NUMBER]

Count = Annotated[int, Field(ge=1, le=LARGEST)]
Natural = Annotated[int, Field(ge=0, le=LARGEST)]
Many = Annotated[int, Field(ge=1, le=1_000_000)]
UpToAMillion = Annotated[int, Field(ge=0, le=1_000_000)]
Width = Annotated[int, Field(ge=1, le=1_000_000)]
Side = Annotated[int, Field(ge=1, le=8192)]

Some = Annotated[list[T], Field(min_length=1)]
Distinct = Annotated[
    list[T], AfterValidator(_distinct), Field(json_schema_extra={"uniqueItems": True})
]
DistinctSome = Annotated[Distinct[T], Field(min_length=1)]


RANGE = r"^(\d{1,6})-(\d{1,6})$"
"""A range of seeds: the first and the last of them."""


def each_seed(seeds: Any) -> Any:
    """Return the seeds of a range, `100-139`, as a list; all else as it was given."""
    if isinstance(seeds, str) and (ends := re.match(RANGE, seeds)):
        first, last = map(int, ends.groups())
        return list(range(first, last + 1))
    return seeds


Seeds = Annotated[
    DistinctSome[Natural],
    BeforeValidator(
        each_seed,
        json_schema_input_type=DistinctSome[Natural] | Annotated[str, Field(pattern=RANGE)],
    ),
]

Layer = Annotated[str, Field(pattern=r"^[A-Za-z0-9_][A-Za-z0-9._-]*$", max_length=100)]
TaskName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=100)]
Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=100)]
Sha256 = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]


def _described(schema: dict[str, Any], block: "type[ConfigBlock]") -> None:
    """Write into a block's JSON schema what docstrings say of it and of its keys."""
    schema["description"] = " ".join((block.__doc__ or "").partition("\n\n")[0].split())
    for name, meaning in block.meanings().items():
        schema["properties"][name]["description"] = meaning


class ConfigBlock(BaseModel):
    """A block of the configuration, which has no keys but its own.

    kind: which of the blocks that fit at this place it is; the further keys depend on it.
    explained_by: another class whose docstring says what its keys mean.
    """

    explained_by: ClassVar[type | None] = None

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        protected_namespaces=(),
        json_schema_extra=_described,
    )

    @classmethod
    def known_keys(cls) -> list[str]:
        """Return the keys as a configuration writes them."""
        return [field.alias or name for name, field in cls.model_fields.items()]

    @classmethod
    def meanings(cls) -> dict[str, str]:
        """Return what docstrings say of its keys."""
        classes = [*reversed(cls.__mro__), cls.explained_by or cls]
        every = {k: text for each in classes for k, text in meanings(each).items()}
        return {key: every[key] for key in cls.known_keys() if key in every}

    def faults(self) -> Iterable[str]:
        """Yield what its values say against each other, each with its remedy."""
        return ()

    @model_validator(mode="before")
    @classmethod
    def _known(cls, given: Any) -> Any:
        """Refuse a key that does not exist, with the keys that do."""
        for key in given if isinstance(given, Mapping) else ():
            if key not in (keys := cls.known_keys()):
                raise PydanticCustomError("unknown", "unknown", {"key": key, "keys": keys})
        return given

    @model_validator(mode="after")
    def _sensible(self) -> Self:
        """Refuse values that contradict each other."""
        for fault in self.faults():
            raise PydanticCustomError("contradiction", "{fault}", {"fault": fault})
        return self
