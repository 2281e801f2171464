"""The four rules of Ross (2003, section 4) that pick an interval out of a posterior.

Each takes a posterior over m outcomes, ``alpha`` in (0, 1) and a side, and returns the lower and
the upper limit as points, each of m outcomes. What lies outside the limits has the posterior
probability ``alpha``. Side "lower" leaves the upper limit at the end of the support, and "upper"
the lower one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np

from harness.errors import IntervalNotFoundError
from harness.numerics.arrays import Bools, Floats, Positions
from harness.numerics.root_finding import SMALL_RESIDUAL, bracketed_newton
from harness.posteriors.protocol import Points, Posterior

P = TypeVar("P", bound=Points)
Criterion = Callable[[Posterior[P], float, str], tuple[P, P]]

_NEWTON_STEPS = 80
# The logit of the share of alpha below the lower limit, at the ends of its bracket.
_WIDEST_SHARE = 600.0
_WHERE = "no interval of {} at position {} of the outcomes"


def one_sided(posterior: Posterior[P], alpha: float, side: str) -> tuple[P, P]:
    """Pr(θ < l | x) = alpha or Pr(θ > u | x) = alpha (Ross 2003, method 1)."""
    low, high = posterior.ends
    if side == "lower":
        return posterior.ppf(alpha), high
    return low, posterior.isf(alpha)


def balanced_tail(posterior: Posterior[P], alpha: float, side: str = "two-sided") -> tuple[P, P]:
    """Pr(θ < l | x) = Pr(θ > u | x) = alpha/2 (Ross 2003, method 4).

    Next to an end of the support the interval need not hold the estimate.
    """
    if side != "two-sided":
        return one_sided(posterior, alpha, side)
    return posterior.ppf(alpha / 2), posterior.isf(alpha / 2)


def balanced_width(posterior: Posterior[P], alpha: float, side: str = "two-sided") -> tuple[P, P]:
    """l = c − δ, u = c + δ about the estimate c, with F(l) + S(u) = alpha (Ross 2003, method 3).

    Where c − δ or c + δ would leave the support, that limit is the end of the support and the
    other one is moved until the mass is right.
    """
    low, high = posterior.ends
    room_below, room_above = posterior.room
    room = np.minimum(room_below, room_above)
    endless = np.isinf(room)
    room = np.where(endless, 0.0, room)
    touching = posterior.around(np.zeros_like(room))
    outside = posterior.cdf(touching[0]) + posterior.sf(touching[1])
    clipped = (outside > alpha) & ~endless
    at_low = clipped & (room_below <= room_above)
    at_high = clipped & ~at_low

    lower, upper = touching
    inner = np.flatnonzero(~clipped)
    margin = _balanced_margin(posterior.at(inner), alpha, room[inner])
    inner_lower, inner_upper = posterior.at(inner).around(margin)
    lower, upper = lower.replaced(inner, inner_lower), upper.replaced(inner, inner_upper)

    lower = low.where(at_low, lower).replaced(at_high, posterior.at(at_high).ppf(alpha))
    upper = high.where(at_high, upper).replaced(at_low, posterior.at(at_low).isf(alpha))
    return lower, upper


def _balanced_margin(posterior: Posterior[P], alpha: float, room: Floats) -> Floats:
    """How far short of the nearer end the balanced interval stays: the root of log(alpha/mass).

    Where there is no end it is minus the half-width.
    """

    def shortfall(margin: Floats, index: Positions) -> tuple[Floats, Floats]:
        here = posterior.at(index)
        lower, upper = here.around(margin)
        mass = here.cdf(lower) + here.sf(upper)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(alpha / mass), -(here.pdf(lower) + here.pdf(upper)) / mass

    rough_lower, rough_upper = posterior.rough_interval(alpha)
    start = room - 0.5 * posterior.length(rough_lower, rough_upper)
    widest = _widest_margin(posterior, alpha, room)
    margin, found = bracketed_newton(shortfall, widest, room, start)
    if not found.all():
        raise IntervalNotFoundError(_WHERE.format("balanced width", np.flatnonzero(~found)[0]))
    return margin


def _widest_margin(posterior: Posterior[P], alpha: float, room: Floats) -> Floats:
    """A margin at which no more than alpha lies outside: 0, or beyond both balanced-tail limits."""
    widest = np.zeros_like(room)
    endless = np.flatnonzero(np.isinf(posterior.room[0]) & np.isinf(posterior.room[1]))
    if endless.size:
        part = posterior.at(endless)
        centre, _ = part.around(widest[endless])
        lower, upper = balanced_tail(part, alpha)
        widest[endless] = -np.maximum(part.length(lower, centre), part.length(centre, upper))
    return widest


def minimal_length(posterior: Posterior[P], alpha: float, side: str = "two-sided") -> tuple[P, P]:
    """The shortest interval of posterior mass 1 − alpha (Ross 2003, method 2).

    Both limits have the same posterior density, f(l) = f(u), with F(l) + S(u) = alpha; where the
    density is monotone the interval lies at the end of the support that it rises towards.
    """
    low, high = posterior.ends
    everything = np.ones(posterior.size, dtype=bool)
    rising, falling = _monotone(posterior, alpha)
    lower = low.where(everything, low).replaced(rising, posterior.at(rising).ppf(alpha))
    upper = high.where(everything, high).replaced(falling, posterior.at(falling).isf(alpha))
    inner = np.flatnonzero(~(rising | falling))
    if inner.size:
        inner_lower, inner_upper = _equal_density(posterior.at(inner), alpha)
        lower, upper = lower.replaced(inner, inner_lower), upper.replaced(inner, inner_upper)
    return lower, upper


def _monotone(posterior: Posterior[P], alpha: float) -> tuple[Bools, Bools]:
    """Where the shortest interval ends at the upper, and where at the lower end of the support."""
    rough_lower, rough_upper = posterior.rough_interval(2 * alpha)
    rising = posterior.never_rises_from(rough_lower)
    falling = posterior.never_falls_to(rough_upper) & ~rising
    return rising, falling


def _equal_density(posterior: Posterior[P], alpha: float) -> tuple[P, P]:
    """Two-dimensional Newton from the balanced-tail limits, on log(mass/alpha) and log f(u)/f(l).

    The limits stay on their own sides of the mode throughout. Elements that Newton does not
    bring to the noise floor are solved inside a bracket.
    """
    lower, upper = _start_around_mode(posterior, alpha)
    active, missed = np.arange(posterior.size), [np.arange(0)]
    for _ in range(_NEWTON_STEPS):
        if active.size == 0:
            break
        part, left, right = posterior.at(active), lower.at(active), upper.at(active)
        residual, step_lower, step_upper = _equal_density_step(part, left, right, alpha)
        moved = np.isfinite(step_lower) & np.isfinite(step_upper)
        missed.append(active[~moved])
        part, left, right = part.at(moved), left.at(moved), right.at(moved)
        lower = lower.replaced(active[moved], part.slide(left, step_lower[moved]))
        upper = upper.replaced(active[moved], part.slide(right, step_upper[moved]))
        active = active[moved & ~(residual < SMALL_RESIDUAL)]
    slow = np.concatenate([*missed, active])
    if slow.size:
        slow_lower, slow_upper = _equal_density_in_bracket(posterior.at(slow), alpha)
        lower, upper = lower.replaced(slow, slow_lower), upper.replaced(slow, slow_upper)
    return lower, upper


def _start_around_mode(posterior: Posterior[P], alpha: float) -> tuple[P, P]:
    """Balanced-tail limits, each moved to its own side of the mode where it is on the other one."""
    lower, upper = posterior.rough_interval(alpha)
    mode = posterior.mode
    half = 0.5 * posterior.span(lower, upper)
    late = ~(posterior.span(lower, mode) > 0)
    early = ~(posterior.span(mode, upper) > 0)
    return (
        posterior.slide(mode, -half).where(late, lower),
        posterior.slide(mode, half).where(early, upper),
    )


def _equal_density_step(
    posterior: Posterior[P], lower: P, upper: P, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """The residual and the Newton steps of both limits, each kept short of the mode."""
    mass = posterior.cdf(lower) + posterior.sf(upper)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        excess = np.log(mass / alpha)
        ratio = posterior.log_density_ratio(lower, upper)
        height_l, height_u = posterior.density(lower), posterior.density(upper)
        slope_l, slope_u = posterior.slope(lower), posterior.slope(upper)
        # height_l·dl − height_u·du = −mass·excess and slope_u·du − slope_l·dl = −ratio
        determinant = height_l * slope_u - height_u * slope_l
        step_l = -(mass * excess * slope_u + height_u * ratio) / determinant
        step_u = -(height_l * ratio + mass * excess * slope_l) / determinant
        mode = posterior.mode
        room_l, room_u = posterior.span(lower, mode), posterior.span(mode, upper)
        step_l = np.where(step_l >= room_l, 0.5 * room_l, step_l)
        step_u = np.where(-step_u >= room_u, -0.5 * room_u, step_u)
    return np.maximum(np.abs(excess), np.abs(ratio)), step_l, step_u


def _equal_density_in_bracket(posterior: Posterior[P], alpha: float) -> tuple[P, P]:
    """Newton inside a bracket on the share of alpha below l, in (0, 1), by its logit.

    The density ratio falls as that share grows. Where a limit is past the mode its sign is known.
    """

    def ratio(logit: Floats, index: Positions) -> tuple[Floats, Floats]:
        part, mode = posterior.at(index), posterior.mode.at(index)
        share, rest = 1.0 / (1.0 + np.exp(-logit)), 1.0 / (1.0 + np.exp(logit))
        lower, upper = part.ppf(alpha * share), part.isf(alpha * rest)
        past_mode, before_mode = part.span(lower, mode) <= 0, part.span(mode, upper) <= 0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            value = part.log_density_ratio(lower, upper)
            change = part.slope(upper) / part.density(upper)
            change = change - part.slope(lower) / part.density(lower)
            derivative = alpha * share * rest * change
        off = past_mode | before_mode
        value = np.where(past_mode, -np.inf, np.where(before_mode, np.inf, value))
        return value, np.where(off, np.nan, derivative)

    widest = np.full(posterior.size, _WIDEST_SHARE)
    logit, found = bracketed_newton(ratio, -widest, widest, np.zeros(posterior.size))
    if not found.all():
        raise IntervalNotFoundError(_WHERE.format("minimal length", np.flatnonzero(~found)[0]))
    share, rest = 1.0 / (1.0 + np.exp(-logit)), 1.0 / (1.0 + np.exp(logit))
    return posterior.ppf(alpha * share), posterior.isf(alpha * rest)
