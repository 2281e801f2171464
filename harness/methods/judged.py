"""Intervals of a share that a judge with errors reports, with labels that say how often it errs.

A judge says yes to x of n cases. Of m₁ labelled positives it calls a right, and of m₀ labelled
negatives b: three independent binomial samples, with the probabilities q, se and sp. Of a share θ
of positives

    q = θ se + (1 − θ)(1 − sp),    θ = (q + sp − 1)/(se + sp − 1).

The share is not identified at se + sp = 1, where the judge's answer says nothing of a case. Data
are the columns x, n, a, m₁, b and m₀, shape (m,) each. Remarks say where data contradict the
labels, or the rates that are known.
"""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Bools, Floats, Positions
from harness.base.numerics.root_finding import bracketed_newton, newton_roots
from harness.base.numerics.special import deviance
from harness.families.family import Data
from harness.families.judged import rogan_gladen
from harness.methods.judged_posterior import JEFFREYS, posterior
from harness.methods.method import TWO_SIDED, LimitPair, Method

_EDGE = 1.0 - 1e-12
_STEPS = 100
# In place of a mean of 0, where the count is 0 too.
_LEAST = 1e-300


def _clipped(lower: Floats, upper: Floats, identified: Bools) -> LimitPair:
    """Limits within [0, 1]; the whole range where the estimates do not have se + sp > 1."""
    ends = np.where(identified, lower, 0.0), np.where(identified, upper, 1.0)
    return np.clip(ends[0], 0.0, 1.0), np.clip(ends[1], 0.0, 1.0)


def rogan_gladen_delta(data: Data, tail: float) -> LimitPair:
    """Rogan and Gladen's estimate with the standard error of the delta method.

        p = (q + sp − 1)/(se + sp − 1),    q = x/n, se = a/m₁, sp = b/m₀
        p ∓ z √(q(1 − q)/n + p² se(1 − se)/m₁ + (1 − p)² sp(1 − sp)/m₀)/(se + sp − 1)

    Limits are clipped to [0, 1], the whole range where se + sp ≤ 1. It is too short for few labels:
    of no width where the judge is right in all of them and says yes to all cases, or to none.

    Rogan and Gladen (1978), Am. J. Epidemiol. 107, 71–76.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        tail: the probability outside each limit, in (0, 1).
    """
    x, n, positives_right, positives, negatives_right, negatives = data
    q, se, sp = x / n, positives_right / positives, negatives_right / negatives
    share, gain = rogan_gladen(q, se, sp)
    variance = q * (1.0 - q) / n + share**2 * se * (1.0 - se) / positives
    variance += (1.0 - share) ** 2 * sp * (1.0 - sp) / negatives
    reach = -float(ndtri(tail)) * np.sqrt(variance) / np.where(gain > 0, gain, 1.0)
    return _clipped(share - reach, share + reach, gain > 0)


def _lang_reiczigel(data: Data, tail: float) -> tuple[Floats, Floats, Bools]:
    """The limits before they are clipped, and whether the estimates have se + sp > 1."""
    x, n, positives_right, positives, negatives_right, negatives = data
    z = -float(ndtri(tail))
    se, sp = (
        (positives_right + 1.0) / (positives + 2.0),
        (negatives_right + 1.0) / (negatives + 2.0),
    )
    cases = n + z * z
    q = (x + z * z / 2.0) / cases
    share, gain = rogan_gladen(q, se, sp)
    of_se, of_sp = se * (1.0 - se) / (positives + 2.0), sp * (1.0 - sp) / (negatives + 2.0)
    center = share + 2.0 * z * z * (share * of_se - (1.0 - share) * of_sp)
    variance = q * (1.0 - q) / cases + share**2 * of_se + (1.0 - share) ** 2 * of_sp
    reach = z * np.sqrt(variance) / np.where(gain > 0, gain, 1.0)
    return center - reach, center + reach, gain > 0


def lang_reiczigel(data: Data, tail: float) -> LimitPair:
    """Lang and Reiczigel's interval: the delta method with added cases and labels.

        se = (a + 1)/(m₁ + 2),    sp = (b + 1)/(m₀ + 2),    q = (x + z²/2)/(n + z²)
        p = (q + sp − 1)/(se + sp − 1),    v₁ = se(1 − se)/(m₁ + 2),    v₀ = sp(1 − sp)/(m₀ + 2)
        p + 2z²(p v₁ − (1 − p) v₀) ∓ z √(q(1 − q)/(n + z²) + p² v₁ + (1 − p)² v₀)/(se + sp − 1)

    Limits are clipped to [0, 1], the whole range where se + sp ≤ 1. It is a point where both leave
    the range on one side, as the data then contradict the labels.

    Lang and Reiczigel (2014), Prev. Vet. Med. 113, 13–22.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        tail: the probability outside each limit, in (0, 1).
    """
    return _clipped(*_lang_reiczigel(data, tail))


def lang_reiczigel_modified(data: Data, alpha: float, side: str) -> LimitPair:
    """Lang and Reiczigel's limits; those of the posterior where the data contradict the labels.

    They are ``lang_reiczigel``, but where both limits leave [0, 1] on one side, and an interval
    within it would be a point. There they are ``posterior`` with Jeffreys' priors.

    Lang and Reiczigel (2014), Prev. Vet. Med. 113, 13–22.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        alpha: in (0, 1).
        side: two-sided, lower or upper.
    """
    tail = alpha / 2 if side == TWO_SIDED else alpha
    return _of_posterior_where(
        contradicts_labels(data, tail), lang_reiczigel(data, tail), data, alpha, side
    )


def contradicts_labels(data: Data, tail: float) -> Bools:
    """Return where both of Lang and Reiczigel's limits leave [0, 1], shape (m,).

    The judge then says yes to fewer cases than its false positives alone would be, or to more than
    its sensitivity allows. Cases and labels are hardly of one population.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        tail: the probability outside each limit, in (0, 1).
    """
    lower, upper, identified = _lang_reiczigel(data, tail)
    return np.asarray(identified & ((upper <= 0.0) | (lower >= 1.0)))


def _of_posterior_where(
    chosen: Bools, limits: LimitPair, data: Data, alpha: float, side: str
) -> LimitPair:
    """These limits, with those of the posterior at the outcomes that are chosen."""
    lower, upper = limits
    if chosen.any():
        those = tuple(column[chosen] for column in data)
        lower[chosen], upper[chosen] = posterior(those, alpha, side, JEFFREYS)
    return lower, upper


CONTRADICTION_TAIL = 0.025
"""The tail of Lang and Reiczigel's limits by which ``profile_likelihood`` has the posterior's."""


def profile_likelihood(data: Data, alpha: float, side: str) -> LimitPair:
    """The shares that a likelihood ratio test with the likeliest se and sp does not reject.

        ±√(2(ℓ(p) − ℓ(θ))) = z,    ℓ(θ) = max over se and sp of the log likelihood

    with the likeliest share p in [0, 1]. It is the whole range where the estimates do not have
    se + sp > 1. Where the data contradict the labels, so that both limits of Lang and Reiczigel's
    95 % leave [0, 1], it has the limits of ``posterior`` with Jeffreys' priors.

    Wilks (1938), Ann. Math. Stat. 9, 60–62; the profile as of Venzon and Moolgavkar (1988), Appl.
    Stat. 37, 87–94.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        alpha: in (0, 1).
        side: two-sided, lower or upper.

    Raises:
        IntervalNotFoundError: a limit is not found.
    """
    limits = likelihood_limits(data, alpha / 2 if side == TWO_SIDED else alpha)
    against = contradicts_labels(data, CONTRADICTION_TAIL)
    return _of_posterior_where(against, limits, data, alpha, side)


def likelihood_limits(data: Data, tail: float) -> LimitPair:
    """Return the limits of the likelihood ratio test, whatever the labels say of the data.

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        tail: the probability outside each limit, in (0, 1).

    Raises:
        IntervalNotFoundError: a limit is not found.
    """
    x, n, positives_right, positives, negatives_right, negatives = data
    estimate, gain = rogan_gladen(x / n, positives_right / positives, negatives_right / negatives)
    identified = gain > 0
    data = tuple(column[identified] for column in data)
    likeliest = np.clip(estimate[identified], 0.0, 1.0)
    least, _ = profile_deviance(data, likeliest)
    z = -float(ndtri(tail))
    lower, upper = np.zeros(x.size), np.ones(x.size)
    lower[identified] = _root(data, likeliest, least, z)
    upper[identified] = _root(data, likeliest, least, -z)
    return lower, upper


def _root(data: Data, likeliest: Floats, least: Floats, z: float) -> Floats:
    """Where the signed root of the statistic, which falls with the share, is z; an end else."""

    def signed_root(share: Floats, index: Positions) -> tuple[Floats, Floats]:
        at, slope = profile_deviance(tuple(column[index] for column in data), share)
        root = np.sqrt(np.maximum(at - least[index], 0.0))
        sign = np.sign(likeliest[index] - share)
        with np.errstate(divide="ignore", invalid="ignore"):
            return sign * root - z, sign * slope / (2.0 * root)

    every = np.arange(likeliest.size)
    ends = np.zeros_like(likeliest), np.ones_like(likeliest)
    roots = np.where(signed_root(ends[0], every)[0] <= 0, 0.0, 1.0)
    inside = np.flatnonzero((roots > 0) & (signed_root(ends[1], every)[0] < 0))
    roots[inside] = newton_roots(
        lambda share, index: signed_root(share, inside[index]),
        ends[0][inside],
        ends[1][inside],
        likeliest[inside],
        "no share has the likelihood ratio of the limit at position {}",
    )
    return roots


def profile_deviance(data: Data, share: Floats) -> tuple[Floats, Floats]:
    """Return the deviance at a share, se and sp being the likeliest there, and its derivative.

    The largest likelihood with q = θ se + (1 − θ) u, u = 1 − sp, has a multiplier λ with
    se(λθ), u(λ(1 − θ)) and q(−λ), where each p(κ) solves count/p − (size − count)/(1 − p) = κ. The
    difference θ se + (1 − θ) u − q falls with λ from 1 to −1, and has one root. The derivative of
    the deviance is 2λ(se − u).

    Args:
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        share: θ in [0, 1], shape (m,).

    Returns:
        Shape (m,) each; the deviance is 0 where the unrestricted estimates have this share.
    """
    x, n, positives_right, positives, negatives_right, negatives = data
    wrong = negatives - negatives_right
    # The multiplier is s t/(1 − |t|) of t in (−1, 1), with the scale s of the data.
    scale = n + positives + negatives

    def difference(t: Floats, index: Positions) -> tuple[Floats, Floats]:
        theta, away = share[index], 1.0 - np.abs(t)
        slope = scale[index] * t / away
        se, by_se = _probability(slope * theta, positives_right[index], positives[index])
        u, by_u = _probability(slope * (1.0 - theta), wrong[index], negatives[index])
        q, by_q = _probability(-slope, x[index], n[index])
        value = theta * se + (1.0 - theta) * u - q
        change = theta**2 * by_se + (1.0 - theta) ** 2 * by_u + by_q
        return value, change * scale[index] / away**2

    edge = np.full_like(share, _EDGE)
    t, _ = bracketed_newton(difference, -edge, edge, np.zeros_like(share), steps=_STEPS)
    slope = scale * t / (1.0 - np.abs(t))
    se, _ = _probability(slope * share, positives_right, positives)
    u, _ = _probability(slope * (1.0 - share), wrong, negatives)
    q = np.clip(share * se + (1.0 - share) * u, 0.0, 1.0)
    total = np.zeros_like(share)
    for count, size, p in ((positives_right, positives, se), (wrong, negatives, u), (x, n, q)):
        total += deviance(count, np.maximum(size * p, _LEAST))
        total += deviance(size - count, np.maximum(size * (1.0 - p), _LEAST))
    return 2.0 * total, 2.0 * slope * (se - u)


def _probability(slope: Floats, count: Floats, size: Floats) -> tuple[Floats, Floats]:
    """The p in [0, 1] with count/p − (size − count)/(1 − p) = slope, and dp/dslope ≤ 0.

    It is a root of slope p² − (slope + size) p + count, in a form without cancellation.
    """
    total = slope + size
    root = np.sqrt(
        np.where(
            slope > 0,
            (slope - size) ** 2 + 4.0 * slope * (size - count),
            total**2 - 4.0 * slope * count,
        )
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        p = np.where(total > 0, 2.0 * count / (total + root), (total - root) / (2.0 * slope))
        p = np.clip(p, 0.0, 1.0)
        change = -((p * (1.0 - p)) ** 2) / (count * (1.0 - p) ** 2 + (size - count) * p**2)
    return p, np.nan_to_num(change, nan=0.0)


_SAYS = (
    "the judge says yes to fewer cases than its false positives alone would be, or to more than "
    "its sensitivity allows"
)
_CONTRADICTS = f"the data contradict the labels: {_SAYS}; cases and labels are hardly alike"
_HAS_POSTERIOR = ", and the limits are those of the posterior"
_OTHER_METHOD = "; lang_reiczigel_modified has the limits of the posterior"


def remark_on_labels(name: str, data: Data, alpha: float, side: str) -> str:
    """Return what to know of the limits of one method with labels; empty where it is nothing.

    Args:
        name: of the method.
        data: x, n, a, m₁, b, m₀, shape (m,) each.
        alpha, side: of the limits.
    """
    is_likelihood = name == "profile_likelihood"
    tail = CONTRADICTION_TAIL if is_likelihood else alpha / 2 if side == TWO_SIDED else alpha
    if contradicts_labels(data, tail).any():
        if name == "posterior":
            return _CONTRADICTS
        has_posterior = is_likelihood or name == "lang_reiczigel_modified"
        return _CONTRADICTS + (_HAS_POSTERIOR if has_posterior else _OTHER_METHOD)
    _, _, positives_right, positives, negatives_right, negatives = data
    without_error = (positives_right == positives) & (negatives_right == negatives)
    if not is_likelihood or not without_error.any():
        return ""
    return (
        "the judge is right on all labels: if its error rates are near 0, profile_likelihood "
        "misses more often than alpha (14 % at 20 cases, 20 labels of each kind and a share of "
        "0.905, exact, for 5 %); lang_reiczigel_modified does not, and is 17 % longer there"
    )


def remark_on_known_rates(
    method: Method, se: float, sp: float, data: Data, alpha: float, side: str
) -> str:
    """Return what to know where both limits are at one end, as the error rates allow no others.

    Args:
        method: of a proportion, for the limits of the judge's share of yes.
        se, sp: the sensitivity and the specificity.
        data: x and n, shape (m,) each.
        alpha, side: of the limits.
    """
    lower, upper = method.limits(data, alpha, side)
    if not ((upper < 1.0 - sp) | (lower > se)).any():
        return ""
    return (
        f"the data contradict the error rates: {_SAYS}; cases are hardly like those that the rates "
        "are known of, and both limits are at an end of the range"
    )
