"""The scenarios of a check with their uniform truths, and a method's limits in them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from harness.base.errors import MethodError
from harness.base.numerics.arrays import Floats, Integers
from harness.callers.source import no_interval
from harness.catalogue import design_for, scenario_for
from harness.checks.conformance.grid import OutcomeList
from harness.checks.restriction import Size
from harness.checks.subject import Subject, side_of
from harness.designs.design import Scenario
from harness.designs.limits import Limits
from harness.designs.solvers import solver_of
from harness.families.family import Family
from harness.methods.method import TWO_SIDED, are_intervals

RATES, RATES_OF_TWO = (0.0, 20.0), (0.0, 5.0)
"""The true rates of a check, since the support of a rate is unbounded."""

INSIDE = (0.1, 0.9)
"""True proportions that are not near the boundary."""
FEWEST_EVENTS = 1.0
"""Expected events at the smallest true rate that is not near the boundary."""


def scenario_of(family: Family, size: Size | tuple[float, ...]) -> Scenario:
    """The scenario of a size with a uniform truth for each sample.

    Of pairs it is uniform over all tables, or without a posterior a list of tables.
    """
    design = design_for(family)
    assert design.check_truth is not None
    # Of pairs it is a whole number in keys and cells, as a config has it.
    size = design.size_of(np.ravel(size).tolist())
    return scenario_for(family, size, design.check_truth(family))


def truths_inside(scenario: Scenario) -> tuple[tuple[float, float], ...]:
    """The range of each truth, of a sample or of a cell of pairs, that is not near the boundary.

    Of pairs neither of the discordant cells is, nor are the concordant ones together.
    """
    if scenario.family.shares_size:
        concordant, view = (0.5 * INSIDE[0], 1.0), scenario.family.as_pairs
        spans = (concordant, INSIDE, INSIDE, concordant)
        return spans if view is None else view.restored(spans)
    if scenario.family.is_bounded:
        return (INSIDE,) * len(scenario.sizes)
    largest = [(each.size, each.truth.effective_support[1]) for each in scenario.samples()]
    return tuple((min(FEWEST_EVENTS / size, most), most) for size, most in largest)


def limits_at(
    subject: Subject, scenario: Scenario, outcomes: Integers, alpha: float
) -> tuple[Floats, Floats]:
    """The limits of a method at m outcomes: two-sided, or of a one-sided method its one side.

    Returns:
        Lower and upper limits, shape (m,) each.

    Raises:
        MethodError: the method failed at an outcome, or its limits are not finite or not ordered.
    """
    counts = tuple(each.astype(np.float64) for each in scenario.counts(outcomes))
    listed = OutcomeList(scenario.family, scenario.sizes, counts)
    answers = subject.limits(listed.observed(), alpha, TWO_SIDED)
    for fault in answers.failures.values():
        raise MethodError(f"{subject.label}: {fault}")
    lower, upper = answers.lower, answers.upper
    infinite = scenario.family.is_ratio
    for place in np.flatnonzero(~are_intervals(lower, upper, side_of(subject), infinite)):
        outcome = {**listed.cell([int(place)]), "alpha": alpha}
        fault = no_interval(lower[place], upper[place], outcome)
        raise MethodError(f"{subject.label}: {fault}")
    return lower, upper


def limits_table(subject: Subject, scenario: Scenario, alphas: Sequence[float]) -> Limits:
    """The limits of a method at all outcomes that can occur, a row for each alpha.

    Raises:
        MethodError: the method failed at an outcome, or its limits are not finite or not ordered.
    """
    outcomes = solver_of(scenario).possible_outcomes()
    pairs = [limits_at(subject, scenario, outcomes, alpha) for alpha in alphas]
    return Limits.of(scenario, outcomes, *(np.array(side) for side in zip(*pairs, strict=True)))
