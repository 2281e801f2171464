"""What maps show: coverage, and lengths relative to those of a method; their scales and words."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.families.family import CLOSED_FORM, MONTE_CARLO
from harness.figures.selection import percent_longer
from harness.methods.method import TWO_SIDED
from harness.report.maps.frames import Frame, LargestValue, SizeRow, finding
from harness.tables.answers import YARDSTICK, rounding_of
from harness.tables.columns import OUTCOME
from harness.tables.results import Results
from harness.tables.wording import covered, nominal, percent, significant

STEPS = 10
"""The number of colours on each side of the middle."""
_SAME = 1e-7
"""Lengths that differ by less, in per cent, differ by rounding."""
_LONGEST_NAME = 32
"""The most letters of a method's name in a drawing."""
_ENGINES = {MONTE_CARLO: "Monte Carlo", CLOSED_FORM: "closed form"}


@dataclass(frozen=True)
class Scale:
    """Which colour a value has: the middle, and how far one colour reaches."""

    middle: float
    step: float
    falls: bool = False
    """Whether what is written falls as the value rises, as coverage does as alpha rises."""

    def colours(self, values: Floats) -> list[int | None]:
        """The numbers of colours, from −10 to 10; None where there is no value."""
        levels = np.clip(np.floor((values - self.middle) / self.step + 0.5), -STEPS, STEPS)
        return [None if math.isnan(level) else int(level) for level in levels.tolist()]

    @property
    def levels(self) -> range:
        """All colours, in the order of what is written."""
        return range(STEPS, -STEPS - 1, -1) if self.falls else range(-STEPS, STEPS + 1)


def nice_step(values: Floats) -> float:
    """The step of a scale around 0 that holds 95 % of the values: 1, 2 or 5 times a power of ten.

    >>> nice_step(np.array([3.0, -7.0, 42.0])), nice_step(np.zeros(3))
    (5.0, 1.0)
    """
    magnitudes = np.abs(values[np.isfinite(values)])
    wanted = float(np.quantile(magnitudes, 0.95)) / STEPS if magnitudes.size else 0.0
    if wanted <= 0:
        return 1.0
    power = 10.0 ** math.floor(math.log10(wanted))
    steps = (power * factor for factor in (1, 2, 5, 10))
    return next(step for step in steps if step >= wanted * (1 - 1e-9))


@dataclass(frozen=True, eq=False)
class QuantityMap(ABC):
    """One quantity over a frame, for several methods."""

    frame: Frame
    lines: tuple[int, ...]
    """The methods, as places in those of the frame."""
    title: str
    bar_title: str
    """What the colours mean, in one line of the drawing."""
    bound: float
    """What values are counted above."""

    name: ClassVar[str]
    """What scripts know the quantity by."""
    column: ClassVar[str]
    """The column of the cells that it is read from."""
    figure: ClassVar[str]
    """The kind of figures that show it."""
    extreme: ClassVar[str]
    """The heading of the place of the largest value of a size."""
    counted: ClassVar[str]
    """What cells above the bound are."""

    @abstractmethod
    def values(self, rows: Sequence[SizeRow]) -> list[Floats]:
        """The values of rows, of shape (methods, m) each."""

    @abstractmethod
    def scale(self, values: Sequence[Floats], line: int) -> Scale:
        """The colours of one method."""

    @abstractmethod
    def text(self, value: float) -> str:
        """A value as readers see it."""

    @abstractmethod
    def sentence(self, values: Sequence[Floats], line: int) -> str:
        """What the map of one method shows."""

    def differs(self, line: int) -> bool:
        """Whether a method has a value that is not the middle of its scale, beyond rounding."""
        every = self.values(self.frame.rows)
        middle = self.scale(every, line).middle
        return any(bool((np.abs(of[line] - middle) > self.bound - middle).any()) for of in every)

    def bar_texts(self, scale: Scale) -> list[str]:
        """The numbers below the bar of colours: at its ends, its middle, and half-way."""
        at = [scale.middle + level * scale.step for level in scale.levels[:: STEPS // 2]]
        texts = [self.text(0.0 if abs(value) < 1e-12 else value) for value in at]
        # An alpha of 0 is the least there is.
        last = "" if scale.falls and at[-1] <= 1e-12 else "≥ "
        return [f"≤ {texts[0]}", *texts[1:-1], f"{last}{texts[-1]}"]

    def where(self, found: LargestValue) -> str:
        """Size and place of a largest value in words: ``n = 50, x = 3``."""
        place = f"{self.frame.axis.symbol} = {found.row.places[found.place]:.6g}"
        return f"{self.frame.size_text(found.row)}, {place}"


class CoverageMap(QuantityMap):
    """Coverage, by the actual alpha."""

    name = "alpha"
    column = "actual_alpha"
    figure = "alpha_surface"
    extreme = "Smallest at"
    counted = "below nominal"

    def values(self, rows: Sequence[SizeRow]) -> list[Floats]:
        return [row.values["actual_alpha"] for row in rows]

    def scale(self, values: Sequence[Floats], line: int) -> Scale:
        alpha = self.frame.alpha
        return Scale(alpha, min(alpha, 1 - alpha) / STEPS, falls=True)

    def text(self, value: float) -> str:
        return percent(1 - value, 4)

    def sentence(self, values: Sequence[Floats], line: int) -> str:
        """Where coverage is lowest and how low, and how many cells are below nominal."""
        title = self.frame.title_of(self.frame.methods[line])
        summary = finding(self.frame, values, line, self.bound)
        if summary is None:
            return f"{title} has no values here."
        alpha, cells, where = self.frame.alpha, summary.cells, self.where(summary)
        bound, lowest = nominal(alpha), covered(summary.largest, alpha)
        if max(summary.largest - alpha, alpha - summary.least) <= rounding_of(alpha):
            return f"{title}: coverage is {bound} in all {cells} cells, up to rounding."
        if self.frame.engine == MONTE_CARLO:
            # Chance alone takes estimates below nominal.
            lower = [row.values["ci_lower"][line] for row in self.frame.rows]
            clearly = share(sum(int((limits > alpha).sum()) for limits in lower), cells)
            error = summary.row.values["std_error"][line][summary.place]
            spread = f" ± {percent(error, 2)}" if np.isfinite(error) else ""
            return (
                f"{title}: coverage is clearly below {bound} in {clearly}; the lowest estimate is "
                f"{lowest}{spread} at {where}."
            )
        if summary.above:
            below = f"{title}: coverage is below {bound} in {share(summary.above, cells)}"
            return f"{below}, and falls to {lowest} at {where}."
        return (
            f"{title}: coverage is below {bound} in none of {cells} cells; it is from {lowest} to "
            f"{covered(summary.least, alpha)}, the lowest at {where}."
        )


@dataclass(frozen=True, eq=False)
class LengthMap(QuantityMap):
    """Lengths, in per cent above those of a reference."""

    reference: str
    """The label of the method that lengths are compared with."""

    name = "length"
    column = "length"
    figure = "length_surface"
    extreme = "Largest at"
    counted = "longer"

    def values(self, rows: Sequence[SizeRow]) -> list[Floats]:
        line = self.frame.methods.index(self.reference)
        lengths = [row.values["length"] for row in rows]
        return [
            percent_longer(table, np.broadcast_to(table[line], table.shape)) for table in lengths
        ]

    def scale(self, values: Sequence[Floats], line: int) -> Scale:
        return Scale(0.0, nice_step(np.concatenate([of_size[line] for of_size in values])))

    def text(self, value: float) -> str:
        return f"{significant(value, 3)} %"

    def sentence(self, values: Sequence[Floats], line: int) -> str:
        """How much longer the intervals are than those of the reference, and where the most."""
        title = self.frame.title_of(self.frame.methods[line])
        than = f"those of {self.frame.title_of(self.reference)}"
        summary = finding(self.frame, values, line, self.bound)
        if summary is None:
            return f"{title} has no lengths to compare with {than}."
        cells = f"{summary.cells} cells"
        if max(abs(summary.least), abs(summary.largest)) < _SAME:
            return f"{title}: intervals are as long as {than} in all {cells}."
        longer = "longer" if summary.mean >= 0 else "shorter"
        least, most = (
            f"{'+' if value > 0 else ''}{significant(value, 3)} %"
            for value in (summary.least, summary.largest)
        )
        return (
            f"{title}: intervals are {significant(abs(summary.mean), 3)} % {longer} than {than} on "
            f"average over {cells}: from {least} to {most}, the most at {self.where(summary)}."
        )


def share(part: int, whole: int) -> str:
    """How many cells, in percent where that is neither none nor all.

    >>> share(1, 3), share(0, 3), share(3, 3), share(9999, 10000)
    ('33 % of 3 cells', 'none of 3 cells', 'all 3 cells', '99.99 % of 10000 cells')
    """
    if part in (0, whole):
        return f"all {whole} cells" if part else f"none of {whole} cells"
    value = 100 * part / whole
    return f"{value:.{2 if value < 99 else 4}g} % of {whole} cells"


def maps_of(frame: Frame, results: Results) -> Iterator[QuantityMap]:
    """Yield the maps of one frame."""
    several = results.cells["alpha"].n_unique() > 1
    bound = f"nominal {nominal(frame.alpha)}" if several else ""
    where = "".join(f", {words}" for words in (frame.axis.held, bound) if words)
    given = f"given the {frame.given}{where}"
    if all("actual_alpha" in row.values for row in frame.rows):
        yield CoverageMap(
            frame,
            tuple(range(len(frame.methods))),
            title=f"Coverage {given}, by {_ENGINES.get(frame.engine, frame.engine)}",
            bar_title=f"coverage; the middle is nominal, {nominal(frame.alpha)}",
            bound=frame.alpha + rounding_of(frame.alpha),
        )
    reference = _reference(frame, results)
    if not reference or any("length" not in row.values for row in frame.rows):
        return
    lines = tuple(
        line
        for line, label in enumerate(frame.methods)
        if label != reference
        and frame.sides[label] == frame.sides[reference]
        and any(frame.has_lengths(label))
    )
    if lines:
        length, name = "Mean length", frame.title_of(reference)
        if frame.given == OUTCOME:
            length = "Length"
        over = name if len(name) <= _LONGEST_NAME else "the method of the heading"
        yield LengthMap(
            frame,
            lines,
            title=f"{length} relative to {name}, {given}",
            bar_title=f"length, per cent over {over}",
            bound=0.0,
            reference=reference,
        )


def _reference(frame: Frame, results: Results) -> str:
    """The method that lengths are compared with: that of a figure, or the usual, or the best."""
    asked = [
        figure.get("reference") for figure in results.manifest["experiment"].get("figures", ())
    ]
    ranked = results.ranking
    best = [] if ranked is None else ranked.filter(ranked["rank"] == 1)["method"].to_list()
    usual = [YARDSTICK] if frame.sides.get(YARDSTICK) == TWO_SIDED else []
    wanted = [label for label in (*asked, *usual, *best) if label in frame.methods]
    candidates = ((label, frame.has_lengths(label)) for label in wanted)
    return next((label for label, rows in candidates if rows and all(rows)), "")
