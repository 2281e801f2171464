"""How readers see numbers and methods, on the screen and on pages.

Numbers are rounded, with their error beside them; coverages are in per cent. A method has the label
that the user gave it, or its title in the catalogue.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from harness.base.text import plain_number
from harness.catalogue import family_in
from harness.distributions.list_truths import QUANTILE
from harness.families.combination import Span
from harness.families.family import Family
from harness.methods.catalogue import by_any_name, find, methods_of
from harness.methods.method import TWO_SIDED

if TYPE_CHECKING:
    import polars as pl

DIGITS = 4
"""The digits after the point where nobody asks for others."""


_LARGE = 1e15
"""The least number that is written as a power of ten beside its error."""


def rounded(value: float, digits: int = DIGITS) -> str:
    """The number with so many digits after the point; a small one as a power of ten.

    >>> rounded(0.04870), rounded(0.000123456), rounded(1.0, 2)
    ('0.0487', '1.23e-04', '1.00')
    """
    # The smallest number of which enough digits are left.
    smallest = 10.0 ** (1 - digits) if digits > 2 else 0.5 * 10.0**-digits
    if value == 0 or abs(value) >= smallest:
        return f"{value:.{digits}f}"
    return f"{value:.{max(digits - 2, 0)}e}"


def with_error(value: float, error: float, digits: int) -> str:
    """The number with its standard error, and so many digits that a digit of the error is left.

    >>> with_error(0.04871, 0.00102, 4), with_error(0.0499712, 0.0000213, 4)
    ('0.0487 ± 0.0010', '0.04997 ± 0.00002')
    """
    if abs(value) >= _LARGE or error >= _LARGE:
        return f"{value:.{digits}e} ± {error:.1e}"
    places = _places(error, digits)
    return f"{value:.{places}f} ± {error:.{places}f}"


def with_interval(value: float, lower: float, upper: float, digits: int) -> str:
    """The number with its interval, and so many digits that the limits differ.

    >>> with_interval(0.04871, 0.0467, 0.0508, 4)
    '0.0487 (0.0467, 0.0508)'
    """
    places = _places(0.5 * (upper - lower), digits)
    return f"{value:.{places}f} ({lower:.{places}f}, {upper:.{places}f})"


def _places(error: float, digits: int) -> int:
    return max(digits, -math.floor(math.log10(error))) if 0 < error < math.inf else digits


def setting_text(value: float) -> str:
    """A number that somebody chose, as it is written in a config.

    >>> setting_text(0.05), setting_text(0.1 + 0.2), setting_text(60.0)
    ('0.05', '0.3', '60')
    """
    return f"{value:.15g}"


def place_text(truth: float | None, support: tuple[float, float], digits: int = DIGITS) -> str:
    """A truth; 0+ or 1− if a worst case is approached at that boundary, and empty for None.

    >>> place_text(5e-324, (0.0, 1.0)), place_text(0.25, (0.0, 1.0))
    ('0+', '0.2500')
    """
    if truth is None:
        return ""
    if truth < 1e-300 and support[0] == 0.0:
        return "0+"
    if support[1] == 1.0 and truth > 1 - 1e-15:
        return "1−"
    return rounded(truth, digits)


def estimand_words(manifest: Mapping[str, Any]) -> str:
    """Return what intervals of a run are scored against; empty for the parameter of its family.

    >>> estimand_words({"scored_against": {"estimand": {"quantile": 0.9}, "value": 2.3}})
    '0.9 quantile'
    """
    estimand = manifest.get("scored_against", {}).get("estimand", "")
    return estimand if isinstance(estimand, str) else f"{setting_text(estimand[QUANTILE])} quantile"


def with_estimand(family: Family, manifest: Mapping[str, Any]) -> Family:
    """Return the family with the estimand of a run as its symbol, where the config names one."""
    words = estimand_words(manifest)
    return replace(family, symbols=(words,)) if words else family


def method_titles(manifest: Mapping[str, Any]) -> dict[str, str]:
    """Return the title of each method of a run by its label, which tables have as ``method``.

    A label that the user gave is the title. A method of the catalogue without one has its
    ``short_title``, with its side if that is one limit only, and with its prior if the config gives
    one. Titles differ from each other: of equal ones each is followed by its label.

    Args:
        manifest: of a run; of a calibration, which has no methods, the titles are empty.

    Example:
        >>> experiment = {"family": "proportion", "methods": [
        ...     {"name": "wilson", "side": "two-sided", "label": "wilson"},
        ...     {"name": "wilson", "side": "upper", "label": "wilson upper"},
        ...     {"name": "balanced_tail", "side": "two-sided", "prior": [2, 1], "label": "ours"},
        ... ]}
        >>> for label, title in method_titles({"experiment": experiment}).items():
        ...     print(f"{label}: {title}")
        wilson: Wilson score
        wilson upper: Wilson score (upper limit)
        ours: ours
    """
    experiment = manifest["experiment"]
    methods = experiment.get("methods", ())
    if "family" not in experiment:  # a simulation study, whose methods are the user's own
        return {method["label"]: method["label"] for method in methods}
    family = family_in(experiment)
    titles = {}
    for method in methods:
        title, side = title_of(method, family), method.get("side", TWO_SIDED)
        if title != method["label"] and side != TWO_SIDED:
            title = f"{title} ({side} limit)"
        titles[method["label"]] = title
    met = Counter(titles.values())
    return {
        label: title if met[title] == 1 or title == label else f"{title} ({label})"
        for label, title in titles.items()
    }


def title_of(method: Mapping[str, Any], family: Family) -> str:
    """Return the title of a method as the resolved config writes it, without its side."""
    label, name = str(method["label"]), method.get("name", "")
    record = by_any_name(methods_of(family)).get(name)
    if record is None:
        return label
    side = method.get("side", TWO_SIDED)
    prior = ", ".join(str(plain_number(value)) for value in method.get("prior") or ())
    names = [record.name, *record.aliases]
    # The labels that a config without one gets, by the name as it is written there.
    one_side = "" if side == TWO_SIDED else f" {side}"
    plain = {f"{alias}{one_side}" for alias in names}
    with_prior = {f"{alias}{one_side} [{prior}]" for alias in names} if prior else set()
    if label not in plain | with_prior:
        return label
    of = f", prior {family.model.PRIOR}({prior})" if label in with_prior else ""
    return short_title(family, record.name) + of


def short_title(family: Family, name: str) -> str:
    """Return the title of a method in the catalogue up to its first comma.

    It is the whole title where that of another method of the family begins with the same words,
    unless these words are the name of the method.

    >>> from harness.families.catalogue import PROPORTION
    >>> short_title(PROPORTION, "clopper_pearson"), short_title(PROPORTION, "jeffreys_modified")
    ('Clopper-Pearson', 'Jeffreys, modified next to the ends')
    """
    whole = find(family, name).title
    short = whole.partition(", ")[0]
    others = [method.title for method in methods_of(family).values() if method.title != whole]
    clear = not any(f"{other},".startswith((f"{short},", f"{short} ")) for other in others)
    return short if clear or short.lower() == name else whole


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
    from harness.tables.answers import rounding_of

    if abs(missed - alpha) <= rounding_of(alpha):
        return nominal(alpha)
    too_few = [nominal(alpha), *(["100 %"] if missed > 0 else [])]
    texts = (percent(1 - missed, digits) for digits in range(3, _MOST_DIGITS))
    return next((text for text in texts if text not in too_few), percent(1 - missed, _MOST_DIGITS))


def coverage(value: float | None, error: float | None = None, interval: Span | None = None) -> str:
    """A coverage in percent, beside its standard error where it is an estimate.

    Of an estimate without one, as of no miss at all or of one trial, the 95 % interval stands in
    its place. What is less than 100 % is never written as 100 %.

    >>> coverage(0.95), coverage(0.99999951), coverage(0.9512, 0.0031), coverage(1, None, (0.99, 1))
    ('95.00 %', '99.99995 %', '95.12 ± 0.31 %', '100.00 (99.00, 100.00) %')
    >>> coverage(1, math.nan, (0.025, 1))
    '100.00 (2.50, 100.00) %'
    """
    if value is None or math.isnan(value):
        return ""
    if error and not math.isnan(error):
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
    from harness.tables.columns import worst_range_columns

    family = family_in(table)
    ends = worst_range_columns(family)
    rows = table.drop_nulls([name for pair in ends for name in pair])
    if rows.is_empty():
        return ""
    columns = zip(family.symbols, ends, strict=True)
    spans = (span_text(symbol, rows[low][0], rows[high][0]) for symbol, (low, high) in columns)
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
