"""Pairs: one table of n pairs.

The outcome is first_only·(n + 1) + second_only where the limits of all methods depend on the
discordant pairs and n alone, so that tables which differ in ``both`` only are one outcome.
Otherwise it is (first_only·(n + 1) + second_only)·(n + 1) + both. The draws of the discordant
pairs are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.designs.design import PER_TRUTH, Design, Distributions, Outcomes, Scenario, grid
from harness.distributions.paired_truths import (
    TableTruth,
)
from harness.distributions.sampling import multinomial
from harness.families.combination import PairedParameter
from harness.families.paired import PAIRS

LARGEST_WITH_BOTH = 2_000_000
"""The largest n at which a table of four counts is one whole number of 63 bits."""


def parameter_of(scenario: Scenario) -> PairedParameter:
    """Return the parameter as a function of the probabilities of the cells."""
    parameter = scenario.family.of_pairs
    assert parameter is not None
    return parameter


def discordant(scenario: Scenario, outcomes: Integers) -> tuple[Integers, Integers]:
    """Return first_only and second_only at the outcomes, shape (m,) each."""
    stride = scenario.size + 1
    first, second = np.divmod(outcomes // stride if scenario.with_both else outcomes, stride)
    return first, second


def _trials_unit(scenario: Scenario) -> int:
    return int((scenario.size + 1) * (scenario.size + 2) // 2)


def _count(scenario: Scenario) -> float:
    pairs = float(_trials_unit(scenario))
    return pairs * (scenario.size + 3.0) / 3.0 if scenario.with_both else pairs


def _encode(scenario: Scenario, *counts: Integers) -> Integers:
    both, first, second, _ = counts
    stride = scenario.size + 1
    outcomes = first * stride + second
    return np.asarray(outcomes * stride + both if scenario.with_both else outcomes + 0 * both)


def _decode(scenario: Scenario, outcomes: Integers) -> tuple[Integers, ...]:
    """Return the four counts; where an outcome does not say both, half of the rest."""
    first, second = discordant(scenario, outcomes)
    rest = scenario.size - first - second
    both = outcomes % (scenario.size + 1) if scenario.with_both else rest // 2
    return both, first, second, rest - both


def _draw(
    scenario: Scenario, cells: Sequence[Any], rng: np.random.Generator, count: int | None
) -> Integers:
    # What both is drawn from is no part of the stream of the discordant pairs.
    (apart,) = rng.spawn(1)
    first, second = multinomial.draw_discordant(cells, scenario.size, rng, count)
    rest = scenario.size - first - second
    both = multinomial.draw_both(cells, rest, apart) if scenario.with_both else np.zeros_like(rest)
    return scenario.outcomes(both, first, second, rest - both)


def _draw_truths(scenario: Scenario, trials: int, rng: np.random.Generator) -> tuple[Floats, ...]:
    drawn: tuple[Floats, ...] = scenario.truth.draw(trials, rng)
    return drawn


def _weights(scenario: Scenario, outcomes: Integers) -> Floats:
    shapes, (both, first, second, _) = scenario.truth.shapes, scenario.counts(outcomes)
    weight = multinomial.mean_discordant(shapes, first, second, scenario.size)
    if scenario.with_both:
        weight = weight * multinomial.mean_both(shapes, both, scenario.size - first - second)
    return weight


def implied_posterior(scenario: Scenario, outcomes: Integers) -> Any:
    """Return the posteriors of the parameter under the truth's own Dirichlet, given outcomes."""
    family, counts = scenario.family, scenario.counts(outcomes)
    data = family.columns([each.astype(np.float64) for each in counts], scenario.sizes)
    return family.posterior(data, scenario.truth.shapes)


def _beside(scenario: Scenario, truths: Sequence[float], step: float) -> tuple[float, ...]:
    both, first, second, neither = truths
    rises, step = step > 0, abs(step)
    more, less = (first, second) if rises else (second, first)
    # Probability moves to the discordant cell that the parameter rises with, from the other
    # one, or from the larger concordant one.
    if less >= step:
        less -= step
    elif neither >= both:
        neither -= step
    else:
        both -= step
    more += step
    return both, *((more, less) if rises else (less, more)), neither


def _listing(truths: Sequence[Floats]) -> Iterator[tuple[TableTruth, Positions, Positions]]:
    tables, index = np.unique(np.array(truths).T, axis=0, return_inverse=True)
    truth = TableTruth.of(tuple(table) for table in tables.tolist())
    yield truth, np.arange(truths[0].size), index.ravel()


def _refuse_too_large(scenario: Scenario) -> None:
    if scenario.with_both and scenario.size > LARGEST_WITH_BOTH:
        raise InputError(
            f"n = {scenario.size}: a method whose limits depend on both, beside the discordant "
            f"pairs, needs an n of at most {LARGEST_WITH_BOTH}"
        )


PAIRED = Design(
    PAIRS,
    Outcomes(_count, _draw, encode=_encode, decode=_decode, trials_unit=_trials_unit),
    distributions=Distributions(_draw_truths, _weights, implied_posterior),
    size_of=lambda sizes: int(sizes[0]),
    listed_truth=TableTruth,
    listing=_listing,
    beside=_beside,
    refuse=_refuse_too_large,
    small_cells=400,
    examples={
        "counts": (
            (20,),
            {
                "first_only": grid(0.05, 0.4, 8),
                "second_only": {"values": [0.1]},
                "both": {"values": [0.4]},
            },
            PER_TRUTH,
        )
    },
)
