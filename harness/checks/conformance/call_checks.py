"""Checks of a method's calls, whatever its limits are: shape, order, repetition, side effects.

They run where the method is called, which is the process of a user's function.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from harness.callers.calls import (
    Asked,
    AskedByLines,
    CallFault,
    CallFaults,
    FunctionError,
    Outcome,
    Pair,
    Probe,
    at_outcome,
    call_on_numbers,
    copies,
    describe,
    format_arguments,
    found_in,
    is_square,
    one_outcome,
    pair_of,
    read_arrays,
    same,
)
from harness.callers.messages import ProcessError
from harness.methods.method import LimitPair

SHAPE = "has the right shape"
SCALARS = "arrays equal scalars"
TWICE = "answers the same twice"
ARGUMENTS = "leaves its arguments alone"
RANDOM = "leaves random states alone"
IN_ANY_ORDER = "answers in any order"

_SHOWN = 4
"""The most counts of an array that a message shows."""

Texts = dict[str, str | None]
"""What is wrong by the name of each check, in a clause with the outcome; None if nothing is."""


@dataclass
class CallChecks(Probe):
    """The checks of calls with an array of outcomes, and of one outcome at a time."""

    has_counted: bool = False
    """Whether the lines of a program have been counted, which starts a process of it."""

    def of_function(self, asked: Asked, deterministic: bool) -> CallFaults:
        return _faults(run_call_checks(asked, deterministic))

    def most_calls(self, count: int) -> int:
        return 2 * count + 6

    def of_program(
        self, program: AskedByLines, outcomes: Sequence[Outcome], alpha: float
    ) -> CallFaults:
        """What is wrong with the number and the order of the answers."""
        texts: Texts = dict.fromkeys((SHAPE, SCALARS, TWICE))
        if not self.has_counted:
            self.has_counted = True
            expected = len(outcomes)
            try:
                count = program.answer_count(outcomes, alpha)
            except ProcessError as error:
                texts[SHAPE] = f"{error} after {expected} lines and the end of the input"
            else:
                if count != expected:
                    texts[SHAPE] = f"expected {expected} lines for {expected}, found {count}"
        ahead = program.pairs(outcomes, alpha)
        backwards = [program.pairs([outcome], alpha)[0] for outcome in reversed(outcomes)][::-1]
        again = [program.pairs([outcome], alpha)[0] for outcome in outcomes]
        for outcome, first, second, third in zip(outcomes, ahead, backwards, again, strict=True):
            where = at_outcome(outcome, alpha)
            if texts[SCALARS] is None and not _equal(first, second):
                texts[SCALARS] = (
                    f"{pair_in_words(first)} with the lines of all outcomes written ahead, "
                    f"{pair_in_words(second)} with this one alone {where}"
                )
            if texts[TWICE] is None and not _equal(second, third):
                texts[TWICE] = f"{pair_in_words(second)} and then {pair_in_words(third)} {where}"
        return _faults(texts)


def _faults(texts: Texts) -> CallFaults:
    return {name: None if text is None else CallFault(text) for name, text in texts.items()}


def run_call_checks(asked: Asked, deterministic: bool = True) -> Texts:
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
        texts: Texts = dict.fromkeys((SHAPE, SCALARS, IN_ANY_ORDER, TWICE, ARGUMENTS, RANDOM))
        # Away from the states after a seed, which an earlier call may have set.
        np.random.random_sample()  # noqa: NPY002
        random.random()
        states = _states()
        pairs = each_alone(asked)
        where = f"at {in_words(asked, _ends)}"
        given = copies(asked.data)
        try:
            answer = asked.function(*given, asked.alpha)
        except asked.raised:
            answer = None
        if _states() != states:
            texts[RANDOM] = f"the global random state was changed {where}"
        both = zip(asked.data.values(), given, strict=True)
        if any(np.ndim(old) and not np.array_equal(old, new) for old, new in both):
            texts[ARGUMENTS] = f"the array that it was given was changed in place {where}"
        # Without limits of any outcome alone, what the function returns is no pair, whatever is
        # asked.
        if answer is not None and any(pair is not None for pair in pairs):
            try:
                limits = read_arrays(answer, asked.count, f" {where}", _kind)
            except ValueError as error:
                # A function of one data set may make one of all rows together.
                of_lists = any(np.ndim(value) > 1 for value in asked.data.values())
                texts[SHAPE] = None if of_lists else str(error)
            else:
                if is_square(answer):
                    in_columns = answer[:, 0], answer[:, 1]
                    limits = limits if _differing(asked, in_columns, pairs) else in_columns
                if deterministic:
                    texts |= _compared(asked, limits, pairs)
                if deterministic and not any(texts.values()):
                    texts[IN_ANY_ORDER] = _in_other_orders(asked, limits)
        for place, (first, second) in enumerate(zip(pairs, each_alone(asked), strict=True)):
            if texts[TWICE] is None and not _equal(first, second):
                then = f"and then {pair_in_words(second)} {_at(asked, place)}"
                texts[TWICE] = f"{pair_in_words(first)} {then}"
        return texts


@contextmanager
def unchanged_random_states() -> Iterator[None]:
    """Set the global random states back at the end of the block."""
    before = np.random.get_state(), random.getstate()  # noqa: NPY002
    try:
        yield
    finally:
        np.random.set_state(before[0])  # noqa: NPY002
        random.setstate(before[1])


def each_alone(asked: Asked) -> list[Pair]:
    """Limits outcome by outcome; None where there are none."""
    pairs: list[Pair] = []
    for place in range(asked.count):
        outcome = one_outcome(asked.data, place)
        try:
            pairs.append(call_on_numbers(asked.function, outcome, asked.alpha, asked.raised))
        except FunctionError:
            pairs.append(None)
    return pairs


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


def _compared(asked: Asked, limits: LimitPair, pairs: list[Pair]) -> Texts:
    """What is wrong where the limits of arrays are not those of each outcome alone."""
    fault = _differing(asked, limits, pairs)
    if fault is None:
        return {}
    where = f"at {in_words(asked, _ends)}"
    alone = [np.array([np.nan if pair is None else pair[i] for pair in pairs]) for i in range(2)]
    if all(_same_sorted(*both) for both in zip(limits, alone, strict=True)):
        return {IN_ANY_ORDER: f"the answers are sorted, the counts are not {where}"}
    return {SCALARS: fault}


def _differing(asked: Asked, limits: LimitPair, pairs: list[Pair]) -> str | None:
    for place, pair in enumerate(pairs):
        from_array = float(limits[0][place]), float(limits[1][place])
        if pair is not None and not same(pair, from_array):
            alone = f"{pair_in_words(pair)} of one outcome {_at(asked, place)}"
            return f"{pair_in_words(from_array)} of an array, {alone}"
    return None


def _same_sorted(limits: Any, expected: Any) -> bool:
    """Whether limits are those expected, but ascending."""
    return np.allclose(limits, np.sort(expected), rtol=1e-9, atol=1e-12, equal_nan=True)


def _in_other_orders(asked: Asked, limits: LimitPair) -> str | None:
    """What is wrong where outcomes are reversed, mixed, repeated or alone in an array.

    Args:
        asked: the function, which has answered the arrays as they are.
        limits: what it has answered, shape (m,) each.

    Returns:
        A clause with the counts; None where nothing is wrong.
    """
    places = np.arange(asked.count)
    mixed = np.concatenate((places[1::2][::-1], places[::2]))
    for order in (places[::-1], mixed, np.repeat(mixed, 2), places[-1:]):
        data = {
            name: value[order] if np.ndim(value) else value for name, value in asked.data.items()
        }
        expected = limits[0][order], limits[1][order]
        reordered = replace(asked, data=data)
        where = f"at {in_words(reordered, _first_counts)}"
        try:
            answer = reordered.function(*copies(reordered.data), reordered.alpha)
        except reordered.raised as error:
            return f"failed {where}: {describe(error)}"
        if is_square(answer):
            continue
        try:
            answered = read_arrays(answer, reordered.count, f" {where}")
        except ValueError as error:
            return str(error)
        pairs, right = pairs_of(answered), pairs_of(expected)
        for place, (pair, wanted) in enumerate(zip(pairs, right, strict=True)):
            if not same(wanted, pair):
                if all(_same_sorted(*both) for both in zip(answered, expected, strict=True)):
                    return f"the answers are sorted, the counts are not {where}"
                outcome = {**one_outcome(reordered.data, place), "alpha": reordered.alpha}
                in_order = f"{pair_in_words(wanted)} in ascending order"
                return f"{pair_in_words(pair)} for {format_arguments(outcome)} {where}, {in_order}"
    return None


def _equal(first: Pair, second: Pair) -> bool:
    if first is None or second is None:
        return first is second
    return np.array_equal(first, second, equal_nan=True)


# Words.


def in_words(asked: Asked, of_array: Callable[[Any], str]) -> str:
    """The arguments in a message, arrays as given."""
    arguments: Mapping[str, Any] = {**asked.data, "alpha": asked.alpha}
    return ", ".join(
        f"{name} = {of_array(value)}" if np.ndim(value) else format_arguments({name: value})
        for name, value in arguments.items()
    )


def _ends(counts: Any) -> str:
    """The first and the last count of an array in a message."""
    return f"{counts[0]} … {counts[-1]}"


def _first_counts(counts: Any) -> str:
    """The first counts of an array in a message."""
    few = ", ".join(str(count) for count in counts[:_SHOWN])
    return f"[{few}{', …' if len(counts) > _SHOWN else ''}]"


def _at(asked: Asked, place: int) -> str:
    return at_outcome(one_outcome(asked.data, place), asked.alpha)


def pairs_of(limits: LimitPair) -> list[tuple[float, float]]:
    """The limits of each outcome, from arrays."""
    return [*zip(limits[0].tolist(), limits[1].tolist(), strict=True)]


def pair_in_words(pair: Pair) -> str:
    """The limits of one outcome in a message."""
    return "no limits" if pair is None else f"{pair[0]:.15g} … {pair[1]:.15g}"
