"""The posterior of Matthews' correlation, or of Cohen's kappa, under a Dirichlet(½, ½, ½, ½) prior.

Given the counts of a confusion table, the prevalence π ~ Beta(tp + fn + 1, fp + tn + 1), the
sensitivity s ~ Beta(tp + ½, fn + ½) and the specificity v ~ Beta(tn + ½, fp + ½) are independent.
Both metrics rise with s, and so

    Pr(metric < t) = E F(s(t, π, v)),

with s(t, π, v) the sensitivity at which the metric is t, and F the distribution function of s. The
mean over π and v is a sum over a Fibonacci lattice in the square of their normal scores, with the
density of these as weights. It is computed at points t that are nearly even in the normal score of
Pr(metric < t), which a rough sum over all three has found. Limits are interpolated among these, as
that score is almost linear in atanh t.

Both metrics are the same where fp and fn swap, and where tp and tn do. So a table is computed once
for its four images, and s is of the class with fewer cases, whose distribution is the widest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import betainc, betaincinv, ndtr, ndtri

from harness.base.numerics.arrays import Floats, Positions, distinct_columns

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator

SensitivityAt = Callable[[Floats, Floats, Floats], Floats]
"""(t, π, v) -> the sensitivity at which the metric is t; beyond [0, 1] where it is t nowhere."""

# The nodes have normal scores between this and its negative.
_REACH = 5.25
# Every so many nodes are those of the rough sum, with these normal scores of s.
_EVERY = 13
_OF_SENSITIVITY = np.linspace(-5.0, 5.0, 11)
# F is interpolated among so many points between quantiles of these normal scores.
_POINTS, _FARTHEST = 600, 7.0
# tanh of more is 1; a normal score beyond all others; points closer than that are one.
_LARGEST, _FAR, _CLOSE = 18.5, 40.0, 1e-6
# The probability that a sum is good to.
_LEAST = 1e-12
# Curves that are kept, of a few kB each, and the nodes of so many Beta variables.
_KEPT, _KEPT_NODES = 2**14, 2**12


def sensitivity_at_mcc(t: Floats, prevalence: Floats, specificity: Floats) -> Floats:
    """s = y + 1 − v, with y the root of φ = t that has the sign of t.

    In e = 1 − v and y = s − e, φ = y √(π(1 − π))/√((e + πy)(1 − e − πy)).
    """
    wrong = 1.0 - specificity
    square, spread = t * t, wrong * specificity
    whole = prevalence * (1.0 - prevalence) + square * prevalence * prevalence
    middle = square * prevalence * (specificity - wrong)
    root = np.sqrt(middle * middle + 4.0 * square * spread * whole)
    return np.asarray(wrong + (middle + np.sign(t) * root) / (2.0 * whole))


def sensitivity_at_kappa(t: Floats, prevalence: Floats, specificity: Floats) -> Floats:
    """s of 2π(1 − π)(s + v − 1) = t (π + (1 − 2π)(πs + (1 − π)(1 − v))), which is κ = t."""
    wrong, product = 1.0 - specificity, prevalence * (1.0 - prevalence)
    beside = t * (1.0 - 2.0 * prevalence)
    fixed = t * prevalence + beside * (1.0 - prevalence) * wrong + 2.0 * product * wrong
    slope = 2.0 * product - beside * prevalence
    # κ is above t at any s where the slope is not above 0.
    return np.where(slope > 0.0, fixed / np.where(slope > 0.0, slope, 1.0), -1.0)


def mcc_of_rates(sensitivity: Floats, prevalence: Floats, specificity: Floats) -> Floats:
    """φ = (s + v − 1) √(π(1 − π))/√(q(1 − q)), q the probability of a predicted positive."""
    wrong, product = 1.0 - specificity, prevalence * (1.0 - prevalence)
    predicted = prevalence * sensitivity + (1.0 - prevalence) * wrong
    rest = prevalence * (1.0 - sensitivity) + (1.0 - prevalence) * specificity
    return np.asarray((sensitivity - wrong) * np.sqrt(product / predicted / rest))


def kappa_of_rates(sensitivity: Floats, prevalence: Floats, specificity: Floats) -> Floats:
    """κ = 2π(1 − π)(s + v − 1)/(π(1 − q) + (1 − π)q), q as of φ."""
    wrong, product = 1.0 - specificity, prevalence * (1.0 - prevalence)
    predicted = prevalence * sensitivity + (1.0 - prevalence) * wrong
    rest = prevalence * (1.0 - sensitivity) + (1.0 - prevalence) * specificity
    whole = prevalence * rest + (1.0 - prevalence) * predicted
    return np.asarray(2.0 * product * (sensitivity - wrong) / whole)


@dataclass(frozen=True, eq=False)
class _Grid:
    """The nodes of π and v, and the normal scores of the points t."""

    count: int
    """How many nodes there are: a Fibonacci number; their normal scores are a lattice."""
    factor: int
    """The Fibonacci number before it."""
    first: Floats
    """Normal scores of the points that the rough sum finds."""
    scores: Floats
    """Normal scores of the points of the final curve."""

    @cached_property
    def of_prevalence(self) -> Floats:
        """The normal scores of the nodes of π."""
        return _REACH * ((2.0 * np.arange(self.count) + 1.0) / self.count - 1.0)

    @cached_property
    def of_specificity(self) -> Floats:
        """The normal scores of the nodes of v."""
        steps = np.arange(self.count) * self.factor % self.count
        return _REACH * ((2.0 * steps + 1.0) / self.count - 1.0)

    @cached_property
    def weight(self) -> Floats:
        """The weights of the nodes, of sum 1."""
        height = np.exp(-0.5 * (self.of_prevalence**2 + self.of_specificity**2))
        return np.asarray(height / height.sum())


_FINE = _Grid(4181, 2584, np.linspace(-6.0, 6.0, 17), np.linspace(-6.0, 6.0, 41))
_COARSE = _Grid(987, 610, np.linspace(-6.0, 6.0, 13), np.linspace(-6.0, 6.0, 27))
# Tables of so few cases, or with so few outside one cell, have posteriors that are the least
# smooth, and the finer grid.
_FEW, _FEW_BESIDE = 20, 3


@dataclass(frozen=True)
class MetricOfRates:
    """A metric of [−1, 1] that rises with the sensitivity, by the rates of a classifier."""

    of_rates: Callable[[Floats, Floats, Floats], Floats]
    """(s, π, v) -> the metric."""
    sensitivity_at: SensitivityAt


MCC = MetricOfRates(mcc_of_rates, sensitivity_at_mcc)
KAPPA = MetricOfRates(kappa_of_rates, sensitivity_at_kappa)


def quantiles(metric: MetricOfRates, data: tuple[Floats, ...], probability: float) -> Floats:
    """The value that the metric is below with a probability, given each table.

    A value that leaves from 1e-3 to 1/2 beyond itself is accurate to 1e-3 for tables of five cases
    and more, and to 2e-3 for those of fewer.

    Args:
        metric: ``MCC`` or ``KAPPA``.
        data: tp, fp, fn and tn, shape (m,) each.
        probability: in (0, 1).

    Returns:
        The values, shape (m,).

    >>> table = tuple(np.array([count]) for count in (20.0, 5.0, 10.0, 165.0))
    >>> [float(quantiles(MCC, table, each)[0].round(3)) for each in (0.025, 0.975)]
    [0.519, 0.807]
    """
    tables, back = _distinct(data)
    score = float(ndtri(probability))
    values = [float(np.tanh(_curve(metric, *table)(score))) for table in tables]
    return np.array(values, np.float64)[back]


def shortest(
    metric: MetricOfRates, data: tuple[Floats, ...], alpha: float
) -> tuple[Floats, Floats]:
    """The shortest interval that holds the metric with the probability 1 − alpha.

    Where the density rises towards an end of the range, the interval ends there. Its probability
    is accurate to 1e-3; its limits to less, as the length hardly changes where both move.

    Args:
        metric: ``MCC`` or ``KAPPA``.
        data: tp, fp, fn and tn, shape (m,) each.
        alpha: the probability outside the interval, in (0, 1).

    Returns:
        Lower and upper limits, shape (m,) each.
    """
    tables, back = _distinct(data)
    limits = np.empty((2, len(tables)))
    for place, table in enumerate(tables):
        curve = _curve(metric, *table)
        # The normal score of the share of alpha below the interval, on two grids.
        low, high = -8.0, 8.0
        for _ in range(2):
            shares = np.linspace(low, high, 161)
            below, above = alpha * ndtr(shares), alpha * ndtr(-shares)
            lower, upper = np.tanh(curve(ndtri(below))), np.tanh(curve(-ndtri(above)))
            best = int(np.argmin(upper - lower))
            low, high = shares[max(best - 1, 0)], shares[min(best + 1, shares.size - 1)]
        limits[:, place] = lower[best], upper[best]
        at_low, at_high = np.tanh(curve(ndtri(1.0 - alpha))), np.tanh(curve(ndtri(alpha)))
        if at_low + 1.0 <= limits[1, place] - limits[0, place]:
            limits[:, place] = -1.0, at_low
        if 1.0 - at_high <= limits[1, place] - limits[0, place]:
            limits[:, place] = at_high, 1.0
    return limits[0][back], limits[1][back]


def _distinct(data: tuple[Floats, ...]) -> tuple[list[tuple[float, ...]], Positions]:
    """One of the four images of each table, without repetition, and the place of each table's."""
    tp, fp, fn, tn = data
    right, wrong = np.sort((tp, tn), axis=0), np.sort((fp, fn), axis=0)
    tables, back = distinct_columns(right[0], wrong[1], wrong[0], right[1])
    return list(zip(*tables.tolist(), strict=True)), back


@lru_cache(maxsize=_KEPT)
def _curve(metric: MetricOfRates, tp: float, fp: float, fn: float, tn: float) -> PchipInterpolator:
    """atanh of the metric by the normal score of the probability below it."""
    beside = min(tp + fp + fn, tp + fn + tn)
    grid = _FINE if tp + fp + fn + tn <= _FEW or beside <= _FEW_BESIDE else _COARSE
    weight = grid.weight
    prevalence = _nodes(tp + fn + 1.0, fp + tn + 1.0, grid, of_specificity=False)
    specificity = _nodes(tn + 0.5, fp + 0.5, grid, of_specificity=True)
    # The rough sum.
    some = betaincinv(tp + 0.5, fn + 0.5, ndtr(_OF_SENSITIVITY))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        rough = metric.of_rates(some, prevalence[::_EVERY], specificity[::_EVERY])
        values = np.arctanh(rough).ravel()
    one = np.exp(-0.5 * _OF_SENSITIVITY**2)
    weights = (one[:, None] * weight[::_EVERY]).ravel()
    kept = np.isfinite(values)
    order = np.argsort(values[kept])
    values, weights = values[kept][order], weights[kept][order]
    middles = (np.cumsum(weights) - 0.5 * weights) / weights.sum()
    apart = np.interp(grid.first, ndtri(middles), values)
    distribution = _distribution(tp + 0.5, fn + 0.5)
    # The sum over the nodes at these points, then at those that it shows to be even.
    for scores in (grid.scores, None):
        apart = np.unique(np.clip(apart, -_LARGEST, _LARGEST))
        at = metric.sensitivity_at(np.tanh(apart)[:, None], prevalence, specificity)
        below = distribution(at) @ weight
        curve = _rising(below, apart)
        if scores is not None:
            apart = curve(scores)
    return curve


def _rising(below: Floats, apart: Floats) -> PchipInterpolator:
    """The curve through points, without those of hardly any probability; a line beyond them.

    Args:
        below: the probability below each point.
        apart: the points in ascending order.
    """
    # It loads SciPy's optimization and statistics, which other intervals do without.
    from scipy.interpolate import PchipInterpolator

    inside = (below > _LEAST) & (below < 1.0 - _LEAST)
    score, apart = ndtri(below[inside]), apart[inside]
    rises = np.concatenate(([True], np.diff(np.maximum.accumulate(score)) > _CLOSE))
    score, apart = score[rises], apart[rises]
    slope_low, slope_high = np.diff(apart)[[0, -1]] / np.diff(score)[[0, -1]]
    first = apart[0] - slope_low * (score[0] + _FAR)
    last = apart[-1] + slope_high * (_FAR - score[-1])
    return PchipInterpolator([-_FAR, *score, _FAR], [first, *apart, last])


@lru_cache(maxsize=2 * _KEPT_NODES)
def _nodes(a: float, b: float, grid: _Grid, *, of_specificity: bool) -> Floats:
    """The nodes of v, or of π, of Beta(a, b)."""
    scores = grid.of_specificity if of_specificity else grid.of_prevalence
    return np.asarray(betaincinv(a, b, ndtr(scores)))


@lru_cache(maxsize=_KEPT_NODES)
def _distribution(a: float, b: float) -> Callable[[Floats], Floats]:
    """The distribution function of Beta(a, b), linear between points of arcsin √s."""
    ends = betaincinv(a, b, ndtr(np.array([-_FARTHEST, _FARTHEST])))
    first, last = (float(angle) for angle in np.arcsin(np.sqrt(ends)))
    values = betainc(a, b, np.sin(np.linspace(first, last, _POINTS)) ** 2)
    values[[0, -1]] = 0.0, 1.0
    step = (last - first) / (_POINTS - 1)

    def probability_below(s: Floats) -> Floats:
        """F(s), also beyond [0, 1]."""
        place = (np.arcsin(np.sqrt(np.clip(s, 0.0, 1.0))) - first) / step
        place = np.clip(place, 0.0, _POINTS - 1.001)
        index = place.astype(np.intp)
        value = values[index]
        return np.asarray(value + (place - index) * (values[index + 1] - value))

    return probability_below
