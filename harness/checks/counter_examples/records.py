"""The counter-examples of findings, as plain numbers that a page can draw."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from harness.base.numerics.arrays import Floats

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
    """Of the parameter; "" where it has none."""
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
    """By the names of the limits, "lower" and "upper", shape (k,) each; not a number where a limit
    leaves none."""
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
