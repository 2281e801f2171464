"""The search for a sufficient size among the sizes about the answer.

Where the limits of all outcomes at all sizes take long, the answer is bracketed by powers of two
and by bisection, and only the sizes about it are decided: all of them. An expected width falls like
1/√n and a probability of a width rises, both up to a ripple, as the outcomes are counts. In the
window the ripple shows as sizes that reach the goal and sizes that do not among each other; the
window extends by at least twice the range of these, and 5 %, to each side.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from harness.base.numerics.arrays import Bools, Integers
from harness.planning.estimates import limits_of_rules
from harness.planning.goals import AssuredWidth, Width
from harness.planning.search import (
    LARGEST_WORK,
    TIMES,
    Question,
    SufficientSize,
    largest_failing,
    search,
    too_large,
    work_of_all,
)

_ALL = 3 << 20
"""The most limits, times their cost, with which every size up to four times the answer is checked;
those of it take a few seconds."""
_AT_ONCE = 8
"""Powers of two that are tried at once."""
_PARTS = 8
"""Parts of the bracket whose ends are tried at once."""
_REACHED = 4
"""Powers of two that reach the goal, one after the other, after which larger ones are not tried."""
_NARROW = 1.03
"""The ratio of both sizes that bracket the answer at the end of the bisection."""
_STEP = 1.1
"""The ratio of sizes that are tried one after the other from that with the expected width on."""
_REACH = 1.05
"""The window about the answer extends by this factor at least."""
_BEYOND = 2
"""The window extends by so many times the range of sizes that reach the goal and do not."""


def search_near(question: Question) -> SufficientSize | None:
    """Return the size from which on every size reaches the goal; None where no size does.

    Raises:
        TooLargeError: the answer is so large that the sizes about it are too many.
    """
    ladder = question.ladder
    goal = question.expectations.goal
    if isinstance(goal, AssuredWidth) and question.smooth and not goal.width.family.is_ratio:
        failing, above = _about_the_width(question, goal)
    else:
        power = _bracket(question)
        if power is None:
            return None
        # Sizes between a power of two that fails and the next one, that reaches the goal.
        failing, size = power, 2.0 * float(ladder.sizes(np.array([power + 1]))[0])
        above = min(ladder.number_from(size), ladder.last)
    pieces = _PARTS if question.takes_few else 2
    while above - failing > 1:
        low, high = ladder.sizes(np.array([max(failing, 1), above])).tolist()
        if high <= _NARROW * low:
            break
        inner = np.geomspace(low, high, pieces + 1)[1:-1].tolist()
        tried = np.unique([ladder.number_from(size) for size in inner])
        tried = np.unique(np.clip(tried, failing + 1, above - 1))
        fails = tried[~question.is_reached(tried)]
        failing = int(max(fails, default=failing))
        above = int(min(tried[tried > failing], default=above))
    low, high = ladder.sizes(np.array([failing + 1, above])).tolist()
    last = min(ladder.number_from(TIMES * high), ladder.last)
    if work_of_all(question, above, last) * question.cost <= _ALL:
        return search(replace(question, smooth=False))
    last = min(ladder.number_from(high * _REACH), ladder.last)
    numbers = np.arange(ladder.number_from(low / _REACH), last + 1)
    reached = _decided(question, numbers)
    while True:
        largest = int(max(numbers[~reached], default=numbers[0] - 1))
        smallest = int(min(numbers[reached], default=numbers[-1] + 1))
        number = ladder.answer_from(largest + 1)
        overlap = max(largest - smallest, 0)
        low, high = ladder.sizes(np.array([min(smallest, number), number])).tolist()
        wanted = max(1, min(ladder.number_from(low / _REACH), smallest - _BEYOND * overlap))
        beyond = max(ladder.number_from(high * _REACH), number + _BEYOND * overlap)
        if beyond > ladder.last:
            raise too_large(question, number)
        if wanted >= numbers[0] and beyond <= numbers[-1]:
            break
        before, after = np.arange(wanted, numbers[0]), np.arange(numbers[-1] + 1, beyond + 1)
        decided = [_decided(question, before), reached, _decided(question, after)]
        reached = np.concatenate(decided)
        numbers = np.concatenate([before, numbers, after])
    answers = ladder.answers(numbers[numbers < number])
    by_luck = answers[reached[answers - numbers[0]]]
    words = _words(question, numbers, overlap)
    return SufficientSize(number, int(numbers[-1]), tuple(by_luck.tolist()), words)


def _about_the_width(question: Question, goal: AssuredWidth) -> tuple[int, int]:
    """Return a number that fails, or 0, and a larger one that reaches the goal.

    They lie about the size whose expected width is the one that is asked for: about half of the
    outcomes have a smaller width there.
    """
    ladder, expectations = question.ladder, replace(question.expectations, goal=goal.width)
    found = search_near(replace(question, expectations=expectations))
    number = 1 if found is None else found.number
    step = _STEP if question.is_reached(np.array([number]))[0] else 1.0 / _STEP
    while True:
        size = float(ladder.sizes(np.array([number]))[0])
        following = max(ladder.number_from(size / step), 1)
        # A step changes the number by 1 at least.
        following = min(following, number - 1) if step > 1 else max(following, number + 1)
        if following < 1:
            return 0, number
        if following > ladder.last or question.work(following, alone=True) > LARGEST_WORK / 64:
            raise too_large(question, number)
        if question.is_reached(np.array([following]))[0] != (step > 1):
            return (following, number) if step > 1 else (number, following)
        number = following


def _bracket(question: Question) -> int | None:
    """Return the largest power of two that fails, 0 if none does; None where all of them fail."""
    if not question.takes_few:
        failing = largest_failing(question)
        return None if failing == question.ladder.last else failing
    ladder = question.ladder
    size, last = ladder.sizes(np.array([1, ladder.last])).tolist()
    powers = np.array(
        [ladder.number_from(size * 2.0**k) for k in range(64) if size * 2.0**k <= last]
    )
    truths = [low for low, _ in question.ranges]
    outcomes = question.expectations.outcomes(question.sizes(powers), truths)
    # Sizes of few outcomes last, as the limits of each take a call: only where all others reach it.
    many = int(np.argmax(outcomes > limits_of_rules(len(truths))))
    failing, reached, start, at_once = 0, 0, many, _AT_ONCE
    while start < powers.size and reached < _REACHED:
        part = powers[start : start + at_once]
        does = question.is_reached(part)
        fails = np.flatnonzero(~does)
        if fails.size:
            failing, reached = int(part[fails[-1]]), 0
        reached += part.size - 1 - int(max(fails, default=-1))
        start += part.size
        at_once = max(1, _REACHED - reached)
    if failing == 0 and many:
        fails = powers[:many][~question.is_reached(powers[:many])]
        failing = int(max(fails, default=0))
    return failing if reached else None


def _decided(question: Question, numbers: Integers) -> Bools:
    """Return whether each size reaches the goal; False for what no answer depends on.

    Raises:
        TooLargeError: the sizes have too many limits.
    """
    reached = np.zeros(numbers.size, bool)
    if not numbers.size:
        return reached
    samples = len(question.ranges)
    limits = limits_of_rules(samples) if question.takes_few else question.work(int(numbers[-1]))
    if numbers.size * limits > LARGEST_WORK:
        raise too_large(question, int(numbers[0]))
    # All that may be an answer, and all others above the largest of them that fails.
    answers = np.isin(numbers, question.ladder.answers(numbers))
    reached[answers] = question.is_reached(numbers[answers])
    others = ~answers & (numbers > max(numbers[answers & ~reached], default=0))
    reached[others] = question.is_reached(numbers[others])
    return reached


def _words(question: Question, numbers: Integers, overlap: int) -> str:
    """Say which sizes were checked how, and why no other size matters."""
    goal = question.expectations.goal
    falls = f"the expected {goal.name.replace('_', '-')} falls like 1/√n"
    law = falls if isinstance(goal, Width) else "the probability rises"
    first, last = (f"{size:.15g}" for size in question.ladder.sizes(numbers[[0, -1]]))
    how = "from the limits of all outcomes"
    if question.takes_few:
        how = "from the limits of a few outcomes, or of all where their error may matter"
    ripple = f"between the first that reaches the goal and the last that fails lie {overlap}"
    return (
        f"every size from {first} to {last} was checked, {how}; beyond these {law}, and rises and "
        f"falls with few sizes alone: {ripple} here"
    )
