"""The level of a factor at which a measure of Monte Carlo trials reaches a value.

The search is sequential: what is tried next is a function of what was measured. It begins with
probabilistic bisection (Waeber, Frazier and Henderson 2013, "Bisection search with noisy
responses", SIAM Journal on Control and Optimization 51:2261), in which each level tells on which
side of it the crossing lies with the probability that its error gives. Where three levels are close
to the value, a line is fitted to those around the crossing, on the probit scale of a fraction, and
the interval of the crossing is that of Fieller (1954), JRSS B 16:175: the levels at which the line
does not differ from the value. Levels are tried at the crossing and to both sides of it, ever
closer, so that the line need hold only there.

Symbols: k levels x that rise, t = log x where the range is positive, else x; y, the measures, with
the standard errors s of m trials each.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import log_ndtr, logsumexp, ndtr, ndtri

from harness.base.numerics.arrays import Bools, Floats

UNIT = 256
"""Trials of which the error says whether a level is close."""
_CLOSE = 6.0
"""A level is close where its measure differs from the value by at most so many errors of UNIT."""
_WINDOW, _SPREAD = 6.0, 2.0
"""Half-widths of the interval, to which the line is fitted, and at which levels are tried."""
_BEND = 1.5
"""The standard deviation of the prior of the curvature, second over first derivative; on the scale
of x itself over half of the range."""
_OUTSIDE = 0.05
"""The prior probability that the crossing lies beyond either end of the range."""
_CERTAIN = 0.9995
"""The posterior probability at which it is said to lie there."""
_MOST_ERRORS = 30.0
_ERRORS = 2.1
"""The standard errors to each side of an interval, in place of 1.96: since trials end where it is
short enough, 1.96 of them would hold the crossing in 92 to 95 % of searches."""
_SMALLEST_GROWTH = 1.5
"""The least growth of the trials at the crossing in a round."""
_FITS, _STEPS = 4, 25


@dataclass(frozen=True)
class Goal:
    """The value that a measure is to reach, and the levels at which it may."""

    equals: float
    low: float
    high: float
    is_whole: bool
    """Whether levels are whole numbers."""
    is_fraction: bool
    """Whether the measure is a fraction of the trials."""

    def scaled(self, levels: Floats) -> Floats:
        """The levels x as t."""
        return np.log(levels) if self.low > 0 else levels

    def level(self, scaled: Floats) -> Floats:
        """The levels of some t, in the range."""
        if self.low > 0:
            scaled = np.exp(np.minimum(scaled, np.log(self.high)))
        return np.clip(scaled, self.low, self.high)

    @property
    def target(self) -> float:
        """The value on the scale of the line: the probit of a fraction."""
        return float(ndtri(self.equals)) if self.is_fraction else self.equals

    def measure(self, eta: Floats | float) -> Floats:
        """The measure where the line is at η."""
        return np.asarray(ndtr(eta) if self.is_fraction else eta)

    def steepness(self, eta: Floats | float) -> Floats:
        """The change of the measure with η."""
        return _normal_density(eta) if self.is_fraction else np.ones_like(eta)

    def curve(self, levels: Floats, level: float, slope: float) -> Floats:
        """The fitted measure at some levels.

        Args:
            levels: x, of any shape.
            level: at which the curve has the value.
            slope: of the curve there, the change of the measure with x.
        """
        x = np.array(level)
        away = self.scaled(levels) - self.scaled(x)
        rise = slope * (level if self.low > 0 else 1.0) * away
        return self.measure(self.target + rise / self.steepness(self.target))

    def answer(self, level: float) -> float:
        """The level to use: the first whole one that is not below the crossing, or the crossing."""
        # A crossing at a whole number is rounded.
        return float(np.ceil(level - 1e-9 * abs(level))) if self.is_whole else level


@dataclass(frozen=True)
class Measured:
    """A measure at the levels that were tried."""

    levels: Floats
    """Ascending, shape (k,)."""
    estimates: Floats
    errors: Floats
    trials: Floats

    def distances(self, goal: Goal) -> Floats:
        """(y − value)/s, of a fraction with the s of the value itself; at most 30 in size."""
        errors = self.errors
        if goal.is_fraction:
            errors = np.sqrt(goal.equals * (1.0 - goal.equals) / self.trials)
        with np.errstate(all="ignore"):
            away = (self.estimates - goal.equals) / errors
        # 0/0 is a measure without error that has the value, which is then reached.
        away = np.where(np.isnan(away), _MOST_ERRORS, away)
        return np.clip(away, -_MOST_ERRORS, _MOST_ERRORS)


@dataclass(frozen=True)
class Crossing:
    """The level at which the measure has the value, as far as the trials tell."""

    level: float
    lower: float
    upper: float
    """The limits of its 95 % interval, in the range."""
    slope: float
    """The change of the measure with the level, there; NaN where it is not known."""
    estimate: float
    error: float
    """The measure at ``Goal.answer`` and its standard error, by the line or as measured there."""
    is_outside: bool
    """Whether the value is not reached in the range."""
    is_known: bool
    """Whether the interval is bounded by the trials, and not by the range alone."""
    trials: float
    """The number of trials at the levels to which the line was fitted."""
    next_levels: tuple[float, ...]
    """The levels to try next."""

    @property
    def half_width(self) -> float:
        """Half the length of the interval."""
        return 0.5 * (self.upper - self.lower)


def crossing(goal: Goal, found: Measured) -> Crossing:
    """Return where a measure has a value, from the levels that were tried; those of both ends too.

    Args:
        goal: the value and the range.
        found: the measure at the levels, without those at which it is not known.
    """
    away = found.distances(goal)
    close = np.abs(away) * np.sqrt(UNIT / found.trials) <= _CLOSE
    close &= np.abs(away) < _MOST_ERRORS
    searched = _bisected(goal, found, away)
    if searched.is_outside or close.sum() < 3:
        return searched
    return _fitted(goal, found, close)


def _bisected(goal: Goal, found: Measured, away: Floats) -> Crossing:
    """The crossing by the posterior over the gaps between levels, as bisection has it.

    The probability that a crossing from below lies above x is that of a measure below the value,
    Φ(−z), z = (y − value)/s; in a gap the prior is uniform in t.
    """
    t = goal.scaled(found.levels)
    inside = np.diff(t) / (t[-1] - t[0]) * (1.0 - 2.0 * _OUTSIDE)
    # Levels may be so close that their t is the same.
    prior = np.log(np.maximum(np.concatenate([[_OUTSIDE], inside, [_OUTSIDE]]), 1e-300))

    def posterior(z: Floats) -> Floats:
        above = np.concatenate([[0.0], np.cumsum(log_ndtr(-z))])
        below = np.concatenate([np.cumsum(log_ndtr(z)[::-1])[::-1], [0.0]])
        return np.asarray(prior + above + below)

    weights = max(posterior(away), posterior(-away), key=lambda logs: float(logsumexp(logs)))
    mass = np.exp(weights - logsumexp(weights))
    lower, middle, upper = np.interp((0.025, 0.5, 0.975), np.cumsum(mass)[:-1], t)
    gap = int(np.clip(np.searchsorted(t, middle, side="right"), 1, t.size - 1))
    # A level that was tried bounds the crossing where all of the gap may hold it.
    lower, upper = min(lower, t[gap - 1]), max(upper, t[gap])
    (low, level, high) = (float(value) for value in goal.level(np.array([lower, middle, upper])))
    rise = found.estimates[gap] - found.estimates[gap - 1]
    slope = float(rise / (found.levels[gap] - found.levels[gap - 1]))
    nexts = _levels_of(goal, np.array([middle]))
    if goal.is_whole and found.levels[gap] - found.levels[gap - 1] <= 1.0:
        nexts = tuple(found.levels[gap - 1 : gap + 1].tolist())
    answer = goal.answer(level)
    nearest = int(np.argmin(np.abs(found.levels - answer)))
    return Crossing(
        level,
        low,
        high,
        slope,
        float(found.estimates[nearest]),
        float(found.errors[nearest]),
        bool(mass[0] > _CERTAIN or mass[-1] > _CERTAIN),
        bool(t.size > 2),
        float(found.trials[np.isin(found.levels, nexts)].sum()),
        nexts,
    )


def _fitted(goal: Goal, found: Measured, close: Bools) -> Crossing:
    """The crossing of a line that is fitted to the levels around it, of those that are close."""
    t = goal.scaled(found.levels)
    used, line = close, _Line.fitted(goal, found, t, close, float(t[close].mean()), 0.0)
    for _ in range(_FITS):
        root, lower, upper = line.limits()
        half = 0.5 * (upper - lower)
        if not np.isfinite(half):
            break
        distance = np.where(close, np.abs(t - root), np.inf)
        used = distance <= max(_WINDOW * half, np.sort(distance)[2])
        line = _Line.fitted(goal, found, t, used, root, line.b)
    root, lower, upper = line.limits()
    bounded = bool(np.isfinite(upper - lower))
    if bounded:
        wanted = root + _SPREAD * 0.5 * (upper - lower) * np.array([-1.0, 0.0, 1.0])
    else:
        around = t[used]
        lower, upper = t[0], t[-1]
        middle = float(around.mean())
        root = float(np.clip(root, around[0], around[-1])) if np.isfinite(root) else middle
        wanted = np.array([around[0], root, around[-1]])
    level, low, high = (float(value) for value in goal.level(np.array([root, lower, upper])))
    estimate, error = line.measure(float(goal.scaled(np.array(goal.answer(level)))))
    return Crossing(
        level,
        low,
        high,
        line.steepness() / (level if goal.low > 0 else 1.0),
        estimate,
        error,
        False,
        bounded and bool(t[0] <= root <= t[-1]),
        float(found.trials[used].sum()),
        _levels_of(goal, wanted),
    )


def _levels_of(goal: Goal, scaled: Floats) -> tuple[float, ...]:
    """The levels of some t that can be tried, each once: whole, or of six digits."""
    levels = goal.level(scaled).tolist()
    tidy = [float(round(level)) if goal.is_whole else float(f"{level:.6g}") for level in levels]
    return tuple(dict.fromkeys(min(max(level, goal.low), goal.high) for level in tidy))


def _normal_density(x: Floats | float) -> Floats:
    density: Floats = np.exp(-0.5 * np.square(x)) / np.sqrt(2.0 * np.pi)
    return density


@dataclass(frozen=True)
class _Line:
    """η = a + b·(t − t₀), with η the probit of a fraction, else the measure."""

    goal: Goal
    origin: float
    """t₀"""
    a: float
    b: float
    covariance: Floats
    """The covariance of a and b."""

    @classmethod
    def fitted(
        cls, goal: Goal, found: Measured, t: Floats, used: Bools, origin: float, b: float
    ) -> _Line:
        """The line of weighted least squares; of a fraction that of largest likelihood.

        The variance of a trial is that of the line for a fraction, else the mean over the levels:
        that of each level alone would favour those with estimates that have a small error by
        chance. The curvature is a third coefficient with a normal prior around 0, by which a and b
        are less certain the farther the levels are away.

        Args:
            goal: the value and the range.
            found: the measure at all levels.
            t: of all levels.
            used: the levels of the fit.
            origin: t₀, near the crossing.
            b: the slope as far as it is known, or 0.
        """
        y, trials, u = found.estimates[used], found.trials[used], t[used] - origin
        design = np.stack([np.ones(y.size), u, u * u], axis=1)
        bend = _BEND if goal.low > 0 else 2.0 * _BEND / (goal.high - goal.low)
        prior = np.diag([0.0, 0.0, 1.0 / max((0.5 * bend * b) ** 2, 1e-12)])
        variance = np.average(np.square(found.errors[used]) * trials, weights=trials)
        weights, response = trials / max(float(variance), 1e-300), y
        eta = np.full(y.size, goal.target if goal.is_fraction else 0.0)
        for _ in range(_STEPS):
            if goal.is_fraction:
                density, mean = _normal_density(eta), ndtr(eta)
                weights = trials * density * density / (mean * (1.0 - mean))
                response = eta + (y - mean) / density
            information = design.T @ (weights[:, None] * design) + prior
            covariance = np.linalg.pinv(information).astype(np.float64)
            coefficients = covariance @ (design.T @ (weights * response))
            before, eta = eta, np.clip(design @ coefficients, -5.0, 5.0)
            if not goal.is_fraction or np.abs(eta - before).max() < 1e-10:
                break
        a, slope = (float(coefficient) for coefficient in coefficients[:2])
        return cls(goal, origin, a, slope, covariance[:2, :2])

    def limits(self) -> tuple[float, float, float]:
        """The t at which the line has the value, and the limits of Fieller; NaN of no interval."""
        (v_a, v_ab), (_, v_b) = self.covariance
        z2, rise = _ERRORS**2, self.goal.target - self.a
        # (a + b u − value)² ≤ z² (v_a + 2 v_ab u + v_b u²)
        square = self.b**2 - z2 * v_b
        if square <= 0:
            return (rise / self.b if self.b else np.nan) + self.origin, np.nan, np.nan
        middle = (self.b * rise + z2 * v_ab) / square
        rest = middle**2 - (rise**2 - z2 * v_a) / square
        half = np.sqrt(max(rest, 0.0))
        root = self.origin + rise / self.b
        return root, self.origin + middle - half, self.origin + middle + half

    def measure(self, t: float) -> tuple[float, float]:
        """The measure at t, and its standard error."""
        at = np.array([1.0, t - self.origin])
        eta, error = self.a + self.b * at[1], float(np.sqrt(at @ self.covariance @ at))
        return float(self.goal.measure(eta)), error * float(self.goal.steepness(eta))

    def steepness(self) -> float:
        """The change of the measure with t where it has the value."""
        return self.b * float(self.goal.steepness(self.goal.target))


@dataclass(frozen=True)
class Error:
    """How precise an answer is to be: the half-width of a 95 % interval of one of these."""

    level: float | None = None
    measure: float | None = None
    share: float = 0.02
    """A share of the level, used where neither of the others is given."""

    def excess(self, found: Crossing) -> float:
        """The half-width over that which is asked for; at most 1 of a precise answer."""
        if not found.is_known:
            return np.inf
        if self.measure is not None:
            return abs(found.slope) * found.half_width / self.measure
        wanted = self.share * abs(found.level) if self.level is None else self.level
        return found.half_width / wanted if wanted else np.inf


def trials_to_add(found: Crossing, excess: float, left: int, shard: int) -> int:
    """The trials to add at each of the next levels, whole shards; 0 where too few are left.

    They at most double those at the crossing, and are as many as the precision seems to take.

    Args:
        found: the crossing so far.
        excess: the half-width over that which is asked for.
        left: the most trials to add at all levels together.
        shard: the trials of a shard.
    """
    growth = np.clip(1.1 * excess * excess, _SMALLEST_GROWTH, 2.0)
    need = found.trials * (growth - 1.0)
    count = len(found.next_levels)
    shards = max(1, int(np.ceil(need / count / shard)))
    return min(shards, left // (count * shard)) * shard
