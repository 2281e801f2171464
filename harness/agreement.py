"""Test whether Monte Carlo agrees with the exact engines.

Every Monte Carlo cell is compared with the exact value under the experiment's own truth by an
exact binomial test, with Holm's correction over the run. The number of cells whose 95 % interval
misses the exact value is reported beside its expectation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc

from harness.engines.monte_carlo import fraction_interval
from harness.numerics.arrays import Bools, Floats, Integers

LEVEL = 1e-3
"""The largest probability that a run whose engines agree is reported as a disagreement."""


@dataclass(frozen=True)
class ComparedCells:
    """Monte Carlo cells of one method with their exact values, all arrays of shape (c,)."""

    method: str
    scenario: Integers
    """The number of the scenario that each cell belongs to."""
    trials: Integers
    below: Integers
    above: Integers
    missed: Integers
    """On either side, or because the method failed."""
    exact_below: Floats
    exact_above: Floats
    exact_missed: Floats

    def tests(self) -> Floats:
        """p-values of the misses below, above and together, shape (3, c)."""
        return np.stack(
            [
                two_sided_p(self.below, self.trials, self.exact_below),
                two_sided_p(self.above, self.trials, self.exact_above),
                two_sided_p(self.missed, self.trials, self.exact_missed),
            ]
        )


@dataclass(frozen=True)
class MethodAgreement:
    """How the Monte Carlo cells of one method agree with their exact values."""

    method: str
    cells: int
    tests: int
    smallest_p: float
    smallest_p_adjusted: float
    """After Holm's correction over all tests of the run."""
    scenario: int
    """The number of the scenario of the cell with the smallest p."""
    intervals_missing: int
    """Cells whose 95 % interval misses the exact value."""
    expected_missing: float
    """Its expectation if the engines agree, by enumeration over the counts of each cell."""

    @property
    def agrees(self) -> bool:
        return self.smallest_p_adjusted >= LEVEL


def two_sided_p(misses: Integers, trials: Integers, exact: Floats) -> Floats:
    """Twice the smaller tail of Binomial(trials, exact) at ``misses``, at most 1; shape (c,).

    An exact value of 0 or 1 allows one count only: p is 1 for that count and 0 for others.
    """
    m, rest = misses.astype(np.float64), (trials - misses).astype(np.float64)
    inside = (exact > 0) & (exact < 1)
    p = np.where(inside, exact, 0.5)
    up_to = np.where(rest > 0, betaincc(m + 1.0, np.maximum(rest, 1.0), p), 1.0)
    at_least = np.where(m > 0, betainc(np.maximum(m, 1.0), rest + 1.0, p), 1.0)
    p_value = np.minimum(1.0, 2.0 * np.minimum(up_to, at_least))
    certain = (misses == np.where(exact >= 1, trials, 0)).astype(np.float64)
    return np.where(inside, p_value, certain)


def holm(p_values: Floats) -> Floats:
    """Holm's (1979) adjusted p-values: Scand. J. Stat. 6, 65–70; shape of the argument."""
    order = np.argsort(p_values, kind="stable")
    factor = np.arange(p_values.size, 0, -1)
    stepped = np.maximum.accumulate(p_values[order] * factor)
    adjusted = np.empty_like(p_values)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def compare_cells(
    conditional: list[ComparedCells], overall: list[ComparedCells]
) -> list[MethodAgreement]:
    """Test the cells of every method and correct for the number of tests.

    Args:
        conditional: the cells given an outcome or a truth, one entry for each method.
        overall: each method's cells over all conditions, one for each scenario; tested with the
            others, but not counted among the cells.

    Returns:
        The agreement of each method, in the order of ``conditional``.
    """
    tests = [
        np.concatenate((cells.tests(), every.tests()), axis=1)
        for cells, every in zip(conditional, overall, strict=True)
    ]
    adjusted = np.split(
        holm(np.concatenate([p.ravel() for p in tests])), np.cumsum([p.size for p in tests])[:-1]
    )
    agreements = []
    for cells, every, p, after in zip(conditional, overall, tests, adjusted, strict=True):
        worst = int(np.argmin(p))
        scenarios = np.tile(np.concatenate((cells.scenario, every.scenario)), 3)
        missing, expected = intervals_missing(cells)
        agreements.append(
            MethodAgreement(
                method=cells.method,
                cells=int(cells.trials.size),
                tests=int(p.size),
                smallest_p=float(p.ravel()[worst]),
                smallest_p_adjusted=float(after[worst]),
                scenario=int(scenarios[worst]),
                intervals_missing=missing,
                expected_missing=expected,
            )
        )
    return agreements


def intervals_missing(cells: ComparedCells) -> tuple[int, float]:
    """The number of cells whose 95 % interval misses the exact value, and its expectation."""
    if cells.trials.size == 0:
        return 0, 0.0
    exact = cells.exact_missed
    lower, upper = fraction_interval(cells.missed, cells.trials)
    missing = (exact < lower) | (exact > upper)
    return int(missing.sum()), float(probability_of_missing(cells.trials, exact).sum())


def probability_of_missing(trials: Integers, exact: Floats) -> Floats:
    """Pr(the 95 % interval of M/trials misses ``exact``) with M ~ Binomial(trials, exact).

    The interval's own error rate is not 5 %, since M is discrete. Its limits rise with M, so that
    the counts that miss are a head and a tail, found by bisection; shape (c,).
    """
    mean = trials * exact
    from_below = _smallest_count(trials, lambda m: fraction_interval(m, trials)[1] >= exact, mean)
    from_above = _smallest_count(trials, lambda m: fraction_interval(m, trials)[0] > exact, mean)
    head = np.where(
        from_below > 0,
        betaincc(np.maximum(from_below, 1.0), trials - from_below + 1.0, exact),
        0.0,
    )
    tail = np.where(
        from_above <= trials,
        betainc(np.maximum(from_above, 1.0), np.maximum(trials - from_above, 0) + 1.0, exact),
        0.0,
    )
    return head + tail


def _smallest_count(
    trials: Integers, holds: Callable[[Integers], Bools], around: Floats
) -> Integers:
    """The smallest count in 0 … trials + 1 at which ``holds`` becomes true and stays so."""
    reach = 20.0 + 10.0 * np.sqrt(around)
    low = np.maximum(np.floor(around - reach), 0).astype(np.int64)
    high = np.minimum(np.ceil(around + reach), trials + 1).astype(np.int64)
    while (low < high).any():
        middle = (low + high) // 2
        true = holds(np.minimum(middle, trials)) | (middle > trials)
        low, high = np.where(true, low, middle + 1), np.where(true, middle, high)
        low = np.minimum(low, high)
    return low
