"""Check the properties of an interval method at every outcome of the conformance grid."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from harness.checks.conformance.grid import Outcomes, conformance_alphas, conformance_grid
from harness.checks.conformance.list_grid import data_set_grid
from harness.checks.conformance.properties import (
    MIRROR,
    NEEDS_DETERMINISTIC,
    Evaluation,
    Property,
    Violation,
    mirrors,
    properties_of,
)
from harness.checks.report import CONFORMANCE, FAIL, PASS, Cell, Finding, format_cell
from harness.checks.subjects.subject import Subject
from harness.families.catalogue import family_of
from harness.families.family import PAIRS, SINGLE_SAMPLE, TWO_SAMPLES
from harness.methods.source import NOT_CALLED
from harness.methods.user.call_checks import ARGUMENTS, RANDOM, SCALARS, SHAPE, TWICE
from harness.numerics.arrays import Bools, Floats

ANSWERS = "answers every outcome"
PRECISION = "has double precision"
PICKLES = "can be pickled"

CALL_CHECKS = (SHAPE, SCALARS, TWICE, ARGUMENTS, RANDOM)

_USUAL_ALPHA = 0.05
_CALL_CHECK_SIZES = {SINGLE_SAMPLE: 5, TWO_SAMPLES: 2, PAIRS: 2}
_CALL_CHECK_ALPHAS = (0.05, 0.3)
"""Sizes of the grid, by the design, and alphas at which calls are checked."""
_FEWEST = 8
"""Limits that look like single precision are so by chance once in 2^29 each."""
_GRAVEST = 1000.0
"""The severity of the first property; each of the following ones has 1 less."""

Index = tuple[int, ...]
"""A place in the arrays of limits: alpha, then the count of each sample."""


def property_names(family: str) -> tuple[str, ...]:
    """The names of all properties of a family's methods, the gravest first."""
    return (ANSWERS, *CALL_CHECKS, PRECISION, *properties_of(family), PICKLES)


def check_conformance(subject: Subject) -> list[Finding]:
    """Check every property of a method.

    Args:
        subject: the method.

    Returns:
        A finding for each property, the gravest first. A failure has the counter-example of the
        smallest size, with the alpha nearest to 0.05.
    """
    evaluations = [
        evaluation for outcomes in _grid(subject) for evaluation in _evaluate(subject, outcomes)
    ]
    reason = subject.unpicklable()
    findings = [
        _check_answers(evaluations),
        *_check_calls(subject),
        _check_precision(evaluations, subject.sides[0]),
        *_check_properties(subject, evaluations),
        _passed(PICKLES) if reason is None else _failed(PICKLES, f"cannot be pickled: {reason}"),
    ]
    return [
        replace(finding, severity=(_GRAVEST - number) * (finding.verdict == FAIL))
        for number, finding in enumerate(findings)
    ]


def _grid(subject: Subject) -> Sequence[Outcomes]:
    """The outcomes, or the data sets of lists, by size."""
    if not family_of(subject.family).has_outcomes:
        return data_set_grid(subject.family)
    return conformance_grid(subject.family, subject.largest_size)


def _evaluate(subject: Subject, outcomes: Outcomes) -> Iterator[Evaluation]:
    """The limits of each side at the outcomes of one size."""
    alphas = conformance_alphas(subject.family)
    observed = outcomes.observed()
    answers = {
        side: [subject.limits(observed, alpha, side) for alpha in alphas] for side in subject.sides
    }
    lower, upper = (
        {
            side: np.array([getattr(each, name).reshape(outcomes.shape) for each in by_alpha])
            for side, by_alpha in answers.items()
        }
        for name in ("lower", "upper")
    )
    for side, by_alpha in answers.items():
        failures = {
            (number, *map(int, np.unravel_index(place, outcomes.shape))): fault
            for number, each in enumerate(by_alpha)
            for place, fault in each.failures.items()
        }
        mirror = MIRROR[side] if MIRROR[side] in answers else side
        yield Evaluation(
            outcomes, side, alphas, lower[side], upper[side], lower[mirror], upper[mirror], failures
        )


def _check_answers(evaluations: Sequence[Evaluation]) -> Finding:
    """Whether the method returned limits at every outcome."""
    count = sum(len(evaluation.failures) for evaluation in evaluations)
    for evaluation in evaluations:
        called = [
            index
            for index, fault in evaluation.failures.items()
            if not fault.startswith(NOT_CALLED)
        ]
        if called:
            index = _nearest_to_usual_alpha(evaluation, called)
            message = evaluation.failures[index] + _format_others(count)
            return _failed(ANSWERS, message, {**_cell(evaluation, index), "broken": count})
    return _passed(ANSWERS)


def _check_properties(subject: Subject, evaluations: Sequence[Evaluation]) -> Iterator[Finding]:
    """A finding for each property of limits."""
    has_mirror = {MIRROR[side] for side in subject.sides} <= {*subject.sides}
    for name, has_property in properties_of(subject.family).items():
        if name in NEEDS_DETERMINISTIC and not subject.deterministic:
            yield _passed(name, "does not apply to a method that draws its limits")
        elif has_property is mirrors and not has_mirror:
            yield _passed(name, "does not apply to a method with limits of one side only")
        else:
            yield _check_property(name, has_property, evaluations)


def _check_property(
    name: str, has_property: Property, evaluations: Sequence[Evaluation]
) -> Finding:
    """Whether the limits of all sizes and sides have a property."""
    violations = [(evaluation, has_property(evaluation)) for evaluation in evaluations]
    count = sum(int(violation.where.sum()) for _, violation in violations)
    for evaluation, violation in violations:
        if violation.where.any():
            places = [tuple(map(int, each)) for each in np.argwhere(violation.where)]
            index = _nearest_to_usual_alpha(evaluation, places)
            limits = {
                "lower": float(evaluation.lower[index]),
                "upper": float(evaluation.upper[index]),
            }
            message = _format_violation(evaluation, violation, index) + _format_others(count)
            cell = {**_cell(evaluation, index), **limits, "broken": count}
            return _failed(name, message, cell)
    return _passed(name)


def _nearest_to_usual_alpha(evaluation: Evaluation, places: Sequence[Index]) -> Index:
    """The first of the places whose alpha is nearest to 0.05."""
    return min(
        places,
        key=lambda index: (abs(math.log(evaluation.alphas[index[0]] / _USUAL_ALPHA)), index),
    )


def _format_violation(evaluation: Evaluation, violation: Violation, index: Index) -> str:
    """The counter-example at one place, with the limits that it was compared with."""
    text = _format_limits(evaluation.lower, evaluation.upper, index)
    text += f" at {format_cell(_cell(evaluation, index))}"
    if violation.lower is not None and violation.upper is not None:
        other = _format_limits(violation.lower, violation.upper, index)
        text += f", where {violation.compared_with} {other}"
    return text


def _format_limits(lower: Floats, upper: Floats, index: Index) -> str:
    return f"limits {lower[index]:.15g} and {upper[index]:.15g}"


def _format_others(count: int) -> str:
    return f" (and at {count - 1} more)" if count > 1 else ""


def _cell(evaluation: Evaluation, index: Index) -> dict[str, float | int | str]:
    """The outcome, alpha and side of one place."""
    cell: dict[str, float | int | str] = {**evaluation.outcomes.cell(index[1:])}
    cell["alpha"] = evaluation.alphas[index[0]]
    if not evaluation.is_two_sided:
        cell["side"] = evaluation.side
    return cell


def _check_calls(subject: Subject) -> Iterator[Finding]:
    """What calls of the method do besides returning limits; nothing if it cannot be called."""
    found: dict[str, str] = {}
    was_called = False
    sizes = _CALL_CHECK_SIZES.get(family_of(subject.family).design, 3)
    for outcomes in _grid(subject)[:sizes]:
        for alpha in _CALL_CHECK_ALPHAS:
            results = subject.call_checks(outcomes.observed(), alpha)
            was_called = was_called or bool(results)
            for name, fault in results.items():
                if fault is not None:
                    found.setdefault(name, fault)
    if was_called:
        for name in CALL_CHECKS:
            yield _failed(name, found[name]) if name in found else _passed(name)


def _check_precision(evaluations: Sequence[Evaluation], side: str) -> Finding:
    """Whether all lower or all upper limits of a side are numbers of single precision."""
    of_side = [evaluation for evaluation in evaluations if evaluation.side == side]
    for name in ("lower", "upper"):
        is_single, count, first = True, 0, None
        for evaluation in of_side:
            limits: Floats = getattr(evaluation, name)
            shows = _shows_precision(limits)
            count += int(shows.sum())
            if shows.any():
                with np.errstate(over="ignore"):
                    is_single &= bool((limits.astype(np.float32) == limits)[shows].all())
                first = first or (evaluation, tuple(map(int, np.argwhere(shows)[0])))
        if is_single and count >= _FEWEST and first is not None:
            evaluation, index = first
            limit = float(getattr(evaluation, name)[index])
            cell = _cell(evaluation, index)
            message = (
                f"all {count} {name} limits are single-precision numbers, as {limit:.17g} is "
                f"at {format_cell(cell)}"
            )
            return _failed(PRECISION, message, {**cell, name: limit})
    return _passed(PRECISION)


def _shows_precision(limits: Floats) -> Bools:
    """Where a limit is neither a whole number nor tiny: single precision would round it."""
    tiny = float(np.finfo(np.float32).tiny)
    with np.errstate(invalid="ignore"):
        return np.asarray(
            np.isfinite(limits) & (np.abs(limits) > tiny) & (limits != np.round(limits))
        )


def _passed(name: str, message: str = "holds at every outcome of the grid") -> Finding:
    return Finding(name, CONFORMANCE, PASS, message, {})


def _failed(name: str, message: str, cell: Cell | None = None) -> Finding:
    return Finding(name, CONFORMANCE, FAIL, message, cell or {})
