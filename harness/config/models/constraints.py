"""The pieces of which the models of a config are made: words, lines of text, choices by key."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import (
    BeforeValidator,
    Discriminator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import CoreSchema, core_schema

from harness.base.text import printable_line
from harness.config.messages import expected, refused, tag, unknown
from harness.families.family import Family


def expecting(what: str) -> WrapValidator:
    """Report every error inside the value as one: 'expected <what>'."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise expected(what) from None

    return WrapValidator(check)


@dataclass(frozen=True)
class Word:
    """One of the known words."""

    what: str
    known: tuple[str, ...]

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.known)}

    def _check(self, value: Any) -> str:
        if isinstance(value, str) and value in self.known:
            return value
        raise unknown(f"{self.what} ({', '.join(self.known)})", self.known)


def one_line(value: str) -> str:
    """Validate text that can stand in a table, a legend and a file of UTF-8."""
    if value != value.strip() or not value:
        raise ValueError(value)
    if value != printable_line(value):
        raise ValueError(value)
    return value


def ascending(pair: list[float]) -> list[float]:
    """Validate two numbers of which the first is smaller."""
    if not pair[0] < pair[1]:
        raise ValueError(pair)
    return pair


def exactly_one(keys: Sequence[str], elsewhere: Mapping[str, str] | None = None) -> BeforeValidator:
    """A mapping with exactly one of the keys.

    Args:
        keys: the keys to choose from.
        elsewhere: messages for keys that are known but not allowed here.
    """
    choice = f"a mapping with exactly one of the keys {', '.join(keys)}"

    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise expected(choice)
        for key, message in (elsewhere or {}).items():
            if key in value:
                raise refused(message, at=key)
        chosen = [key for key in value if key in keys]
        if len(chosen) > 1 or not value:
            raise expected(choice)
        if not chosen:
            first = next(iter(value))
            raise unknown(f"one of the keys {', '.join(keys)}", keys, at=first, found=first)
        return value

    return BeforeValidator(check)


def not_here(keys: Iterable[str], **belongs_to: str) -> dict[str, str]:
    """Messages of `exactly_one` for keys that belong to something else."""
    expected_keys = f"expected one of the keys {', '.join(keys)}"
    return {
        key: f"{expected_keys}, found {key}, which is for {owner}"
        for key, owner in belongs_to.items()
    }


def by_key(keys: Iterable[str]) -> Discriminator:
    """The alternative of a union with the tag of the one key that a mapping has."""
    return Discriminator(lambda value: next((tag(key) for key in keys if key in value), None))


def by_shape(*, mapping: str = "mapping", listed: str = "list") -> Discriminator:
    """The alternative of a union with the tag for a mapping, for a list, or ``one``."""

    def shape(value: Any) -> str:
        if isinstance(value, Mapping):
            return tag(mapping)
        return tag(listed if isinstance(value, list) else "one")

    return Discriminator(shape)


def model_name(family: Family, what: str) -> str:
    """The name of a model that belongs to a family, as in RateMethod."""
    return "".join(word.capitalize() for word in f"{family.name}_{what}".split("_"))


def validate_span(start: float, stop: float, values: Sequence[float], count: int) -> None:
    """Raise an error of the config unless the span ascends and its values are distinct.

    Args:
        start, stop: the ends of the span.
        values: the values of the span.
        count: the number of values that the config asks for.
    """
    if not start < stop:
        raise expected("start below stop")
    if len(set(values)) < count:
        raise expected("values far enough apart to differ")
