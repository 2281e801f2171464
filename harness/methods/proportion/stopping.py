"""Intervals for a proportion after trials that are looked at while they are made, and may stop."""

from __future__ import annotations

import numpy as np
from scipy.special import betaln, expit, logit, xlog1py

from harness.base.errors import IntervalNotFoundError
from harness.base.numerics.arrays import Floats, Positions
from harness.base.numerics.root_finding import bracketed_newton, newton_roots
from harness.base.numerics.special import deviance, log_binomial, stirling_error
from harness.distributions.sampling.stopped import StoppedOutcomes
from harness.distributions.truths import Prior
from harness.families.family import Data
from harness.methods.method import LimitPair
from harness.methods.proportion import clopper_pearson

_FARTHEST = 745.0
"""The logit beyond which p is no double above 0."""
_NATS = 60.0
"""What is by e^−60 less probable than the tail is left out of it."""
_CELLS = 1 << 17
_INWARDS = 1.0 + 2.0**-50
"""What the limits of an open set are moved inwards by, more than rounding: a p at which equality
holds, as 1/4 at x = n = 3 and alpha = 0.05, is then outside."""


def stagewise(ordered: StoppedOutcomes, tail: float) -> LimitPair:
    """Pr(at or beyond the outcome | l) = ``tail`` and Pr(at or before the outcome | u) = ``tail``.

    Before and beyond are meant in the stage-wise order: stops at lower boundaries from the first
    look on, then the last look by x, then stops at upper boundaries from the last look back to the
    first. l = 0 at the first outcome and u = 1 at the last. But for rounding never misses more
    often than nominal where trials stop by the boundaries; without looks it is Clopper-Pearson's.

    Jennison and Turnbull (1983), Technometrics 25, 49–58.

    Args:
        ordered: all m outcomes that can occur, in the stage-wise order.
        tail: the probability of each tail, in (0, 1).

    Returns:
        The limits in the order of the outcomes, shape (m,) each.
    """
    return _by_order(ordered, tail, 1.0)


def stagewise_mid_p(ordered: StoppedOutcomes, tail: float) -> LimitPair:
    """Pr(beyond | l) + Pr(at | l)/2 = ``tail`` and Pr(before | u) + Pr(at | u)/2 = ``tail``.

    As ``stagewise``, with half of the probability of the outcome itself: shorter, mostly near
    nominal, and at some truths it misses more often than nominal. With a tail of one half or more
    the upper limit of the first outcome is 0, and the lower limit of the last 1.

    Jennison and Turnbull (1983), Technometrics 25, 49–58, for the order; Lancaster (1961), J. Am.
    Stat. Assoc. 56, 223–234, for the half.

    Args:
        ordered: all m outcomes that can occur, in the stage-wise order.
        tail: the probability of each tail, in (0, 1).

    Returns:
        The limits in the order of the outcomes, shape (m,) each.
    """
    return _by_order(ordered, tail, 0.5)


def mle_order(outcomes: StoppedOutcomes, tail: float) -> LimitPair:
    """Pr(X/T ≥ x/t | l) = ``tail`` and Pr(X/T ≤ x/t | u) = ``tail``.

    T trials end with X successes, and x/t is the estimate; outcomes with equal estimates are one.
    l = 0 at the least estimate and u = 1 at the largest. Never misses more often than nominal by
    any rule. The limits depend on the whole rule, its later looks included; without looks they are
    Clopper-Pearson's.

    By any rule Pr(X/T ≥ c | p) rises with p, so that the values of p that neither tail rejects are
    an interval. Its derivative is E[(X − pT); X/T ≥ c]/(p(1 − p)): for c ≥ p no term is negative,
    and for c < p, as E[X − pT] = 0 (Wald), it is minus that of X/T < c, which has no positive term.

    Armitage (1958), Biometrika 45, 1–15; Emerson and Fleming (1990), Biometrika 77, 875–892.

    Args:
        outcomes: all m outcomes that can occur, in any order.
        tail: the probability of each tail, in (0, 1).

    Returns:
        The limits in the order of the outcomes, shape (m,) each.
    """
    order = np.argsort(outcomes.successes / outcomes.trials, kind="stable")
    ordered, limits = outcomes.at(order), np.empty((2, order.size))
    limits[0, order] = expit(_logits_by_estimate(ordered, tail))
    limits[1, order] = expit(-_logits_by_estimate(ordered.mirrored(), tail)[::-1])
    return limits[0], limits[1]


def _logits_by_estimate(ordered: StoppedOutcomes, tail: float) -> Floats:
    """Return the logits at which the tail from each estimate on has ``tail``, shape (m,).

    Args:
        ordered: the outcomes in the order of their estimates.
        tail: in (0, 1).
    """
    # The quotients of equal fractions are equal doubles.
    _, start, estimate = np.unique(
        ordered.successes / ordered.trials, return_index=True, return_inverse=True
    )
    logits = np.full(start.size, -np.inf)
    logits[1:] = _tail_roots(ordered, start[1:], tail, 1.0)
    # They rise with the estimate; rounding may not take that away.
    return np.asarray(np.maximum.accumulate(logits)[estimate])


def _by_order(ordered: StoppedOutcomes, tail: float, part: float) -> LimitPair:
    """Return limits with ``part`` of the probability of the outcome itself in each tail."""
    lower = _lower_logits(ordered, tail, part)
    upper = -_lower_logits(ordered.mirrored(), tail, part)[::-1]
    # They rise with the order; rounding may not take that away.
    rising = np.maximum.accumulate
    return rising(expit(lower)), rising(expit(upper))


def _lower_logits(ordered: StoppedOutcomes, tail: float, part: float) -> Floats:
    """Return log(l/(1 − l)) of the lower limits; −∞ at the first outcome."""
    count = ordered.trials.size
    logits = np.full(count, -np.inf)
    # At p = 1 the last outcome is certain.
    inner = np.arange(1, count if tail < part else count - 1)
    logits[inner.size + 1 :] = np.inf
    logits[inner] = _tail_roots(ordered, inner, tail, part)
    return logits


def _tail_roots(ordered: StoppedOutcomes, at: Positions, tail: float, part: float) -> Floats:
    """Return the logits at which tails, which rise with p, have the probability ``tail``; (k,).

    Args:
        ordered: all m outcomes in their order.
        at: the positions of the outcomes where the tails begin, shape (k,).
        tail: in (0, 1).
        part: how much of that outcome itself belongs to its tail.
    """
    count = ordered.trials.size
    start = logit(clopper_pearson((ordered.successes[at], ordered.trials[at]), tail)[0])
    far = np.full(at.size, _FARTHEST)

    def evaluate(here: Floats, index: Positions) -> tuple[Floats, Floats]:
        value, derivative = np.empty((2, here.size))
        # Logits that are within 1 of each other are computed together.
        by_size, most = np.argsort(here), max(1, _CELLS // count)
        apart = np.flatnonzero(np.diff(np.floor(here[by_size]))) + 1
        for neighbours in np.split(by_size, apart):
            for some in np.split(neighbours, range(most, neighbours.size, most)):
                value[some], derivative[some] = _log_tails(
                    ordered, here[some], at[index[some]], tail, part
                )
        return value, derivative

    roots, reached = bracketed_newton(evaluate, -far, far, start)
    if not reached.all():
        raise IntervalNotFoundError(f"no limit of outcome {int(at[np.argmin(reached)])}")
    return roots


def _log_tails(
    ordered: StoppedOutcomes, logits: Floats, at: Positions, tail: float, part: float
) -> tuple[Floats, Floats]:
    """Return log(tail/Pr(beyond | p)) and its derivative in the logit of p, shape (t,) each.

    With p0 = expit(λ0), log Pr(t, x) at λ0 + δ is log Pr(t, x | p0) + (x − t p0) δ less t times
    log(1 + p0 (e^δ − 1)) − p0 δ. For small δ this takes a tenth of the time of the probabilities.

    Args:
        ordered: the outcomes.
        logits: of p, within 1 of each other, shape (t,).
        at: the positions of the outcomes where the tails begin, shape (t,).
        tail: what the tails are compared with.
        part: how much of the outcome itself belongs to its tail.
    """
    low, high = float(logits.min()), float(logits.max())
    likely = ordered.likely(float(expit(low)), float(expit(high)), _NATS - np.log(tail))
    likely = likely[likely >= at.min()]
    t, x = ordered.trials[likely], ordered.successes[likely]
    middle = 0.5 * (low + high)
    p_0, step = float(expit(middle)), (logits - middle)[:, np.newaxis]
    with np.errstate(divide="ignore"):
        start = log_binomial(x, t - x, p_0, expit(-middle)) + np.log(ordered.share[likely])
    terms = (x - t * p_0) * step
    terms += start
    terms -= t * (np.log1p(p_0 * np.expm1(step)) - p_0 * step)
    np.exp(terms, out=terms)
    terms *= (likely > at[:, np.newaxis]) + part * (likely == at[:, np.newaxis])
    total = terms.sum(axis=1)
    # d/dλ of p^x q^(t − x) is x − tp times that.
    slope = np.einsum("ij,j->i", terms, x) - expit(logits) * np.einsum("ij,j->i", terms, t)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log(tail) - np.log(total), -slope / total


def beta_binomial_mixture(data: Data, alpha: float, side: str, prior: Prior) -> LimitPair:
    """All p with B(x + a, n − x + b)/B(a, b) < p^x (1 − p)^(n − x)/alpha, an interval.

    The likelihood, averaged over a Beta(a, b) distribution, is at any n at least 1/alpha times that
    at the true p with a probability of at most alpha: whenever trials stop, and for whatever
    reason, it does not miss more often than nominal. It is long for this. l = 0 at x = 0 and u = 1
    at x = n. A p at which equality holds is missed. There is no interval of one side.

    Robbins (1970), Ann. Math. Stat. 41, 1397–1409.

    Args:
        data: x and n, shape (m,) each.
        alpha: the probability of both tails together, in (0, 1).
        side: "two-sided".
        prior: a and b, above 0; 1/2 each if left out.
    """
    x, n = data
    level = _log_peak_ratio(x, n, prior) - np.log(alpha)
    lower, from_one = _deviance_limits(x, n, level), _deviance_limits(n - x, n, level)
    return lower * _INWARDS, 1.0 - from_one * _INWARDS


def _log_peak_ratio(x: Floats, n: Floats, prior: Prior) -> Floats:
    """Return log[(x/n)^x ((n − x)/n)^(n − x) B(a, b)/B(x + a, n − x + b)], shape (m,).

    By Stirling's series, in which large terms cancel before they are computed.
    """
    y, (s, t) = n - x, prior
    a, b, c = x + s, y + t, n + s + t
    with np.errstate(divide="ignore", invalid="ignore"):
        # x log((x/n)/(a/c)), with (a/c)/(x/n) − 1 in closed form; 0 where x is.
        leading = -xlog1py(x, (n * s - x * (s + t)) / (c * x))
        leading -= xlog1py(y, (n * t - y * (s + t)) / (c * y))
    first, second = np.log(a / c), np.log(b / c)
    series = stirling_error(c) - stirling_error(a) - stirling_error(b)
    half = 0.5 * (first + second + np.log(c / (2.0 * np.pi)))
    return np.asarray(leading - s * first - t * second + half + series + betaln(s, t))


def _deviance_limits(x: Floats, n: Floats, level: Floats) -> Floats:
    """Return the smallest p with log[L(x/n)/L(p)] ≤ ``level``, for L(p) = p^x (1 − p)^(n − x)."""
    limits = np.where(x == 0, 0.0, np.exp(-level / n))
    inner = np.flatnonzero((x > 0) & (x < n))
    x, n, level = x[inner], n[inner], level[inner]

    def evaluate(here: Floats, index: Positions) -> tuple[Floats, Floats]:
        k, size, p, q = x[index], n[index], expit(here), expit(-here)
        value = deviance(k, size * p) + deviance(size - k, size * q) - level[index]
        return value, size * p - k

    peak = np.log(x / (n - x))
    start = peak - np.sqrt(2.0 * level * n / (x * (n - x)))
    far = np.full(x.size, -_FARTHEST)
    limits[inner] = expit(newton_roots(evaluate, far, peak, start, "no limit at position {}"))
    return limits


def bonferroni_looks(data: Data, tail: float, looks: int) -> LimitPair:
    """Clopper-Pearson limits with the probability ``tail``/L in each tail, L the number of looks.

    At every look, and so at whichever trials stop, it holds the truth with a probability of at
    least 1 − 2·``tail``: but for rounding it never misses more often than nominal. Long where there
    are many looks.

    Dunn (1961), J. Am. Stat. Assoc. 56, 52–64, for the division of alpha; Clopper and Pearson
    (1934), Biometrika 26, 404–413.

    Args:
        data: x and n, shape (m,) each.
        tail: the probability of each tail, in (0, 1).
        looks: L, the last one included.
    """
    return clopper_pearson(data, tail / looks)
