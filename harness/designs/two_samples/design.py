"""Two independent samples, whose outcomes are pairs of counts, and their exact engines."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats, Integers
from harness.designs import miss_curve
from harness.designs.design import (
    PER_TRUTH,
    Decode,
    Design,
    Distributions,
    Outcomes,
    Scenario,
    crossed_outcomes,
    data_of,
    grid,
)
from harness.designs.engines.solver import Places, Truths, spread
from harness.designs.engines.verification import Rows
from harness.designs.limits import Limits
from harness.designs.miss_curve import MissCurve
from harness.designs.one_sample import exact as one_sample
from harness.designs.one_sample.design import (
    ONE_SAMPLE,
    SamplesSolver,
    distribution_weights,
    draw_counts,
    draw_truths,
    implied_posterior,
)
from harness.designs.results import Enumerated, WorstCase, sums_by
from harness.designs.two_samples import verification
from harness.designs.two_samples.quadrature import (
    blocks,
    integrate_pairs,
    is_integrated,
)
from harness.designs.two_samples.table import PairTable
from harness.designs.two_samples.worst_case import inner_spans, search_worst_case
from harness.distributions.truths import PairTruth, Prior
from harness.families.combination import Span
from harness.families.data import LARGEST_COUNT
from harness.families.family import ENUMERATION
from harness.families.samples import TWO_SAMPLES, among_images

# How often the probability of a pair of counts is read or written for one of a net of truths.
PASSES = 2.0


@dataclass(frozen=True)
class TwoSampleSolver(SamplesSolver):
    """Exact engines for two samples, whose outcomes are pairs of counts."""

    def listed(self) -> Iterator[tuple[float, Integers, Floats]]:
        values, sampling = self.scenario.truth.values, self.scenario.model.SAMPLING
        for index, theta in enumerate(self.scenario.family.parameter_at(values)):
            counts, probabilities = [], []
            for value, size in zip(values, self.scenario.sizes, strict=True):
                low, high = sampling.window(value[index], value[index], size)
                counts.append(np.arange(low, high + 1))
                probabilities.append(sampling.pmf(counts[-1], value[index], size))
            joint = probabilities[0][:, np.newaxis] * probabilities[1][np.newaxis, :]
            yield theta, crossed_outcomes(self.scenario, counts), joint.ravel()

    def outcomes_to_verify(self, prior: Prior | None) -> Integers:
        return verification.outcomes_to_verify(self.scenario, prior)

    def outcome_weights(self, outcomes: Integers) -> Floats:
        weight, scenario = np.ones(outcomes.size), self.scenario
        if not scenario.truth.is_crossed:
            # The samples are independent at each pair of truths, and not on average.
            return super().outcome_weights(outcomes)
        for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True):
            distinct, back = np.unique(x, return_inverse=True)
            weight = weight * one_sample.outcome_weights(sample, distinct)[back]
        return weight

    def without_worst_cases(self, limits: Limits, reported: Integers) -> Enumerated:
        if not is_integrated(self.scenario):
            return super().without_worst_cases(limits, reported)
        (block,) = blocks(self.scenario)
        outcomes = crossed_outcomes(self.scenario, block)
        by_outcome = integrate_pairs(self.scenario, block, limits.at(outcomes))
        # The weights of all pairs of counts sum to 1.
        mean = sums_by(by_outcome, by_outcome.weight)
        return Enumerated.of(by_outcome, None, mean, ENUMERATION, reported)

    def search(self, limits: Limits, over: Sequence[Span]) -> Sequence[WorstCase | None] | None:
        return search_worst_case(self.scenario, limits, (over[0], over[1]))

    def miss_curve(self, limits: Limits) -> MissCurve | None:
        return miss_curve.of_two_samples(self.scenario, limits)

    def rows_again(self, limits: Limits, truths: Sequence[Floats]) -> Iterator[Rows] | None:
        return verification.rows_of_two_samples(self.scenario, limits, truths)

    def places(self, over: Sequence[Span]) -> Places | None:
        scenario = self.scenario
        combination, sampling = scenario.family.combination, scenario.model.SAMPLING
        first, second = inner_spans(scenario, (over[0], over[1]))
        nothing, sizes = np.zeros((1, 1)), (scenario.sizes[0], scenario.sizes[1])
        table = PairTable(nothing, nothing, (0, 0), sizes, combination, sampling, (first, second))

        def between(count: int, rng: np.random.Generator) -> Truths:
            shares = rng.random((2, count))
            return tuple(
                spread(sampling, span, size, share)
                for span, size, share in zip((first, second), sizes, shares, strict=True)
            )

        def beside(theta: Floats, rng: np.random.Generator) -> Truths:
            scaled = combination.scale.of(theta)
            low, high = table.line(scaled)
            truths = spread(sampling, (low, high), sizes[0], rng.random(theta.size))
            partner = table.partner(scaled, truths)
            inside = (low <= high) & (partner >= second[0]) & (partner <= second[1])
            return np.where(inside, truths, np.nan), partner

        low, high = (
            float(combination.scale.parameter_at(end)) for end in map(np.array, table.range)
        )
        return Places(between, beside, (low, high))

    def cost_of_truth(self, over: Sequence[Span]) -> float:
        return PASSES * super().cost_of_truth(over)

    verify = verification.verify


def stride(scenario: Scenario) -> int:
    """Return one more than the largest x2: the outcome of two samples is x1·stride + x2."""
    largest = scenario.model.SAMPLING.largest_outcome(scenario.sizes[1])
    return int(min(largest, LARGEST_COUNT)) + 1


def _both_samples(scenario: Scenario) -> tuple[Scenario, ...]:
    sample, truth = scenario.family.sample, scenario.truth
    assert sample is not None
    first, second = scenario.sizes
    return (
        Scenario(ONE_SAMPLE, sample, first, truth.first),
        Scenario(ONE_SAMPLE, sample, second, truth.second),
    )


def _small_codes(scenario: Scenario, outcomes: Integers) -> tuple[Integers, Decode]:
    """Count from the smallest x and y that occur."""
    x, y = scenario.counts(outcomes)
    first, second, width = int(x.min()), int(y.min()), int(y.max() - y.min()) + 1

    def decode(codes: Integers) -> Integers:
        rows, columns = np.divmod(codes, width)
        return scenario.outcomes(rows + first, columns + second)

    return (x - first) * width + (y - second), decode


def _alike(scenario: Scenario, outcomes: Integers) -> Floats:
    mirrors = scenario.family.mirrored is not None
    (first, _, second, _), _ = among_images(data_of(scenario, outcomes), of_failures=mirrors)
    return np.asarray(first * (second.max() + 1) + second)


def _beside_two(scenario: Scenario, truths: Sequence[float], step: float) -> tuple[float, ...]:
    point = list(truths)
    # The first truth that stays within its range moves.
    weights = scenario.family.combination.weights
    for place, (sample, weight) in enumerate(zip(scenario.samples(), weights, strict=True)):
        low, high = sample.truth.effective_support
        moved = point[place] + step * max(high, 1.0) / weight
        if low <= moved <= high:
            point[place] = moved
            break
    return tuple(point)


TWO_INDEPENDENT = Design(
    TWO_SAMPLES,
    Outcomes(
        count=lambda scenario: math.prod(sample.outcome_count for sample in scenario.samples()),
        draw=draw_counts,
        encode=lambda scenario, first, second: first * stride(scenario) + second,
        decode=lambda scenario, outcomes: tuple(np.divmod(outcomes, stride(scenario))),
        trials_unit=lambda scenario: math.prod(sample.trials_unit for sample in scenario.samples()),
        codes=_small_codes,
        alike=_alike,
    ),
    distributions=Distributions(draw_truths, distribution_weights, implied_posterior),
    sizes=lambda size: (size[0], size[1]),
    size_of=lambda sizes: (sizes[0], sizes[1]),
    size_key="sizes",
    listed_truth=PairTruth,
    samples=_both_samples,
    exact=TwoSampleSolver,
    beside=_beside_two,
    examples={
        "counts": (
            (20, 20),
            {"first": grid(0.1, 0.9, 17), "second": {"values": [0.2]}},
            PER_TRUTH,
        ),
        "amounts": ((10, 10), {"first": grid(0.2, 2, 10), "second": {"values": [0.5]}}, PER_TRUTH),
    },
)
