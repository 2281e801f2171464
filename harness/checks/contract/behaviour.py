"""The exact behaviour of a method: a row of numbers for each size and alpha."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from harness.checks.measures import LENGTH, MEAN, WORST, limits_of, numbered, worst_truths
from harness.checks.report import BEHAVIOUR, FAIL, PASS, Finding
from harness.checks.scenarios import Size, enumerated, outcomes_of, scenario_of, truths_inside
from harness.checks.subjects.subject import Subject
from harness.engines.posterior import integrate_under_prior, integrate_under_truth
from harness.engines.results import Enumerated
from harness.engines.solvers import solver_of
from harness.errors import MethodError
from harness.families.catalogue import family_of
from harness.methods.catalogue import find
from harness.methods.method import TWO_SIDED
from harness.numerics.arrays import Floats
from harness.scenario import Limits, Scenario, data_of, sizes_by_name

WORST_INSIDE = "worst_alpha_inside"
RELATIVE = "relative_length"
POSTERIOR = "largest_posterior_error"
SOUND = "has exact numbers"
FAULT = "fault"
"""Why there are no numbers."""
MEAN_POSTERIOR = "mean_posterior_error"
"""Of a proportion the same as the mean alpha error; of a rate, whose range has no end, free of
what the end of the truths looked at does to that."""


def behaviour(subject: Subject, sizes: Sequence[Size], alphas: Sequence[float]) -> pl.DataFrame:
    """A row for each size and alpha, in this order; only a fault where limits are unsound.

    Besides what ``measures`` tells: the worst alpha over the truths inside, the mean probability
    to miss on each side, the length relative to that of ``minimal_length``; and under a flat prior
    the mean and the largest of alpha − posterior probability outside, with its outcome.

    Args:
        subject: deterministic.
        sizes: n, or exposures; of two samples pairs of them.
        alphas: levels that each size is looked at with.
    """
    rows = []
    for size in sizes:
        scenario = scenario_of(subject.family, size)
        keys = {name: float(each) for name, each in sizes_by_name(scenario).items()}
        known = _rows(subject, scenario, alphas)
        rows += [{**keys, "alpha": alpha, **known[alpha]} for alpha in alphas]
    return pl.DataFrame(rows, schema=_schema(subject.family))


def sound(exact: pl.DataFrame, family: str) -> Finding:
    """Whether there are exact numbers at every size and alpha."""
    bad = exact.filter(pl.col(FAULT).is_not_null())
    if bad.is_empty():
        message = f"sound limits at all outcomes of {exact.height} sizes and alphas"
        return Finding(SOUND, BEHAVIOUR, PASS, message, {})
    row = bad.row(0, named=True)
    cell = {key: row[key] for key in (*family_of(family).sizes, "alpha")}
    more = f" (and at {bad.height - 1} more sizes and alphas)" if bad.height > 1 else ""
    return Finding(SOUND, BEHAVIOUR, FAIL, row[FAULT] + more, cell, 1.0)


def _schema(family: str) -> dict[str, Any]:
    """The columns and their types."""
    keys = (*family_of(family).sizes, "alpha")
    truths, counts = numbered("worst_truth", family), numbered("largest_at", family)
    means = (MEAN, MEAN_POSTERIOR, "miss_below", "miss_above", LENGTH, RELATIVE, POSTERIOR)
    return {
        **dict.fromkeys((*keys, WORST, *truths, WORST_INSIDE, *means), pl.Float64),
        **dict.fromkeys(counts, pl.Int64),
        FAULT: pl.String,
    }


def _rows(
    subject: Subject, scenario: Scenario, alphas: Sequence[float]
) -> dict[float, dict[str, Any]]:
    """What is known at each alpha."""
    outcomes = outcomes_of(scenario)
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
            shortest = _minimal_length(scenario, alpha)
            known[alpha][RELATIVE] = known[alpha][LENGTH] / shortest
    return known


def _exact(scenario: Scenario, limits: Limits, alphas: Sequence[float]) -> list[dict[str, Any]]:
    found = enumerated(scenario, limits)
    mean = found.mean
    assert mean is not None
    inside = _worst_inside(scenario, limits)
    given = integrate_under_prior(scenario, limits, scenario.model.FLAT_PRIOR)
    rows = []
    for row, alpha in enumerate(alphas):
        worst = found.worst[row]
        assert worst is not None
        errors = alpha - (given.below[row] + given.above[row])
        largest = int(np.argmax(np.abs(errors)))
        counts = (int(each[0]) for each in scenario.counts(limits.outcomes[[largest]]))
        rows.append(
            {
                WORST: worst.alpha,
                **worst_truths(scenario.family, worst),
                WORST_INSIDE: inside[row],
                MEAN: float(alpha - (mean.below[row] + mean.above[row])),
                MEAN_POSTERIOR: mean_posterior_error(found, limits, errors),
                "miss_below": float(mean.below[row]),
                "miss_above": float(mean.above[row]),
                LENGTH: float(mean.length[row]),
                POSTERIOR: float(abs(errors[largest])),
                **dict(zip(numbered("largest_at", scenario.family), counts, strict=True)),
            }
        )
    return rows


def mean_posterior_error(found: Enumerated, limits: Limits, errors: Floats) -> float:
    """The mean of the errors of all outcomes, weighted by the outcomes' probabilities."""
    given = found.by_outcome
    errors = errors[np.searchsorted(limits.outcomes, given.conditions)]
    return float((given.weight * errors).sum() / given.weight.sum())


def _worst_inside(scenario: Scenario, limits: Limits) -> list[float | None]:
    """The worst alpha of each column over the truths inside; None where there are no such."""
    spans = truths_inside(scenario)
    if not all(low < high for low, high in spans):
        return [None] * len(limits.lower)
    cases = solver_of(scenario).worst_cases(limits, spans)
    return [None if case is None else case.alpha for case in cases]


@lru_cache(maxsize=1024)
def _minimal_length(scenario: Scenario, alpha: float) -> float:
    """The mean length of the shortest interval of the posterior."""
    outcomes = outcomes_of(scenario)
    lower, upper = find(scenario.family, "minimal_length").limits(
        data_of(scenario, outcomes), alpha
    )
    limits = Limits(outcomes, lower[np.newaxis], upper[np.newaxis])
    return float(integrate_under_truth(scenario, limits).mean().length[0])
