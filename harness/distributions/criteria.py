"""The four criteria of Ross (2003, section 4) for an interval with given posterior probability.

A criterion takes the posteriors of m outcomes, ``alpha`` in (0, 1) and a side. It returns the lower
and the upper limits as points of m outcomes. The posterior probability outside the limits is
``alpha``. Side "lower" means a lower limit alone, with the upper limit at the upper end of the
support; "upper" means an upper limit alone.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import (
    ROUGH_RESIDUAL,
    ROUGH_STEPS,
    SMALL_RESIDUAL,
    Function,
    approximate_roots,
    newton_roots,
)
from harness.distributions.posteriors.protocol import P, Posterior

Criterion = Callable[[Posterior[P], float, str], tuple[P, P]]

_NEWTON_STEPS = 80
# The bracket of the logit of the share of alpha below the lower limit is ± this.
_WIDEST_SHARE = 600.0


def one_sided(posterior: Posterior[P], alpha: float, side: str) -> tuple[P, P]:
    """Pr(θ < l | x) = alpha or Pr(θ > u | x) = alpha (Ross 2003, method 1).

    Args:
        posterior: the posteriors of m outcomes.
        alpha: the posterior probability beyond the limit, in (0, 1).
        side: "lower" for a lower limit, "upper" for an upper one.

    Returns:
        The lower and the upper limits; one of the two is the boundary of the support.

    >>> from harness.distributions.posteriors.beta import Beta
    >>> posterior = Beta.given(np.array([0.0]), np.array([29.0]), (1.0, 1.0))
    >>> lower, upper = one_sided(posterior, 0.05, "upper")
    >>> lower.value, upper.value.round(6)
    (array([0.]), array([0.095034]))
    """
    low, high = posterior.boundary
    if side == "lower":
        return posterior.ppf(alpha), high
    return low, posterior.isf(alpha)


def balanced_tail(posterior: Posterior[P], alpha: float, side: str = "two-sided") -> tuple[P, P]:
    """Pr(θ < l | x) = Pr(θ > u | x) = alpha/2 (Ross 2003, method 4).

    Next to the boundary of the support the interval need not contain the estimate.

    Args:
        posterior: the posteriors of m outcomes.
        alpha: the posterior probability outside the interval, in (0, 1).
        side: "two-sided", or the side of a ``one_sided`` interval.

    Returns:
        The lower and the upper limits.

    >>> from harness.distributions.posteriors.beta import Beta
    >>> posterior = Beta.given(np.array([3.0]), np.array([10.0]), (0.5, 0.5))
    >>> lower, upper = balanced_tail(posterior, 0.05)
    >>> lower.value.round(6), upper.value.round(6)
    (array([0.092695]), array([0.605818]))
    """
    if side != "two-sided":
        return one_sided(posterior, alpha, side)
    return posterior.ppf(alpha / 2), posterior.isf(alpha / 2)


def balanced_width(posterior: Posterior[P], alpha: float, side: str = "two-sided") -> tuple[P, P]:
    """l = c − δ, u = c + δ about the estimate c, with F(l) + S(u) = alpha (Ross 2003, method 3).

    Where c − δ or c + δ would be outside the support, that limit is the end of the support, and the
    other one is the quantile that leaves alpha outside.

    Args:
        posterior: the posteriors of m outcomes, with their estimates.
        alpha: the posterior probability outside the interval, in (0, 1).
        side: not used; the interval is two-sided.

    Returns:
        The lower and the upper limits.

    Raises:
        IntervalNotFoundError: the search for δ did not converge.
        ValueError: the posterior has no estimate.
    """
    low, high = posterior.boundary
    room_below, room_above = posterior.distance_to_boundary
    room = np.minimum(room_below, room_above)
    unbounded = np.isinf(room)
    room = np.where(unbounded, 0.0, room)
    lower, upper = posterior.centred_interval(np.zeros_like(room))
    clipped = ~unbounded
    part = posterior.at(clipped)
    outside = part.cdf(lower.at(clipped)) + part.sf(upper.at(clipped))
    clipped[clipped] = outside > alpha
    at_low = clipped & (room_below <= room_above)
    at_high = clipped & ~at_low

    inner = np.flatnonzero(~clipped)
    margin = _balanced_margin(posterior.at(inner), alpha, room[inner])
    inner_lower, inner_upper = posterior.at(inner).centred_interval(margin)
    lower, upper = lower.replaced(inner, inner_lower), upper.replaced(inner, inner_upper)

    lower = low.where(at_low, lower).replaced(at_high, posterior.at(at_high).ppf(alpha))
    upper = high.where(at_high, upper).replaced(at_low, posterior.at(at_low).isf(alpha))
    return lower, upper


def _balanced_margin(posterior: Posterior[P], alpha: float, room: Floats) -> Floats:
    """The distance of the balanced-width interval to the boundary: the root of log(alpha/mass).

    Where there is no boundary it is minus the half-width.
    """

    def shortfall_of(whole: Posterior[P]) -> Function:
        def shortfall(margin: Floats, index: Positions) -> tuple[Floats, ...]:
            here = whole.at(index)
            lower, upper = here.centred_interval(margin)
            mass = here.cdf(lower) + here.sf(upper)
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                at_lower, at_upper = here.pdf(lower), here.pdf(upper)
                change = (at_lower + at_upper) / mass
                # Of a density f by the parameter: f² (log f)' over the density by the coordinate.
                rise, fall = (
                    density**2 * here.log_density_slope(point) / here.coordinate_density(point)
                    for density, point in ((at_lower, lower), (at_upper, upper))
                )
                return np.log(alpha / mass), -change, change**2 - (rise - fall) / mass

        return shortfall

    approximation = posterior.approximation()
    near = posterior if approximation is None else approximation
    rough_lower, rough_upper = near.approximate_interval(alpha)
    half = 0.5 * posterior.length(rough_lower, rough_upper)
    # About a centre that is aside of the middle a normal distribution needs twice this much more;
    # the skewness that moves the middle takes back about half.
    centre, _ = posterior.centred_interval(room)
    aside = np.minimum(np.abs(posterior.length(rough_lower, centre) - half), half)
    more = 0.25 * (ndtri(0.5 * alpha) * aside) ** 2 / half
    start = room - (half + more)
    # A margin of 0 has at most alpha outside where there is a boundary.
    below, above = posterior.distance_to_boundary
    unbounded = np.isinf(below) & np.isinf(above)
    widest = np.where(unbounded, -posterior.widest_half_width(alpha), 0.0)
    if approximation is not None:
        start = approximate_roots(shortfall_of(approximation), widest, room, start)
    missing = "no interval of balanced width at position {} of the outcomes"
    return newton_roots(shortfall_of(posterior), widest, room, start, missing)


def minimal_length(posterior: Posterior[P], alpha: float, side: str = "two-sided") -> tuple[P, P]:
    """The shortest interval of posterior mass 1 − alpha (Ross 2003, method 2).

    Both limits have the same posterior density, f(l) = f(u), with F(l) + S(u) = alpha. Where the
    density is monotone, the interval is at the end of the support at which the density is largest.

    Args:
        posterior: the posteriors of m outcomes.
        alpha: the posterior probability outside the interval, in (0, 1).
        side: not used; the interval is two-sided.

    Returns:
        The lower and the upper limits.

    Raises:
        IntervalNotFoundError: the search did not converge.

    >>> from harness.distributions.posteriors.beta import Beta
    >>> posterior = Beta.given(np.array([0.0, 3.0]), np.array([10.0, 10.0]), (1.0, 1.0))
    >>> lower, upper = minimal_length(posterior, 0.05)
    >>> lower.value.round(6), upper.value.round(6)
    (array([0.      , 0.093372]), array([0.238404, 0.587953]))
    """
    lower, upper = posterior.boundary
    # Where the density is monotone, the interval reaches an end of the support.
    rough_lower, rough_upper = posterior.approximate_interval(2 * alpha)
    rising = posterior.upper_limit_at_boundary(rough_lower)
    falling = posterior.lower_limit_at_boundary(rough_upper) & ~rising
    if rising.any():
        lower = lower.replaced(rising, posterior.at(rising).ppf(alpha))
    if falling.any():
        upper = upper.replaced(falling, posterior.at(falling).isf(alpha))
    inner = np.flatnonzero(~(rising | falling))
    if inner.size:
        inner_lower, inner_upper = _equal_density(posterior.at(inner), alpha)
        lower, upper = lower.replaced(inner, inner_lower), upper.replaced(inner, inner_upper)
    return lower, upper


def _equal_density(posterior: Posterior[P], alpha: float) -> tuple[P, P]:
    """Two-dimensional Newton from the balanced-tail limits, on log(mass/alpha) and log f(u)/f(l).

    Each limit stays on its own side of the mode. Outcomes for which the iteration does not
    converge are solved inside a bracket.
    """
    lower, upper = posterior.approximate_interval(alpha)
    # A limit that is on the wrong side of the mode is moved to its own side.
    mode = posterior.mode
    half = 0.5 * posterior.coordinate_difference(lower, upper)
    late = ~(posterior.coordinate_difference(lower, mode) > 0)
    early = ~(posterior.coordinate_difference(mode, upper) > 0)
    lower = posterior.shift(mode, -half).where(late, lower)
    upper = posterior.shift(mode, half).where(early, upper)
    approximation = posterior.approximation()
    if approximation is not None:
        near_lower, near_upper, far = _equal_density_newton(
            approximation, lower, upper, alpha, ROUGH_RESIDUAL, ROUGH_STEPS
        )
        lower = near_lower.replaced(far, lower.at(far))
        upper = near_upper.replaced(far, upper.at(far))
    lower, upper, slow = _equal_density_newton(
        posterior, lower, upper, alpha, SMALL_RESIDUAL, _NEWTON_STEPS
    )
    if slow.size:
        slow_lower, slow_upper = _equal_density_in_bracket(posterior.at(slow), alpha)
        lower, upper = lower.replaced(slow, slow_lower), upper.replaced(slow, slow_upper)
    return lower, upper


def _equal_density_newton(
    posterior: Posterior[P], lower: P, upper: P, alpha: float, small: float, steps: int
) -> tuple[P, P, Positions]:
    """Newton steps until one from a ``small`` residual, and the outcomes that do not converge."""
    active, missed = np.arange(posterior.size), [np.arange(0)]
    for _ in range(steps):
        if active.size == 0:
            break
        part, left, right = posterior.at(active), lower.at(active), upper.at(active)
        residual, step_lower, step_upper = _equal_density_step(part, left, right, alpha)
        moved = np.isfinite(step_lower) & np.isfinite(step_upper)
        missed.append(active[~moved])
        part, left, right = part.at(moved), left.at(moved), right.at(moved)
        lower = lower.replaced(active[moved], part.shift(left, step_lower[moved]))
        upper = upper.replaced(active[moved], part.shift(right, step_upper[moved]))
        active = active[moved & ~(residual < small)]
    return lower, upper, np.concatenate([*missed, active])


def _equal_density_step(
    posterior: Posterior[P], lower: P, upper: P, alpha: float
) -> tuple[Floats, Floats, Floats]:
    """The residual and the Newton steps of both limits; no step reaches the mode."""
    mass = posterior.cdf(lower) + posterior.sf(upper)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        excess = np.log(mass / alpha)
        ratio = posterior.log_density_ratio(lower, upper)
        height_l = posterior.coordinate_density(lower)
        height_u = posterior.coordinate_density(upper)
        slope_l, slope_u = posterior.log_density_slope(lower), posterior.log_density_slope(upper)
        # height_l·dl − height_u·du = −mass·excess and slope_u·du − slope_l·dl = −ratio
        determinant = height_l * slope_u - height_u * slope_l
        step_l = -(mass * excess * slope_u + height_u * ratio) / determinant
        step_u = -(height_l * ratio + mass * excess * slope_l) / determinant
        mode = posterior.mode
        room_l = posterior.coordinate_difference(lower, mode)
        room_u = posterior.coordinate_difference(mode, upper)
        step_l = np.where(step_l >= room_l, 0.5 * room_l, step_l)
        step_u = np.where(-step_u >= room_u, -0.5 * room_u, step_u)
    return np.maximum(np.abs(excess), np.abs(ratio)), step_l, step_u


def _equal_density_in_bracket(posterior: Posterior[P], alpha: float) -> tuple[P, P]:
    """Newton inside a bracket on the share of alpha below l, in (0, 1), by its logit.

    The density ratio decreases in that share. Where a limit is past the mode, its sign is known.
    """

    def ratio(logit: Floats, index: Positions) -> tuple[Floats, Floats]:
        part, mode = posterior.at(index), posterior.mode.at(index)
        share, rest = 1.0 / (1.0 + np.exp(-logit)), 1.0 / (1.0 + np.exp(logit))
        lower, upper = part.ppf(alpha * share), part.isf(alpha * rest)
        past_mode = part.coordinate_difference(lower, mode) <= 0
        before_mode = part.coordinate_difference(mode, upper) <= 0
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            value = part.log_density_ratio(lower, upper)
            change = part.log_density_slope(upper) / part.coordinate_density(upper)
            change = change - part.log_density_slope(lower) / part.coordinate_density(lower)
            derivative = alpha * share * rest * change
        off = past_mode | before_mode
        value = np.where(past_mode, -np.inf, np.where(before_mode, np.inf, value))
        return value, np.where(off, np.nan, derivative)

    widest = np.full(posterior.size, _WIDEST_SHARE)
    missing = "no interval of minimal length at position {} of the outcomes"
    logit = newton_roots(ratio, -widest, widest, np.zeros(posterior.size), missing)
    share, rest = 1.0 / (1.0 + np.exp(-logit)), 1.0 / (1.0 + np.exp(logit))
    return posterior.ppf(alpha * share), posterior.isf(alpha * rest)
