"""Whether a function answers arrays of outcomes in any order as in the ascending one."""

from __future__ import annotations

from typing import Any

import numpy as np

from harness.base.numerics.arrays import Positions
from harness.callers.calls import (
    Function,
    Raised,
    describe,
    format_arguments,
    found_in,
    one_outcome,
    outcome_count,
    pair_of,
    same,
)
from harness.methods.method import LimitPair

_SHOWN = 4
"""The most counts of an array that a message shows."""


def in_other_orders(
    function: Function, data: dict[str, Any], alpha: float, limits: LimitPair, raised: Raised
) -> str | None:
    """What is wrong where outcomes are reversed, mixed, repeated or alone in an array.

    Args:
        function: of the data and alpha, which has answered the arrays as they are.
        data: its arguments by name, arrays beside numbers.
        alpha: its last argument.
        limits: what it has answered, shape (m,) each.
        raised: the exceptions that are the function's.

    Returns:
        A clause with the counts; None where nothing is wrong.
    """
    for places in _orders(outcome_count(data)):
        given = {name: value[places] if np.ndim(value) else value for name, value in data.items()}
        fault = _fault(function, given, alpha, (limits[0][places], limits[1][places]), raised)
        if fault is not None:
            return fault
    return None


def _orders(count: int) -> list[Positions]:
    """Reversed, mixed, each twice, and the last one alone, as places in the ascending order."""
    places = np.arange(count)
    mixed = np.concatenate((places[1::2][::-1], places[::2]))
    return [places[::-1], mixed, np.repeat(mixed, 2), places[-1:]]


def _fault(
    function: Function, given: dict[str, Any], alpha: float, expected: LimitPair, raised: Raised
) -> str | None:
    count, where = outcome_count(given), f"at {_several(given, alpha)}"
    try:
        answer = function(
            *(value.copy() if np.ndim(value) else value for value in given.values()), alpha
        )
    except raised as error:
        return f"failed {where}: {describe(error)}"
    try:
        lower, upper = (np.asarray(each, np.float64) for each in pair_of(answer))
    except (TypeError, ValueError) as error:
        return f"expected two arrays of shape ({count},) {where}, {found_in(error, answer)}"
    if not lower.shape == upper.shape == (count,):
        shapes = f"{lower.shape} and {upper.shape}"
        return f"expected limits of shape ({count},) {where}, found {shapes}"
    pairs = [*zip(lower.tolist(), upper.tolist(), strict=True)]
    right = [*zip(expected[0].tolist(), expected[1].tolist(), strict=True)]
    for place, (found, wanted) in enumerate(zip(pairs, right, strict=True)):
        if not same(wanted, found):
            if same_sorted(lower, expected[0]) and same_sorted(upper, expected[1]):
                return f"the answers are sorted, the counts are not {where}"
            outcome = format_arguments({**one_outcome(given, place), "alpha": alpha})
            return f"{_pair(found)} for {outcome} {where}, {_pair(wanted)} in ascending order"
    return None


def same_sorted(limits: Any, expected: Any) -> bool:
    """Whether limits are those expected, but ascending."""
    return np.allclose(limits, np.sort(expected), rtol=1e-9, atol=1e-12, equal_nan=True)


def _several(given: dict[str, Any], alpha: float) -> str:
    """The arguments in a message, of an array its first counts."""
    parts = []
    for name, value in {**given, "alpha": alpha}.items():
        if np.ndim(value) == 0:
            parts.append(format_arguments({name: value}))
        else:
            few = ", ".join(str(each) for each in value[:_SHOWN])
            parts.append(f"{name} = [{few}{', …' if len(value) > _SHOWN else ''}]")
    return ", ".join(parts)


def _pair(pair: tuple[float, float]) -> str:
    return f"{pair[0]:.15g} … {pair[1]:.15g}"
