"""What a value of a config may be: the pieces the schema is made of.

Each piece refuses a value with one of three errors of our own (`expected`, `unknown`, `refused`),
which `faults` turns into sentences.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema


def expected(what: str) -> PydanticCustomError:
    """'expected <what>, found <the value>'"""
    return PydanticCustomError("harness_expected", "{what}", {"what": what})


def unknown(
    what: str,
    known: Sequence[str],
    at: str | None = None,
    found: Any = None,
    otherwise: str = "",
) -> PydanticCustomError:
    """'expected <what>, found <the value>; did you mean <the nearest of the known>?'

    ``at``: the key below, if it is that one's fault, with what was ``found`` there;
    ``otherwise``: the advice where nothing known is near.
    """
    context = {
        "what": what,
        "known": list(known),
        "at": at,
        "found": found,
        "otherwise": otherwise,
    }
    return PydanticCustomError("harness_unknown", "{what}", context)


def refused(message: str, at: str | None = None) -> PydanticCustomError:
    """A sentence that stands for itself; ``at``: the key below, if it is that one's fault."""
    return PydanticCustomError("harness_refused", "{message}", {"message": message, "at": at})


def expecting(what: str) -> WrapValidator:
    """Whatever is wrong inside, say what the whole should have been."""

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            return handler(value)
        except ValidationError:
            raise expected(what) from None

    return WrapValidator(check)


@dataclass(frozen=True)
class Word:
    """One of some words; those in ``later`` are known, but not available yet."""

    what: str
    known: tuple[str, ...]
    later: tuple[str, ...] = ()

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
        if isinstance(value, str) and value in self.later:
            words = ", ".join(self.known)
            raise refused(
                f"expected {self.what} ({words}), found {value}, which is not available yet"
            )
        raise unknown(f"{self.what} ({', '.join(self.known)})", self.known)


def one_line(value: str) -> str:
    """Text that can stand in a table, a legend and a file of UTF-8."""
    if value != value.strip() or not value:
        raise ValueError(value)
    if any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in value):
        raise ValueError(value)
    return value


def exactly_one(keys: Sequence[str], elsewhere: Mapping[str, str] | None = None) -> BeforeValidator:
    """A mapping with exactly one of the keys; ``elsewhere``: why a key has no place here."""
    choice = f"a mapping with exactly one of the keys {', '.join(keys)}"

    def check(value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise expected(choice)
        for key, why in (elsewhere or {}).items():
            if key in value:
                raise refused(why, at=key)
        known = [key for key in value if key in keys]
        if len(known) > 1 or not value:
            raise expected(choice)
        if not known:
            first = next(iter(value))
            raise unknown(f"one of the keys {', '.join(keys)}", keys, at=first, found=first)
        return value

    return BeforeValidator(check)


def not_here(keys: Iterable[str], **belongs_to: str) -> dict[str, str]:
    """For `exactly_one`: what each key, which has no place here, ``belongs_to``."""
    expected_keys = f"expected one of the keys {', '.join(keys)}"
    return {
        key: f"{expected_keys}, found {key}, which is for {owner}"
        for key, owner in belongs_to.items()
    }


def by_key(tags: Mapping[str, str]) -> Callable[[Any], str | None]:
    """A discriminator: the tag of the key that is there."""

    def tag(value: Any) -> str | None:
        # A default is a model already.
        there = type(value).model_fields if isinstance(value, BaseModel) else value
        if not isinstance(there, Mapping):
            return None
        return next((tag for key, tag in tags.items() if key in there), None)

    return tag
