"""Test whether Monte Carlo agrees with the exact engines.

Every Monte Carlo cell is compared with the exact value under the experiment's own truth by an
exact binomial test, and so are the misses of each method at each alpha over the whole run. The
outcomes that were drawn are compared with their probabilities one by one and by their mean. Each of
these four groups has Holm's correction and a quarter of the level, so that a fault of the misses of
the whole run is found among any number of cells: with a probability of 0.99 one of 6.4 standard
errors of its trials, and of 7.8 where it is in one cell of 50 alone. The number of cells whose 95 %
interval misses the exact value is reported beside its expectation.

Where the trials of a scenario stopped at one of K planned looks, its p-values are multiplied by K.
Sums over several scenarios have no such bound and leave it out, as does the number of intervals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, betaincc

from harness.base.numerics.arrays import Floats, Integers, Positions
from harness.base.numerics.root_finding import bracketed_newton
from harness.designs.precision import fraction_interval, probability_of_missing

LEVEL = 1e-3
"""The largest probability that a run whose engines agree is reported as a disagreement."""

_GROUPS = 4
"""The groups of tests, with equal shares of the level."""


@dataclass(frozen=True)
class ComparedCells:
    """Monte Carlo cells of one method with their exact values, all arrays of shape (c,)."""

    method: str
    scenario: Integers
    """The number of the scenario that each cell belongs to; −1 for the whole run."""
    trials: Integers
    below: Integers
    above: Integers
    missed: Integers
    """On either side, or because the method failed."""
    exact_below: Floats
    exact_above: Floats
    exact_missed: Floats
    looks: Integers
    """The number of planned looks at each cell's scenario; 0 where its trials were fixed."""

    def tests(self) -> Floats:
        """p-values of the misses below, above and together, shape (3, c)."""
        p = np.stack(
            [
                two_sided_p(self.below, self.trials, self.exact_below),
                two_sided_p(self.above, self.trials, self.exact_above),
                two_sided_p(self.missed, self.trials, self.exact_missed),
            ]
        )
        return np.minimum(p * np.maximum(self.looks, 1), 1.0)


@dataclass(frozen=True)
class MethodAgreement:
    """How the Monte Carlo cells of one method agree with their exact values."""

    method: str
    cells: int
    tests: int
    smallest_p: float
    smallest_p_adjusted: float
    """After the correction for all tests of the run."""
    scenario: int | None
    """The number of the scenario of the cell with the smallest p; None for the whole run."""
    intervals_missing: int | None
    """Cells with a fixed number of trials whose 95 % interval misses the exact value; None where
    the trials of all cells stopped at a look."""
    expected_missing: float | None
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


@dataclass(frozen=True)
class DrawnOutcomes:
    """The outcomes drawn in one scenario, with the probabilities of all that can occur, (c,)."""

    scenario: int
    """The number of the scenario."""
    counts: Integers
    """The trials with each outcome."""
    probability: Floats
    """The probability of each outcome; the sum is 1."""
    value: Floats
    """A statistic of each outcome, whose mean is compared: the estimate."""
    looks: int = 0
    """The number of planned looks at the scenario; 0 where its trials were fixed."""


@dataclass(frozen=True)
class DrawsAgreement:
    """How the outcomes that were drawn agree with their probabilities."""

    tests: int
    smallest_p: float
    smallest_p_adjusted: float
    """After the correction for all tests of the run."""
    scenario: int | None
    """The number of the scenario with the smallest adjusted p; None for the whole run."""

    @property
    def agrees(self) -> bool:
        return self.smallest_p_adjusted >= LEVEL


def compare_draws(drawn: Sequence[DrawnOutcomes]) -> DrawsAgreement | None:
    """Test the number of trials with each outcome, and the means of the outcomes; None for none.

    The means are tested in each scenario, and over all with fixed trials together.
    """
    if not drawn:
        return None
    times = [max(sample.looks, 1) for sample in drawn]
    by_count = [
        two_sided_p(
            sample.counts, np.full(sample.counts.size, sample.counts.sum()), sample.probability
        )
        for sample in drawn
    ]
    by_count = [np.minimum(p * looks, 1.0) for p, looks in zip(by_count, times, strict=True)]
    means = [min(mean_p([sample]) * looks, 1.0) for sample, looks in zip(drawn, times, strict=True)]
    fixed = [sample for sample in drawn if not sample.looks]
    means += [mean_p(fixed)] if len(fixed) > 1 else []
    numbers: list[int | None] = [sample.scenario for sample in drawn]
    of_counts = np.repeat(np.arange(len(drawn)), [p.size for p in by_count])
    of_tests = np.concatenate([of_counts, np.arange(len(means))])
    raw = np.concatenate([*by_count, means])
    adjusted = np.concatenate([_corrected(np.concatenate(by_count)), _corrected(np.array(means))])
    worst = int(np.argmin(adjusted))
    return DrawsAgreement(
        raw.size, float(raw.min()), float(adjusted[worst]), [*numbers, None][of_tests[worst]]
    )


def mean_p(drawn: Sequence[DrawnOutcomes]) -> float:
    """Return an upper bound of the p-value of the standardized mean of the drawn outcomes.

    With the standardized statistic Z of each trial and S the sum over all N trials, Chernoff's
    bound is Pr(S ≥ s) ≤ exp(min over t ≥ 0 of Σ log E[e^{tZ}] − ts), and likewise below; twice the
    bound on the side of s is returned. At five standard errors it is about 2·exp(−12.5) = 7e-6.
    """
    total, parts = 0.0, []
    for sample in drawn:
        mean = float((sample.value * sample.probability).sum())
        z = sample.value - mean
        spread = float(np.sqrt((z * z * sample.probability).sum()))
        if spread > 0:
            total += float((sample.counts * z).sum()) / spread
            parts.append((int(sample.counts.sum()), z / spread, sample.probability))
    if not parts or total == 0.0:
        return 1.0
    sign, trials = np.sign(total), sum(n for n, *_ in parts)
    signed = [(n, sign * z, weight) for n, z, weight in parts]

    def slope(t: Floats, _: Positions) -> tuple[Floats, Floats]:
        """Minus the first two derivatives of the exponent, over s."""
        moments = [(n, *_tilted_moments(float(t[0]), z, weight)) for n, z, weight in signed]
        first = abs(total) - sum(n * mean for n, mean, _ in moments)
        second = -sum(n * variance for n, _, variance in moments)
        return np.array([first / abs(total)]), np.array([second / abs(total)])

    # Without skewness the minimum is at t = s/N. Any t gives a bound, a far one too where the
    # minimum lies beyond.
    near = np.array([abs(total) / trials])
    best = 8.0 * near
    if slope(best, np.zeros(1, np.int64))[0][0] < 0:
        best, _ = bracketed_newton(slope, np.zeros(1), best, near)
    t = float(best[0])
    summed = sum(n * _log_mean_exp(t * z, weight) for n, z, weight in signed)
    return float(min(1.0, 2.0 * np.exp(min(summed - t * abs(total), 0.0))))


def _log_mean_exp(exponent: Floats, weight: Floats) -> float:
    """Return log Σ w e^z for weights with the sum 1, accurate for a small z."""
    top = float(exponent.max())
    if top < 1.0:
        return float(np.log1p((np.expm1(exponent) * weight).sum()))
    return top + float(np.log((np.exp(exponent - top) * weight).sum()))


def _tilted_moments(t: float, z: Floats, weight: Floats) -> tuple[float, float]:
    """Return the mean and the variance of z under the weights w e^{tz}."""
    tilted = weight * np.exp(t * z - (t * z).max())
    tilted /= tilted.sum()
    mean = float((z * tilted).sum())
    return mean, float(((z - mean) ** 2 * tilted).sum())


def _corrected(p_values: Floats) -> Floats:
    """Return the p-values of one group after Holm's correction and the one for the groups."""
    return np.minimum(_GROUPS * holm(p_values), 1.0)


def compare_cells(
    conditional: list[ComparedCells],
    overall: list[ComparedCells],
    totals: list[ComparedCells] | None = None,
) -> list[MethodAgreement]:
    """Test the cells of every method and correct for the number of tests.

    Args:
        conditional: the cells given an outcome or a truth, one entry for each method.
        overall: each method's cells over all conditions, one for each scenario; tested with the
            others, but not counted among the cells.
        totals: each method's misses over the whole run, one for each alpha; a group of their own.

    Returns:
        The agreement of each method, in the order of ``conditional``.
    """
    if totals is None:
        whole, real = np.empty(0, np.int64), np.empty(0)
        totals = [
            ComparedCells(cells.method, whole, whole, whole, whole, whole, real, real, real, whole)
            for cells in conditional
        ]
    cell_tests = [
        np.concatenate((cells.tests(), every.tests()), axis=1)
        for cells, every in zip(conditional, overall, strict=True)
    ]
    total_tests = [total.tests() for total in totals]
    adjusted = zip(_by_method(cell_tests), _by_method(total_tests), strict=True)
    missing = intervals_missing(conditional)
    agreements = []
    for number, (after_cells, after_totals) in enumerate(adjusted):
        cells, every, total = conditional[number], overall[number], totals[number]
        p = np.concatenate([cell_tests[number].ravel(), total_tests[number].ravel()])
        after = np.concatenate([after_cells, after_totals])
        worst = int(np.lexsort((p, after))[0])
        by_test = np.concatenate((cells.scenario, every.scenario))
        scenarios = np.concatenate([np.tile(by_test, 3), np.tile(total.scenario, 3)])
        agreements.append(
            MethodAgreement(
                method=cells.method,
                cells=int(cells.trials.size),
                tests=int(p.size),
                smallest_p=float(p.min()),
                smallest_p_adjusted=float(after[worst]),
                scenario=None if scenarios[worst] < 0 else int(scenarios[worst]),
                intervals_missing=missing[number][0],
                expected_missing=missing[number][1],
            )
        )
    return agreements


def _by_method(tests: list[Floats]) -> list[Floats]:
    """Return the corrected p-values of each method, flat."""
    corrected = _corrected(np.concatenate([p.ravel() for p in tests]))
    return np.split(corrected, np.cumsum([p.size for p in tests])[:-1])


def intervals_missing(
    methods: Sequence[ComparedCells],
) -> list[tuple[int, float] | tuple[None, None]]:
    """The number of cells whose 95 % interval misses the exact value, and its expectation.

    Only cells with fixed trials are counted; both are None where none of a method's cells has them.

    Args:
        methods: the cells of each method; those of all methods are solved at once.
    """
    fixed = [cells.looks == 0 for cells in methods]
    missed, trials, exact = (
        np.concatenate(
            [getattr(cells, name)[used] for cells, used in zip(methods, fixed, strict=True)]
        )
        for name in ("missed", "trials", "exact_missed")
    )
    lower, upper = fraction_interval(missed, trials)
    missing = (exact < lower) | (exact > upper)
    ends = np.cumsum([used.sum() for used in fixed])[:-1]
    counted = np.split(missing, ends), np.split(probability_of_missing(trials, exact), ends)
    return [
        (int(missed.sum()), float(chance.sum())) if used.any() or not used.size else (None, None)
        for used, missed, chance in zip(fixed, *counted, strict=True)
    ]
