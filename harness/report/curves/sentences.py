"""What a picture of curves shows, in sentences that are computed from its numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.text import first_few
from harness.designs.miss_curve import MissCurve
from harness.families.family import Family
from harness.figures.look import labels
from harness.findings.judgements import first_largest
from harness.findings.verdicts import ranges_above
from harness.report.curves.panels import CurvePanel
from harness.tables.answers import rounding_of
from harness.tables.wording import coverage, covered, nominal, percent

ACCURATE = 1e-9
"""An actual alpha that differs from alpha by less than this is alpha, but for rounding."""
_NOTICEABLE = 0.005
"""The least part by which a length is called longer."""
_LONG = 1000
"""The least position that is written without decimals."""


@dataclass(frozen=True)
class Words:
    """What a panel's methods, size and positions are called, and what is said of them."""

    titles: Sequence[str]
    """What readers call the methods, in the order of their rows."""
    drawn: Sequence[int]
    """The rows that are drawn, of which the sentences speak."""
    comparable: Sequence[int]
    """The rows whose lengths may be compared, those of one side."""
    yardstick: int
    """The row that lengths are compared with; -1 where there is none."""
    symbol: str
    """The name of the axis: p, x, n."""
    family: Family

    def size(self, panel: CurvePanel) -> str:
        """The size of a panel; empty where the sizes are the axis."""
        return "" if panel.size is None else labels.size_text(self.family, panel.size)

    def held(self, panel: CurvePanel) -> str:
        """The true values that are held, with their symbols."""
        symbols = [symbol for _, symbol in self.family.curve_truths]
        if panel.size is not None:
            symbols = symbols[1:]
        pairs = zip(symbols, panel.held, strict=True)
        return ", ".join(f"{symbol} = {value:.6g}" for symbol, value in pairs if value is not None)

    def start(self, panel: CurvePanel) -> str:
        """How a sentence begins: with the size and what else is held, if there is any."""
        setting = ", ".join(filter(None, (self.size(panel), self.held(panel))))
        return f"At {setting}, " if setting else ""

    @property
    def shown(self) -> str:
        """What is said behind methods that are not all there are."""
        return " shown" if len(self.drawn) < len(self.titles) else ""

    def place(self, value: float) -> str:
        """A position of the axis; whole numbers have all their digits."""
        whole = abs(value) >= _LONG or value == round(value)
        text = f"{value:.0f}" if whole else f"{value:.3g}"
        return f"{self.symbol} = {text}".replace("-", "\N{MINUS SIGN}")

    def near(self, panel: CurvePanel, value: float) -> str:
        """Where something is: close to a position, or at the only one there is."""
        return f"{'at' if panel.x.size == 1 else 'near'} {self.place(value)}"

    def longest(self, panel: CurvePanel, others: Sequence[int]) -> str:
        """The method whose intervals are the longest somewhere, relative to the yardstick's."""
        unit, reference = panel.length[self.yardstick], self.titles[self.yardstick]
        longer = panel.length / np.where(unit > 0, unit, np.nan) - 1
        longer[~np.isfinite(longer)] = -np.inf
        row = max(others, key=lambda other: float(longer[other].max()))
        where = int(longer[row].argmax())
        if longer[row, where] < _NOTICEABLE:
            return f"no intervals{self.shown} are longer than those of {reference}"
        most = "" if panel.x.size == 1 else "up to "
        return (
            f"the intervals of {self.titles[row]} are {most}{_part(longer[row, where])} longer "
            f"than those of {reference}, {self.near(panel, panel.x[where])}"
        )

    def mean_lengths(self, panel: CurvePanel, known: Sequence[int]) -> str:
        """The methods with the shortest and the longest intervals, on average."""
        lengths = np.where(np.isfinite(panel.length), panel.length, np.nan)
        mean = {row: float(np.nanmean(lengths[row])) for row in known}
        short, long = min(known, key=lambda row: mean[row]), max(known, key=lambda row: mean[row])
        if mean[short] <= 0 or mean[long] / mean[short] - 1 < _NOTICEABLE:
            return f"all intervals{self.shown} are of about the same length"
        average = "" if panel.x.size == 1 else " on average over the picture"
        return (
            f"the shortest intervals{average} are those of {self.titles[short]}; "
            f"those of {self.titles[long]} are {_part(mean[long] / mean[short] - 1)} longer"
        )

    def by_trials(self, panel: CurvePanel) -> str:
        """The lowest coverage by Monte Carlo, with its interval; empty without estimates."""
        simulated = panel.simulated
        if simulated is None:
            return ""
        alpha, upper = simulated.alpha[self.drawn], simulated.upper[self.drawn]
        lower = simulated.lower[self.drawn]
        if not np.isfinite(alpha).any():
            return ""
        line, column = divmod(int(np.nanargmax(alpha)), simulated.at.size)
        titles = [self.titles[row] for row in self.drawn]
        where = self.near(panel, panel.x[simulated.at[column]])
        interval = ""
        if np.isfinite(upper[line, column]):
            low, high = 1 - upper[line, column], 1 - lower[line, column]
            interval = f" (95 % interval {coverage(low)} to {coverage(high)})"
        lowest = f"{coverage(1 - alpha[line, column])} {where}{interval}"
        clear = np.asarray((lower > panel.alpha).any(axis=1))
        never = [title for title, is_clear in zip(titles, clear, strict=True) if not is_clear]
        text = f"by Monte Carlo {titles[line]} covers least often: {lowest}"
        if len(never) not in (0, len(titles)):
            verb = "is" if len(never) == 1 else "are"
            text += f"; {first_few(never)} {verb} nowhere clearly below {nominal(panel.alpha)}"
        return _capital(f"{self.start(panel)}{text}.")

    def lowest(self, panel: CurvePanel, methods: Sequence[_Worst]) -> str:
        """Which method's coverage is lowest, where, and over how much it is below nominal."""
        bound = nominal(panel.alpha)
        below = [method for method in methods if method.above > 0]
        kept = [method.title for method in methods if method.above == 0]
        worst = max(below or methods, key=lambda method: (method.missed, method.above))
        lowest = f"{coverage(1 - worst.missed)} near {self.place(worst.where)}"
        if not below and len(methods) == 1:
            return f"{worst.title} never falls below {bound}: its lowest is {lowest}"
        if not below:
            none = f"no method{self.shown} falls below {bound}"
            return f"{none}: the lowest is {worst.title}'s, {lowest}"
        count, number = panel.x.size, round(worst.above * panel.x.size)
        which = "sizes" if panel.size is None else "true values"
        where = f"at {number} of {count} {which}" if number < count else f"at all {count} {which}"
        if panel.curves:
            whole = worst.above > 1 - ACCURATE
            where = "over the whole range" if whole else f"over {percent(worst.above)} of the range"
        text = f"{worst.title} falls to {lowest} and is below {bound} {where}"
        if kept:
            return f"{text}; {first_few(kept)} never {'is' if len(kept) == 1 else 'are'}"
        if len(below) == 1:
            return text
        best = min(below, key=lambda method: (method.missed, method.above))
        every = "both methods are" if len(below) == 2 else f"every method{self.shown} is"
        least = f"{coverage(1 - best.missed)} near {self.place(best.where)}"
        return f"{text}; {every} below it somewhere, {best.title} the least far, with {least}"

    def at_the_only_place(self, panel: CurvePanel, methods: Sequence[_Worst]) -> str:
        """The coverage of one method, or the lowest and the highest, at the only position."""
        bound, at = nominal(panel.alpha), self.place(panel.x[0])
        low = max(methods, key=lambda method: method.missed)
        high = min(methods, key=lambda method: method.missed)
        below = sum(method.above > 0 for method in methods)
        if len(methods) == 1:
            side = "below" if below else "not below"
            return f"{low.title} covers {coverage(1 - low.missed)} at {at}, {side} {bound}"
        count = f"{below} of {len(methods)} methods{self.shown} are below {bound}"
        return (
            f"{low.title} {coverage(1 - low.missed)} is the lowest coverage at {at} and "
            f"{high.title} {coverage(1 - high.missed)} the highest; {count}"
        )


@dataclass(frozen=True)
class _Worst:
    """Where a method misses most often."""

    title: str
    missed: float
    where: float
    above: float
    """The part of the range, or of the listed values, where it misses more often than alpha."""


def coverage_sentence(panel: CurvePanel, words: Words) -> str:
    """Which method falls farthest below the nominal coverage, over how much of the range."""
    exact = [row for row in words.drawn if np.isfinite(panel.missed[row]).any()]
    if not exact:
        return words.by_trials(panel)
    unknown = len(words.drawn) - len(exact)
    rest = f" The coverage of {unknown} more is known by Monte Carlo alone." if unknown else ""
    limit = panel.alpha + rounding_of(panel.alpha)
    worst = []
    for row in exact:
        title, missed = words.titles[row], panel.missed[row]
        curve = panel.curves[row] if panel.curves else None
        if curve is None:
            top = first_largest(missed)
            above = float((missed[np.isfinite(missed)] > limit).mean())
            worst.append(_Worst(title, float(missed[top]), float(panel.x[top]), above))
        else:
            top = first_largest(curve.missed)
            above = share_above(curve, limit)
            worst.append(_Worst(title, float(curve.missed[top]), float(curve.truths[top]), above))
    lowest = words.at_the_only_place if panel.x.size == 1 else words.lowest
    return _capital(f"{words.start(panel)}{lowest(panel, worst)}.{rest}")


def outcome_sentence(panel: CurvePanel, words: Words) -> str:
    """Which methods' coverage is farthest from nominal, and which have it at every outcome."""
    bound = nominal(panel.alpha)
    error = panel.missed - panel.alpha
    with_alphas = [row for row in words.drawn if np.isfinite(error[row]).any()]
    exact = [row for row in with_alphas if np.nanmax(np.abs(error[row])) <= ACCURATE]
    others = [row for row in with_alphas if row not in exact]
    above = [row for row in others if np.nanmax(error[row]) > ACCURATE]
    below = [row for row in others if row not in above]

    def at(row: int, where: int) -> str:
        return f"{covered(panel.missed[row, where], panel.alpha)} at {words.place(panel.x[where])}"

    parts = []
    if above:
        row = max(above, key=lambda row: float(np.nanmax(error[row])))
        lowest = at(row, int(np.nanargmax(error[row])))
        one = f" one{words.shown}" if words.shown else ""
        least = f", less than any other{one}" if len(above) > 1 else ""
        parts.append(f"{words.titles[row]} covers {lowest}{least}, where {bound} is nominal")
    if below:
        row = min(below, key=lambda row: float(np.nanmin(error[row])))
        highest = at(row, int(np.nanargmin(error[row])))
        parts.append(f"{words.titles[row]} never covers less than {bound}, and up to {highest}")
    if exact:
        names = first_few([words.titles[row] for row in exact])
        verb = "covers" if len(exact) == 1 else "cover"
        parts.append(f"{names} {verb} {bound} at every outcome")
    text = f"{words.start(panel)}{'; '.join(parts)}."
    return _capital(text) + _held_by_intervals(panel, len(words.titles))


def length_sentence(panel: CurvePanel, words: Words) -> str:
    """How much longer intervals of one method are than those of the others; may be empty."""
    rows = [row for row in words.drawn if row in words.comparable]
    with_lengths = [row for row in rows if np.isfinite(panel.length[row]).any()]
    others = [row for row in with_lengths if row != words.yardstick]
    if not with_lengths:
        return ""
    if words.yardstick >= 0 and others and np.isfinite(panel.length[words.yardstick]).any():
        text = words.longest(panel, others)
    elif panel.x.size == 1 and len(with_lengths) == 1:
        length = panel.length[with_lengths[0], 0]
        text = f"the length is {length:.3g} at {words.place(panel.x[0])}"
    elif len(with_lengths) == 1:
        lengths = panel.length[with_lengths[0]]
        low, high = int(np.nanargmin(lengths)), int(np.nanargmax(lengths))
        text = (
            f"the length goes from {lengths[low]:.3g} near {words.place(panel.x[low])} to "
            f"{lengths[high]:.3g} near {words.place(panel.x[high])}"
        )
    else:
        text = words.mean_lengths(panel, with_lengths)
    return _capital(f"{words.start(panel)}{text}.")


def share_above(curve: MissCurve, limit: float) -> float:
    """The part of the range over which a curve is above a limit, its pieces taken as straight."""
    above = sum(high - low for low, high in ranges_above(curve, limit))
    return float(above / (curve.truths[-1] - curve.truths[0]))


def _held_by_intervals(panel: CurvePanel, count: int) -> str:
    """How many intervals of Monte Carlo hold the exact value, where there is one method."""
    simulated = panel.simulated
    if simulated is None or count > 1:
        return ""
    exact, lower, upper = panel.missed[0, simulated.at], simulated.lower[0], simulated.upper[0]
    compared = np.isfinite(lower) & np.isfinite(exact)
    if not compared.any():
        return ""
    held = (lower <= exact) & (exact <= upper)
    return (
        f" {int(held[compared].sum())} of {int(compared.sum())} Monte Carlo intervals "
        f"hold the exact value; 95 % should."
    )


def _capital(text: str) -> str:
    """A sentence, which begins with a capital letter; a title begins as it is written."""
    words = ("the ", "by ", "no ", "all ")
    return text[:1].upper() + text[1:] if text.startswith(words) else text


def _part(share: float) -> str:
    """A part in percent; one of many times the whole has all digits before the point."""
    return percent(share, max(3, len(f"{100 * share:.0f}")))
