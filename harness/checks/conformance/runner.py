"""Check the properties of an interval method at every outcome of the conformance grid."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.source import NO_POINT, NOT_ASKED
from harness.checks.conformance.calls import CALL_CHECKS, check_calls
from harness.checks.conformance.grid import GridBlock, conformance_grid
from harness.checks.conformance.properties import (
    MIRROR,
    NEEDS_ALPHAS,
    NEEDS_DETERMINISTIC,
    SMALL_ALPHA,
    Evaluation,
    Index,
    Property,
    as_fractions,
    mirrors,
    properties_of,
)
from harness.checks.conformance.wide_grid import OF_ARRAYS, OF_NUMBERS, OF_SLOW, THOROUGH, wide_grid
from harness.checks.findings import (
    CONFORMANCE,
    FAIL,
    PASS,
    REMARK,
    USUAL_ALPHA,
    Cell,
    Finding,
    FindingPlaces,
    and_more,
    format_cell,
)
from harness.checks.sizes import ANYWHERE, Restriction
from harness.checks.subject import Subject
from harness.checks.watch import steps
from harness.families.family import Family
from harness.methods.method import ANSWERED, TWO_SIDED
from harness.methods.remarks import STAYS_IN_RANGE

ANSWERS = ANSWERED
PRECISION = "has double precision"
PICKLES = "can be pickled"

_TINY = float(np.finfo(np.float32).tiny)
"""The smallest number that single precision has all of its digits for."""
_FEWEST = 8
"""Limits that look like single precision are so by chance once in 2^29 each."""
_MOST_REMARKED = 100
"""Nesting that is broken at more places is a failure, however unusual the alphas are."""
_MORE_THAN_ONE = 1.5
"""An upper limit of a fraction above this number is taken as one in per cent."""
_GRAVEST = 1000.0
"""The severity of the first property; each of the following ones has 1 less."""


def property_names(family: Family) -> tuple[str, ...]:
    """The names of all properties of a family's methods, the gravest first."""
    return (ANSWERS, *CALL_CHECKS, PRECISION, *properties_of(family), PICKLES)


def check_conformance(
    subject: Subject,
    restriction: Restriction = ANYWHERE,
    evaluations: Sequence[Evaluation] | None = None,
) -> list[Finding]:
    """Check every property of a method.

    Args:
        subject: the method.
        restriction: the sizes and alphas that the check is restricted to.
        evaluations: the limits that have to have the properties; by default those of the fixed
            grid.

    Returns:
        A finding for each property, the gravest first. A failure has the counter-example of the
        smallest size, with the alpha nearest to 0.05.
    """
    blocks = conformance_grid(subject.family, subject.largest_size, restriction)
    if evaluations is None:
        evaluations = evaluate(subject, blocks)
    reason = subject.unpicklable()
    findings = [
        _check_answers(evaluations),
        *check_calls(subject, [block.outcomes for block in blocks], evaluations, restriction),
        _check_precision(evaluations, subject.sides[0]),
        *_check_limits(subject, evaluations),
        _passed(PICKLES) if reason is None else _failed(PICKLES, f"cannot be pickled: {reason}"),
    ]
    return [
        replace(finding, severity=(_GRAVEST - number) * (finding.verdict == FAIL))
        for number, finding in enumerate(findings)
    ]


def evaluate_widely(
    subject: Subject,
    restriction: Restriction = ANYWHERE,
    seed: int = 0,
    thorough: bool = False,
    into: list[Evaluation] | None = None,
) -> list[Evaluation]:
    """The limits of a method at the outcomes of the wide grid.

    Args:
        subject: the method.
        restriction: the sizes and alphas that the check is restricted to.
        seed: what sizes, counts and alphas are drawn from beside the fixed ones.
        thorough: whether to ask at all counts and alphas.
        into: takes each evaluation as it is made, and so keeps them where time is over.

    Returns:
        An evaluation for each size and side, by size; of a method that draws its limits, or of
        lists, those of the fixed grid.
    """
    blocks = conformance_grid(subject.family, subject.largest_size, restriction)
    if not subject.has_limits_by_outcome or not blocks:
        return evaluate(subject, blocks, into=into)
    grid = partial(
        wide_grid,
        subject.family,
        seed,
        largest_size=subject.largest_size,
        restriction=restriction,
    )
    extent = OF_ARRAYS if answers_arrays(subject, restriction) else OF_NUMBERS
    if thorough:
        extent = THOROUGH
    elif subject.takes_long:
        # What takes long of several counts does not of one.
        extent = replace(extent, several=OF_SLOW.several)
    wide = grid(extent)
    if TWO_SIDED not in subject.sides or len(subject.sides) == 1:
        return evaluate(subject, wide, into=into)
    # The one-sided limits of a method that has both are the same formula at another tail.
    one_sided = [side for side in subject.sides if side != TWO_SIDED]
    evaluation = evaluate(subject, wide, (TWO_SIDED,), into)
    return evaluate(subject, grid(THOROUGH if thorough else OF_SLOW), one_sided, evaluation)


def answers_arrays(subject: Subject, restriction: Restriction = ANYWHERE) -> bool:
    """Whether a method answers many outcomes in one call, found out at one of the small sizes.

    True of what is not asked so: a method of lists, one that draws, and an empty restriction.
    """
    blocks = conformance_grid(subject.family, subject.largest_size, restriction)
    if not subject.has_limits_by_outcome or not blocks:
        return True
    smallest = blocks[min(2, len(blocks) - 1)]
    return subject.takes_arrays(smallest.outcomes.observed(), smallest.alphas[0])


def evaluate(
    subject: Subject,
    blocks: Sequence[GridBlock],
    sides: Sequence[str] | None = None,
    into: list[Evaluation] | None = None,
) -> list[Evaluation]:
    """The limits of each side at the outcomes and alphas of each block; by default of all sides.

    They are added to ``into``, where there is such a list.
    """
    evaluations: list[Evaluation] = [] if into is None else into
    for block in steps(blocks):
        outcomes, alphas = block.outcomes, block.alphas
        observed = outcomes.observed()
        answers = {
            side: [subject.limits(observed, alpha, side) for alpha in steps(alphas)]
            for side in steps(subject.sides if sides is None else sides)
        }
        shape = (len(alphas), *outcomes.shape)
        lower = {
            side: np.array([limits.lower for limits in by_alpha]).reshape(shape)
            for side, by_alpha in answers.items()
        }
        upper = {
            side: np.array([limits.upper for limits in by_alpha]).reshape(shape)
            for side, by_alpha in answers.items()
        }
        for side, by_alpha in answers.items():
            failures = {
                (number, *map(int, np.unravel_index(place, outcomes.shape))): fault
                for number, limits in enumerate(by_alpha)
                for place, fault in limits.failures.items()
            }
            mirror = MIRROR[side] if MIRROR[side] in answers else side
            evaluations.append(
                Evaluation(
                    outcomes,
                    side,
                    alphas,
                    lower[side],
                    upper[side],
                    lower[mirror],
                    upper[mirror],
                    failures,
                )
            )
    return evaluations


def broken_properties(subject: Subject, evaluations: Sequence[Evaluation]) -> list[Finding]:
    """The failures among limits at some outcomes of the grid, without another call."""
    if not evaluations:
        return []
    return [
        replace(finding, severity=_GRAVEST)
        for finding in (_check_answers(evaluations), *_check_limits(subject, evaluations))
        if finding.verdict == FAIL
    ]


def _check_answers(evaluations: Sequence[Evaluation]) -> Finding:
    """Whether the method returned limits at every outcome.

    An exception at an alpha below 1e-4 only is a remark: no reader takes it for a limit.
    """
    called = [
        (evaluation, index)
        for evaluation in evaluations
        for index, fault in evaluation.failures.items()
        if not fault.startswith(NOT_ASKED)
    ]
    if not called:
        return _passed(ANSWERS)
    grave = [
        (evaluation, index)
        for evaluation, index in called
        if evaluation.alphas[index[0]] >= SMALL_ALPHA
        or not evaluation.failures[index].startswith("failed at ")
    ]
    first = (grave or called)[0][0]
    index = first.first_of([index for evaluation, index in grave or called if evaluation is first])
    failing = [evaluation for evaluation in evaluations if evaluation.failures]
    faults = [fault for evaluation in failing for fault in evaluation.failures.values()]
    count = sum(not fault.startswith(NO_POINT) for fault in faults)
    places = [
        evaluation.places(np.array(sorted(evaluation.failures), np.intp)) for evaluation in failing
    ]
    return Finding(
        ANSWERS,
        CONFORMANCE,
        FAIL if grave else REMARK,
        first.failures[index] + and_more(count),
        {**first.cell(index), "broken": count},
        places=FindingPlaces.joined(places),
    )


def _check_limits(subject: Subject, evaluations: Sequence[Evaluation]) -> Iterator[Finding]:
    """A finding for each property of limits, which are checked as fractions if in per cent."""
    fractions = as_fractions(evaluations)
    if fractions is None:
        for finding in _check_properties(subject, evaluations):
            if finding.check != STAYS_IN_RANGE or finding.verdict != PASS or not subject.outside:
                yield finding
                continue
            # No limit is outside the range by more than rounding.
            place = min(subject.outside, key=lambda cell: abs(np.log(cell["alpha"] / USUAL_ALPHA)))
            where = {name: place[name] for name in place if name not in ("lower", "upper")}
            count = len(subject.outside)
            message = (
                f"limits {place['lower']:.17g} and {place['upper']:.17g} at {format_cell(where)} "
                f"are outside the range by rounding, and should be clipped to it{and_more(count)}"
            )
            yield Finding(STAYS_IN_RANGE, CONFORMANCE, REMARK, message, {**place, "broken": count})
        return
    first = next(limits for limits in evaluations if (limits.upper > _MORE_THAN_ONE).any())
    index = first.first_of(np.argwhere(first.upper > _MORE_THAN_ONE))
    cell = first.cell(index)
    limits = _format_limits(first.lower, first.upper, index)
    message = f"limits look like per cent: {limits} at {format_cell(cell)}"
    for finding in _check_properties(subject, fractions):
        yield _failed(STAYS_IN_RANGE, message, cell) if finding.check == STAYS_IN_RANGE else finding


def _check_properties(subject: Subject, evaluations: Sequence[Evaluation]) -> Iterator[Finding]:
    """A finding for each property of limits."""
    has_mirror = {MIRROR[side] for side in subject.sides} <= {*subject.sides}
    for name, has_property in properties_of(subject.family).items():
        if name in NEEDS_DETERMINISTIC and not subject.deterministic:
            yield _passed(name, "does not apply to a method that draws its limits")
        elif has_property is mirrors and not has_mirror:
            yield _passed(name, "does not apply to a method with limits of one side only")
        elif name in NEEDS_ALPHAS and all(len(limits.alphas) < 2 for limits in evaluations):
            yield _passed(name, "does not apply, since one alpha only is checked")
        else:
            yield _check_property(name, has_property, evaluations)


def _check_property(
    name: str, has_property: Property, evaluations: Sequence[Evaluation]
) -> Finding:
    """Whether the limits of all sizes and sides have a property."""
    violations = [(evaluation, has_property(evaluation)) for evaluation in evaluations]
    total = sum(int(violation.where.sum()) for _, violation in violations)
    if name in NEEDS_ALPHAS and total > _MOST_REMARKED:
        # What is unusual at some places is a fault of the method at so many.
        violations = [
            (evaluation, replace(violation, mild=None)) for evaluation, violation in violations
        ]
    fails = any(violation.failing.any() for _, violation in violations)
    broken = []
    for evaluation, violation in violations:
        indices = np.argwhere(violation.failing if fails else violation.where)
        if indices.size:
            broken.append((evaluation, violation, indices))
    if not broken:
        return _passed(name)
    evaluation, violation, indices = broken[0]
    index = evaluation.first_of(indices)
    text = _format_limits(evaluation.lower, evaluation.upper, index)
    text += f" at {format_cell(evaluation.cell(index))}"
    if violation.lower is not None and violation.upper is not None:
        other = _format_limits(violation.lower, violation.upper, index)
        text += f", where {violation.compared_with} {other}"
    cell = {
        **evaluation.cell(index),
        "lower": float(evaluation.lower[index]),
        "upper": float(evaluation.upper[index]),
        "broken": total,
    }
    verdict, message = FAIL if fails else REMARK, text + and_more(total)
    places = FindingPlaces.joined([evaluation.places(indices) for evaluation, _, indices in broken])
    return Finding(name, CONFORMANCE, verdict, message, cell, places=places)


def _format_limits(lower: Floats, upper: Floats, index: Index) -> str:
    return f"limits {lower[index]:.15g} and {upper[index]:.15g}"


def _check_precision(evaluations: Sequence[Evaluation], side: str) -> Finding:
    """Whether all lower or all upper limits of a side are numbers of single precision."""
    of_side = [evaluation for evaluation in evaluations if evaluation.side == side]
    for name in ("lower", "upper"):
        is_single, count, first = True, 0, None
        for evaluation in of_side:
            limits = evaluation.lower if name == "lower" else evaluation.upper
            with np.errstate(invalid="ignore"):
                is_whole = limits == np.round(limits)
            # Single precision rounds every other number, but for tiny ones.
            shows = np.isfinite(limits) & (np.abs(limits) > _TINY) & ~is_whole
            count += int(shows.sum())
            if shows.any():
                with np.errstate(over="ignore"):
                    is_single &= bool((limits.astype(np.float32) == limits)[shows].all())
                if first is None:
                    index = tuple(map(int, np.argwhere(shows)[0]))
                    first = evaluation.cell(index), float(limits[index])
        if is_single and count >= _FEWEST and first is not None:
            cell, limit = first
            message = (
                f"all {count} {name} limits are single-precision numbers, as {limit:.17g} is "
                f"at {format_cell(cell)}"
            )
            return _failed(PRECISION, message, {**cell, name: limit})
    return _passed(PRECISION)


def _passed(name: str, message: str = "holds at every outcome of the grid") -> Finding:
    return Finding(name, CONFORMANCE, PASS, message, {})


def _failed(name: str, message: str, cell: Cell | None = None) -> Finding:
    return Finding(name, CONFORMANCE, FAIL, message, cell or {})
