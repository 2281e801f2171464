"""Comparisons of published numbers with a second computation of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from harness.base.numerics.arrays import Floats
from harness.designs.posterior import Integrated
from harness.designs.results import Enumerated, Exact, Mean
from harness.distributions.truths import Prior
from harness.families.family import ENUMERATION

TOLERANCE = 1e-11
"""The largest relative difference between two computations of a number that agree."""

# Probabilities below this are compared with an absolute error of this times the tolerance.
_SMALL = 1e-5

SECOND = "second computation"


@dataclass(frozen=True)
class Comparison:
    """How far published numbers are from a second computation of them."""

    published: str
    """The engine that computed the numbers that the tables hold."""
    against: str
    """The engine that computed the others, or ``SECOND``."""
    of: str
    """What is compared: "means", "outcomes", "truths", "weights" or "worst cases"."""
    discrepancy: Floats
    """The largest relative difference of each column, shape (k,)."""


@dataclass(frozen=True)
class Published:
    """What the exact engines computed of one scenario."""

    enumerated: Enumerated | None
    """None where neither the tables nor Monte Carlo need it."""
    integrated: Integrated | None
    """None unless the engine ``posterior`` runs."""
    reference_prior: Prior
    """The prior of ``integrated.under_prior``, or of ``integrated.by_outcome`` if that is None."""

    @property
    def under_prior(self) -> Exact | None:
        """The posterior mass under the reference prior."""
        if self.integrated is None:
            return None
        return self.integrated.under_prior or self.integrated.by_outcome


def relative_difference(first: Floats, second: Floats, small: Floats | float = 0.0) -> Floats:
    """Return |a − b| / (max(|a|, |b|) + small), and 0 where both are equal; broadcast."""
    with np.errstate(invalid="ignore"):
        larger = np.maximum(np.abs(first), np.abs(second)) + small
        return np.where(first == second, 0.0, np.abs(first - second) / larger)


def means_apart(first: Mean, second: Mean, small: float = _SMALL) -> Floats:
    """Return the relative difference of two means, the largest of its three parts; shape (k,).

    Args:
        first, second: of the same k columns.
        small: miss probabilities below this are compared with an absolute error.
    """
    return np.asarray(
        np.max(
            [
                relative_difference(first.below, second.below, small),
                relative_difference(first.above, second.above, small),
                relative_difference(first.length, second.length),
            ],
            axis=0,
        )
    )


def cells_apart(
    first: Exact,
    second: Exact,
    probability: Floats,
    rounding: Floats | float = 0.0,
    least: float = 0.0,
) -> Floats:
    """Return the largest relative difference of the misses given each condition, shape (k,).

    A difference in a cell counts as far as it can be told from the rounding of the probability of
    a miss together with the condition.

    Args:
        first, second: under the same c conditions.
        probability: of each condition, shape (c,).
        rounding: relative differences that do not count, shape (c,).
        least: misses below this are compared with an absolute error whatever the probability.
    """
    small = np.maximum(_SMALL / np.maximum(probability, 1e-300), least)
    parts = [
        relative_difference(first.below, second.below, small),
        relative_difference(first.above, second.above, small),
        relative_difference(first.length, second.length),
    ]
    return np.asarray(np.max(np.array(parts) - rounding, axis=(0, 2), initial=0.0))


def weights_apart(first: Floats, second: Floats, columns: int) -> Floats:
    """Return the largest relative difference of the weights of conditions, for each column.

    Weights far below the largest one are compared with an absolute error.
    """
    small = _SMALL * second.max(initial=0.0)
    largest = relative_difference(first, second, small).max(initial=0.0)
    return np.full(columns, largest)


def common(first: Exact, second: Exact) -> tuple[Exact, Exact]:
    """Return both under the conditions that they have in common."""
    conditions = np.intersect1d(first.conditions, second.conditions)
    return first.at(conditions), second.at(conditions)


def compare_worst_cases(published: Published) -> list[Comparison]:
    """Compare the worst cases with the truths and the mean, which are missed no more often."""
    if published.enumerated is None:
        return []
    excess = worst_cases_exceeded(published.enumerated)
    return [Comparison(ENUMERATION, ENUMERATION, "worst cases", excess)]


def worst_cases_exceeded(enumerated: Enumerated) -> Floats:
    """Return by how much a truth or the mean is missed more often than the worst case, (k,)."""
    worst = np.array([np.inf if case is None else case.alpha for case in enumerated.worst])
    anywhere = [np.inf if case is None else case.alpha for case in enumerated.worst_anywhere]
    missed = np.zeros(worst.size)
    if enumerated.mean is not None:
        missed = enumerated.mean.below + enumerated.mean.above
    if enumerated.by_truth is not None:
        by_truth = enumerated.by_truth
        missed = np.maximum(missed, (by_truth.below + by_truth.above).max(axis=1))
    excess = np.maximum(missed - worst, 0.0)
    beyond = np.where(np.isfinite(worst), worst, -np.inf) - np.array(anywhere)
    return np.asarray(np.maximum(excess, beyond))
