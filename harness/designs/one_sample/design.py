"""One sample, whose outcomes are counts, and its exact engines: by its own model, or by a law.

A law gives the probabilities of all outcomes at listed truths, which are summed where an interval
misses. Under a distribution of truths there is no closed form, and nothing is enumerated. The
second computation holds the probabilities themselves against the closed forms of the law: their sum
against 1, their mean and their variance; and an outcome misses by its place among the sorted
truths.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs import miss_curve
from harness.designs.design import (
    PER_TRUTH,
    Design,
    Distributions,
    Draws,
    Outcomes,
    Scenario,
    crossed_outcomes,
    grid,
)
from harness.designs.engines.listed import blocks_of_truths, worse_of_listed
from harness.designs.engines.solver import Places, Scores, Solver, Truths, spread
from harness.designs.engines.verification import (
    SECOND,
    Comparison,
    Published,
    Rows,
    compare_listed,
    compare_worst_cases,
    relative_difference,
)
from harness.designs.limits import Column, Limits
from harness.designs.miss_curve import MissCurve
from harness.designs.one_sample import exact, law_worst_case, least_length, verification
from harness.designs.results import Enumerated, WorstCase
from harness.distributions.sampling.law import THINNED, Law
from harness.distributions.truths import Prior, as_distribution
from harness.families.combination import Span
from harness.families.family import ENUMERATION
from harness.families.judged import KNOWN_JUDGE
from harness.families.model import truth_posterior
from harness.families.samples import SINGLE_SAMPLE


def places_of_one(scenario: Scenario, over: Span) -> Places:
    """Return the places of truths of one sample, of one law too."""
    lattice = None if scenario.law is None else scenario.law.lattice

    def between(count: int, rng: np.random.Generator) -> Truths:
        shares = rng.random(count)
        truths = spread(scenario.model.SAMPLING, over, scenario.size, shares)
        return (truths if lattice is None else np.unique(np.rint(truths * lattice)) / lattice,)

    return Places(between, lambda theta, _: (theta,), over, lattice)


@dataclass(frozen=True)
class SamplesSolver(Solver):
    """The exact engines where outcomes are all combinations of a count of each sample."""

    @cached_property
    def _possible_runs(self) -> list[list[list[int]]]:
        """The first and the last count of each run of possible ones, ascending, of each sample.

        They are the counts that can occur under the truth, but for 1e-16 of them.
        """
        runs = []
        for sample in self.scenario.samples():
            merged: list[list[int]] = []
            values = sample.truth.values if sample.truth.is_discrete else ()
            for span in [(value, value) for value in values] or [sample.truth.effective_support]:
                first, last = sample.sampling.window(*span, sample.size)
                if merged and first <= merged[-1][1] + 1:
                    merged[-1][1] = max(merged[-1][1], last)
                else:
                    merged.append([first, last])
            runs.append(merged)
        return runs

    def possible_outcomes(self) -> Integers:
        counts = [
            np.concatenate([np.arange(first, last + 1, dtype=np.int64) for first, last in runs])
            for runs in self._possible_runs
        ]
        return crossed_outcomes(self.scenario, counts)

    def possible_count(self) -> float:
        return math.prod(
            float(sum(last - first + 1 for first, last in runs)) for runs in self._possible_runs
        )

    def hull(self) -> tuple[Span, ...]:
        return tuple(sample.truth.effective_support for sample in self.scenario.samples())

    def whole_range(self) -> tuple[Span, ...]:
        model, hull = self.scenario.model, self.hull()
        return (model.SUPPORT,) * len(hull) if model.IS_BOUNDED else hull

    def windows(self, over: Sequence[Span]) -> list[tuple[int, int]]:
        """Return the first and the last value of each count that can occur in a range of truths."""
        spans = zip(over, self.scenario.sizes, strict=True)
        return [self.scenario.sampling.window(*span, size) for span, size in spans]

    def range_outcomes(self, over: Sequence[Span]) -> Integers:
        counts = [np.arange(first, last + 1) for first, last in self.windows(over)]
        return crossed_outcomes(self.scenario, counts)

    def range_count(self, over: Sequence[Span]) -> float:
        return math.prod(last - first + 1.0 for first, last in self.windows(over))

    def spread_outcomes(self, count: int) -> Integers:
        windows = self.windows(self.hull())
        counts = [np.linspace(first, last, count).astype(np.int64) for first, last in windows]
        return np.unique(self.scenario.outcomes(*counts))

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        middles = [0.5 * (low + high) for low, high in over]
        return self.range_count([(middle, middle) for middle in middles])


@dataclass(frozen=True)
class CountSolver(SamplesSolver):
    """What the exact engines for one sample share, whatever the law of its count."""

    largest_solved: ClassVar[float] = np.inf

    def with_worst_cases(self, limits: Limits, found: Enumerated) -> Enumerated:
        hull, whole = self.hull(), self.whole_range()
        cases = self.worst_cases(limits, hull)
        held = worse_of_listed(self.scenario, found.by_truth, cases)
        # Only what is not known to be exact is held against the listed truths.
        worst = tuple(
            case if case is None or case.is_exact else other
            for case, other in zip(cases, held, strict=True)
        )
        if not self.scenario.model.IS_BOUNDED:
            return replace(found, worst=worst)
        anywhere = cases if hull == whole else self.worst_cases(limits, whole)
        exact_cases = tuple(
            case if case is not None and case.is_exact else None for case in anywhere
        )
        return replace(found, worst=worst, worst_anywhere=exact_cases)

    def places(self, over: Sequence[Span]) -> Places | None:
        return places_of_one(self.scenario, over[0])


@dataclass(frozen=True)
class OneSampleSolver(CountSolver):
    """Exact engines for one sample."""

    def covers_draws(self, outcomes: Integers, largest: float) -> bool:
        if self.scenario.model.IS_BOUNDED:
            return bool(outcomes.size == self.scenario.size + 1)
        return super().covers_draws(outcomes, largest)

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        return verification.outcomes_to_verify(self)

    def outcome_weights(self, outcomes: Integers) -> Floats:
        return exact.outcome_weights(self.scenario, outcomes)

    without_worst_cases = exact.enumerate_one_sample

    search = exact.worst_cases
    at_truths = exact.at_listed_truths

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        return miss_curve.of_one_sample(self.scenario, limits)

    def scores(self, limits: Limits, enumerated: Enumerated, columns: Sequence[Column]) -> Scores:
        scores = super().scores(limits, enumerated, columns)
        if enumerated.nodes is not None:
            # Enumeration has integrated over all gaps between limits.
            rms = []
            for nodes, column in zip(enumerated.nodes, columns, strict=True):
                error = column.alpha - (nodes.below + nodes.above)
                rms.append(float(np.sqrt((error * error * nodes.weight).sum())))
            scores = replace(scores, rms_alpha_error=np.array(rms))
        return replace(scores, least=least_length.of_columns(self.scenario, enumerated, columns))

    expected_excess = exact.expected_excess

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return verification.rows_of_one_sample(self.scenario, limits, truths[0])

    verify = verification.verify


@dataclass(frozen=True)
class LawSolver(CountSolver):
    """Exact engines for one sample whose count arises by a law of its own.

    They have values at listed truths alone.
    """

    @property
    def law(self) -> Law:
        """How the count arises."""
        assert self.scenario.law is not None
        return self.scenario.law

    @property
    def has_exact_values(self) -> bool:
        return bool(self.scenario.truth.is_discrete)

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        truths = self.scenario.listed_truths()[1]
        for part, outcomes, rows in self._blocks(truths):
            for value, probability in zip(truths[part].tolist(), rows, strict=True):
                yield value, outcomes, probability

    def _blocks(self, truths: Floats) -> Iterator[tuple[slice, Integers, Floats]]:
        """Yield the probabilities of the possible outcomes at ascending truths, in blocks."""
        law, size = self.law, self.scenario.size
        for part, first, last in blocks_of_truths(law, truths, size):
            rows = law.probabilities(truths[part], size, first, last)
            yield part, np.arange(first, last + 1), rows

    def search(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None] | None:
        return law_worst_case.worst_cases(self.law, self.scenario.size, limits, over[0])

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        return miss_curve.of_law(self.law, self.scenario, limits)

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        return self.law.cost(self.scenario.size, super().cost_of_truth(over))

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows]:
        for part, outcomes, rows in self._blocks(truths[0]):
            yield np.arange(part.start, part.stop), limits.positions(outcomes), rows

    def verify(self, limits: Limits, published: Published) -> list[Comparison]:
        if published.enumerated is None:
            return []
        truths = self.scenario.listed_truths()[1]
        rows = self.rows_again(limits, [truths])
        comparisons = compare_listed(self.scenario, rows, limits, published)
        apart = np.full(limits.lower.shape[0], self._moments_apart(truths))
        moments = Comparison(ENUMERATION, SECOND, "moments of the outcome", apart)
        return [*comparisons, moments, *compare_worst_cases(published)]

    def _moments_apart(self, truths: Floats) -> float:
        """Return the largest relative difference of a sum, mean or variance from its closed form.

        Sums are over the possible outcomes at each of the ascending truths.
        """
        law, size, largest = self.law, self.scenario.size, 0.0
        for part, x, rows in self._blocks(truths):
            theta = truths[part]
            mean, variance = law.mean(theta, size), law.variance(theta, size)
            away = x - mean[:, np.newaxis]
            for summed, closed in (
                (rows.sum(axis=1), np.ones(theta.size)),
                ((rows * x).sum(axis=1), mean),
                ((rows * away * away).sum(axis=1), variance),
            ):
                largest = max(largest, float(relative_difference(summed, closed).max(initial=0.0)))
        return largest


def draw_counts(
    scenario: Scenario, truths: Sequence[Any], rng: np.random.Generator, count: int | None
) -> Integers:
    """Draw the count of each sample, one after the other."""
    draw = scenario.sampling.draw
    samples = zip(truths, scenario.sizes, strict=True)
    return scenario.outcomes(*(draw(truth, size, rng, count) for truth, size in samples))


def draw_truths(scenario: Scenario, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
    """Draw the true values of each sample, one after the other."""
    return tuple(as_distribution(sample.truth).draw(trials, rng) for sample in scenario.samples())


def distribution_weights(scenario: Scenario, outcomes: Integers) -> Floats:
    """Return the probabilities of outcomes under the distributions of the truths, shape (m,)."""
    weight = np.ones(outcomes.size)
    for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True):
        truth = as_distribution(sample.truth)
        weight = weight * sample.model.outcome_weights(truth, x, sample.size)
    return weight


def implied_posterior(scenario: Scenario, outcomes: Integers) -> Any:
    """Return the posteriors of the parameter under the distributions of the truths."""
    implied = (
        truth_posterior(scenario.model, as_distribution(sample.truth), x, sample.size)
        for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True)
    )
    combine = scenario.family.combine_posteriors
    assert combine is not None
    return combine(*implied)


def _draw_ascending(scenario: Scenario, trials: int, rng: np.random.Generator) -> Draws:
    parameter = as_distribution(scenario.truth).draw(trials, rng)
    parameter.sort()
    tables = None
    if scenario.draws == THINNED:
        tables = scenario.model.SAMPLING.thinned(scenario.size, *scenario.truth.support)
    if tables is None:
        return Draws(parameter, scenario.sampling.draw(parameter, scenario.size, rng))
    return Draws(parameter, tables.draw(parameter, rng))


def _beside_one(scenario: Scenario, truths: Sequence[float], step: float) -> tuple[float, ...]:
    low, high = scenario.truth.effective_support
    return (min(max(truths[0] + step * max(high, 1.0), low), high),)


ONE_SAMPLE = Design(
    SINGLE_SAMPLE,
    Outcomes(
        count=lambda scenario: scenario.sampling.largest_outcome(scenario.size) + 1,
        draw=draw_counts,
        trials_unit=lambda scenario: int(scenario.size) + 1,
        at_once=1 << 15,
        alike=lambda scenario, outcomes: np.minimum(
            outcomes, scenario.numbered.count(scenario) - 1 - outcomes
        ),
    ),
    distributions=Distributions(
        draw_truths, distribution_weights, implied_posterior, _draw_ascending
    ),
    values=lambda scenario: (np.array(scenario.truth.values),),
    keyed_by_value=True,
    samples=lambda scenario: (scenario,),
    exact=lambda scenario: (
        OneSampleSolver(scenario) if scenario.law is None else LawSolver(scenario)
    ),
    beside=_beside_one,
    examples={
        "counts": (([20, 50, 100],), grid(0.01, 0.99, 99), PER_TRUTH),
        "amounts": (([5, 20, 100],), grid(0.05, 1, 20), PER_TRUTH),
    },
)
"""One count, of a law of the scenario or of the model."""

OF_A_KNOWN_JUDGE = replace(ONE_SAMPLE, name=KNOWN_JUDGE)
"""The yes of a judge whose error rates are known, whose law is the family's."""
