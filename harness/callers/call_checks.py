"""Checks of a function's calls, whatever its limits are: shape, order, repetition, side effects."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Positions
from harness.callers.calls import (
    ANYTHING,
    Function,
    FunctionError,
    Pair,
    Raised,
    call_on_numbers,
    copies,
    describe,
    format_arguments,
    found_in,
    one_outcome,
    outcome_count,
    pair_in_words,
    pair_of,
    pairs_of,
    read_arrays,
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
    count, where = outcome_count(given), f"at {_first_counts(given, alpha)}"
    try:
        answer = function(
            *(value.copy() if np.ndim(value) else value for value in given.values()), alpha
        )
    except raised as error:
        return f"failed {where}: {describe(error)}"
    try:
        limits = read_arrays(answer, count, f" {where}")
    except ValueError as error:
        return str(error)
    pairs, right = pairs_of(limits), pairs_of(expected)
    for place, (found, wanted) in enumerate(zip(pairs, right, strict=True)):
        if not same(wanted, found):
            if all(_same_sorted(*each) for each in zip(limits, expected, strict=True)):
                return f"the answers are sorted, the counts are not {where}"
            outcome = format_arguments({**one_outcome(given, place), "alpha": alpha})
            in_order = pair_in_words(wanted)
            return f"{pair_in_words(found)} for {outcome} {where}, {in_order} in ascending order"
    return None


def _same_sorted(limits: Any, expected: Any) -> bool:
    """Whether limits are those expected, but ascending."""
    return np.allclose(limits, np.sort(expected), rtol=1e-9, atol=1e-12, equal_nan=True)


def _first_counts(given: dict[str, Any], alpha: float) -> str:
    """The arguments in a message, of an array its first counts."""
    parts = []
    for name, value in {**given, "alpha": alpha}.items():
        if np.ndim(value) == 0:
            parts.append(format_arguments({name: value}))
        else:
            few = ", ".join(str(each) for each in value[:_SHOWN])
            parts.append(f"{name} = [{few}{', …' if len(value) > _SHOWN else ''}]")
    return ", ".join(parts)


SHAPE = "has the right shape"
SCALARS = "arrays equal scalars"
TWICE = "answers the same twice"
ARGUMENTS = "leaves its arguments alone"
RANDOM = "leaves random states alone"
IN_ANY_ORDER = "answers in any order"

CallChecks = dict[str, str | None]
"""What is wrong by the name of each check, in a clause with the outcome; None if nothing is."""


def run_call_checks(
    function: Function,
    data: dict[str, Any],
    alpha: float,
    raised: Raised = ANYTHING,
    deterministic: bool = True,
) -> CallChecks:
    """Call the function on arrays and on one outcome at a time, and compare.

    A function that raises on arrays takes numbers only, which is no failure; nor is it one that a
    stochastic function draws other limits for an array than for one outcome.

    Args:
        function: of the data and alpha.
        data: its arguments by name, arrays of counts beside numbers.
        alpha: its last argument.
        raised: the exceptions that are the function's.
        deterministic: whether its limits are a function of the outcome.

    Returns:
        What is wrong, by the name of each check; None where nothing is.
    """
    with unchanged_random_states():
        return _compare(function, data, alpha, raised, deterministic)


@contextmanager
def unchanged_random_states() -> Iterator[None]:
    """Set the global random states back at the end of the block."""
    before = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])


def _compare(
    function: Function, data: dict[str, Any], alpha: float, raised: Raised, deterministic: bool
) -> CallChecks:
    found: CallChecks = dict.fromkeys((SHAPE, SCALARS, IN_ANY_ORDER, TWICE, ARGUMENTS, RANDOM))
    # Away from the states after a seed, which an earlier call may have set.
    np.random.random_sample()  # noqa: NPY002
    random.random()
    states = _states()
    pairs = each_alone(function, data, alpha, raised)
    where = f"at {_several(data, alpha)}"
    given = copies(data)
    try:
        answer = function(*given, alpha)
    except raised:
        answer = None
    if _states() != states:
        found[RANDOM] = f"the global random state was changed {where}"
    both = zip(data.values(), given, strict=True)
    if any(np.ndim(old) and not np.array_equal(old, new) for old, new in both):
        found[ARGUMENTS] = f"the array that it was given was changed in place {where}"
    # Without limits of any outcome alone, what the function returns is no pair whatever is asked.
    if answer is not None and any(pair is not None for pair in pairs):
        try:
            limits = read_arrays(answer, outcome_count(data), f" {where}", _kind)
        except ValueError as error:
            # A function of one data set may make one of all rows together.
            of_lists = any(np.ndim(value) > 1 for value in data.values())
            found[SHAPE] = None if of_lists else str(error)
        else:
            if deterministic:
                found |= _compared(data, alpha, answer, limits, pairs)
            if deterministic and not any(found.values()):
                found[IN_ANY_ORDER] = in_other_orders(function, data, alpha, limits, raised)
    found[TWICE] = _repeated(function, data, alpha, pairs, raised)
    return found


def _compared(
    data: dict[str, Any], alpha: float, answer: Any, limits: LimitPair, pairs: list[Pair]
) -> CallChecks:
    """What is wrong where the limits of arrays are not those of each outcome alone."""
    fault = _differing(data, alpha, limits, pairs)
    if fault is None:
        return {}
    where = f"at {_several(data, alpha)}"
    if _differing(data, alpha, _columns(answer), pairs) is None:
        shape = f"one array of shape {np.shape(answer)} with the limits in its columns"
        return {SHAPE: f"expected two arrays {where}, found {shape}"}
    alone = [np.array([np.nan if pair is None else pair[i] for pair in pairs]) for i in range(2)]
    if all(_same_sorted(*each) for each in zip(limits, alone, strict=True)):
        return {IN_ANY_ORDER: f"the answers are sorted, the counts are not {where}"}
    return {SCALARS: fault}


def _several(data: dict[str, Any], alpha: float) -> str:
    """The arguments in a message, an array by its first and last count."""
    parts = [
        f"{name} = {value[0]} … {value[-1]}" if np.ndim(value) else format_arguments({name: value})
        for name, value in {**data, "alpha": alpha}.items()
    ]
    return ", ".join(parts)


def _states() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return (name, np.asarray(keys).tobytes(), *rest, random.getstate())


def each_alone(
    function: Function, data: dict[str, Any], alpha: float, raised: Raised
) -> list[Pair]:
    """Limits outcome by outcome; None where there are none."""
    pairs: list[Pair] = []
    for place in range(outcome_count(data)):
        try:
            pairs.append(call_on_numbers(function, one_outcome(data, place), alpha, raised))
        except FunctionError:
            pairs.append(None)
    return pairs


def _kind(error: Exception, answer: Any) -> str:
    """The shape of an array of numbers, or what anything else is; in a clause."""
    try:
        numbers = np.asarray(pair_of(answer) if isinstance(answer, tuple) else answer, np.float64)
    except (TypeError, ValueError):
        return found_in(error, answer)
    return f"found shape {numbers.shape}" if numbers.ndim else found_in(error, answer)


def _columns(answer: Any) -> LimitPair:
    """The columns of an array of two rows and two columns, else its rows as they are."""
    first, second = (np.asarray(each, np.float64) for each in pair_of(answer))
    if not isinstance(answer, np.ndarray) or answer.shape != (2, 2):
        return first, second
    return np.array([first[0], second[0]]), np.array([first[1], second[1]])


def _differing(
    data: dict[str, Any],
    alpha: float,
    limits: LimitPair,
    pairs: list[Pair],
) -> str | None:
    for place, pair in enumerate(pairs):
        from_array = float(limits[0][place]), float(limits[1][place])
        if pair is not None and not same(pair, from_array):
            where = format_arguments({**one_outcome(data, place), "alpha": alpha})
            alone = pair_in_words(pair)
            return f"{pair_in_words(from_array)} of an array, {alone} of one outcome at {where}"
    return None


def _repeated(
    function: Function,
    data: dict[str, Any],
    alpha: float,
    pairs: list[Pair],
    raised: Raised,
) -> str | None:
    for place, second in enumerate(each_alone(function, data, alpha, raised)):
        first = pairs[place]
        if not np.array_equal(np.array(first, float), np.array(second, float), equal_nan=True):
            where = format_arguments({**one_outcome(data, place), "alpha": alpha})
            return f"{pair_in_words(first)} and then {pair_in_words(second)} at {where}"
    return None
