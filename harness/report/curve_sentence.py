"""What a picture of curves shows, in sentences that are computed from its numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from harness.engines.miss_curve import MissCurve
from harness.listed_words import enumerated
from harness.numerics.arrays import Floats
from harness.report.curve_panels import Panel
from harness.tables.ranking import YARDSTICK
from harness.tables.recommendation import rounding_of

_MOST_NAMED = 3
ACCURATE = 1e-9
"""An actual alpha that differs from alpha by less than this is alpha, but for rounding."""
_NOTICEABLE = 0.005
"""The least part by which a length is called longer."""
Place = Callable[[float], str]
"""Writes a position of the axis: ``p = 0.02``."""


def coverage_sentence(
    panel: Panel, methods: Sequence[str], titles: Mapping[str, str], setting: str, place: Place
) -> str:
    """Which method falls farthest below the nominal coverage, over how much of the range.

    Args:
        panel: with the values of all methods.
        methods: labels, in the order of the rows of the values.
        titles: by label.
        setting: the size in words; empty where it is the axis.
        place: writes a position of the axis.
    """
    known = np.isfinite(panel.missed).any(axis=1)
    if not known.any():
        return _by_trials(panel, methods, titles, setting, place)
    bound = _percent(1 - panel.alpha)
    found = [
        (titles[method], *_worst(panel, row)) for row, method in enumerate(methods) if known[row]
    ]
    below = [each for each in found if each[3] > 0]
    kept = [title for title, _, _, share in found if share == 0]
    at = f" at {setting}" if setting else ""
    if not below:
        title, missed, where, _ = max(found, key=lambda each: each[1])
        none = f"{title} never falls" if len(found) == 1 else "No method falls"
        least = "its" if len(found) == 1 else f"the lowest is {title}'s,"
        return f"{none} below {bound}{at}: {least} {_coverage(missed)} near {place(where)}."
    title, missed, where, share = max(below, key=lambda each: (each[1], each[3]))
    text = (
        f"{title} falls to {_coverage(missed)} near {place(where)} and is below {bound} "
        f"{_share(panel, share)}{at}"
    )
    if kept:
        return f"{text}; {_named(kept)} never {'is' if len(kept) == 1 else 'are'}."
    if len(below) == 1:
        return f"{text}."
    best = min(below, key=lambda each: (each[1], each[3]))
    every = "both methods are" if len(below) == 2 else "every method is"
    return (
        f"{text}; {every} below it somewhere, {best[0]} the least far, with {_coverage(best[1])} "
        f"near {place(best[2])}."
    )


def outcome_sentence(
    panel: Panel, methods: Sequence[str], titles: Mapping[str, str], setting: str, place: Place
) -> str:
    """Which method's actual alpha is farthest from alpha, which have it at every outcome."""
    alpha, at = panel.alpha, f" at {setting}" if setting else ""
    error = panel.missed - alpha
    known = [row for row in range(len(methods)) if np.isfinite(error[row]).any()]
    exact = [row for row in known if np.nanmax(np.abs(error[row])) <= ACCURATE]
    above = [row for row in known if row not in exact and np.nanmax(error[row]) > ACCURATE]
    below = [row for row in known if row not in exact and row not in above]
    parts = []
    if above:
        row = max(above, key=lambda each: float(np.nanmax(error[each])))
        where = int(np.nanargmax(error[row]))
        more = "" if len(above) == 1 else ", the most of all"
        parts.append(
            f"{titles[methods[row]]} misses {_percent(panel.missed[row, where])} at "
            f"{place(panel.x[where])}{more}, where {_percent(alpha)} are desired"
        )
    if below:
        row = min(below, key=lambda each: float(np.nanmin(panel.missed[each])))
        where = int(np.nanargmin(panel.missed[row]))
        parts.append(
            f"{titles[methods[row]]} never misses more than {_percent(alpha)}, but only "
            f"{_percent(panel.missed[row, where])} at {place(panel.x[where])}"
        )
    if exact:
        names = [titles[methods[row]] for row in exact]
        verb = "has" if len(names) == 1 else "have"
        parts.append(f"{_named(names)} {verb} α = {alpha:g} at every outcome")
    text = "; ".join(parts) + at
    return f"{text[:1].upper()}{text[1:]}.{_held_by_intervals(panel, len(methods))}"


def length_sentence(
    panel: Panel,
    methods: Sequence[str],
    titles: Mapping[str, str],
    setting: str,
    place: Place,
) -> str:
    """How much longer the intervals of one method are than those of the others; may be empty."""
    known = [row for row in range(len(methods)) if np.isfinite(panel.length[row]).any()]
    at = f" at {setting}" if setting else ""
    if not known:
        return ""
    if len(known) == 1:
        (row,) = known
        low, high = np.nanargmin(panel.length[row]), np.nanargmax(panel.length[row])
        return (
            f"The length{at} goes from {panel.length[row, low]:.3g} near {place(panel.x[low])} to "
            f"{panel.length[row, high]:.3g} near {place(panel.x[high])}."
        )
    reference = methods.index(YARDSTICK) if YARDSTICK in methods else -1
    if reference not in known:
        return _mean_lengths(panel, methods, titles, known, at)
    with np.errstate(invalid="ignore", divide="ignore"):
        longer = panel.length / panel.length[reference] - 1
    longer[~np.isfinite(longer)] = np.nan
    others = [row for row in known if row != reference and np.isfinite(longer[row]).any()]
    if not others:
        return ""
    row = max(others, key=lambda each: float(np.nanmax(longer[each])))
    where = int(np.nanargmax(longer[row]))
    if longer[row, where] < _NOTICEABLE:
        return f"No intervals are longer than those of {titles[methods[reference]]}{at}."
    return (
        f"{titles[methods[row]]} has intervals up to {_percent(longer[row, where])} longer than "
        f"{titles[methods[reference]]}, near {place(panel.x[where])}{at}."
    )


def _mean_lengths(
    panel: Panel, methods: Sequence[str], titles: Mapping[str, str], known: Sequence[int], at: str
) -> str:
    """The shortest and the longest intervals over all positions, with the coverage of the former."""
    lengths = np.where(np.isfinite(panel.length), panel.length, np.nan)
    mean = {row: float(np.nanmean(lengths[row])) for row in known}
    short, long = min(known, key=lambda row: mean[row]), max(known, key=lambda row: mean[row])
    if mean[short] <= 0 or mean[long] / mean[short] - 1 < _NOTICEABLE:
        return f"All intervals are of about the same length{at}."
    return (
        f"{titles[methods[short]]} has the shortest intervals on average over the picture{at}; "
        f"those of {titles[methods[long]]} are {_percent(mean[long] / mean[short] - 1)} longer."
    )


def _worst(panel: Panel, row: int) -> tuple[float, float, float]:
    """The largest actual alpha, where it is, and over which part of the range alpha is exceeded."""
    limit = panel.alpha + rounding_of(panel.alpha)
    curve = panel.curves[row] if panel.curves else None
    missed = panel.missed[row]
    if curve is None:
        top = _first_largest(missed)
        known = np.isfinite(missed)
        return float(missed[top]), float(panel.x[top]), float((missed[known] > limit).mean())
    top = _first_largest(curve.missed)
    return float(curve.missed[top]), float(curve.truths[top]), share_above(curve, limit)


def _first_largest(values: Floats) -> int:
    """The first place of the largest value, of those that differ by rounding alone."""
    return int(np.flatnonzero(values >= np.nanmax(values) - ACCURATE)[0])


def share_above(curve: MissCurve, limit: float) -> float:
    """The part of the range over which a curve is above a limit, its pieces taken as straight."""
    run, over = np.diff(curve.truths), curve.missed - limit
    first, last = over[:-1], over[1:]
    crosses = (first > 0) != (last > 0)
    part = np.where((first > 0) & (last > 0), 1.0, 0.0)
    first, last = first[crosses], last[crosses]
    part[crosses] = np.maximum(first, last) / np.abs(first - last)
    return float((run * part).sum() / (curve.truths[-1] - curve.truths[0]))


def _share(panel: Panel, share: float) -> str:
    """Over how much of the range, or at how many of the listed values."""
    if panel.curves:
        return "over the whole range" if share == 1 else f"over {_percent(share)} of the range"
    count = panel.x.size
    number = round(share * count)
    which = "sizes" if panel.size is None else "true values"
    return f"at {number} of {count} {which}"


def _by_trials(
    panel: Panel, methods: Sequence[str], titles: Mapping[str, str], setting: str, place: Place
) -> str:
    """The lowest coverage by Monte Carlo, with its interval."""
    found = panel.simulated
    if found is None:
        return ""
    at = f" at {setting}" if setting else ""
    row, column = np.unravel_index(int(np.nanargmax(found.alpha)), found.alpha.shape)
    where = panel.x[found.at[column]]
    interval = ""
    if np.isfinite(found.upper[row, column]):
        ends = 1 - found.upper[row, column], 1 - found.lower[row, column]
        interval = f" (95 % interval {_percent(ends[0])} to {_percent(ends[1])})"
    clear = found.lower > panel.alpha
    never = [titles[method] for row, method in enumerate(methods) if not clear[row].any()]
    text = (
        f"By Monte Carlo {titles[methods[row]]} covers least often{at}: "
        f"{_coverage(found.alpha[row, column])} near {place(where)}{interval}"
    )
    if len(never) in (0, len(methods)):
        return f"{text}."
    verb = "is" if len(never) == 1 else "are"
    return f"{text}; {_named(never)} {verb} nowhere clearly below {_percent(1 - panel.alpha)}."


def _held_by_intervals(panel: Panel, count: int) -> str:
    """How many intervals of Monte Carlo hold the exact value, where there is one method."""
    found = panel.simulated
    if found is None or count > 1:
        return ""
    exact = panel.missed[0, found.at]
    known = np.isfinite(found.lower[0]) & np.isfinite(exact)
    if not known.any():
        return ""
    held = (found.lower[0] <= exact) & (exact <= found.upper[0])
    return (
        f" {int(held[known].sum())} of {int(known.sum())} Monte Carlo intervals hold the exact "
        f"value, where 95 % of them should."
    )


def _named(titles: Sequence[str]) -> str:
    if len(titles) > _MOST_NAMED + 1:
        titles = [*titles[:_MOST_NAMED], f"{len(titles) - _MOST_NAMED} others"]
    return enumerated(titles)


def _coverage(missed: float) -> str:
    """The coverage in percent."""
    return _percent(max(1 - missed, 0.0))


def _percent(value: float) -> str:
    """In percent with three digits; next to 100 % with as many as its distance needs."""
    percent = 100 * value
    digits = 3
    if 0 < 100 - percent < 0.5:
        digits = 2 + math.ceil(1 - math.log10(100 - percent))
    return f"{percent:.{digits}g} %"


def positions(symbol: str, digits: int = 3) -> Place:
    """Write positions with a symbol: ``p = 0.02``."""
    return lambda value: f"{symbol} = {value:.{digits}g}"
