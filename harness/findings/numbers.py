"""Numbers as people read them, on the screen and on pages."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import polars as pl

from harness.catalogue import family_in
from harness.families.combination import Span
from harness.tables.answers import rounding_of
from harness.tables.columns import worst_range_columns
from harness.tables.wording import rounded, with_error, with_interval

_MOST_DECIMALS = 8
_MOST_DIGITS = 12


def percent(value: float | None, digits: int = 3) -> str:
    """A probability in percent, as in ``5.12 %``; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    return f"{100 * value:.{digits}g} %"


def nominal(alpha: float) -> str:
    """The nominal coverage in per cent.

    >>> nominal(0.05), nominal(0.0001)
    ('95 %', '99.99 %')
    """
    return percent(1 - alpha, max(6, 3 - math.floor(math.log10(alpha))))


def covered(missed: float, alpha: float) -> str:
    """The coverage in per cent beside a miss probability.

    It has the digits that tell it from the nominal coverage and from 100 %.

    >>> covered(0.0518, 0.05), covered(0.0500263, 0.05), covered(0.05, 0.05), covered(1e-6, 0.05)
    ('94.8 %', '94.997 %', '95 %', '99.9999 %')
    """
    if abs(missed - alpha) <= rounding_of(alpha):
        return nominal(alpha)
    too_few = [nominal(alpha), *(["100 %"] if missed > 0 else [])]
    texts = (percent(1 - missed, digits) for digits in range(3, _MOST_DIGITS))
    return next((text for text in texts if text not in too_few), percent(1 - missed, _MOST_DIGITS))


def coverage(value: float | None, error: float | None = None, interval: Span | None = None) -> str:
    """A coverage in percent, beside its standard error where it is an estimate.

    Of an estimate without one, as of no miss at all, the 95 % interval stands in its place. What is
    less than 100 % is never written as 100 %.

    >>> coverage(0.95), coverage(0.99999951), coverage(0.9512, 0.0031), coverage(1, None, (0.99, 1))
    ('95.00 %', '99.99995 %', '95.12 ± 0.31 %', '100.00 (99.00, 100.00) %')
    """
    if value is None or math.isnan(value):
        return ""
    if error:
        return f"{with_error(100 * value, 100 * error, 2)} %"
    if interval is not None:
        return f"{with_interval(100 * value, 100 * interval[0], 100 * interval[1], 2)} %"
    decimals = 2
    while (
        value < 1 and f"{100 * value:.{decimals}f}".startswith("100") and decimals < _MOST_DECIMALS
    ):
        decimals += 1
    return f"{100 * value:.{decimals}f} %"


def coverage_number(missed: float | None, alpha: float) -> str:
    """The coverage in per cent of a column of them; with more digits where alpha is small.

    >>> coverage_number(0.0492, 0.05), coverage_number(0.000095, 0.0001)
    ('95.08', '99.9905')
    """
    if missed is None:
        return ""
    decimals = max(2, -math.floor(math.log10(alpha)))
    return f"{100 * (1 - missed):.{decimals}f}"


def exact(value: float | None) -> str:
    """A number with all its digits, as scripts read it; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return repr(float(value))


def significant(value: float | None, digits: int = 4) -> str:
    """A number with so many significant digits; nothing where it is not known."""
    if value is None or math.isnan(value):
        return ""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    return f"{value:.{digits}g}".replace("-", "−")


def whole(value: int | None) -> str:
    """A count, in groups of three digits; nothing where it is not known."""
    return "" if value is None else f"{value:,}".replace(",", "\N{NARROW NO-BREAK SPACE}")


def format_number(value: float | None) -> str:
    """A number with four decimals, or a small one with three digits; empty for None."""
    return "" if value is None else rounded(value)


def worst_range(table: pl.DataFrame) -> str:
    """The range of the worst cases of a table, to follow its title: ``; worst over p in 0 … 1``.

    It is empty where no worst case is known. All rows of a run have the same range.
    """
    range_ = truth_range(table)
    return f"; worst over {range_}" if range_ else ""


def truth_range(table: pl.DataFrame) -> str:
    """The range of the truths in a table, ``p in 0 … 1``; empty where no worst case is known."""
    family = family_in(table)
    ends = worst_range_columns(family)
    known = table.drop_nulls([name for each in ends for name in each])
    if known.is_empty():
        return ""
    columns = zip(family.symbols, ends, strict=True)
    spans = (span_text(symbol, known[low][0], known[high][0]) for symbol, (low, high) in columns)
    return ", ".join(spans)


def span_text(symbol: str, low: float, high: float) -> str:
    """A range of a parameter, or its only value."""
    return f"{symbol} = {low:.6g}" if low == high else f"{symbol} in {low:.6g} … {high:.6g}"


FILTERS: Mapping[str, Callable[..., Any]] = {
    "exact": exact,
    "percent": percent,
    "nominal": nominal,
    "coverage": coverage,
    "significant": significant,
    "whole": whole,
}
"""What templates may write behind a bar."""
