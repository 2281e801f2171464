"""What a run remarks about limits: those outside the range, and those that depend on the questions.

A user's function may remember: a cache that forgets alpha, a counter, a generator of its own. Its
limits then depend on what it was asked before, and so on the order of the config. So it is started
once more, and asked for some of the limits again, the last ones first.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.calls import format_arguments, one_outcome, same
from harness.callers.source import NOT_CALLED, Answers, Observed, RunSource
from harness.designs.scenario import Scenario, observed_at
from harness.families.catalogue import family_of
from harness.methods.remarks import ORDER, OUTSIDE, STAYS_IN_RANGE, Remark, leaves_range

ASKED_AGAIN = 16
"""The most outcomes of a size and alpha that a function is asked for again."""


def ask(source: RunSource, observed: Observed, alpha: float, side: str) -> Answers:
    """The limits of a source; of one that draws them, from a stream that is always the same."""
    if source.deterministic:
        answers = source.limits(observed, alpha, side)
    else:
        answers = source.draw(observed, alpha, side, np.random.default_rng(_SEED))
    return answers.intervals(observed, alpha, side)


_SEED = 0


def some_outcomes(outcomes: Integers) -> Integers:
    """At most ``ASKED_AGAIN`` of the outcomes, evenly spread, with the first and the last one."""
    spread = np.linspace(0, outcomes.size - 1, min(outcomes.size, ASKED_AGAIN))
    return outcomes[np.rint(spread).astype(np.int64)]


@dataclass(frozen=True)
class FoundLimits:
    """The limits of one column in one scenario, at outcomes in ascending order."""

    scenario: Scenario
    number: int
    """The number of the scenario."""
    source: RunSource
    side: str
    alpha: float
    outcomes: Integers
    lower: Floats
    """Not a number where the method has failed; shape of the outcomes."""
    upper: Floats


def range_remark(found: FoundLimits) -> Remark | None:
    """The remark that limits lie outside the range of the parameter, where they do."""
    if STAYS_IN_RANGE in found.source.exceptions:
        return None
    family, sizes = family_of(found.scenario.family), found.scenario.sizes
    where = np.flatnonzero(leaves_range(found.lower, found.upper, family, sizes))
    if not where.size:
        return None
    first = int(where[0])
    low, high = family.support
    limits = _limits(found.lower[first], found.upper[first])
    text = f"{limits} at {_outcome(found, first)}, where the range is {low:g} … {high:g}"
    return Remark(
        found.source.label, found.alpha, OUTSIDE, text, int(where.size), found.outcomes.size
    )


def order_remarks(source: RunSource, columns: Sequence[FoundLimits]) -> list[tuple[int, Remark]]:
    """The remarks that limits of a source depend on what it was asked before.

    Args:
        source: of all the columns.
        columns: in the order in which the source was asked.

    Returns:
        Each remark with the number of its scenario, in the order of the columns.
    """
    try:
        again = source.afresh()
    except InputError as fault:
        first = columns[0]
        text = f"it could be loaded only once: {fault}"
        return [(first.number, Remark(source.label, first.alpha, ORDER, text, 0, 0))]
    if again is None:
        return []
    with closing(again):
        return [*_differing(again, columns)][::-1]


def _differing(again: RunSource, columns: Sequence[FoundLimits]) -> Iterator[tuple[int, Remark]]:
    for found in reversed(columns):
        answered = np.flatnonzero(~np.isnan(found.lower))
        if not answered.size:
            continue
        places = some_outcomes(answered)
        if again.deterministic:
            places = places[::-1]
        elif answered.size < found.outcomes.size:
            # What is drawn for an outcome follows from its place among those asked for.
            continue
        observed = observed_at(found.scenario, found.outcomes[places])
        second = ask(again, observed, found.alpha, found.side)
        differs = [at for at in range(places.size) if _differ(found, places[at], second, at)]
        if differs:
            yield found.number, _order_remark(found, places, observed, second, differs)


def _differ(found: FoundLimits, place: int, second: Answers, at: int) -> bool:
    """Whether the second limits are others than the first ones, by more than rounding."""
    if second.failures.get(at, "").startswith(NOT_CALLED):
        return False
    pair = float(second.lower[at]), float(second.upper[at])
    return not same(pair, (found.lower[place], found.upper[place]))


def _order_remark(
    found: FoundLimits,
    places: Integers,
    observed: Observed,
    second: Answers,
    differs: Sequence[int],
) -> Remark:
    at = min(differs, key=lambda each: int(places[each]))
    place = int(places[at])
    failure = second.failures.get(at)
    other = _limits(second.lower[at], second.upper[at]) if failure is None else failure
    first = (
        f"{_limits(found.lower[place], found.upper[place])} at {_outcome(found, place)}, "
        f"and in another order of the calls {other}"
    )
    return Remark(found.source.label, found.alpha, ORDER, first, len(differs), int(places.size))


def _limits(lower: float, upper: float) -> str:
    return f"limits {lower:.15g} and {upper:.15g}"


def _outcome(found: FoundLimits, place: int) -> str:
    observed = observed_at(found.scenario, found.outcomes[[place]])
    return format_arguments({**one_outcome(observed.arguments, 0), "alpha": found.alpha})
