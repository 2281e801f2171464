"""The conformance of calls: what a method does besides returning limits of one outcome."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Positions
from harness.callers.calls import CallFault, at_outcome, one_outcome, same
from harness.callers.source import NOT_ASKED
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
from harness.checks.conformance.grid import CountGrid
from harness.checks.conformance.properties import (
    Evaluation,
)
from harness.checks.conformance.type_checks import TYPES, TypeChecks
from harness.checks.findings import (
    CONFORMANCE,
    FAIL,
    PASS,
    REMARK,
    USUAL_ALPHA,
    Finding,
)
from harness.checks.plans import checked_at
from harness.checks.sizes import Restriction
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
    grid: Sequence[CountGrid],
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
    faults: dict[str, CallFault] = {}
    made: set[str] = set()
    call_checks = CallChecks()
    for outcomes in grid[: checked_at(subject.family).called]:
        for alpha in restriction.alphas_or(_ALPHAS)[: len(_ALPHAS)]:
            for name, fault in subject.probe(call_checks, outcomes.observed(), alpha).items():
                made.add(name)
                if fault is not None:
                    faults.setdefault(name, fault)
    alphas = restriction.alphas_or((_TYPE_ALPHA,))
    alpha = min(alphas, key=lambda alpha: abs(math.log(alpha / USUAL_ALPHA)))
    # Methods of the catalogue are given float arrays alone, whatever the type of the data.
    for outcomes in () if subject.is_of_catalogue else _type_sizes(grid):
        observed = outcomes.observed()
        observed = observed.part(_spread(observed.count, _TYPE_OUTCOMES))
        parts = [observed]
        if restriction.sizes is not None:
            # Of several outcomes each would be asked with a size of its own.
            parts = [observed.part(slice(place, place + 1)) for place in range(observed.count)]
        for part in parts:
            for name, fault in subject.probe(TypeChecks(), part, alpha).items():
                made.add(name)
                before = faults.get(name)
                if fault is not None and (before is None or before.is_remark > fault.is_remark):
                    faults[name] = fault
    if made and subject.deterministic and TWICE not in faults:
        text = _asked_again(subject, evaluations)
        made.add(IN_ANY_ORDER)
        if text is not None:
            faults.setdefault(IN_ANY_ORDER, CallFault(text))
    for name in CALL_CHECKS:
        if name in faults:
            verdict = REMARK if faults[name].is_remark else FAIL
            yield Finding(name, CONFORMANCE, verdict, faults[name].message, {})
        elif name in made:
            yield Finding(name, CONFORMANCE, PASS, "holds at every outcome of the grid", {})


def _type_sizes(grid: Sequence[CountGrid]) -> list[CountGrid]:
    """The outcomes of a small, a large and a very large size, as far as the grid has them."""
    if any(np.ndim(counts) > 1 for counts in grid[0].counts):
        return [*grid[:2]]
    largest = np.array([max(outcomes.sizes) for outcomes in grid])
    places = {int(np.abs(np.log(largest / size)).argmin()) for size in _TYPE_SIZES}
    return [grid[place] for place in sorted(places)]


def _spread(count: int, most: int) -> Positions:
    """At most so many of ``count`` places, evenly spread, with the first and the last one."""
    return np.unique(np.rint(np.linspace(0, count - 1, min(count, most))).astype(np.intp))


def _asked_again(subject: Subject, evaluations: Sequence[Evaluation]) -> str | None:
    """Where limits differ when the method is asked again, the last outcome first.

    A cache that forgets alpha, a counter or a value that is kept from the first call show here.
    """
    try:
        source = subject.reload()
    except InputError as fault:
        return f"the function could be loaded only once: {fault}"
    if source is None:
        return None
    for number in _spread(len(evaluations), _AGAIN_SIZES)[::-1]:
        evaluation = evaluations[number]
        for at_alpha in _spread(len(evaluation.alphas), _AGAIN_ALPHAS)[::-1].tolist():
            alpha, observed = evaluation.alphas[at_alpha], evaluation.outcomes.observed()
            places = _spread(observed.count, _AGAIN_OUTCOMES)[::-1]
            again = observed.part(places)
            answers = source.limits(again, alpha, evaluation.side)
            lower = evaluation.lower[at_alpha].ravel()
            upper = evaluation.upper[at_alpha].ravel()
            for at, place in enumerate(places.tolist()):
                if answers.failures.get(at, "").startswith(NOT_ASKED):
                    break
                before, after = (lower[place], upper[place]), (answers.lower[at], answers.upper[at])
                if not same(before, after):
                    where = at_outcome(one_outcome(again.arguments, at), alpha)
                    return (
                        "limits depend on the order of the calls: "
                        f"{pair_in_words(before)} {where}, and "
                        f"{answers.failures.get(at) or pair_in_words(after)} after other calls"
                    )
    return None
