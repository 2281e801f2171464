"""The scenarios of a check: a method's limits in them, and trials of methods that draw limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.errors import MethodError
from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.callers.source import no_interval
from harness.checks.conformance.grid import OutcomeList
from harness.checks.findings import FAIL, INCONCLUSIVE, PASS, REMARK, Verdict
from harness.checks.plans import INSIDE, checked_at
from harness.checks.subject import Subject, side_of
from harness.designs.design import Scenario
from harness.designs.engines.solver import solver_of
from harness.designs.limits import Limits
from harness.methods.method import TWO_SIDED, are_intervals


def truths_inside(scenario: Scenario) -> tuple[tuple[float, float], ...]:
    """The range of each truth, of a sample or of a cell of pairs, that is not near the boundary.

    Of pairs neither of the discordant cells is, nor are the concordant ones together.
    """
    if scenario.family.shares_size:
        concordant, view = (0.5 * INSIDE[0], 1.0), scenario.family.as_pairs
        cells = (concordant, INSIDE, INSIDE, concordant)
        return cells if view is None else view.restored(cells)
    return checked_at(scenario.family).counts.inside(scenario)


def limits_at(
    subject: Subject, scenario: Scenario, outcomes: Integers, alpha: float
) -> tuple[Floats, Floats]:
    """The limits of a method at m outcomes: two-sided, or of a one-sided method its one side.

    Returns:
        Lower and upper limits, shape (m,) each.

    Raises:
        MethodError: the method failed at an outcome, or its limits are not finite or not ordered.
    """
    counts = tuple(count.astype(np.float64) for count in scenario.counts(outcomes))
    listed = OutcomeList(scenario.family, scenario.sizes, counts)
    answers = subject.limits(listed.observed(), alpha, TWO_SIDED)
    for fault in answers.failures.values():
        raise MethodError(f"{subject.label}: {fault}")
    lower, upper = answers.lower, answers.upper
    sound = are_intervals(lower, upper, side_of(subject), scenario.family)
    for place in np.flatnonzero(~sound):
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


TRIALS = 20_000
"""The default number of trials at each size."""

_MOST_TRIALS = 1 << 40
"""More than anyone can make; from some 2^48 on intervals of fractions are not found."""


def draw(scenario: Scenario, trials: int, seed: int) -> tuple[Floats, Integers]:
    """Draw truths from the distributions of a scenario, and an outcome for each.

    Returns:
        The parameter of the family and the outcome of each trial, shape (trials,) each.
    """
    rng = scenario.stream(seed, 0)
    truths = scenario.draw_truths(trials, rng)
    return scenario.family.parameter_at(truths), scenario.draw_outcomes(truths, rng)


def misses(
    subject: Subject, scenario: Scenario, outcomes: Integers, truth: Floats, alpha: float
) -> Bools:
    """Whether the interval of each trial misses its truth, shape (trials,).

    A deterministic method is called once for each distinct outcome; a stochastic method is called
    for every trial, with a random stream that does not depend on the draws of the outcomes.

    Raises:
        MethodError: the method has no limits at an outcome.
    """
    if subject.deterministic:
        distinct, inverse = np.unique(outcomes, return_inverse=True)
        low, high = limits_at(subject, scenario, distinct, alpha)
        lower, upper = low[inverse], high[inverse]
    else:
        lower, upper = limits_at(subject, scenario, outcomes, alpha)
    return np.asarray((truth < lower) | (truth > upper))


@dataclass(frozen=True)
class AllowedRate:
    """The miss rates that are allowed, or the differences of two of them."""

    most: float
    least: float = -math.inf
    hair: float = 0.0
    """How much beyond what is allowed is a remark."""

    def verdict(self, low: float, high: float) -> Verdict:
        """Whether a rate is allowed, given its confidence interval from low to high.

        It passes where the whole interval is allowed, with a remark where it is but for a hair,
        and fails where no part of it is, with the hair.
        """
        if self.least <= low and high <= self.most:
            return PASS
        least, most = self.least - self.hair, self.most + self.hair
        if self.hair and least <= low and high <= most:
            return REMARK
        return FAIL if low > most or high < least else INCONCLUSIVE


def trials_needed(
    concludes: Callable[[int], bool], start: int, most: int = _MOST_TRIALS
) -> int | None:
    """The number of trials that suffices for a conclusion, found by doubling and bisection.

    Args:
        concludes: whether so many trials suffice, if the fraction of misses stays as it is.
        start: a number of trials that does not suffice.
        most: the largest number that is tried.

    Returns:
        The number of trials; None where no number up to ``most`` suffices.
    """
    low, high = 0, start
    while not concludes(high):
        low, high = high, 2 * high
        if high > most:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if concludes(middle) else (middle, high)
    return high


def format_trials_needed(needed: int | None) -> str:
    """A clause for the message of an inconclusive finding."""
    return f"; {'no number of' if needed is None else needed} trials would conclude it"
