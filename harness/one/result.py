"""One interval: its computation, its record, and its text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_choice, validate_whole
from harness.base.errors import InputError, IntervalNotFoundError
from harness.base.frames import MOST_ROWS, Tabular, aligned
from harness.base.numerics.arrays import Floats
from harness.catalogue import with_settings
from harness.distributions.truths import Prior
from harness.families.combination import Span
from harness.families.data import alpha_given, broadcast_columns, levels_of
from harness.families.family import POSTERIOR, Data, Family
from harness.families.lists import RANGE
from harness.families.samples import POPULATION, with_population
from harness.families.uninformative import WITHOUT_INTERVAL
from harness.methods.catalogue import default_method, find
from harness.methods.method import ALL_SIDES, TWO_SIDED, Method
from harness.one.data_remarks import remarks_on_limits

Value = float | Floats


@dataclass(frozen=True)
class Interval(Tabular):
    """An estimate with its limits: floats for scalar data, else arrays of the broadcast shape.

    All are in the unit of the parameter: a probability for proportions, their differences and
    balanced accuracies; events per unit of exposure for rates and their differences; of a mean that
    of the values. Two intervals are equal where their numbers are, whatever they are made from.
    """

    estimate: Value
    """The parameter at the observed proportions or rates; not a number where a ratio is 0/0."""
    lower: Value
    """The lower limit; the lower boundary of the support if only an upper limit is asked for."""
    upper: Value
    """The upper limit; the upper boundary of the support if only a lower limit is asked for."""
    family: str = field(compare=False)
    """What is estimated."""
    method: str = field(compare=False)
    """The name of the method in the catalogue; that of the default where none was given."""
    alpha: Value = field(compare=False)
    """The probability outside, as it was given: a float, or an array of the broadcast shape."""
    side: str = field(compare=False)
    """``two-sided``, ``lower`` or ``upper``."""
    data: Mapping[str, Any] = field(compare=False)
    """The data by name: numbers, or arrays of the broadcast shape; lists have one axis more."""
    remarks: tuple[str, ...] = field(default=(), compare=False)
    """What to know before use, in sentences: that few clusters cover less, that data are smaller
    than those which the default was chosen by, or that the limits are those of a prior alone."""
    groups: Mapping[str, Sequence[Any]] = field(default_factory=dict, compare=False)
    """What stands beside each row of a file or a data frame: the names of its group, and how many
    rows it has."""

    def __repr__(self) -> str:
        """The numbers in a line, or a table of them, at most ten rows of it.

        >>> from harness.one import interval
        >>> interval("proportion", "wilson", x=90, n=100)
        <Interval 0.9000 [0.8256, 0.9448]: proportion, wilson, alpha 0.05>
        >>> interval("proportion", "wilson", x=[0, 1], n=60)
        <Interval, 2 rows: proportion, wilson, alpha 0.05>
         x   n  estimate    lower    upper
         0  60   0.00000  0.00000  0.06017
         1  60   0.01667  0.00295  0.08855
        """
        of_one_level = np.ndim(self.alpha) == 0
        words = [self.family, self.method, *([f"alpha {self.alpha:g}"] if of_one_level else [])]
        if self.side != "two-sided":
            words.append(f"side {self.side}")
        given = {**self.groups, **self.data, **({} if of_one_level else {"alpha": self.alpha})}
        return interval_text(words, given, self.estimate, self.lower, self.upper)

    def __iter__(self) -> Iterator[Value]:
        """The lower and the upper limit: ``lower, upper = harness.interval(...)``."""
        return iter((self.lower, self.upper))

    def _caption(self) -> str:
        return f"Interval: {self.family}, {self.side}"

    def _columns(self) -> dict[str, Any]:
        """The columns of the data frame, with a value or a list of the data for each row."""
        shape = np.shape(self.lower)
        columns: dict[str, Any] = {name: list(labels) for name, labels in self.groups.items()}
        for name, values in self.data.items():
            array = np.asarray(values)
            if array.ndim == len(shape):
                columns[name] = array.ravel()
            else:
                columns[name] = array.reshape(-1, array.shape[-1]).tolist()
        numbers = {
            ESTIMATE: self.estimate,
            LOWER: self.lower,
            UPPER: self.upper,
            "alpha": self.alpha,
        }
        for name, number in numbers.items():
            columns[name] = np.broadcast_to(number, shape).ravel()
        rows = int(np.prod(shape, dtype=np.int64))
        return {**columns, "method": [self.method] * rows, "side": [self.side] * rows}


def compute(
    family: str,
    method: str | None = None,
    *,
    alpha: npt.ArrayLike = 0.05,
    confidence: npt.ArrayLike | None = None,
    side: str = TWO_SIDED,
    prior: Prior | None = None,
    seed: int | None = None,
    **data: npt.ArrayLike,
) -> Interval:
    """Compute the interval as ``interval`` does, of a family and a method named by any text."""
    alpha = alpha_given(alpha, confidence)
    given: dict[str, Any] = dict(data)
    estimated = with_settings(family, data)
    if RANGE in given:
        given[RANGE] = "{:g} ... {:g}".format(*estimated.support)
    return interval_of(
        estimated, method, data, alpha=alpha, side=side, prior=prior, seed=seed, given=given
    )


def interval_of(
    family: Family,
    method: str | None,
    data: Mapping[str, npt.ArrayLike],
    *,
    alpha: npt.ArrayLike = 0.05,
    side: str = TWO_SIDED,
    prior: Prior | None = None,
    seed: int | None = None,
    given: Mapping[str, npt.ArrayLike] | None = None,
    may_lack_width: bool = False,
    within: Span | None = None,
) -> Interval:
    """Compute the interval of a family with its settings.

    Args:
        family: of the data.
        method: a name of the catalogue; None for the default.
        data: by name.
        alpha, side, prior, seed: as for ``interval``.
        given: the data and the settings as they were given; None for the data alone.
        may_lack_width: whether data of which no interval is valid have the one of no width.
        within: the range of the parameter, where it is known to be less than that of the family;
            None for that of the data. Limits are cut to it, which changes no coverage.
    """
    if method is None:
        validate_choice("side", side, ALL_SIDES)
        chosen = default_method(family, side, has_prior=prior is not None)
    else:
        chosen = find(family, method)
    columns, levels = _arguments(family, chosen, alpha, data)
    prior = family.validate_prior(prior)
    chosen.check(side, prior)
    of_family = columns[:-1] if chosen.needs_population else columns
    if levels.size:
        # The size of pairs is the sum of their counts, and no column; those of lists are in them.
        named = zip(family.data, of_family, strict=False)
        sizes = {name: column for name, column in named if name in family.outcome_sizes}
        chosen.validate_sizes({name: float(column.max()) for name, column in sizes.items()})
    without = WITHOUT_INTERVAL.get(family.public_name)
    if without is not None and not may_lack_width and without.holds(of_family).any():
        raise IntervalNotFoundError(f"{chosen.name}: {without.words}")
    rng = None
    if not chosen.deterministic:
        if seed is None:
            raise InputError(f"{chosen.name} draws random numbers and needs a seed")
        validate_whole("seed", seed, 0)
        rng = np.random.default_rng(int(seed))
    lower, upper = np.empty(levels.shape), np.empty(levels.shape)
    for level in np.unique(levels):
        here = levels == level
        part = tuple(column[here] for column in columns)
        lower[here], upper[here] = chosen.limits(part, float(level), side, prior, rng)
    within = family.range_of_data(data) if within is None else within
    if within is not None:
        lower, upper = np.clip(lower, *within), np.clip(upper, *within)
    estimate = family.estimate(of_family)
    is_default = method is None and side == TWO_SIDED and prior is None
    alpha_of_default = float(levels.flat[0]) if is_default and levels.size else None
    remarks = remarks_on_limits(
        family, chosen.name, alpha_of_default, of_family, levels, side, (lower, upper)
    )
    return Interval(
        _float_or_array(estimate),
        _float_or_array(lower),
        _float_or_array(upper),
        family=family.public_name,
        method=chosen.name,
        alpha=float(np.asarray(alpha)) if np.ndim(alpha) == 0 else levels,
        side=side,
        data=_given(family, data if given is None else given, levels.shape),
        remarks=tuple(remarks),
    )


def tails(
    family: str,
    method: str,
    limits: tuple[npt.ArrayLike, npt.ArrayLike],
    *,
    prior: Prior | None = None,
    **data: npt.ArrayLike,
) -> tuple[Value, Value]:
    """Compute the posterior mass below and above an interval.

    Args:
        family: as for ``interval``, like ``method``, ``prior`` and the data.
        limits: the lower and the upper one, which broadcast against the data.

    Returns:
        Both masses under the prior, by default that of the method, or else a flat one.

    Raises:
        InputError: as of ``interval``; or the method is for a finite population, or the family has
            no posterior.
    """
    return tails_of(with_settings(family, data), method, limits, data, prior)


def tails_of(
    family: Family,
    method: str,
    limits: tuple[npt.ArrayLike, npt.ArrayLike],
    data: Mapping[str, npt.ArrayLike],
    prior: Prior | None = None,
) -> tuple[Value, Value]:
    """Compute ``tails`` of a family with its settings."""
    chosen = find(family, method)
    chosen.refuse_finite_population("a posterior")
    if POSTERIOR not in family.engines:
        raise InputError(f"the parameter of {family.public_name} has no closed posterior")
    prior = family.validate_prior(prior)
    columns, _ = _arguments(family, chosen, 0.5, data)
    *data_columns, lower, upper = np.broadcast_arrays(*columns, *limits)
    reference = prior or chosen.default_prior or family.model.FLAT_PRIOR
    posterior = family.posterior(tuple(column.ravel() for column in data_columns), reference)
    masses = posterior.cdf(lower.ravel()), posterior.sf(upper.ravel())
    below, above = (_float_or_array(mass.reshape(lower.shape)) for mass in masses)
    return below, above


def _given(
    family: Family, data: Mapping[str, npt.ArrayLike], shape: tuple[int, ...]
) -> dict[str, Any]:
    """The data as they were given, of the shape of the limits; a list has its own axis more."""
    columns = {}
    for name, values in data.items():
        array = np.array(values)
        inner = array.shape[-1:] if name in family.lists else ()
        whole = np.broadcast_to(array, (*shape, *inner))
        columns[name] = whole if whole.ndim else whole.item()
    return columns


def _arguments(
    known: Family, method: Method, alpha: npt.ArrayLike, data: Mapping[str, npt.ArrayLike]
) -> tuple[Data, Floats]:
    """The method's data and alpha, all of one shape; lists have one axis more."""
    given = dict(data)
    population = given.pop(POPULATION, None)
    columns, levels = known.validate_data(given), levels_of(alpha)
    if not given.keys() <= set(known.data):
        method.refuse_summary()
    largest = None
    if population is not None:
        method.refuse_needless_population()
        columns = with_population(known, columns, population)
        largest = float(np.max(columns[-1], initial=0.0))
    method.validate_population(largest)
    shape = known.outcomes_shape(columns)
    _, levels = broadcast_columns(("data", "alpha"), (np.empty(shape), levels))
    # Beyond the shape of the outcomes, a column of lists has an axis of its own.
    inner = [column.shape[len(shape) :] for column in columns]
    broadcast = (
        np.broadcast_to(column, (*levels.shape, *rest))
        for column, rest in zip(columns, inner, strict=True)
    )
    return tuple(broadcast), levels


def _float_or_array(values: Floats) -> Value:
    return float(values) if values.ndim == 0 else values


# Text.

DECIMALS = 4
"""The decimals of numbers below 1000, and the most that are shown of larger ones without need."""
_DIGITS = 3
"""The digits of an interval's length that its limits show."""
_MOST_DECIMALS = 8
_LARGEST = 1e9
_SPREAD = 4
"""Rows whose decimals differ by more have their own each."""


def shown_decimals(
    rows: Sequence[Sequence[float | None]], usual: int = DECIMALS
) -> list[int | None]:
    """Return the decimals of each interval, which they share where they can.

    Args:
        rows: the estimate and the limits of each; None or not a number where one is missing.
        usual: the decimals of numbers below 1000.

    Returns:
        A number for each row; None where powers of ten are read better.

    Example:
        >>> shown_decimals([(0.9, 0.83, 0.95), (0.001, 0.00024, 0.0026)])
        [6, 6]
    """
    decimals = [_decimals(values, usual) for values in rows]
    fixed = [count for count in decimals if count is not None]
    share = bool(fixed) and len(fixed) == len(decimals) and max(fixed) - min(fixed) <= _SPREAD
    return [max(fixed)] * len(decimals) if share else decimals


def number_text(value: float, decimals: int | None, values: Sequence[float | None]) -> str:
    """Return a number of an interval as text.

    Args:
        value: the estimate, a limit or the length.
        decimals: of ``shown_decimals``.
        values: the estimate and the limits.
    """
    if decimals is not None or value == 0 or not math.isfinite(value):
        return f"{value:.{decimals or 0}f}"
    numbers = [number for number in values if number is not None and math.isfinite(number)]
    scale = max(map(abs, numbers))
    digits = math.floor(math.log10(scale)) - _order(numbers, scale) + _DIGITS - 1
    return f"{value:.{min(max(digits, _DIGITS), 15)}e}"


def _decimals(values: Sequence[float | None], usual: int) -> int | None:
    """How many decimals an interval needs; None where powers of ten are read better."""
    numbers = [value for value in values if value is not None and math.isfinite(value)]
    scale = max(map(abs, numbers), default=0.0)
    if scale == 0.0:
        return usual
    order = _order(numbers, scale)
    if scale >= 1000:
        usual = min(usual, max(0, _DIGITS - order))
    count = max(usual, _DIGITS - 1 - order)
    if min(numbers) >= 0.0:
        # The lower limit of a few of many is much smaller than the interval's length.
        least = math.floor(math.log10(min(value for value in numbers if value > 0.0)))
        count = max(count, min(_DIGITS - 1 - least, _DIGITS + 1 - order))
    return None if count > _MOST_DECIMALS or scale >= _LARGEST else count


def _order(known: Sequence[float], scale: float) -> int:
    """The power of ten of an interval's length, or of its numbers where it has none."""
    length = max(known) - min(known)
    return math.floor(math.log10(length if length > 1e-12 * scale else scale))


_LONGEST_LIST = 5


def interval_text(
    words: Sequence[str],
    given: Mapping[str, Any],
    estimate: npt.ArrayLike,
    lower: npt.ArrayLike,
    upper: npt.ArrayLike,
) -> str:
    """Return an interval in one line, or a table with a row for each outcome.

    Args:
        words: what the interval is of, for its first line.
        given: the data by name, whose shape is that of the limits, or has one axis more.
        estimate, lower, upper: numbers or arrays of one shape.
    """
    shape = np.shape(lower)
    numbers = [np.asarray(column, np.float64).ravel() for column in (estimate, lower, upper)]
    subject = ", ".join(words)
    if not shape:
        middle, low, high = (cells[0] for cells in _number_cells(numbers))
        return f"<Interval {middle} [{low}, {high}]: {subject}>"
    count = numbers[0].size
    head = f"<Interval, {count} row{'' if count == 1 else 's'}: {subject}>"
    if not count:
        return head
    half = MOST_ROWS // 2
    rows = [*range(count)] if count <= MOST_ROWS else [*range(half), *range(count - half, count)]
    columns = [
        [name, *_data_cells(np.asarray(values), len(shape), rows)] for name, values in given.items()
    ]
    cells = _number_cells([column[rows] for column in numbers])
    names = ("estimate", "lower", "upper")
    columns += [[name, *column] for name, column in zip(names, cells, strict=True)]
    lines = aligned(list(zip(*columns, strict=True)))
    if len(rows) < count:
        lines.insert(half + 1, " …")
    return "\n".join([head, *lines])


def _number_cells(columns: Sequence[Floats]) -> list[list[str]]:
    """The numbers of estimates, lower and upper limits."""
    rows = np.transpose(columns).tolist()
    cells = [
        [number_text(value, count, row) for value in row]
        for row, count in zip(rows, shown_decimals(rows), strict=True)
    ]
    return [list(column) for column in zip(*cells, strict=True)]


def _data_cells(values: npt.NDArray[Any], axes: int, rows: Sequence[int]) -> list[str]:
    """The cells of some rows of a column of data; of a list the first numbers are shown."""
    if values.ndim == axes:
        cells = values.ravel()[rows].tolist()
        return [cell if isinstance(cell, str) else f"{cell:.10g}" for cell in cells]
    cells = []
    for numbers in values.reshape(-1, values.shape[-1])[rows].tolist():
        shown = [
            number if isinstance(number, str) else f"{number:.6g}"
            for number in numbers[:_LONGEST_LIST]
        ]
        if len(numbers) > _LONGEST_LIST:
            shown.append("…")
        cells.append(f"[{', '.join(shown)}]")
    return cells


ESTIMATE, LOWER, UPPER, LENGTH = "estimate", "lower", "upper", "length"
LIMITS = (ESTIMATE, LOWER, UPPER)
_MISSING, _UNDEFINED = "–", "undefined"


def interval_texts(
    records: Sequence[Mapping[str, Any]], names: Mapping[str, str], percent: bool = False
) -> list[dict[str, Any]]:
    """Return records with estimates and limits as text, whose decimals rows share where they can.

    A value that is missing is a text too; an estimate such as 0/0 is undefined.

    Args:
        records: of intervals; the limits may be None.
        names: of the columns of the estimate, the limits and the length.
        percent: whether these are written as percentages.
    """
    columns = {name: names.get(name, name) for name in (*LIMITS, LENGTH)}
    factor = 100.0 if percent else 1.0
    scaled = [
        [
            None if record[columns[name]] is None else factor * record[columns[name]]
            for name in LIMITS
        ]
        for record in records
    ]
    counts = shown_decimals(scaled, DECIMALS - 2 * percent)
    texts = []
    for record, values, count in zip(records, scaled, counts, strict=True):
        text = {k: _MISSING if v is None else v for k, v in record.items()}
        for column in columns.values():
            if record.get(column) is not None:
                number = number_text(factor * record[column], count, values)
                text[column] = number + " %" * percent
        if record[columns[LOWER]] is not None and record[columns[ESTIMATE]] is None:
            text[columns[ESTIMATE]] = _UNDEFINED
        texts.append(text)
    return texts


def limits_text(lower: float, upper: float, percent: bool = False) -> str:
    """An interval as text: ``0.0000 … 0.1329``."""
    record = {ESTIMATE: lower, LOWER: lower, UPPER: upper}
    (text,) = interval_texts([record], {}, percent)
    return f"{text[LOWER]} … {text[UPPER]}"
