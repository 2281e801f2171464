"""The base class of everything that is read from a config, and the pieces of which models are made.

Validators refuse a value with one of three errors, which become sentences: `expected`, `unknown`
and `refused`.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Self, Union, get_args

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    Tag,
    ValidationError,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_validator,
)
from pydantic_core import (
    CoreSchema,
    ErrorDetails,
    InitErrorDetails,
    PydanticCustomError,
    core_schema,
)
from pydantic_core.core_schema import ErrorType

from harness.base.errors import ConfigIssue, InputError, KeyPath, did_you_mean
from harness.base.plain_data import describe, expected_found
from harness.base.text import is_formula, printable_line

UNKNOWN_KEY = "unknown_key"
"""The type of the error for an unknown key; its context has the ``known`` keys of the model."""

_PYDANTIC_ERRORS = frozenset(get_args(ErrorType))


class StrictModel(BaseModel):
    """A model without unknown keys, silent conversions (true is not 1) and infinite numbers."""

    model_config = ConfigDict(
        extra="forbid", strict=True, allow_inf_nan=False, frozen=True, defer_build=True
    )

    @model_validator(mode="wrap")
    @classmethod
    def _attach_known_keys(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Name the known keys of the model in the error for an unknown one."""
        try:
            return handler(data)
        except ValidationError as error:
            details = error.errors(include_url=False)
        rebuilt = []
        for detail in details:
            kind: str | PydanticCustomError = detail["type"]
            context = detail.get("ctx", {})
            # The errors of models inside this one are left as they are.
            if kind == "extra_forbidden" and len(detail["loc"]) == 1:
                key_context = {"known": list(cls.model_fields)}
                kind = PydanticCustomError(UNKNOWN_KEY, detail["msg"], key_context)
            elif kind not in _PYDANTIC_ERRORS:
                kind = PydanticCustomError(detail["type"], detail["msg"], context)
            rebuilt.append(
                InitErrorDetails(type=kind, loc=detail["loc"], input=detail["input"], ctx=context)
            )
        raise ValidationError.from_exception_data(cls.__name__, rebuilt)


def expected(what: str) -> PydanticCustomError:
    """The error 'expected <what>, found <the value>'."""
    return PydanticCustomError("harness_expected", "{what}", {"what": what})


def unknown(
    what: str,
    known: Sequence[str],
    at: str | None = None,
    found: Any = None,
    otherwise: str = "",
) -> PydanticCustomError:
    """The error 'expected <what>, found <the value>; did you mean <a known one>?'.

    Args:
        what: what was expected.
        known: the words that may be meant.
        at: the key below that is wrong, where it is not the value itself.
        found: what was found at that key.
        otherwise: the end of the message where no known word is similar.
    """
    context = {"what": what, "known": list(known), "at": at, "found": found}
    return PydanticCustomError("harness_unknown", "{what}", {**context, "otherwise": otherwise})


def refused(message: str, at: str | None = None) -> PydanticCustomError:
    """An error with a whole sentence; ``at``: the key below that is wrong."""
    return PydanticCustomError("harness_refused", "{message}", {"message": message, "at": at})


@contextmanager
def refusing() -> Iterator[None]:
    """Refuse a value with the sentence of the InputError that the block raises."""
    try:
        yield
    except InputError as error:
        raise refused(str(error)) from None


def unknown_key(key: Any, known: Sequence[str]) -> str:
    """The message for a key that is not one of the known keys."""
    suggestion = did_you_mean(key, known)
    what = "a known key" if suggestion else f"one of the keys {', '.join(known)}"
    return expected_found(what, key) + suggestion


def issues_of(error: ValidationError) -> Iterator[ConfigIssue]:
    """One issue for each error that pydantic found."""
    for detail in error.errors(include_url=False):
        context = detail.get("ctx", {})
        if detail["type"] == UNKNOWN_KEY:
            *above, key = detail["loc"]
            path: KeyPath = (*_without_tags(above), key)
            yield ConfigIssue(path, unknown_key(key, context["known"]))
            continue
        path = _without_tags(detail["loc"])
        path = path if context.get("at") is None else (*path, context["at"])
        yield ConfigIssue(path, _sentence(detail, context))


def tag(name: str) -> str:
    """The tag of an alternative of a union, which pydantic puts into the path of an error."""
    return f"<{name}>"


def _without_tags(path: Sequence[str | int]) -> KeyPath:
    return tuple(part for part in path if not (isinstance(part, str) and part.startswith("<")))


def _sentence(detail: ErrorDetails, context: Mapping[str, Any]) -> str:
    kind, value = detail["type"], detail["input"]
    if kind == "harness_refused":
        return str(context["message"])
    if kind == "harness_unknown":
        value = value if context["at"] is None else context["found"]
        advice = did_you_mean(value, context["known"]) or context["otherwise"]
        return expected_found(context["what"], value) + advice
    if kind == "harness_expected":
        return expected_found(context["what"], value)
    if kind == "missing":
        return "expected this key, found nothing"
    if kind == "literal_error":
        words = re.findall(r"'([^']*)'", context["expected"])
        return expected_found(f"one of {', '.join(words)}", value) + did_you_mean(value, words)
    if kind == "value_error":
        return f"{context['error']}, found {describe(value)}"
    if kind == "too_short" and isinstance(value, Mapping):
        return expected_found(f"a mapping of at least {context['min_length']}", value)
    if kind in EXPECTED:
        return expected_found(EXPECTED[kind].format(**context), value)
    return expected_found(detail["msg"].removeprefix("Input should be "), value)


EXPECTED = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "finite_number": "a finite number",
    "string_type": "text",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le}",
    "too_short": "a list of at least {min_length}",
    "too_long": "a list of at most {max_length}",
    "string_too_short": "a text of at least {min_length} characters",
    "string_too_long": "a text of at most {max_length} characters",
}
"""What the value should be, for the errors of pydantic itself."""


def expecting(what: str, holds: Callable[[Any], bool] = lambda value: True) -> WrapValidator:
    """Report every error inside the value as one: 'expected <what>'.

    Args:
        what: what is expected.
        holds: whether a value without such errors is what is expected.
    """

    def check(value: Any, handler: ValidatorFunctionWrapHandler) -> Any:
        try:
            parsed_value = handler(value)
        except ValidationError:
            raise expected(what) from None
        if not holds(parsed_value):
            raise expected(what)
        return parsed_value

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


def repeated(values: Sequence[Hashable]) -> Iterator[tuple[int, int]]:
    """The indices of the first and of each later place of a value that is repeated."""
    first: dict[Hashable, int] = {}
    for i, value in enumerate(values):
        if first.setdefault(value, i) != i:
            yield first[value], i


def is_one_line(value: str) -> bool:
    """Whether a text can stand in a table, a legend and a file of UTF-8."""
    return value != "" and value == value.strip() == printable_line(value)


def is_label(value: str) -> bool:
    """Whether a text is one line, and none that a spreadsheet runs when it opens a table."""
    return is_one_line(value) and not is_formula(value)


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


def one_of(models: Mapping[str, Any], elsewhere: Mapping[str, str] | None = None) -> Any:
    """The type of a mapping with one of the keys, each of which has its model.

    Args:
        models: by their keys.
        elsewhere: as in `exactly_one`.
    """
    keys = tuple(models)
    kinds: Any = Union[tuple(Annotated[model, Tag(tag(key))] for key, model in models.items())]  # noqa: UP007
    by_key = Discriminator(lambda value: next((tag(key) for key in keys if key in value), None))
    return Annotated[kinds, by_key, exactly_one(keys, elsewhere)]


def by_shape(one: Any, *, listed: Any = None, mapping: Any = None) -> Any:
    """The type of a list, of a mapping, or of ``one``, which other values are held against."""
    shapes = {"one": one, "list": listed, "mapping": mapping}
    kinds = {name: kind for name, kind in shapes.items() if kind is not None}

    def shape(value: Any) -> str:
        is_mapping, is_list = isinstance(value, Mapping), isinstance(value, list)
        kind = "mapping" if is_mapping else "list" if is_list else "one"
        return tag(kind if kind in kinds else "one")

    union: Any = Union[tuple(Annotated[kind, Tag(tag(name))] for name, kind in kinds.items())]  # noqa: UP007
    return Annotated[union, Discriminator(shape)]


def model_name(family: str, what: str) -> str:
    """The name of a model that belongs to the family of this name, as in RateMethod."""
    return "".join(word.capitalize() for word in re.split(r"\W+|_", f"{family}_{what}"))


class Span(StrictModel):
    """Numbers between two ends, both included."""

    start: float
    stop: float
    count: int
    merges: ClassVar[bool] = False
    """Whether values that are equal are one; otherwise they should be ``count`` distinct ones."""

    @abstractmethod
    def values(self) -> tuple[float, ...]:
        """The numbers."""

    @model_validator(mode="after")
    def _ascends(self) -> Self:
        if not self.start < self.stop:
            raise expected("start below stop")
        if not self.merges and len(set(self.values())) < self.count:
            raise expected("values far enough apart to differ")
        return self
