"""One sample, and two independent ones: their outcomes are counts."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.designs.design import (
    PER_TRUTH,
    Decode,
    Design,
    Distributions,
    Draws,
    Outcomes,
    Scenario,
    data_of,
    grid,
)
from harness.distributions.sampling.law import THINNED
from harness.distributions.truths import DiscreteTruth, PairTruth, as_distribution
from harness.families.data import LARGEST_COUNT
from harness.families.family import truth_posterior
from harness.families.samples import SINGLE_SAMPLE, TWO_SAMPLES, among_images


def draw_counts(
    scenario: Scenario, truths: Sequence[Any], rng: np.random.Generator, count: int | None
) -> Integers:
    """Draw the count of each sample, one after the other."""
    draw = scenario.sampling.draw
    each = zip(truths, scenario.sizes, strict=True)
    return scenario.outcomes(*(draw(truth, size, rng, count) for truth, size in each))


def _draw_truths(scenario: Scenario, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
    return tuple(as_distribution(each.truth).draw(trials, rng) for each in scenario.samples())


def _weights(scenario: Scenario, outcomes: Integers) -> Floats:
    weight = np.ones(outcomes.size)
    for sample, x in zip(scenario.samples(), scenario.counts(outcomes), strict=True):
        truth = as_distribution(sample.truth)
        weight = weight * sample.model.outcome_weights(truth, x, sample.size)
    return weight


def _implied_posterior(scenario: Scenario, outcomes: Integers) -> Any:
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


def _listing_of_one(
    truths: Sequence[Floats],
) -> Iterator[tuple[DiscreteTruth, Positions, Positions]]:
    (values,) = truths
    distinct, index = np.unique(values, return_inverse=True)
    yield DiscreteTruth(tuple(distinct.tolist())), np.arange(values.size), index


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
    distributions=Distributions(_draw_truths, _weights, _implied_posterior, _draw_ascending),
    values=lambda scenario: (np.array(scenario.truth.values),),
    keyed_by_value=True,
    listing=_listing_of_one,
    samples=lambda scenario: (scenario,),
    beside=_beside_one,
    small_cells=4000,
    probed_counts=(20, 120),
    examples={
        "counts": (([20, 50, 100],), grid(0.01, 0.99, 99), PER_TRUTH),
        "amounts": (([5, 20, 100],), grid(0.05, 1, 20), PER_TRUTH),
    },
)


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


def _encode(scenario: Scenario, first: Integers, second: Integers) -> Integers:
    return first * stride(scenario) + second


def _decode(scenario: Scenario, outcomes: Integers) -> tuple[Integers, ...]:
    return tuple(np.divmod(outcomes, stride(scenario)))


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
    found = list(truths)
    # The first truth that stays within its range moves.
    weights = scenario.family.combination.weights
    for place, (sample, weight) in enumerate(zip(scenario.samples(), weights, strict=True)):
        low, high = sample.truth.effective_support
        moved = found[place] + step * max(high, 1.0) / weight
        if low <= moved <= high:
            found[place] = moved
            break
    return tuple(found)


def _listing_of_two(
    truths: Sequence[Floats],
) -> Iterator[tuple[PairTruth, Positions, Positions]]:
    first, second = truths
    for value in np.unique(first):
        rows = np.flatnonzero(first == value)
        distinct, index = np.unique(second[rows], return_inverse=True)
        pair = PairTruth(DiscreteTruth((float(value),)), DiscreteTruth(tuple(distinct.tolist())))
        yield pair, rows, index


TWO_INDEPENDENT = Design(
    TWO_SAMPLES,
    Outcomes(
        count=lambda scenario: math.prod(each.outcome_count for each in scenario.samples()),
        draw=draw_counts,
        encode=_encode,
        decode=_decode,
        trials_unit=lambda scenario: math.prod(each.trials_unit for each in scenario.samples()),
        codes=_small_codes,
        alike=_alike,
    ),
    distributions=Distributions(_draw_truths, _weights, _implied_posterior),
    sizes=lambda size: (size[0], size[1]),
    size_of=lambda sizes: (sizes[0], sizes[1]),
    size_key="sizes",
    listed_truth=PairTruth,
    listing=_listing_of_two,
    samples=_both_samples,
    beside=_beside_two,
    small_cells=2000,
    probed_counts=(3, 6),
    examples={
        "counts": (
            (20, 20),
            {"first": grid(0.1, 0.9, 17), "second": {"values": [0.2]}},
            PER_TRUTH,
        ),
        "amounts": ((10, 10), {"first": grid(0.2, 2, 10), "second": {"values": [0.5]}}, PER_TRUTH),
    },
)
