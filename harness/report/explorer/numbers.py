"""The numbers of the page for teaching: limits, probabilities, curves and draws of a config."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers
from harness.config.experiment import AnyExperiment, Experiment
from harness.designs.miss_curve import MissCurve
from harness.designs.scenario import Limits, SingleScenario
from harness.designs.solvers import solver_of
from harness.distributions.truths import DiscreteTruth
from harness.study.columns import deterministic_columns, limit_sources
from harness.study.limits import compute_limits
from harness.study.plan import plan_scenarios

FAMILY = "proportion"
"""The family that the page is about."""
DRAWN, HUNDREDS = 100, 10
"""The samples of one picture, and the pictures that follow each other, at each n and p."""
HOLDS, BELOW, ABOVE = range(3)
"""What an interval does with the true value: holds it, or the value lies below or above it."""
_MOST_PROBABILITIES = 500_000
_STREAM = 1 << 62
"""The number of the random stream, that of the figure ``intervals_drawn``: the first hundred are
the samples that it draws."""


@dataclass(frozen=True)
class SizeNumbers:
    """What the page shows at one n: k methods, t true values, outcomes 0, …, n."""

    n: int
    lower: Floats
    """Shape (k, n + 1)."""
    upper: Floats
    probability: Floats
    """Pr(X = x | p), shape (t, n + 1)."""
    misses: Integers
    """HOLDS, BELOW or ABOVE for each method, true value and outcome, shape (k, t, n + 1)."""
    below: Floats
    """The probability that p lies below the interval, shape (k, t)."""
    above: Floats
    missed: Floats
    """The actual alpha, shape (k, t)."""
    length: Floats
    """The expected length, shape (k, t)."""
    drawn: Integers
    """The outcomes of the samples, shape (t, HUNDREDS, DRAWN)."""
    curves: Sequence[MissCurve]
    """The miss probability over all p from 0 to 1, of each method."""

    @property
    def expected(self) -> Floats:
        """The expected number of misses in a hundred intervals, shape (k, t)."""
        return DRAWN * self.missed

    @property
    def spread(self) -> Floats:
        """The standard deviation of the number of misses in a hundred intervals, shape (k, t)."""
        missed = np.clip(self.missed, 0.0, 1.0)
        return np.asarray(np.sqrt(DRAWN * missed * (1.0 - missed)))

    @property
    def counts(self) -> Integers:
        """The misses in each hundred intervals, shape (k, t, HUNDREDS)."""
        codes = np.take_along_axis(
            self.misses, self.drawn.reshape(1, len(self.drawn), -1), axis=2
        ).reshape(-1, *self.drawn.shape)
        return np.asarray((codes != HOLDS).sum(axis=3))


@dataclass(frozen=True)
class Numbers:
    """What the page shows of one config."""

    experiment: Experiment
    truths: Floats
    """Ascending, shape (t,)."""
    sizes: Sequence[SizeNumbers]

    @property
    def alpha(self) -> float:
        """The nominal alpha."""
        return self.experiment.alphas[0]


def numbers_of(experiment: AnyExperiment) -> Numbers:
    """Compute what the page shows of an experiment.

    Args:
        experiment: of the family ``proportion``, with one alpha, listed true values, and methods
            whose limits follow from the outcome.

    Raises:
        InputError: the experiment is another one, or a method has no interval at some outcome.
        IntervalNotFoundError: a method of the catalogue found no interval.
    """
    experiment = _explorable(experiment)
    _refuse_too_many(experiment)
    with limit_sources(experiment) as sources:
        if len(deterministic_columns(experiment, sources)) < len(experiment.methods):
            raise InputError(f"{experiment.name}: a method draws its limits; leave it out")
        plans = plan_scenarios(experiment, sources)
        scenarios = [each.scenario for each in plans]
        outcomes = [np.arange(int(each.sizes[0]) + 1) for each in scenarios]
        found = compute_limits(experiment, plans, outcomes, sources)
    sizes = [
        _size_numbers(experiment, scenario, each.limits)
        for scenario, each in zip(scenarios, found, strict=True)
        if isinstance(scenario, SingleScenario)
    ]
    _, truths = scenarios[0].listed_truths()
    return Numbers(experiment, truths, sizes)


def _explorable(experiment: AnyExperiment) -> Experiment:
    """Return the experiment if the page can show it; raise otherwise."""
    asked = "--explorer takes a config of the family proportion with one alpha"
    if not isinstance(experiment, Experiment) or experiment.family != FAMILY:
        raise InputError(f"{asked}, found {experiment.name} of the family {experiment.family}")
    if len(experiment.alphas) > 1:
        found = ", ".join(f"{alpha:g}" for alpha in experiment.alphas)
        raise InputError(f"{asked}, found {experiment.name} with alpha {found}")
    if not isinstance(experiment.truth, DiscreteTruth):
        raise InputError(f"{asked} and true values from a grid or a list ({experiment.name})")
    if experiment.sampling is not None:
        raise InputError(f"{asked} and without the key sampling ({experiment.name})")
    return experiment


def _refuse_too_many(experiment: Experiment) -> None:
    """Refuse what no page holds, before it is computed."""
    assert isinstance(experiment.truth, DiscreteTruth)
    truths = experiment.truth.count
    outcomes = sum(int(size) + 1 for size in experiment.sizes if isinstance(size, (int, float)))
    # Curves have about as many points as a hundred true values have outcomes.
    if outcomes * max(truths, 100) > _MOST_PROBABILITIES or len(experiment.sizes) * truths > 5000:
        raise InputError(
            f"{experiment.name}: the page cannot hold {truths} true values with {outcomes} "
            "outcomes of all n; give fewer true values, fewer n, or smaller n"
        )


def _size_numbers(experiment: Experiment, scenario: SingleScenario, limits: Limits) -> SizeNumbers:
    if limits.failed.any():
        row, x = np.argwhere(limits.failed)[0].tolist()
        label = experiment.methods[row].label
        raise InputError(f"{label} has no interval at x = {x}, n = {scenario.size:g}")
    _, truths = scenario.listed_truths()
    x, p = limits.outcomes, truths[:, np.newaxis]
    lower, upper = limits.lower[:, np.newaxis], limits.upper[:, np.newaxis]
    # As a run computes them, so that its tables hold the same numbers.
    exact = solver_of(scenario).enumerate(limits, limits.outcomes[:0], worst=False).by_truth
    assert exact is not None
    assert exact.length is not None
    everywhere = replace(scenario, truth=DiscreteTruth(scenario.model.SUPPORT))
    solver = solver_of(everywhere)
    curves = [solver.miss_curve(limits.rows([row])) for row in range(len(limits.lower))]
    return SizeNumbers(
        n=int(scenario.size),
        lower=limits.lower,
        upper=limits.upper,
        probability=scenario.model.SAMPLING.pmf(x, p, scenario.size),
        misses=np.where(p < lower, BELOW, np.where(p > upper, ABOVE, HOLDS)),
        below=exact.below,
        above=exact.above,
        missed=exact.missed,
        length=exact.length,
        drawn=_drawn(scenario, truths, experiment.seed),
        curves=[each for each in curves if each is not None],
    )


def _drawn(scenario: SingleScenario, truths: Floats, seed: int) -> Integers:
    """Draw the samples at each true value, each from a stream of its own."""
    count = HUNDREDS * DRAWN
    found = np.empty((truths.size, count), np.int64)
    for row, truth in enumerate(truths.tolist()):
        at_truth = scenario.with_truths((truth,))
        found[row] = at_truth.draw_outcomes([np.full(count, truth)], at_truth.stream(seed, _STREAM))
    return found.reshape(truths.size, HUNDREDS, DRAWN)


def outcomes_in_words(missed: Sequence[bool], n: int) -> str:
    """Return which outcomes 0, …, n are marked, as in ``0, or at least 5``; empty for none.

    >>> outcomes_in_words([True, False, False, False, True, True], 5)
    '0, or at least 4'
    """
    runs = []
    for marked, group in groupby(enumerate(missed), key=lambda each: bool(each[1])):
        places = [place for place, _ in group]
        if marked:
            runs.append(_run_in_words(places[0], places[-1], n))
    return ", or ".join(runs)


def _run_in_words(first: int, last: int, n: int) -> str:
    if (first, last) == (0, n):
        return "anything"
    if first == last:
        return str(first)
    if first == 0:
        return f"at most {last}"
    return f"at least {first}" if last == n else f"{first} to {last}"
