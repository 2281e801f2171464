"""Hold a method to the very limits of another one."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.callers.source import NO_POINT
from harness.checks.baseline.limits import LARGEST_SEVERITY, MovedLimit, between
from harness.checks.baseline.points import default_points, outcomes_at
from harness.checks.conformance.grid import Outcomes, conformance_alphas, conformance_grid
from harness.checks.conformance.list_grid import data_set_grid
from harness.checks.report import AGAINST, FAIL, PASS, Finding
from harness.checks.restriction import ANYWHERE, Restriction
from harness.checks.subjects.subject import Subject
from harness.families.catalogue import family_of

_USUAL_ALPHA = 0.05


def check_same(
    subject: Subject,
    reference: Subject,
    tolerance: float,
    restriction: Restriction = ANYWHERE,
) -> Finding:
    """Compare the limits of two methods at the outcomes of the conformance grid and of a baseline.

    Args:
        subject: a deterministic method.
        reference: another one, with the same sides.
        tolerance: the largest difference of equal limits; relative for limits larger than 1.
        restriction: the sizes and alphas that the check is restricted to.

    Returns:
        One finding; a failure has the first outcome at which a limit differs, of the smallest size
        and of the alpha nearest to 0.05.
    """
    name = f"against {reference.label}: same limits"
    count, apart, farthest = 0, 0, 0.0
    first: MovedLimit | None = None
    for outcomes, alpha, new, old in _compared(subject, reference, restriction):
        found = between(outcomes, alpha, new, old, tolerance)
        count += int((~np.isnan(new)).sum())
        apart += len(found)
        farthest = max([farthest, *(each.distance for each in found)])
        first = first or next(iter(found), None)
    if first is None:
        return Finding(name, AGAINST, PASS, f"the same {count} limits", {})
    message = (
        f"{first.describe(reference.label)} ({apart} of {count} limits differ, by up to "
        f"{farthest:.2g})"
    )
    return Finding(name, AGAINST, FAIL, message, first.numbers, min(farthest, LARGEST_SEVERITY))


def _compared(
    subject: Subject, reference: Subject, restriction: Restriction
) -> Iterator[tuple[Outcomes, float, tuple[Floats, Floats], tuple[Floats, Floats]]]:
    """The outcomes, alpha, and the lower and upper limits of both, shape (m,) each.

    Those of an outcome that one of them, a table, does not have are not numbers.
    """
    for outcomes, alphas in _points(subject, reference, restriction):
        observed = outcomes.observed()
        for alpha in sorted(alphas, key=lambda each: abs(math.log(each / _USUAL_ALPHA))):
            for side in subject.sides:
                one = subject.limits(observed, alpha, side)
                other = reference.limits(observed, alpha, side)
                lacking = [
                    place
                    for each in (one, other)
                    for place, failure in each.failures.items()
                    if failure.startswith(NO_POINT)
                ]
                limits = np.array((one.lower, one.upper, other.lower, other.upper))
                limits[:, lacking] = np.nan
                yield outcomes, alpha, (limits[0], limits[1]), (limits[2], limits[3])


def _points(
    subject: Subject, reference: Subject, restriction: Restriction
) -> Iterator[tuple[Outcomes, Sequence[float]]]:
    """The outcomes of each size, with the alphas there."""
    family = subject.family
    at = conformance_alphas(family, restriction)
    if not family_of(family).has_outcomes:
        yield from ((each, at) for each in data_set_grid(family))
        return
    known = [each.largest_size for each in (subject, reference) if each.largest_size is not None]
    largest = min(known, default=None)
    points = default_points(family, restriction.sizes, restriction.alphas, largest)
    yield from ((outcomes_at(family, each), points.alphas_in_sums) for each in points.sizes_in_sums)
    yield from ((each, at) for each in conformance_grid(family, largest, restriction))
