"""The findings of a check: verdict, message, all places, and the numbers of a picture."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats
from harness.callers.expected_failures import Place
from harness.methods.method import TWO_SIDED

Verdict = Literal["pass", "remark", "declared", "inconclusive", "fail"]

PASS: Verdict = "pass"
REMARK: Verdict = "remark"
"""Something to know about the method that is no failure."""
DECLARED: Verdict = "declared"
"""A failure that the method, or whoever checks it, has declared with a reason."""
INCONCLUSIVE: Verdict = "inconclusive"
FAIL: Verdict = "fail"

CONFORMANCE = "conformance"
TAILS = "tails"
BEHAVIOUR = "behaviour"
CONTRACT = "contract"
AGAINST = "against"
CROSS_CHECK = "cross-check"

NOT_PASSED: tuple[Verdict, ...] = (FAIL, INCONCLUSIVE)
"""Verdicts of a finding that make the report one that did not pass, the worst first."""

FINISHES = "finishes in time"
"""The check that fails to conclude where the time of all was over."""
SIDE = "side"
"""The column of places that holds the side of limits."""
LENGTH_NAME = "length"
"""The check whose message stands in the summary: how long the intervals are."""

Cell = Mapping[str, float | int | str]
"""Where a finding is: n, alpha, x, truth and the like; and numbers, as found and expected."""


def format_cell(cell: Cell) -> str:
    """The names and values of a cell, as ``n = 10, alpha = 0.05``."""
    return ", ".join(
        f"{name} = {value}" if isinstance(value, int | str) else f"{name} = {value:g}"
        for name, value in cell.items()
    )


def and_more(count: int, of: str = "") -> str:
    """The clause of a message that names one of several places."""
    return f" (and at {count - 1} more{of})" if count > 1 else ""


Column = npt.NDArray[Any]

USUAL_ALPHA = 0.05
"""A message has the place whose alpha is nearest to this one."""

_PRINTED = 1e-5
"""How far a number that is not whole may be from one that was printed with six digits."""
_LIMITS = ("lower", "upper")
_NUMBERS = (*_LIMITS, "found")
"""Columns of what was found at a place, beside those that say where it is."""


@dataclass(frozen=True, eq=False)
class FindingPlaces:
    """The places where a check fails, k of them."""

    columns: Mapping[str, Column]
    """Sizes, counts, alpha and side by name; and what was found there: the limits as ``lower`` and
    ``upper``, or another number as ``found``. Shape (k,) each."""

    @classmethod
    def at(cls, cell: Cell) -> FindingPlaces:
        """One place, that of a cell."""
        return cls({name: np.array([value]) for name, value in cell.items()})

    @classmethod
    def joined(cls, parts: Sequence[FindingPlaces]) -> FindingPlaces:
        """All places of several parts; a column that a part lacks is left out."""
        names = [
            name
            for name in (parts[0].columns if parts else ())
            if all(name in part.columns for part in parts)
        ]
        return cls({name: np.concatenate([part.columns[name] for part in parts]) for name in names})

    @property
    def count(self) -> int:
        """The number k of places."""
        return len(next(iter(self.columns.values()))) if self.columns else 0

    def within(self, place: Place) -> Bools:
        """Which of them lie in a declared place, shape (k,); none where a column is missing."""
        inside = np.ones(self.count, np.bool_)
        for name, bounds in place.items():
            column = self.columns.get(name)
            if column is None:
                return np.zeros(self.count, np.bool_)
            if isinstance(bounds, str):
                inside &= column == bounds
                continue
            room = np.where(column == np.round(column), 0.0, _PRINTED * np.abs(column))
            inside &= (column >= bounds[0] - room) & (column <= bounds[1] + room)
        return inside

    def only(self, chosen: Bools) -> FindingPlaces:
        """The places that are chosen, by a mask of shape (k,)."""
        return FindingPlaces({name: column[chosen] for name, column in self.columns.items()})

    def first(self) -> dict[str, float | int | str]:
        """The columns at the first of the places whose alpha is nearest to 0.05."""
        place = 0
        if "alpha" in self.columns:
            alpha = self.columns["alpha"].astype(np.float64)
            place = int(np.argmin(np.abs(np.log(alpha / USUAL_ALPHA))))
        return {name: _plain(name, column[place]) for name, column in self.columns.items()}

    def describe(self) -> str:
        """What was found at the first place, where that is, and how many others there are.

        The side is named of one-sided limits only.
        """
        cell = self.first()
        if all(name in cell for name in _LIMITS):
            what = f"limits {cell['lower']:.15g} and {cell['upper']:.15g}"
        elif "found" in cell:
            what = f"{cell['found']:.6g}"
        else:
            what = "fails"
        where = {
            name: value
            for name, value in cell.items()
            if name not in _NUMBERS and value != TWO_SIDED
        }
        return f"{what} at {format_cell(where)}{and_more(self.count)}"

    def ranges(self) -> dict[str, list[Any]]:
        """The smallest and the largest value of each number that says where the places are."""
        return {
            name: [_plain(name, column.min()), _plain(name, column.max())]
            for name, column in self.columns.items()
            if name not in _NUMBERS and column.dtype.kind in "if"
        }


def _plain(name: str, value: Any) -> float | int | str:
    """A number of a column as a Python number, whole where it is; or its text."""
    if isinstance(value, str):
        return str(value)
    number = float(value)
    return int(number) if name not in _NUMBERS and number.is_integer() else number


_FEWEST, _MOST = 6, 17


def with_digits_apart(one: float, other: float) -> tuple[str, str]:
    """Return two numbers with as many digits as it takes to see that they differ, and one more.

    Equal numbers, and those that differ within the first digits, have six.

    Example:
        >>> with_digits_apart(0.123456789, 0.123456788)
        ('0.123456789', '0.123456788')
        >>> with_digits_apart(0.25, 0.5)
        ('0.25', '0.5')
    """
    for digits in range(_FEWEST, _MOST + 1):
        shown = f"{one:.{digits - 1}g}", f"{other:.{digits - 1}g}"
        if shown[0] != shown[1]:
            return f"{one:.{digits}g}", f"{other:.{digits}g}"
    digits = _FEWEST if one == other else _MOST
    return f"{one:.{digits}g}", f"{other:.{digits}g}"


Grid = Mapping[str, tuple[float, ...]]
"""The sizes and alphas at which a check finds the counter-example again, by name."""


@dataclass(frozen=True)
class IntervalRow:
    """One interval: that of the finding, or one that it is compared with."""

    cell: Mapping[str, float | int | str]
    """The outcome, its size and alpha by name."""
    words: str
    """What it is to the interval of the finding, as "the next outcome"; "" of that one itself."""
    lower: float
    """Not a number where the method has no limits."""
    upper: float
    estimate: float
    """Not a number where there is none, as of 0/0."""
    is_fault: bool = False
    """Whether the finding is about it."""
    fault: str = ""
    """Why the method has no limits."""


@dataclass(frozen=True)
class IntervalExample:
    """Intervals beside each other, on the axis of the parameter."""

    sentence: str
    """What there is to see."""
    parameter: str
    unit: str
    """The unit of the parameter; "" where it has none."""
    support: tuple[float, float]
    """The range of the parameter."""
    rows: tuple[IntervalRow, ...]
    grid: Grid = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class TailExample:
    """The tails that limits leave, over the outcomes of one size and alpha."""

    sentence: str
    count: str
    """The name of the count that goes along the axis."""
    held: str
    """What is held: the sizes, alpha and other counts, as "n = 40, alpha = 0.05"."""
    outcomes: Floats
    """The counts, ascending, shape (k,)."""
    tails: Mapping[str, Floats]
    """The tails of the limits "lower" and "upper" by name, shape (k,) each; not a number where
    a limit leaves none."""
    expected: float
    """The tail that a limit should leave, or may leave at most."""
    is_bound: bool
    """Whether that is the most that is allowed."""
    is_half: bool
    """Whether half of the probability of the outcome itself is left out of a tail."""
    place: tuple[str, float] | None = None
    """The limit and the count of the finding; None where it is about all of them."""
    grid: Grid = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class MissExample:
    """The probability of a miss over the truth, at one size and alpha."""

    sentence: str
    truth: str
    """The symbol of the truth that goes along the axis, and what is held."""
    unit: str
    held: str
    truths: Floats
    """Ascending, shape (t,); a truth at which the probability jumps occurs twice."""
    missed: Floats
    alpha: float
    """What is desired."""
    allowed: float
    """What is allowed: the most of all truths, or the nearest mean."""
    mean: float | None = None
    """The mean miss probability, where the finding is about that."""
    inside: tuple[float, float] | None = None
    """The truths that the finding is about; None for all."""
    worst: tuple[float, float] | None = None
    """The truth of the finding with its miss probability."""
    grid: Grid = field(default_factory=dict)


@dataclass(frozen=True)
class NumberExample:
    """One number beside what is allowed, or beside that of another method."""

    sentence: str
    measured: str
    """What the number is of."""
    found: float
    expected: float
    expected_words: str
    """What the other number is: "allowed", or the name of a method."""
    grid: Grid = field(default_factory=dict)


CounterExample = IntervalExample | TailExample | MissExample | NumberExample


def is_known(*values: float) -> bool:
    """Whether all of the numbers are finite."""
    return all(math.isfinite(value) for value in values)


@dataclass(frozen=True)
class Finding:
    """The result of one check."""

    check: str
    """The name of the check, as "mirrors" or "against wilson: length"."""
    kind: str
    """The kind of the check: conformance, tails, contract, behaviour, against or cross-check."""
    verdict: Verdict
    message: str
    """One sentence; for a failure it holds the first counter-example."""
    cell: Cell
    severity: float = 0.0
    """How bad a failure is; failures of one kind are sorted by it."""
    places: FindingPlaces | None = field(default=None, compare=False, repr=False)
    """All places of a failure; None where it has one only, or where they are not known."""
    counter_example: CounterExample | None = field(default=None, compare=False, repr=False)
    """What a picture of it shows; None where it was not asked for, or is not known."""

    @property
    def passed(self) -> bool:
        """Whether it is neither a failure nor inconclusive; a remark has passed."""
        return self.verdict not in NOT_PASSED

    def to_dict(self) -> dict[str, Any]:
        """The finding as plain data, as in the JSON format."""
        content = {
            "check": self.check,
            "kind": self.kind,
            "verdict": self.verdict,
            "message": self.message,
            "cell": dict(self.cell),
            "severity": self.severity,
        }
        if self.places is not None:
            content["ranges"] = self.places.ranges()
        return content
