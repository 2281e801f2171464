"""Checks of a function's calls, whatever its limits are: shape, order, repetition, side effects."""

from __future__ import annotations

import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Positions
from harness.callers.calls import (
    Asked,
    Pair,
    copies,
    describe,
    found_in,
    pair_in_words,
    pair_of,
    pairs_of,
    read_arrays,
    same,
)
from harness.methods.method import LimitPair

_SHOWN = 4
"""The most counts of an array that a message shows."""


def _in_other_orders(asked: Asked, limits: LimitPair) -> str | None:
    """What is wrong where outcomes are reversed, mixed, repeated or alone in an array.

    Args:
        asked: the function, which has answered the arrays as they are.
        limits: what it has answered, shape (m,) each.

    Returns:
        A clause with the counts; None where nothing is wrong.
    """
    for places in _orders(asked.count):
        data = {n: value[places] if np.ndim(value) else value for n, value in asked.data.items()}
        fault = _fault(replace(asked, data=data), (limits[0][places], limits[1][places]))
        if fault is not None:
            return fault
    return None


def _orders(count: int) -> list[Positions]:
    """Reversed, mixed, each twice, and the last one alone, as places in the ascending order."""
    places = np.arange(count)
    mixed = np.concatenate((places[1::2][::-1], places[::2]))
    return [places[::-1], mixed, np.repeat(mixed, 2), places[-1:]]


def _fault(asked: Asked, expected: LimitPair) -> str | None:
    where = f"at {asked.in_words(_first_counts)}"
    try:
        answer = asked.function(*copies(asked.data), asked.alpha)
    except asked.raised as error:
        return f"failed {where}: {describe(error)}"
    try:
        limits = read_arrays(answer, asked.count, f" {where}")
    except ValueError as error:
        return str(error)
    pairs, right = pairs_of(limits), pairs_of(expected)
    for place, (found, wanted) in enumerate(zip(pairs, right, strict=True)):
        if not same(wanted, found):
            if all(_same_sorted(*each) for each in zip(limits, expected, strict=True)):
                return f"the answers are sorted, the counts are not {where}"
            in_order = f"{pair_in_words(wanted)} in ascending order"
            return f"{pair_in_words(found)} for {asked.words_at(place)} {where}, {in_order}"
    return None


def _same_sorted(limits: Any, expected: Any) -> bool:
    """Whether limits are those expected, but ascending."""
    return np.allclose(limits, np.sort(expected), rtol=1e-9, atol=1e-12, equal_nan=True)


def _first_counts(counts: Any) -> str:
    """The first counts of an array in a message."""
    few = ", ".join(str(each) for each in counts[:_SHOWN])
    return f"[{few}{', …' if len(counts) > _SHOWN else ''}]"


SHAPE = "has the right shape"
SCALARS = "arrays equal scalars"
TWICE = "answers the same twice"
ARGUMENTS = "leaves its arguments alone"
RANDOM = "leaves random states alone"
IN_ANY_ORDER = "answers in any order"

CallChecks = dict[str, str | None]
"""What is wrong by the name of each check, in a clause with the outcome; None if nothing is."""


def run_call_checks(asked: Asked, deterministic: bool = True) -> CallChecks:
    """Call the function on arrays and on one outcome at a time, and compare.

    A function that raises on arrays takes numbers only, which is no failure; nor is it one that a
    stochastic function draws other limits for an array than for one outcome.

    Args:
        asked: the function, with arrays of counts beside numbers.
        deterministic: whether its limits are a function of the outcome.

    Returns:
        What is wrong, by the name of each check; None where nothing is.
    """
    with unchanged_random_states():
        return _compare(asked, deterministic)


@contextmanager
def unchanged_random_states() -> Iterator[None]:
    """Set the global random states back at the end of the block."""
    before = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])


def _compare(asked: Asked, deterministic: bool) -> CallChecks:
    found: CallChecks = dict.fromkeys((SHAPE, SCALARS, IN_ANY_ORDER, TWICE, ARGUMENTS, RANDOM))
    # Away from the states after a seed, which an earlier call may have set.
    np.random.random_sample()  # noqa: NPY002
    random.random()
    states = _states()
    pairs = asked.each_alone()
    where = f"at {asked.in_words(_ends)}"
    given = copies(asked.data)
    try:
        answer = asked.function(*given, asked.alpha)
    except asked.raised:
        answer = None
    if _states() != states:
        found[RANDOM] = f"the global random state was changed {where}"
    both = zip(asked.data.values(), given, strict=True)
    if any(np.ndim(old) and not np.array_equal(old, new) for old, new in both):
        found[ARGUMENTS] = f"the array that it was given was changed in place {where}"
    # Without limits of any outcome alone, what the function returns is no pair whatever is asked.
    if answer is not None and any(pair is not None for pair in pairs):
        try:
            limits = read_arrays(answer, asked.count, f" {where}", _kind)
        except ValueError as error:
            # A function of one data set may make one of all rows together.
            of_lists = any(np.ndim(value) > 1 for value in asked.data.values())
            found[SHAPE] = None if of_lists else str(error)
        else:
            if deterministic:
                found |= _compared(asked, answer, limits, pairs)
            if deterministic and not any(found.values()):
                found[IN_ANY_ORDER] = _in_other_orders(asked, limits)
    found[TWICE] = _repeated(asked, pairs)
    return found


def _compared(asked: Asked, answer: Any, limits: LimitPair, pairs: list[Pair]) -> CallChecks:
    """What is wrong where the limits of arrays are not those of each outcome alone."""
    fault = _differing(asked, limits, pairs)
    if fault is None:
        return {}
    where = f"at {asked.in_words(_ends)}"
    if _differing(asked, _columns(answer), pairs) is None:
        shape = f"one array of shape {np.shape(answer)} with the limits in its columns"
        return {SHAPE: f"expected two arrays {where}, found {shape}"}
    alone = [np.array([np.nan if pair is None else pair[i] for pair in pairs]) for i in range(2)]
    if all(_same_sorted(*each) for each in zip(limits, alone, strict=True)):
        return {IN_ANY_ORDER: f"the answers are sorted, the counts are not {where}"}
    return {SCALARS: fault}


def _ends(counts: Any) -> str:
    """The first and the last count of an array in a message."""
    return f"{counts[0]} … {counts[-1]}"


def _states() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state()  # noqa: NPY002
    return (name, np.asarray(keys).tobytes(), *rest, random.getstate())


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


def _differing(asked: Asked, limits: LimitPair, pairs: list[Pair]) -> str | None:
    for place, pair in enumerate(pairs):
        from_array = float(limits[0][place]), float(limits[1][place])
        if pair is not None and not same(pair, from_array):
            alone = f"{pair_in_words(pair)} of one outcome at {asked.words_at(place)}"
            return f"{pair_in_words(from_array)} of an array, {alone}"
    return None


def _repeated(asked: Asked, pairs: list[Pair]) -> str | None:
    for place, (first, second) in enumerate(zip(pairs, asked.each_alone(), strict=True)):
        if not np.array_equal(np.array(first, float), np.array(second, float), equal_nan=True):
            then = f"and then {pair_in_words(second)} at {asked.words_at(place)}"
            return f"{pair_in_words(first)} {then}"
    return None
