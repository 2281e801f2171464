"""The search for the size from which on every size reaches a goal.

Expectations over discrete outcomes rise and fall with the size, so that a smaller size may reach
the goal by luck. The answer is bracketed by powers of two and by bisection. Every size up to four
times the answer is decided, or up to 1.25 times where that is much work. Of widths where that takes
long, only the sizes about the answer are: all of them. An expected width falls like 1/√n and a
probability of a width rises, both up to a ripple, as the outcomes are counts. In the window the
ripple shows as sizes that reach the goal and sizes that do not among each other; the window extends
by at least twice the range of these, and 5 %, to each side.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from harness.base.errors import MethodError
from harness.base.numerics.arrays import Bools, Integers
from harness.planning.estimates import limits_of_rules
from harness.planning.goals import AssuredWidth, Ladder, SufficientSize, Width
from harness.planning.search import Question, too_large, work_of_all

TIMES, AT_LEAST_TIMES = 4, 1.25
"""Where every size is checked, it is up to so many times the answer; up to the second where that is
much work."""
_MUCH_WORK = 1 << 23
"""The most limits that a search computes to check up to ``TIMES`` the answer."""
_MUCH_CALLS = 1 << 14
"""The same of a user's function that takes one outcome a call."""
_POWERS = 64
"""The limits of a power of two that is tried are at most the most of a search over this."""
_ALL = 3 << 20
"""The most limits, times their cost, with which every size up to four times the answer is checked;
those of it take a few seconds."""
_AT_ONCE = 8
"""Powers of two that are tried at once."""
_SLOW = 1024.0
"""The cost of limits, over that of one of Wilson's, of which one size is tried after the other,
and two powers that reach the goal are enough."""
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


def search_near(question: Question, *, thorough: bool = False) -> SufficientSize | None:
    """Return the size from which on every size reaches the goal; None where no size does.

    Args:
        question: the question.
        thorough: whether every size from the first on is checked, whatever that takes.

    Raises:
        TooLargeError: the answer is so large that the sizes about it are too many.
    """
    ladder, goal = question.ladder, question.goal
    if isinstance(goal, AssuredWidth) and question.smooth:
        failing, above = _about_the_width(question, goal)
    else:
        power = _bracket(question)
        if power is None:
            return None
        # Sizes between a power of two that fails and the next one, that reaches the goal.
        failing, size = power, 2.0 * float(ladder.sizes(np.array([power + 1]))[0])
        above = min(ladder.number_from(size), ladder.last)
    failing, above = _bisected(question, question.is_reached_at_some, failing, above)
    low, high = ladder.sizes(np.array([failing + 1, above])).tolist()
    first, reach = ladder.number_from(low / _REACH), _REACH
    last = min(ladder.number_from(TIMES * high), ladder.last)
    work = work_of_all(question, above, last)
    every = thorough or work * question.cost <= _ALL
    if every:
        question, first = replace(question, smooth=False), 1
        much = _MUCH_CALLS if question.called_one_by_one else _MUCH_WORK
        reach = TIMES if work <= much else AT_LEAST_TIMES
    numbers = np.arange(first, min(ladder.number_from(high * reach), ladder.last) + 1)
    reached = _decided(question, numbers)
    while True:
        largest = int(max(numbers[~reached], default=numbers[0] - 1))
        smallest = int(min(numbers[reached], default=numbers[-1] + 1))
        number = ladder.answer_from(largest + 1)
        overlap = max(largest - smallest, 0)
        low, high = ladder.sizes(np.array([min(smallest, number), number])).tolist()
        wanted, beyond = 1, ladder.number_from(high * reach)
        if not every:
            wanted = min(ladder.number_from(low / _REACH), smallest - _BEYOND * overlap)
            wanted, beyond = max(1, wanted), max(beyond, number + _BEYOND * overlap)
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
    words = "" if every else _words(question, numbers, overlap)
    return SufficientSize(number, int(numbers[-1]), tuple(by_luck.tolist()), words)


def _tries_several(question: Question) -> bool:
    """Whether several sizes are tried at once: of few limits each, which take little time."""
    return question.takes_few and question.cost < _SLOW


def _bisected(
    question: Question, is_reached: Callable[[Integers], Bools], failing: int, above: int
) -> tuple[int, int]:
    """Return a number that fails and a larger one that reaches the goal, of sizes 3 % apart."""
    ladder, pieces = question.ladder, _PARTS if _tries_several(question) else 2
    while above - failing > 1:
        low, high = ladder.sizes(np.array([max(failing, 1), above])).tolist()
        if high <= _NARROW * low:
            break
        inner = np.geomspace(low, high, pieces + 1)[1:-1].tolist()
        tried = np.unique([ladder.number_from(size) for size in inner])
        tried = np.unique(np.clip(tried, failing + 1, above - 1))
        fails = tried[~is_reached(tried)]
        failing = int(max(fails, default=failing))
        above = int(min(tried[tried > failing], default=above))
    return failing, above


def _about_the_width(question: Question, goal: AssuredWidth) -> tuple[int, int]:
    """Return a number that fails, or 0, and a larger one that reaches the goal.

    They lie about the size that is narrow enough at the counts that are expected: about half of
    the outcomes have a smaller width there.
    """
    ladder, expectations = question.ladder, question.expectations
    truths = [0.5 * (low + high) for low, high in question.ranges]

    def is_narrow(numbers: Integers) -> Bools:
        counts, _ = expectations.rule(question.sizes(numbers), truths, 1)
        limits = expectations.limits(tuple(column[:, 0] for column in counts))
        return goal.values(*limits) > 0

    powers = _powers(ladder)
    failing = int(max(powers[~is_narrow(powers)], default=0))
    number = int(min(powers[powers > failing], default=ladder.last))
    _, number = _bisected(question, is_narrow, failing, number)
    step = _STEP if question.is_reached(np.array([number]))[0] else 1.0 / _STEP
    while True:
        size = float(ladder.sizes(np.array([number]))[0])
        following = max(ladder.number_from(size / step), 1)
        # A step changes the number by 1 at least.
        following = min(following, number - 1) if step > 1 else max(following, number + 1)
        if following < 1:
            return 0, number
        if (
            following > ladder.last
            or question.work(following, alone=True) > question.most / _POWERS
        ):
            raise too_large(question, number)
        if question.is_reached(np.array([following]))[0] != (step > 1):
            return (following, number) if step > 1 else (number, following)
        number = following


def _powers(ladder: Ladder) -> Integers:
    """Return the numbers of the first size times the powers of two."""
    size, last = ladder.sizes(np.array([1, ladder.last])).tolist()
    powers = [ladder.number_from(size * 2.0**k) for k in range(64) if size * 2.0**k <= last]
    return np.array(powers)


def _bracket(question: Question) -> int | None:
    """Return the largest power of two that fails, 0 if none does; None where all of them fail.

    Of a range of truths some are tried.

    Raises:
        TooLargeError: all powers of two fail that are not too large to be tried.
    """
    powers = _powers(question.ladder)
    ends = [[low for low, _ in question.ranges], [high for _, high in question.ranges]]
    outcomes = np.max(
        [question.expectations.outcomes(question.sizes(powers), truths) for truths in ends], axis=0
    )
    # Sizes of few outcomes last: they may reach the goal by luck, and each takes a call.
    many = int(np.argmax(outcomes > limits_of_rules(len(ends[0]))))
    tries_several = _tries_several(question)
    enough = _REACHED if tries_several else 2
    failing, reached, start = 0, 0, many
    while start < powers.size and reached < enough:
        if question.work(int(powers[start]), alone=True) > question.most / _POWERS:
            if reached:
                break
            raise too_large(question, int(powers[max(start - 1, 0)]))
        at_once = (_AT_ONCE if start == many else enough - reached) if tries_several else 1
        part = powers[start : start + at_once]
        try:
            fails = np.flatnonzero(~question.is_reached_at_some(part))
        except MethodError:
            # A function may refuse sizes that are far beyond the answer.
            if reached:
                break
            raise
        if fails.size:
            failing, reached = int(part[fails[-1]]), 0
        reached += part.size - 1 - int(max(fails, default=-1))
        start += part.size
    if failing == 0 and many:
        fails = powers[:many][~question.is_reached_at_some(powers[:many])]
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
    if numbers.size * limits > question.most:
        raise too_large(question, int(numbers[0]))
    # All that may be an answer, and all others above the largest of them that fails.
    answers = np.isin(numbers, question.ladder.answers(numbers))
    reached[answers] = question.is_reached(numbers[answers])
    others = ~answers & (numbers > max(numbers[answers & ~reached], default=0))
    reached[others] = question.is_reached(numbers[others])
    return reached


def _words(question: Question, numbers: Integers, overlap: int) -> str:
    """Say which sizes were checked how, and why no other size matters."""
    goal = question.goal
    falls = f"the expected {goal.name.replace('_', '-')} falls like 1/√n"
    law = falls if isinstance(goal, Width) else "the probability rises"
    first, last = (f"{size:.15g}" for size in question.ladder.sizes(numbers[[0, -1]]))
    how = "from the limits of all outcomes"
    if question.takes_few:
        how = "from the limits of a few outcomes, or of all where their error may matter"
    ripple = "no size fails here above one that reaches the goal"
    if overlap > 0:
        ripple = f"from the first that reaches the goal to the last that fails are {overlap} sizes"
    return (
        f"every size from {first} to {last} was computed, {how}; beyond these {law}, and {ripple}"
    )
