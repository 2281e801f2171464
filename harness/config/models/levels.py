"""Lists and grids of numbers, as truths have them: probabilities, rates, correlations, differences.

Every family of truths takes a number's range and its words from here.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Annotated, Any

from pydantic import AfterValidator, Field, create_model

from harness.base.models import Span, StrictModel, by_shape, expecting, one_of

LONGEST_GRID = 100_000
LARGEST_RATE = 1e100

Probability = Annotated[float, Field(ge=0, le=1)]
Rate = Annotated[float, Field(ge=0, le=LARGEST_RATE)]
_FromMinusOne = Annotated[float, Field(ge=-1, le=1)]
_FROM_MINUS_ONE = "a number from -1 to 1"


def numbers_listed(
    count: int, number: Any, words: str, holds: Callable[[list[Any]], bool] = lambda _: True
) -> Any:
    """The type of a list of numbers.

    Args:
        count: how many there are.
        number: the type of each.
        words: what is expected, in words.
        holds: whether numbers of this type are what is expected.
    """
    length = Field(min_length=count, max_length=count)
    return Annotated[list[number], length, expecting(words, holds)]


def grid(start: float, stop: float, count: int) -> tuple[float, ...]:
    """``count`` >= 2 values from start to stop, evenly spaced: each the nearest double.

    Start and stop mean the decimals they are written as, and everything up to the last division is
    done in integers. So 0.01 ... 0.99 in 99 steps gives the doubles 0.01, 0.02, ... themselves,
    where adding up or multiplying a step misses them by an ulp here and there, and where rounding
    to 15 digits would spoil grids of thirds.
    """
    first, last = Fraction(repr(start)), Fraction(repr(stop))
    scale = math.lcm(first.denominator, last.denominator)
    a, b = int(first * scale), int(last * scale)
    steps = count - 1
    # The quotient of two integers is rounded once, to the nearest double.
    return tuple((a * (steps - i) + b * i) / (scale * steps) for i in range(count))


class _EvenSpan(Span):
    """Evenly spaced numbers, both ends included."""

    count: Annotated[
        int, Field(ge=2, le=LONGEST_GRID), expecting(f"a whole number from 2 to {LONGEST_GRID}")
    ] = Field(description="How many.")

    def values(self) -> tuple[float, ...]:
        return grid(self.start, self.stop, self.count)


def _listed(
    prefix: str, number: Any, what: str, *, each: str, besides: str = "", about: str = ""
) -> dict[str, Any]:
    """The models of a list of numbers and of a grid of them, by their keys.

    Args:
        prefix: of the names of the models.
        number: the type of a number.
        what: a number in words.
        each: what a number is, in words.
        besides: ends the descriptions of the list and the grid.
        about: of the numbers, where that says more than ``what``.
    """
    one = Annotated[number, expecting(what)]
    numbers: Any = Annotated[list[one], Field(min_length=1)]
    values = create_model(
        f"{prefix}Values",
        __base__=StrictModel,
        __doc__=f"A list of {each}s{besides}.",
        values=(numbers, Field(description=about or f"Each {what}.")),
    )
    span: Any = create_model(
        f"{prefix or 'Grid'}Span",
        __base__=_EvenSpan,
        __doc__=f"Evenly spaced {each}s, both ends included.",
        start=(one, Field(description=f"Smallest {each}.")),
        stop=(one, Field(description=f"Largest {each}.")),
    )
    spaced = create_model(
        f"{prefix}Grid",
        __base__=StrictModel,
        __doc__=f"A grid of {each}s{besides}.",
        grid=(span, Field(description="The first, the last and how many.")),
    )
    return {"values": values, "grid": spaced}


def ascending_numbers(model: Any) -> tuple[float, ...]:
    """The numbers of a list or a grid; adding 0.0 turns -0.0 into 0.0."""
    values = model.grid.values() if hasattr(model, "grid") else sorted(model.values)
    return tuple(value + 0.0 for value in values)


def _levels(models: dict[str, Any]) -> Any:
    """The type of a list or a grid, which yields the numbers ascending."""
    return Annotated[one_of(models), AfterValidator(ascending_numbers)]


def _all_numbers(given: Any) -> tuple[float, ...]:
    """The numbers of a list, a grid or a single number, ascending."""
    if isinstance(given, StrictModel):
        return ascending_numbers(given)
    return tuple(sorted(number + 0.0 for number in (given if isinstance(given, list) else [given])))


def levels_or_numbers(prefix: str, number: Any, what: str, each: str) -> Any:
    """The type of a number, a list of them, ``{values}`` or ``{grid}``, which yields a tuple.

    Args: as of ``_listed``.
    """
    words = f"{what}, a list of them, {{values: ...}} or {{grid: ...}}"
    kind = by_shape(
        Annotated[number, expecting(words)],
        listed=Annotated[list[Annotated[number, expecting(what)]], Field(min_length=1)],
        mapping=one_of(_listed(prefix, number, what, each=each)),
    )
    return Annotated[kind, AfterValidator(_all_numbers)]


def _truth_lists(prefix: str, number: Any, span: str) -> dict[str, Any]:
    """The types of a list and a grid of true values in the span."""
    return _listed(
        prefix,
        number,
        f"a number {span}",
        each="true value",
        besides=" with equal weights",
        about=f"Distinct numbers {span}.",
    )


PROBABILITY_LISTS = _truth_lists("", Probability, "from 0 to 1")
RATE_LISTS = _truth_lists("Rate", Rate, "from 0 to 1e100")
Probabilities: Any = _levels(PROBABILITY_LISTS)
Correlations: Any = _levels(
    _listed(
        "_Correlation",
        _FromMinusOne,
        _FROM_MINUS_ONE,
        each="correlation",
        about="Distinct numbers from -1 to 1.",
    )
)
CorrelationsWithin: Any = _levels(
    _listed(
        "_Rho",
        Annotated[float, Field(ge=0, lt=1)],
        "a number from 0 to below 1",
        each="correlation",
        besides=" within a cluster",
    )
)
Differences: Any = _levels(
    _listed("_Difference", _FromMinusOne, _FROM_MINUS_ONE, each="difference")
)
