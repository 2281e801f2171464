"""The options that kinds of figure share, with their checks.

Options called ``n``, ``alpha``, ``method``, ``methods`` and ``reference`` name levels of the
experiment: a size, a nominal alpha and labels of methods. For rates ``n`` is an exposure; a size
or an outcome of two samples is a pair, as in ``[50, 20]``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

from pydantic import AfterValidator, Field, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic_core import CoreSchema, PydanticKnownError, core_schema

from harness.models import StrictModel

SIZE = "Size to draw; may be left out when the experiment has only one."
METHODS = "Labels of the methods to draw, in this order; left out, all of them."
ALPHA = "Nominal alpha to draw; left out, one drawing per alpha."
ALPHA_OF_A_SET = "Nominal alpha to draw; left out, one set of drawings per alpha."
SECOND_TRUTH = (
    "Of two samples: the true value of the second to hold; "
    "may be left out when the experiment has only one."
)
REFERENCE = "Label of the method whose length counts as 100 per cent."
FRACTIONS = "Number of equally spaced x/n from 0 to 1; x is n times it, half up."


class FigureOptions(StrictModel):
    """The base class of the options of figures."""


@dataclass(frozen=True)
class NumberOrPair:
    """The pydantic type of a number or a pair of numbers; it is dumped as it was read."""

    check_number: Callable[[Any], float]
    schema: tuple[tuple[str, Any], ...]
    """The JSON Schema of the number."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        number = dict(self.schema)
        pair = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
        return {"anyOf": [number, pair]}

    def _check(self, value: Any) -> float | tuple[float, float]:
        if not isinstance(value, list | tuple):
            return self.check_number(value)
        if len(value) != 2:
            raise ValueError("expected one number, or two for two samples")
        return self.check_number(value[0]), self.check_number(value[1])


def _size(value: Any) -> float:
    """A whole number from 1 up, or another number above 0."""
    if isinstance(value, float) and math.isfinite(value):
        if value <= 0:
            raise PydanticKnownError("greater_than", {"gt": 0})
        return value
    return _whole(value, 1)


def _count(value: Any) -> int:
    return _whole(value, 0)


def _whole(value: Any, least: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise PydanticKnownError("int_type")
    if value < least:
        raise PydanticKnownError("greater_than_equal", {"ge": least})
    return value


def _distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(labels)) != len(labels):
        raise ValueError("each label may be named once")
    return labels


def _increasing(values: tuple[float, ...]) -> tuple[float, ...]:
    if any(later <= earlier for earlier, later in pairwise(values)):
        raise ValueError("expected values that increase")
    return values


Label = Annotated[str, Field(min_length=1)]
Labels = Annotated[tuple[Label, ...], Field(strict=False, min_length=1), AfterValidator(_distinct)]
Size = Annotated[
    float | tuple[float, float], NumberOrPair(_size, (("type", "number"), ("exclusiveMinimum", 0)))
]
Outcome = Annotated[
    int | tuple[int, int], NumberOrPair(_count, (("type", "integer"), ("minimum", 0)))
]
Outcomes = Annotated[tuple[Outcome, ...], Field(strict=False, min_length=1, max_length=12)]
Alpha = Annotated[float, Field(gt=0, lt=1)]
Truth = Annotated[float, Field(ge=0)]
Fractions = Annotated[int, Field(ge=2, le=1001)]
Probabilities = Annotated[
    tuple[Annotated[float, Field(gt=0, lt=1)], ...],
    Field(strict=False, min_length=1, max_length=5),
    AfterValidator(_increasing),
]
