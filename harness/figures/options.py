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

MOST_PANELS = 12
"""The most panels of one drawing: six rows of two, in the column of a journal."""


class FigureOptions(StrictModel):
    """The base class of the options of figures."""


@dataclass(frozen=True)
class NumberOrList:
    """The pydantic type of a number or a short list of numbers; it is dumped as it was read."""

    check_number: Callable[[Any], float]
    schema: tuple[tuple[str, Any], ...]
    """The JSON Schema of the number."""
    most: int = 2
    """The most numbers of a list."""

    def __get_pydantic_core_schema__(
        self, source: Any, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._check)

    def __get_pydantic_json_schema__(
        self, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        number = dict(self.schema)
        several = {"type": "array", "items": number, "minItems": 2, "maxItems": self.most}
        return {"anyOf": [number, several]}

    def _check(self, value: Any) -> float | tuple[float, ...]:
        if not isinstance(value, list | tuple):
            return self.check_number(value)
        if not 2 <= len(value) <= self.most:
            several = "two for two samples" if self.most == 2 else f"a list of 2 to {self.most}"
            raise ValueError(f"expected one number, or {several}")
        return tuple(self.check_number(each) for each in value)


def _size(value: Any) -> float:
    """A whole number from 1 up, or another number above 0."""
    if isinstance(value, float) and math.isfinite(value):
        if value <= 0:
            raise PydanticKnownError("greater_than", {"gt": 0})
        return value
    return _whole(value, 1)


def _finite(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise PydanticKnownError("float_type")
    if not math.isfinite(value):
        raise PydanticKnownError("finite_number")
    return value


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
    float | tuple[float, float], NumberOrList(_size, (("type", "number"), ("exclusiveMinimum", 0)))
]
Outcome = Annotated[
    int | tuple[int, int], NumberOrList(_count, (("type", "integer"), ("minimum", 0)))
]
Outcomes = Annotated[tuple[Outcome, ...], Field(strict=False, min_length=1, max_length=12)]
Levels = Annotated[float | tuple[float, ...], NumberOrList(_finite, (("type", "number"),), most=4)]
"""The first of several numbers that belong together, or the first few of them."""
ListedLevels = Annotated[
    tuple[Levels, ...], Field(strict=False, min_length=1, max_length=MOST_PANELS)
]
Alpha = Annotated[float, Field(gt=0, lt=1)]
Truth = Annotated[float, Field(ge=0)]
Fractions = Annotated[int, Field(ge=2, le=1001)]
Probabilities = Annotated[
    tuple[Annotated[float, Field(gt=0, lt=1)], ...],
    Field(strict=False, min_length=1, max_length=5),
    AfterValidator(_increasing),
]
