"""The conformance of calls: what a method does besides returning limits of one outcome."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Positions
from harness.callers.calls import CallFault, at_outcome, one_outcome, same
from harness.callers.source import NOT_ASKED, Observed, Source
from harness.checks.conformance.call_checks import (
    ARGUMENTS,
    IN_ANY_ORDER,
    RANDOM,
    SCALARS,
    SHAPE,
    TWICE,
    CallChecks,
    pair_in_words,
)
from harness.checks.conformance.grid import Outcomes
from harness.checks.conformance.properties import Evaluation
from harness.checks.conformance.type_checks import TYPES, TypeChecks
from harness.checks.findings import CONFORMANCE, FAIL, PASS, REMARK, USUAL_ALPHA, Finding
from harness.checks.restriction import Restriction
from harness.checks.sizes import checked_at
from harness.checks.subject import Subject

CALL_CHECKS = (SHAPE, SCALARS, TWICE, IN_ANY_ORDER, TYPES, ARGUMENTS, RANDOM)

_ALPHAS = (0.05, 0.3)
"""The alphas at which calls are checked."""
_TYPE_SIZES, _TYPE_ALPHA = (10.0, 1000.0, 1e6), 0.05
"""Types are compared at the sizes of the grid nearest to these: 32 bits suffice for small ones."""
_TYPE_OUTCOMES = 5
_AGAIN_SIZES, _AGAIN_ALPHAS, _AGAIN_OUTCOMES = 3, 4, 8
"""The most sizes, alphas at each and outcomes at which a method is asked again."""


def check_calls(
    subject: Subject,
    grid: Sequence[Outcomes],
    evaluations: Sequence[Evaluation],
    restriction: Restriction,
) -> Iterator[Finding]:
    """Check what calls of the method do; nothing if it cannot be called.

    Args:
        subject: the method.
        grid: the outcomes, or the data sets of lists, by size.
        evaluations: the limits of the method at the grid.
        restriction: the sizes and alphas that the check is restricted to.

    Returns:
        A finding for each check that was made.
    """
    found: dict[str, CallFault] = {}
    made: set[str] = set()
    call_checks = CallChecks()
    for outcomes in grid[: checked_at(subject.family).called]:
        for alpha in restriction.alphas_or(_ALPHAS)[: len(_ALPHAS)]:
            for name, fault in subject.probe(call_checks, outcomes.observed(), alpha).items():
                made.add(name)
                if fault is not None:
                    found.setdefault(name, fault)
    # Methods of the catalogue are given float arrays alone, whatever the type of the data.
    for outcomes in () if subject.is_of_catalogue else _nearest(grid):
        alpha = min(restriction.alphas_or((_TYPE_ALPHA,)), key=_distance_to_usual)
        for observed in _for_types(outcomes, restriction):
            for name, fault in subject.probe(TypeChecks(), observed, alpha).items():
                made.add(name)
                known = found.get(name)
                if fault is not None and (known is None or known.is_remark > fault.is_remark):
                    found[name] = fault
    if made and subject.deterministic and TWICE not in found:
        text = _asked_again(subject, evaluations)
        made.add(IN_ANY_ORDER)
        if text is not None:
            found.setdefault(IN_ANY_ORDER, CallFault(text))
    for name in CALL_CHECKS:
        if name in made:
            yield _finding(name, found.get(name))


def _finding(name: str, fault: CallFault | None) -> Finding:
    if fault is None:
        return Finding(name, CONFORMANCE, PASS, "holds at every outcome of the grid", {})
    verdict = REMARK if fault.is_remark else FAIL
    return Finding(name, CONFORMANCE, verdict, fault.message, {})


def _distance_to_usual(alpha: float) -> float:
    return abs(math.log(alpha / USUAL_ALPHA))


def _nearest(grid: Sequence[Outcomes]) -> list[Outcomes]:
    """The outcomes of a small, a large and a very large size, as far as the grid has them."""
    if any(np.ndim(each) > 1 for each in grid[0].counts):
        return [*grid[:2]]
    chosen = {
        min(
            range(len(grid)),
            key=lambda place: abs(math.log(max(grid[place].sizes) / size)),
        )
        for size in _TYPE_SIZES
    }
    return [grid[place] for place in sorted(chosen)]


def _spread(count: int, most: int) -> Positions:
    """At most so many of ``count`` places, evenly spread, with the first and the last one."""
    return np.unique(np.rint(np.linspace(0, count - 1, min(count, most))).astype(np.intp))


def _asked_again(subject: Subject, evaluations: Sequence[Evaluation]) -> str | None:
    """Where limits differ when the method is asked again, the last outcome first.

    A cache that forgets alpha, a counter or a value that is kept from the first call show here.
    """
    chosen = [evaluations[place] for place in _spread(len(evaluations), _AGAIN_SIZES)[::-1]]
    try:
        source = subject.reload()
    except InputError as fault:
        return f"the function could be loaded only once: {fault}"
    if source is None:
        return None
    for evaluation in chosen:
        for number in _spread(len(evaluation.alphas), _AGAIN_ALPHAS)[::-1].tolist():
            text = _differing(source, evaluation, number)
            if text is not None:
                return text
    return None


def _for_types(outcomes: Outcomes, restriction: Restriction) -> Sequence[Observed]:
    """The outcomes at which types are compared: one at a time where no other size may be asked.

    Of several outcomes each is asked with a size of its own.
    """
    observed = outcomes.observed()
    observed = observed.part(_spread(observed.count, _TYPE_OUTCOMES))
    if restriction.sizes is None:
        return [observed]
    return [observed.part(slice(place, place + 1)) for place in range(observed.count)]


def _differing(source: Source, evaluation: Evaluation, number: int) -> str | None:
    """The first outcome at which limits at one alpha are others than before."""
    alpha, observed = evaluation.alphas[number], evaluation.outcomes.observed()
    places = _spread(observed.count, _AGAIN_OUTCOMES)[::-1]
    again = observed.part(places)
    answers = source.limits(again, alpha, evaluation.side)
    lower, upper = (each[number].ravel() for each in (evaluation.lower, evaluation.upper))
    for at, place in enumerate(places.tolist()):
        if answers.failures.get(at, "").startswith(NOT_ASKED):
            return None
        before, after = (lower[place], upper[place]), (answers.lower[at], answers.upper[at])
        if not same(before, after):
            where = at_outcome(one_outcome(again.arguments, at), alpha)
            return (
                f"limits depend on the order of the calls: {pair_in_words(before)} {where}, and "
                f"{answers.failures.get(at) or pair_in_words(after)} after other calls"
            )
    return None
