"""The posterior of the F score of a confusion table under a Dirichlet prior.

With the probabilities of the cells (tp, fp, fn, tn), of which the last one does not matter,

    F = (1 + β²) p_tp/((1 + β²) p_tp + β² p_fn + p_fp).

The cells are Dirichlet. So J = p_tp/(p_tp + p_fp + p_fn) and V = p_fn/(p_fn + p_fp) are independent
Beta variables, and

    logit F = logit J + s(V), s(V) = log((1 + β²)/c(V)), c(V) = β²V + 1 − V.

Given V, F is a Beta variable that is shifted on the logit scale: by log 2 for β = 1. For any other
β the posterior is a mixture over V, by the trapezoidal rule.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy.special import digamma, expit, polygamma

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.base.numerics.points import UnitPoints
from harness.base.numerics.quadrature import Axis, Nodes
from harness.base.numerics.root_finding import bracketed_newton
from harness.base.numerics.special import log_binomial
from harness.distributions.posteriors.beta import LOG_SMALLEST_LIMIT, Beta, UnitPosterior
from harness.distributions.posteriors.difference.posterior import find_mode
from harness.distributions.truths import Prior

# The nodes of V end where the logarithm of its density has fallen by this.
_NEGLIGIBLE = 60.0
# All singularities in logit V have an imaginary part of ±π, and tails fall like exp(−e^y): with
# these steps the relative error of a tail of 1e-14 is below 1e-12 for counts up to 1e4.
_STEP, _LARGEST_SCALE, _LARGEST_EDGE = 0.5, 0.64, 0.32
# The nodes spread out exponentially from this distance beyond all singularities.
_BEYOND = 3.0
_NEWTON_STEPS = 16
# Points so close to 0 that the sign of the slope there is that at 0, and a start of the mode.
_NEXT_TO_0, _LEAST_START = 1e-150, 1e-13


def f_score_posterior(data: tuple[Floats, ...], prior: Prior, beta: float) -> FScore:
    """Return the posterior of the F score for each outcome.

    Args:
        data: the counts (tp, fp, fn, tn), shape (m,) each.
        prior: the shapes of the Dirichlet prior, in the order of the data, each at least 0.05.
        beta: the weight β > 0 of recall; for β = 1 the posterior is a transformed Beta.

    >>> counts = tuple(np.array([count]) for count in (8.0, 2.0, 3.0, 87.0))
    >>> f_score_posterior(counts, (1.0, 1.0, 1.0, 1.0), 1.0).ppf(0.025).value.round(6)
    array([0.488135])
    >>> f_score_posterior(counts, (1.0, 1.0, 1.0, 1.0), 2.0).ppf(0.025).value.round(6)
    array([0.455559])
    """
    tp, fp, fn, _ = data
    misses, alarms = fn + prior[2], fp + prior[1]
    share, square = Beta(tp + prior[0], misses + alarms), beta * beta
    right, wrong = (1.0 + square) * tp, square * fn + fp
    has_cases = right + wrong > 0
    total = np.where(has_cases, right + wrong, 1.0)
    estimate = UnitPoints(*(np.where(has_cases, part / total, 0.5) for part in (right, wrong)))
    if beta == 1.0:
        outcome = np.arange(tp.size)
        nodes = Nodes(outcome, outcome, np.full(tp.size, np.log(2.0)), np.ones(tp.size))
    else:
        nodes = _nodes_of_shift(share, misses, alarms, square)
    return FScore(share, nodes, estimate)


@dataclass(frozen=True)
class FScore(UnitPosterior):
    """The distribution of F, one for each of m outcomes. The coordinate is the logit.

    J is Beta(A, B). At an odds of J of o, the density of F given V, with r = e^{s(V)}, rises where

        (A − 1) + (r(A + 1) − B − 1) o − r(B − 1) o² > 0.

    For A ≥ 1 and B > 1 it has a single peak (at 0 if A = 1 and 2r ≤ B + 1), and for A ≥ 1 ≥ B it
    rises up to 1. No mixture of these over V with another peak was found. For A < 1 < B the density
    is infinite at 0. Under a prior of equal shapes and β = 1 it decreases from there, as then
    2A ≤ B − 1. For β ≥ 3 or β ≤ 1/2 it may have another peak at tp = 0, if there are few errors and
    all of the kind that weighs less. The shortest interval then starts at 0.
    """

    share: Beta
    """The distribution of J."""
    nodes: Nodes
    """Values of s(V), with weights of sum 1."""
    estimate: UnitPoints
    """F of the counts."""
    known_mode: UnitPoints | None = field(default=None, repr=False)
    """The mode, once it has been found."""

    @property
    def size(self) -> int:
        """The number m of outcomes."""
        return self.share.size

    @property
    def _is_single(self) -> bool:
        """Whether each posterior is one shifted Beta."""
        return self.nodes.owner.size == self.size

    def _mirrored(self) -> FScore:
        """The posterior of 1 − F."""
        nodes = Nodes(self.nodes.owner, self.nodes.start, -self.nodes.x, self.nodes.weight)
        return FScore(Beta(self.share.b, self.share.a), nodes, self.estimate.mirrored())

    def _at_nodes(self, points: UnitPoints | npt.ArrayLike) -> tuple[Beta, UnitPoints, UnitPoints]:
        """The distribution of J, its points and those of F at every node, in flat arrays."""
        of_f = self.share.as_points(points).at(self.nodes.owner)
        return self.share.at(self.nodes.owner), of_f.shift_logit(-self.nodes.x), of_f

    def tail(self, points: UnitPoints | npt.ArrayLike, *, upper: bool) -> Floats:
        """Pr(F > point) if ``upper``, else Pr(F < point), shape (m,)."""
        share, of_j, _ = self._at_nodes(points)
        return np.minimum(self.nodes.sums(share.tail(of_j, upper=upper)), 1.0)

    def logpdf(self, points: UnitPoints | npt.ArrayLike) -> Floats:
        """The logarithm of the density, by dJ/dF = r/(F + r(1 − F))², shape (m,)."""
        share, of_j, of_f = self._at_nodes(points)
        s = self.nodes.x
        log_height = share.logpdf(of_j) + s - 2.0 * np.log(of_f.p + np.exp(s) * of_f.q)
        if self._is_single:
            return log_height
        top = np.maximum.reduceat(log_height, self.nodes.start)
        top = np.where(np.isfinite(top), top, 0.0)
        with np.errstate(divide="ignore"):
            total = self.nodes.sums(np.exp(log_height - top[self.nodes.owner]))
            return np.asarray(top + np.log(total))

    def coordinate_density(self, points: UnitPoints) -> Floats:
        """The density of logit F."""
        share, of_j, _ = self._at_nodes(points)
        return self.nodes.sums(share.coordinate_density(of_j))

    def log_density_slope(self, points: UnitPoints) -> Floats:
        """The derivative of ``logpdf`` by the logit: A − 1 − (A + B) E[J | F] + 2F."""
        share, of_j, _ = self._at_nodes(points)
        a, b, low = self.share.a, self.share.b, points.p < points.q
        height = np.ones(self.size) if self._is_single else share.coordinate_density(of_j)
        smaller = np.where(low[self.nodes.owner], of_j.p, of_j.q)
        with np.errstate(invalid="ignore"):
            mean = self.nodes.sums(height * smaller) / self.nodes.sums(height)
        # Each form keeps its sign next to its end.
        at_high = (a + b) * mean - (b - 1.0) - 2.0 * points.q
        return np.where(low, (a - 1.0) - (a + b) * mean + 2.0 * points.p, at_high)

    def lower_limit_at_boundary(self, upper: UnitPoints) -> Bools:
        """Whether the density next to 0, at a logit of −600, is at least that at ``upper``."""
        smallest = _from_logit(np.full(self.size, LOG_SMALLEST_LIMIT))
        return np.asarray(self.logpdf(smallest) >= self.logpdf(upper))

    @property
    def mode(self) -> UnitPoints:
        """The points with the largest density; for β ≠ 1 inside (0, 1), almost so.

        It is 0 where A < 1, and 1 where A ≥ 1 ≥ B.
        """
        if self.known_mode is None:
            object.__setattr__(self, "known_mode", self._find_mode())
        assert self.known_mode is not None
        return self.known_mode

    def _find_mode(self) -> UnitPoints:
        mean, *variances = self._moments()
        a, b, r = self.share.a, self.share.b, np.exp(mean)
        # The larger root of the quadratic of the class, times r.
        rise, fall = np.maximum(a - 1.0, 0.0), np.maximum(b - 1.0, 0.0)
        middle = r * (a + 1.0) - b - 1.0
        root = np.sqrt(middle * middle + 4.0 * r * rise * fall)
        # Of the two forms of the root, the one without cancellation.
        above = middle >= 0
        below = np.where(above, 2.0 * fall, root - middle)
        odds = np.where(above, middle + root, 2.0 * r * rise)
        low, high = self.boundary
        inside = UnitPoints(odds / (odds + below), below / (odds + below))
        mode = low.where(a < 1.0, high.where(b <= 1.0, inside))
        if self._is_single:
            return mode
        next_to_0 = UnitPoints.of(np.full(self.size, _NEXT_TO_0))
        falling = (a < 1.0) | ((a == 1.0) & (self.log_density_slope(next_to_0) <= 0))
        aside = np.flatnonzero(~falling & (b > 1.0))
        part = self.at(aside)

        def slope(coordinate: Floats, index: Positions) -> Floats:
            return part.at(index).log_density_slope(_from_logit(coordinate))

        start = np.log(np.maximum(inside.p, _LEAST_START)) - np.log(inside.q)
        peak = _from_logit(find_mode(slope, start[aside], np.sqrt(sum(variances))[aside]))
        return low.where(falling, mode).replaced(aside, peak)

    def _moments(self) -> tuple[Floats, Floats, Floats]:
        """The mean and the variance of s(V), and the variance of logit J."""
        mean = self.nodes.sums(self.nodes.x)
        variance = self.nodes.sums((self.nodes.x - mean[self.nodes.owner]) ** 2)
        return mean, variance, polygamma(1, self.share.a) + polygamma(1, self.share.b)

    def _approximate_shift(self, of_j: UnitPoints) -> Floats:
        """The logit of a quantile of F less that of J; exact if V does not vary.

        The distance from the mean logit grows as the standard deviation does.
        """
        if self._is_single:
            return self.nodes.x
        with np.errstate(divide="ignore"):
            logit = np.log(of_j.p) - np.log(of_j.q)
        mean, added, variance = self._moments()
        away = np.clip(logit - (digamma(self.share.a) - digamma(self.share.b)), -700.0, 700.0)
        return np.asarray(mean + (np.sqrt(1.0 + added / variance) - 1.0) * away)

    def approximate_interval(self, alpha: float) -> tuple[UnitPoints, UnitPoints]:
        """Balanced-tail limits of J, moved and spread by the moments of s(V)."""
        lower, upper = self.share.approximate_interval(alpha)
        lower = lower.shift_logit(self._approximate_shift(lower))
        return lower, upper.shift_logit(self._approximate_shift(upper))

    def quantile(self, prob: npt.ArrayLike, *, upper: bool) -> UnitPoints:
        """A quantile of J, shifted by a value of s(V); the upper ones are mirrored."""
        if upper:
            return self._mirrored().ppf(prob).mirrored()
        prob = np.broadcast_to(np.asarray(prob, np.float64), (self.size,))
        of_j = self.share.ppf(prob)
        if self._is_single:
            return of_j.shift_logit(self.nodes.x)

        def residual(shift: Floats, index: Positions) -> tuple[Floats, Floats]:
            part, points = self.at(index), of_j.at(index).shift_logit(shift)
            mass = part.cdf(points)
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.log(prob[index] / mass), -part.coordinate_density(points) / mass

        x, start = self.nodes.x, self.nodes.start
        low, high = np.minimum.reduceat(x, start), np.maximum.reduceat(x, start)
        shift, reached = bracketed_newton(residual, low, high, self._approximate_shift(of_j))
        if not reached.all():
            raise IntervalNotFoundError(f"no quantile of F at probability {prob[~reached][0]:g}")
        return of_j.shift_logit(shift)


def _from_logit(logit: Floats) -> UnitPoints:
    return UnitPoints(expit(logit), expit(-logit))


def _nodes_of_shift(share: Beta, a: Floats, b: Floats, square: float) -> Nodes:
    """Values s(V) and weights of sum 1, for V of Beta(a, b).

    The steps are even in the variable of ``_Stretch`` in the middle of the distribution, and longer
    beyond the points where s no longer changes.
    """
    t, reach = np.log(a) - np.log(b), (_reach(a, b), _reach(b, a))
    scale = np.minimum(np.sqrt(1.0 / a + 1.0 / b), _LARGEST_SCALE)
    factor = scale / np.minimum(np.sqrt(1.0 / share.a + 1.0 / share.b), _LARGEST_EDGE)
    stretch = _Stretch(square, factor)
    ends, margin = sorted((0.0, -np.log(square))), np.log1p(factor)
    first, last = stretch.of(ends[0] - margin), stretch.of(ends[1] + margin)
    centre, low, high = (stretch.of(logit_v) for logit_v in (t, t - reach[0], t + reach[1]))
    left = np.exp(np.minimum(first - centre, 0.0) - _BEYOND)
    right = np.exp(np.minimum(centre - last, 0.0) - _BEYOND)
    nodes = Axis(centre, np.ones_like(t), left, right).nodes(low, high, _STEP * scale)
    owner = nodes.owner
    stretch = _Stretch(square, factor[owner])
    logit = stretch.inverse(nodes.x)
    v = _from_logit(logit)
    density = np.exp(log_binomial(a[owner], b[owner], v.p, v.q))
    height = density * nodes.weight / stretch.slope(logit)
    weight = height / np.add.reduceat(height, nodes.start)[owner]
    return Nodes(owner, nodes.start, np.log1p(square) - np.log(square * v.p + v.q), weight)


def _reach(a: Floats, b: Floats) -> Floats:
    """The distance from the mode of logit V down to where its density is negligible.

    The logarithm of the density is concave, so that Newton's steps from outside stay outside.
    """
    total = a + b
    reach = (_NEGLIGIBLE + total * np.log1p(a / b)) / a
    for _ in range(_NEWTON_STEPS):
        near = (a / total) * np.exp(-reach)
        rest = b / total + near
        fall = a * reach + total * np.log(rest)
        reach = reach - (fall - _NEGLIGIBLE) / (a - total * (near / rest))
    return reach


@dataclass(frozen=True)
class _Stretch:
    """y(t) = t + k |log c(V)| for t = logit V: it changes faster where the shift does.

    All singularities of the inverse have an imaginary part of at least π, too.
    """

    square: float
    factor: Floats
    """k, the scale of t over that of logit J."""

    def of(self, t: Floats) -> Floats:
        """y at t."""
        return np.asarray(t + self.factor * np.abs(np.log(self.square * expit(t) + expit(-t))))

    def slope(self, t: Floats) -> Floats:
        """dy/dt at t."""
        p, q = expit(t), expit(-t)
        return 1.0 + self.factor * abs(self.square - 1.0) * p * q / (self.square * p + q)

    def inverse(self, y: Floats) -> Floats:
        """t at y, by Newton's method between the point where y(t) bends and the root."""
        bend = -0.5 * np.log(self.square)
        above = y > self.of(bend)
        farthest = y - np.where(above, 2.0 * self.factor * abs(bend), 0.0)
        t = np.where(above, np.maximum(bend, farthest), np.minimum(bend, farthest))
        for _ in range(_NEWTON_STEPS):
            t = t - (self.of(t) - y) / self.slope(t)
        return np.asarray(t)
