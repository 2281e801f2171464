"""The trials that methods are looked at with where exact numbers cannot tell: those that draw."""

from __future__ import annotations

import numpy as np

from harness.checks.measures import limits_of
from harness.checks.scenarios import Size
from harness.checks.subjects.subject import Subject
from harness.families.catalogue import family_of
from harness.numerics.arrays import Bools, Floats, Integers
from harness.scenario import Scenario
from harness.truths import as_distribution

TRIALS = 20_000
"""At each size."""

SIZES, SIZES_OF_TWO = (10.0, 30.0, 100.0), ((10.0, 10.0), (10.0, 20.0))
"""Fewer than exact numbers are computed at, since drawing takes longer."""


def drawn_sizes(family: str) -> tuple[Size, ...]:
    """The sizes that a family is drawn at."""
    return SIZES if family_of(family).samples == 1 else SIZES_OF_TWO


def draw(scenario: Scenario, trials: int, seed: int) -> tuple[Floats, Integers]:
    """The true value and the outcome of each trial, truths from the scenario's distributions."""
    rng = scenario.stream(seed, 0)
    truths = tuple(as_distribution(each.truth).draw(trials, rng) for each in scenario.samples())
    return family_of(scenario.family).value(truths), _outcomes(scenario, truths, rng)


def draw_under_flat_prior(scenario: Scenario, trials: int, seed: int) -> tuple[Floats, Integers]:
    """The same, but for a rate its true value drawn from the flat prior's posterior.

    Of a proportion the two are one. The range of a rate has no end, and the mean over one that is
    cut off is not that of the prior: given the outcome it is.
    """
    truth, outcomes = draw(scenario, trials, seed)
    if scenario.model.SUPPORT[1] < np.inf:
        return truth, outcomes
    rng = scenario.stream(seed, 0).spawn(1)[0]
    counts = zip(scenario.counts(outcomes), scenario.sizes, strict=True)
    truths = tuple(rng.gamma(count + 1.0, 1.0 / size) for count, size in counts)
    return family_of(scenario.family).value(truths), outcomes


def draw_at(
    scenario: Scenario, truths: tuple[float, ...], trials: int, seed: int, place: int
) -> tuple[Floats, Integers]:
    """The same with one true value of each sample; ``place`` numbers the truths looked at."""
    each = tuple(np.full(trials, truth) for truth in truths)
    outcomes = _outcomes(scenario, each, scenario.stream(seed, 1 + place))
    return family_of(scenario.family).value(each), outcomes


def _outcomes(scenario: Scenario, truths: tuple[Floats, ...], rng: np.random.Generator) -> Integers:
    sampling = scenario.model.SAMPLING
    samples = zip(truths, scenario.samples(), strict=True)
    counts = [sampling.draw(truth, each.size, rng) for truth, each in samples]
    return scenario.outcomes(*counts)


def missed(
    subject: Subject, scenario: Scenario, outcomes: Integers, truth: Floats, alpha: float
) -> Bools:
    """Whether each trial's interval misses its truth, shape (trials,).

    A deterministic method is asked once for each distinct outcome; a stochastic one for every
    trial, and draws from a stream of its own.

    Raises:
        MethodError: the method has no limits at an outcome.
    """
    if subject.deterministic:
        distinct, back = np.unique(outcomes, return_inverse=True)
        low, high = limits_of(subject, scenario, distinct, alpha)
        lower, upper = low[back], high[back]
    else:
        lower, upper = limits_of(subject, scenario, outcomes, alpha)
    return np.asarray((truth < lower) | (truth > upper))
