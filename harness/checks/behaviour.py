"""The exact behaviour of a method: a row of numbers for each size and alpha."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from harness.checks.measures import LENGTH, MEAN, RATES, WORST, limits_of, scenario_of
from harness.checks.records import BEHAVIOUR, FAIL, PASS, Finding
from harness.checks.subject import Subject
from harness.engines.enumeration import Enumerated, enumerate_exactly, possible_outcomes
from harness.engines.posterior import integrate
from harness.engines.worst_case import WorstCase, worst_case
from harness.errors import MethodError
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED
from harness.numerics.arrays import Floats, Integers
from harness.scenario import Limits, Scenario, data_of

SIZES = (*range(1, 31), 50, 100, 200, 500, 1000)
EXPOSURES = (0.5, 1.0, 5.0)
ALPHAS = (0.01, 0.05, 0.1)

WORST_INSIDE = "worst_alpha_inside"
RELATIVE = "relative_length"
POSTERIOR = "largest_posterior_error"
SOUND = "has exact numbers"
FAULT = "fault"
"""Why there are no numbers."""
MEAN_POSTERIOR = "mean_posterior_error"
"""Of a proportion the same as the mean alpha error; of a rate, whose range has no end, free of
what the end of the truths looked at does to that."""

INSIDE = (0.1, 0.9)
"""The true proportions that are not next to an end of the range."""
FEWEST_EVENTS = 1.0
"""Expected ones: of rates, the like of them."""


def default_sizes(family: str) -> tuple[float, ...]:
    """The sizes that a family of one sample is looked at with."""
    return EXPOSURES if _is_rate(family) else SIZES


def behaviour(subject: Subject, sizes: Sequence[float], alphas: Sequence[float]) -> pl.DataFrame:
    """A row for each size and alpha, in this order; only a fault where limits are unsound.

    Besides what ``measures`` tells: the worst alpha over the truths inside, the mean probability
    to miss on each side, the length relative to that of ``minimal_length``; and under a flat prior
    the mean and the largest of alpha − posterior probability outside, with its outcome.

    Args:
        subject: deterministic, of a family of one sample.
        sizes: n, or exposures.
        alphas: levels that each size is looked at with.
    """
    size_name = family_of(subject.family).sizes[0]
    rows = [
        {size_name: float(size), "alpha": alpha, **row}
        for size in sizes
        for alpha, row in zip(alphas, _rows(subject, float(size), alphas), strict=True)
    ]
    return pl.DataFrame(rows, schema={size_name: pl.Float64, "alpha": pl.Float64, **_COLUMNS})


_COLUMNS = {
    WORST: pl.Float64,
    "worst_truth": pl.Float64,
    WORST_INSIDE: pl.Float64,
    MEAN: pl.Float64,
    MEAN_POSTERIOR: pl.Float64,
    "miss_below": pl.Float64,
    "miss_above": pl.Float64,
    LENGTH: pl.Float64,
    RELATIVE: pl.Float64,
    POSTERIOR: pl.Float64,
    "largest_at": pl.Int64,
    FAULT: pl.String,
}


def sound(exact: pl.DataFrame, family: str) -> Finding:
    """Whether there are exact numbers at every size and alpha, of one sample or two."""
    bad = exact.filter(pl.col(FAULT).is_not_null())
    if bad.is_empty():
        message = f"sound limits at all outcomes of {exact.height} sizes and alphas"
        return Finding(SOUND, BEHAVIOUR, PASS, message, {})
    row = bad.row(0, named=True)
    cell = {key: row[key] for key in (*family_of(family).sizes, "alpha")}
    more = f" (and at {bad.height - 1} more sizes and alphas)" if bad.height > 1 else ""
    return Finding(SOUND, BEHAVIOUR, FAIL, row[FAULT] + more, cell, 1.0)


def _rows(subject: Subject, size: float, alphas: Sequence[float]) -> list[dict[str, Any]]:
    """What is known at each alpha."""
    scenario = scenario_of(subject.family, size)
    outcomes = possible_outcomes(scenario)
    known: dict[float, dict[str, Any]] = {}
    pairs = {}
    for alpha in alphas:
        try:
            pairs[alpha] = limits_of(subject, scenario, outcomes, alpha)
        except MethodError as fault:
            known[alpha] = {FAULT: str(fault).removeprefix(f"{subject.label}: ")}
    if pairs:
        limits = Limits(outcomes, *(np.array(side) for side in zip(*pairs.values(), strict=True)))
        known |= zip(pairs, _exact(scenario, limits, list(pairs)), strict=True)
    if TWO_SIDED in subject.sides:
        for alpha in pairs:
            shortest = _minimal_length(subject.family, size, alpha)
            known[alpha][RELATIVE] = known[alpha][LENGTH] / shortest
    return [known[alpha] for alpha in alphas]


def _exact(scenario: Scenario, limits: Limits, alphas: Sequence[float]) -> list[dict[str, Any]]:
    found = enumerate_exactly(scenario, limits)
    mean = found.mean
    assert mean is not None
    inside = _worst_inside(scenario, limits)
    given = integrate(scenario, limits, scenario.model.FLAT_PRIOR)
    rows = []
    for row, alpha in enumerate(alphas):
        worst = found.worst[row]
        assert isinstance(worst, WorstCase)
        errors = alpha - (given.below[row] + given.above[row])
        largest = int(np.argmax(np.abs(errors)))
        rows.append(
            {
                WORST: worst.alpha,
                "worst_truth": worst.truth,
                WORST_INSIDE: inside[row],
                MEAN: float(alpha - (mean.below[row] + mean.above[row])),
                MEAN_POSTERIOR: mean_posterior_error(found, limits, errors),
                "miss_below": float(mean.below[row]),
                "miss_above": float(mean.above[row]),
                LENGTH: float(mean.length[row]),
                POSTERIOR: float(abs(errors[largest])),
                "largest_at": int(limits.outcomes[largest]),
            }
        )
    return rows


def mean_posterior_error(found: Enumerated, limits: Limits, errors: Floats) -> float:
    """The mean of the errors of all outcomes, weighted by the outcomes' probabilities."""
    given = found.by_outcome
    errors = errors[np.searchsorted(limits.outcomes, given.conditions)]
    return float((given.weight * errors).sum() / given.weight.sum())


def truths_inside(family: str, size: float) -> tuple[float, float]:
    """The truths that are not next to an end of the range."""
    return (min(FEWEST_EVENTS / size, RATES[1]), RATES[1]) if _is_rate(family) else INSIDE


def _worst_inside(scenario: Scenario, limits: Limits) -> list[float | None]:
    """The worst alpha of each column over the truths inside; None where there are no such."""
    over, sampling = truths_inside(scenario.family, scenario.size), scenario.model.SAMPLING
    if not over[0] < over[1]:
        return [None] * len(limits.lower)
    first, last = sampling.window(*over, scenario.size)
    last = min(last, int(limits.outcomes[-1]))
    return [
        worst_case(
            scenario.size, low[first : last + 1], high[first : last + 1], first, over, sampling
        ).alpha
        for low, high in zip(limits.lower, limits.upper, strict=True)
    ]


@lru_cache(maxsize=1024)
def _minimal_length(family: str, size: float, alpha: float) -> float:
    """The mean length of the shortest interval of the posterior."""
    scenario = scenario_of(family, size)
    outcomes: Integers = possible_outcomes(scenario)
    lower, upper = find(family, "minimal_length").limits(data_of(scenario, outcomes), alpha)
    weight = scenario.model.outcome_weights(scenario.truth, outcomes, size)  # type: ignore[arg-type]
    return float((weight * (upper - lower)).sum() / weight.sum())


def _is_rate(family: str) -> bool:
    return bool(family_of(family).model.SUPPORT[1] == np.inf)
