"""Trials of methods that draw their limits: truths, outcomes, misses, and how many suffice."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from harness.base.numerics.arrays import Bools, Floats, Integers
from harness.checks.findings import FAIL, INCONCLUSIVE, PASS, Verdict
from harness.checks.scenarios import limits_at
from harness.checks.subject import Subject
from harness.designs.design import Scenario

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


def draw_under_flat_prior(scenario: Scenario, trials: int, seed: int) -> tuple[Floats, Integers]:
    """Draw truths under the flat prior of each sample, and an outcome for each.

    For a proportion, ``draw`` does this. The flat prior of a rate is improper, and a mean over a
    bounded part of it is not the mean under the prior: here each rate is drawn from its posterior
    given the outcome.

    Returns:
        The parameter of the family and the outcome of each trial, shape (trials,) each.
    """
    truth, outcomes = draw(scenario, trials, seed)
    if scenario.family.is_bounded:
        return truth, outcomes
    rng = scenario.stream(seed, 0).spawn(1)[0]
    counts = zip(scenario.counts(outcomes), scenario.sizes, strict=True)
    truths = tuple(rng.gamma(count + 1.0, 1.0 / size) for count, size in counts)
    return scenario.family.parameter_at(truths), outcomes


def draw_at(
    scenario: Scenario, truths: tuple[float, ...], trials: int, seed: int, stream: int
) -> tuple[Floats, Integers]:
    """Draw outcomes at one truth of each sample.

    Args:
        scenario: the sizes.
        truths: of each sample.
        trials: the number of outcomes.
        seed: of all draws of the check.
        stream: a number for each truth; different numbers give independent draws.

    Returns:
        The parameter of the family and the outcome of each trial, shape (trials,) each.
    """
    each = tuple(np.full(trials, truth) for truth in truths)
    outcomes = scenario.draw_outcomes(each, scenario.stream(seed, 1 + stream))
    return scenario.family.parameter_at(each), outcomes


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


def verdict_of(low: float, high: float, most: float) -> Verdict:
    """Whether a quantity is at most ``most``, given its confidence interval from low to high."""
    return PASS if high <= most else FAIL if low > most else INCONCLUSIVE


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
