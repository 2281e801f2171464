"""The sizes of an experiment: n or an exposure, one, several, a range of them, or over strata."""

from __future__ import annotations

import math
from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import product
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator, Field, create_model

from harness.base.models import (
    Span,
    StrictModel,
    by_shape,
    expected,
    expecting,
    model_name,
)
from harness.base.text import plain_number
from harness.config.models.levels import numbers_listed
from harness.families.family import Family
from harness.families.proportion import LARGEST_SIZE
from harness.families.rate import EXPOSURES

WHOLE = "a whole number from 1 to 10^9"
REAL = "a number from 1e-100 to 1e100"
LARGEST_DELTA = 1e100

_PRECISE = Context(prec=40)
"""More than twice the digits of a double, so that the last rounding is the only one that shows."""

Count = Annotated[int, Field(ge=1, le=LARGEST_SIZE)]
Exposure = Annotated[float, Field(ge=EXPOSURES[0], le=EXPOSURES[1])]
GridCount = Annotated[int, Field(ge=2, le=10_000), expecting("a whole number from 2 to 10000")]


def log_grid(start: int, stop: int, count: int) -> tuple[int, ...]:
    """At most ``count`` >= 2 whole numbers from start to stop in equal ratios, rounded half up.

    Those that round to the same number are merged. A ratio of whole numbers never puts a value
    exactly half-way: v = k + 1/2 would need v^m = start^(m-i) stop^i, a whole number. So the
    rounding of the power itself decides nothing.
    """
    steps = count - 1
    ratio = stop / start
    values = (start * ratio ** (i / steps) for i in range(1, steps))
    rounded = (math.floor(value + 0.5) for value in values)
    return tuple(sorted({start, *rounded, stop}))


def real_log_grid(start: float, stop: float, count: int) -> tuple[float, ...]:
    """``count`` >= 2 numbers from start > 0 to stop in equal ratios: each the nearest double.

    Start and stop mean the decimals they are written as, so that 0.1 ... 100 in 4 steps has the
    values 1 and 10.
    """
    first, last = (_PRECISE.ln(Decimal(repr(float(end)))) for end in (start, stop))
    steps = count - 1
    logs = (
        _PRECISE.divide(first * (steps - i) + last * i, Decimal(steps)) for i in range(1, steps)
    )
    return (float(start), *(float(_PRECISE.exp(log)) for log in logs), float(stop))


class LogSpan(Span):
    """Whole numbers in equal ratios, both ends included."""

    start: Annotated[Count, expecting(WHOLE)] = Field(description="Smallest n.")
    stop: Annotated[Count, expecting(WHOLE)] = Field(description="Largest n.")
    count: GridCount = Field(
        description="How many; those that round to the same whole number are merged."
    )
    merges: ClassVar[bool] = True

    def values(self) -> tuple[int, ...]:
        return log_grid(self.start, self.stop, self.count)


class LogGrid(StrictModel):
    """Sizes evenly spaced on a log scale, rounded half up."""

    log_grid: LogSpan = Field(description="The first, the last and how many.")


class ExposureSpan(Span):
    """Exposures in equal ratios, both ends included."""

    start: Annotated[Exposure, expecting(REAL)] = Field(description="Smallest exposure.")
    stop: Annotated[Exposure, expecting(REAL)] = Field(description="Largest exposure.")
    count: GridCount = Field(description="How many.")

    def values(self) -> tuple[float, ...]:
        return real_log_grid(self.start, self.stop, self.count)


class ExposureGrid(StrictModel):
    """Exposures evenly spaced on a log scale."""

    log_grid: ExposureSpan = Field(description="The first, the last and how many.")


def _levels(sizes: float | list[float] | LogGrid | ExposureGrid) -> tuple[float, ...]:
    if isinstance(sizes, LogGrid | ExposureGrid):
        return sizes.log_grid.values()
    return tuple(sizes) if isinstance(sizes, list) else (sizes,)


def sizes_type(family: Family) -> Any:
    """The type of the sizes of one sample, which yields them as a tuple in their written order."""
    number: Any
    number, what, grid = (
        (Count, WHOLE, LogGrid) if family.model.SIZE_IS_COUNT else (Exposure, REAL, ExposureGrid)
    )
    return Annotated[
        by_shape(
            Annotated[number, expecting(f"{what}, a list of them, or {{log_grid: ...}}")],
            listed=Annotated[list[Annotated[number, expecting(what)]], Field(min_length=1)],
            mapping=grid,
        ),
        AfterValidator(_levels),
    ]


class Range(StrictModel):
    """Drawn uniformly from [a, b]."""

    uniform: list[float]


def _number_or_range(name: str, number: Any, one: str, each: str) -> Any:
    """A number or a range of them; ``one`` and ``each`` describe a number and two numbers."""
    uniform: Any = (
        numbers_listed(2, number, f"two {each} with a < b", lambda pair: pair[0] < pair[1]),
        Field(description="[a, b] with a < b, both ends included."),
    )
    drawn = create_model(name, __base__=Range, __doc__=Range.__doc__, uniform=uniform)
    return Annotated[
        by_shape(Annotated[number, expecting(f"{one}, or {{uniform: [a, b]}}")], mapping=drawn),
        # The smallest and the largest value, which are equal where nothing is drawn.
        AfterValidator(
            lambda entry: tuple(entry.uniform) if isinstance(entry, Range) else (entry, entry)
        ),
    ]


_SIZE_RANGE = _number_or_range("SizeRange", Count, WHOLE, "whole numbers [a, b] from 1 to 10^9")
_EXPOSURE_RANGE = _number_or_range(
    "ExposureRange", Exposure, REAL, "numbers [a, b] from 1e-100 to 1e100"
)


def size_range_type(family: Family) -> Any:
    """The type of a size of a calibration, which yields the smallest and the largest one."""
    return _SIZE_RANGE if family.model.SIZE_IS_COUNT else _EXPOSURE_RANGE


def delta_type(family: Family) -> Any:
    """The type of values of the family's parameter, which yields the smallest and the largest."""
    low, high = (min(max(end, -LARGEST_DELTA), LARGEST_DELTA) for end in family.support)
    span = f"from {low:g} to {high:g}"
    number = Annotated[float, Field(ge=low, le=high)]
    name = model_name(family.name, "delta")
    return _number_or_range(name, number, f"a number {span}", f"numbers [a, b] {span}")


MOST_STRATA = 1000


def _stratum_levels(given: list[Any]) -> tuple[tuple[int, ...], ...]:
    """A list of sizes over the strata for each scenario; a flat list is one scenario."""
    rows = given if isinstance(given[0], list) else [given]
    if any(not isinstance(row, list) or not row for row in rows):
        raise expected("a list of sizes over the strata, or a list of such lists")
    if max(map(len, rows)) > MOST_STRATA:
        raise expected(f"at most {MOST_STRATA} strata")
    return tuple(tuple(row) for row in rows)


def stratum_sizes_type() -> Any:
    """The type of the sizes of one sample over the strata, which yields a tuple of tuples."""
    what = "a list of sizes over the strata, or a list of such lists"
    return Annotated[
        Annotated[
            list[Count] | list[Annotated[list[Count], Field(min_length=1)]],
            Field(min_length=1),
            expecting(what),
        ],
        AfterValidator(_stratum_levels),
    ]


def write_range(low: float, high: float) -> Any:
    """A range as a config has it: one number where nothing is drawn."""
    return (
        plain_number(low) if low == high else {"uniform": [plain_number(low), plain_number(high)]}
    )


def paired(sizes: Sequence[Sequence[Any]], cross: bool) -> list[tuple[Any, ...]]:
    """Sizes of equal index of all samples; all combinations for ``cross``.

    One size of a sample goes with every size of the others.
    """
    if cross:
        return list(product(*sizes))
    longest = max(map(len, sizes))
    rows = [[*values] * longest if len(values) == 1 else values for values in sizes]
    return list(zip(*rows, strict=False))
