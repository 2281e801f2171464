"""Intervals for the ratio of two proportions: of its logarithm, and MOVER of one for each.

Intervals for the ratio of two proportions from inverting the score test.

With κ the multiplier of the constraint on log p₁ − log p₂, n(p̂ − p) = ±κ(1 − p) is linear in p:
the most likely proportions with a ratio θ are p₁ = (x₁ − κ)/(n₁ − κ) and p₂ = (x₂ + κ)/(n₂ + κ).
For κ from −x₂ to x₁ the ratio falls from ∞ to 0. The variance of p̂₁ − θp̂₂ there is p₁²S with
S = (1 − p₁)/(n₁p₁) + (1 − p₂)/(n₂p₂), and p̂₁ − θp̂₂ itself is κp₁S. The place on the scale is
u = log((x₂ + κ)/(x₁ − κ)), which keeps the distances from both ends. No quadratic equation is
solved, and nothing cancels.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtri

from harness.base.numerics.arrays import Floats, Rows
from harness.families.family import Data
from harness.methods.comparison.difference import about_logarithm, variance_factor
from harness.methods.comparison.mover import about_estimates, median_of_beta, ratio, terms
from harness.methods.comparison.skewness import Derived, corrected, place_of, skewness_term
from harness.methods.method import LimitPair
from harness.methods.proportion.score import wilson

# Successes and failures added to each sample, a − 1 and b − 1 for a = 1.25 and b = 2.5.
_SUCCESSES, _FAILURES = 0.25, 1.5


def katz(data: Data, tail: float) -> LimitPair:
    """exp(log(p̂₁/p̂₂) ∓ z √(1/x₁ − 1/n₁ + 1/x₂ − 1/n₂)), and (0, inf) at x₁ = 0 or x₂ = 0.

    z is the upper ``tail`` point of the standard normal. Without a success the equation has no
    value, and (0, inf) is a convention. Of no width at x₁ = n₁ and x₂ = n₂: mostly conservative in
    small samples, and far too short where both proportions are next to 1.

    Katz, Baptista, Azen and Pike (1978), Biometrics 34, 469–474.
    """
    x1, n1, x2, n2 = data
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = (n1 - x1) / x1 / n1 + (n2 - x2) / x2 / n2
        return about_logarithm(x1 / n1 * (n2 / x2), variance, tail)


def walter(data: Data, tail: float) -> LimitPair:
    """``katz`` with ½ added to each x and each n.

    exp(log(p̃₁/p̃₂) ∓ z √(1/(x₁ + ½) − 1/(n₁ + ½) + 1/(x₂ + ½) − 1/(n₂ + ½))) with
    p̃ = (x + ½)/(n + ½) and z the upper ``tail`` point of the standard normal. Both limits are
    finite and above 0 at any outcome, so that it misses large and small ratios with certainty. Of
    no width at x₁ = n₁ and x₂ = n₂.

    Walter (1975), Biometrika 62, 371–374, for the estimate; Pettigrew, Gart and Thomas (1986),
    Biometrika 73, 425–435, for the variance.
    """
    x1, n1, x2, n2 = data
    return katz((x1 + 0.5, n1 + 0.5, x2 + 0.5, n2 + 0.5), tail)


def price_bonett(data: Data, tail: float) -> LimitPair:
    """exp(log(p̃₁/p̃₂) ∓ z √(q̃₁/(ñ₁p̃₁) + q̃₂/(ñ₂p̃₂))) with p̃ = (x + ¼)/ñ, ñ = n + 1¾, q̃ = 1 − p̃.

    An approximate Bayes interval: p̃ is the mode of p under a Beta(1.25, 2.5) prior, and q̃/(ñp̃) the
    inverse of the curvature of its log density in log p there; z is the upper ``tail`` point of the
    standard normal. Both limits are finite and above 0 at any outcome, so that it misses large and
    small ratios with certainty; elsewhere mostly conservative.

    Price and Bonett (2008), Stat. Med. 27, 5497–5508.
    """
    x1, n1, x2, n2 = data
    more = _SUCCESSES + _FAILURES
    return katz((x1 + _SUCCESSES, n1 + more, x2 + _SUCCESSES, n2 + more), tail)


def mover_wilson(data: Data, tail: float) -> LimitPair:
    """MOVER with Wilson limits: (p̂₁ − θp̂₂)² = (p̂₁ − l₁)² + θ²(u₂ − p̂₂)² below, and swapped above.

    l = 0 at x₁ = 0, u = inf at x₂ = 0, and (0, inf) at both. Its mean coverage is near nominal.

    Donner and Zou (2012), Stat. Methods Med. Res. 21, 347–359.
    """
    return ratio(*about_estimates(data, tail, wilson))


def mover_jeffreys(data: Data, tail: float) -> LimitPair:
    """MOVER with the ``tail`` quantiles of Beta(x + ½, n − x + ½), centred on its medians.

    The limits of each sample are those of ``jeffreys_equal_tailed``: they are not moved to the end
    of the range at x = 0 and x = n. Limits of the ratio are finite and above 0 at any outcome, and
    need not hold p̂₁/p̂₂. R's ratesci has the same unless it is asked for an adjustment.

    Donner and Zou (2012), Stat. Methods Med. Res. 21, 347–359; Laud (2017), Pharm. Stat. 16,
    334–348, MOVER-J.
    """
    return ratio(*terms(data, tail, median_of_beta))


# Stands for no failure: p is within its root, 1e-20, of what it is without one.
_NO_FAILURE = 1e-40
# Every root of doubles lies between −_FAR and _FAR; without failures in a sample it may be
# log(1/_NO_FAILURE) = 92 farther out than elsewhere.
_FAR = 300.0
# Close enough to see the corrected statistic fall and rise again, over several units.
_SCAN = np.linspace(-150.0, 150.0, 301)
# Of the distance of two places of the scan, which leave a minimum's value to 1e-15.
_HALVINGS = 25
# The outcomes of one scan.
_BLOCK = 100


def koopman(data: Data, tail: float) -> LimitPair:
    """All θ with |p̂₁ − θp̂₂| ≤ z √V(θ), V = p₁(1 − p₁)/n₁ + θ²p₂(1 − p₂)/n₂.

    p₁ and p₂ are the most likely proportions with p₁ = θp₂; z is the upper ``tail`` point of the
    standard normal. l = 0 at x₁ = 0, u = inf at x₂ = 0, and (0, inf) at both. Its mean coverage is
    near nominal.

    Koopman (1984), Biometrics 40, 513–517.
    """
    return _limits(data, tail, np.ones_like(data[1]), is_corrected=False)


def miettinen_nurminen(data: Data, tail: float) -> LimitPair:
    """As ``koopman``, with V multiplied by N/(N − 1), N = n₁ + n₂.

    Slightly wider than ``koopman``, which matters in small samples only.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226.
    """
    return _limits(data, tail, variance_factor(data), is_corrected=False)


def scas(data: Data, tail: float) -> LimitPair:
    """The θ where the skewness-corrected score is z, and −z: T = ±z + (z² − 1)μ₃/(6V^{3/2}).

    T = (p̂₁ − θp̂₂)/√V with V of ``miettinen_nurminen``, μ₃ = p₁(1 − p₁)(1 − 2p₁)/n₁² −
    θ³p₂(1 − p₂)(1 − 2p₂)/n₂² and z the upper ``tail`` point of the standard normal. A limit is the
    end of the range where the corrected score does not reach z, and always l = 0 at x₁ = 0 and
    u = inf at x₂ = 0. At a tail above 0.158 (z < 1) the corrected score may be z at several θ if a
    sample has no failures; a limit is the outermost one. Both tails are near nominal on average.

    Laud (2017), Pharm. Stat. 16, 334–348; Gart and Nam (1988), Biometrics 44, 323–338.
    """
    return _limits(data, tail, variance_factor(data), is_corrected=True)


def _limits(data: Data, tail: float, factor: Floats, is_corrected: bool) -> LimitPair:
    x1, n1, x2, n2 = data
    z = -float(ndtri(tail))
    lower = _lower(data, factor, z, is_corrected)
    inverse = _lower((x2, n2, x1, n1), factor, z, is_corrected)
    with np.errstate(divide="ignore"):
        return lower, 1.0 / inverse


def _lower(data: Data, factor: Floats, z: float, is_corrected: bool) -> Floats:
    """The θ where the statistic is z; an end of the range where it is above or below z for all."""
    x1, n1, x2, n2 = data
    # What the statistic tends to for θ to ∞, and to 0.
    if is_corrected:
        least, most = -np.sqrt(1.0 + 6.0 * factor * x2), np.sqrt(1.0 + 6.0 * factor * x1)
    else:
        least, most = np.where(x2 > 0, -np.inf, 0.0), np.where(x1 > 0, np.inf, 0.0)
    zero = (x1 == 0) & ((x2 == 0) | is_corrected)
    limit = np.where(zero | (z >= most), 0.0, np.inf)
    inner = np.flatnonzero(~zero & (z > least) & (z < most))
    samples = _Samples(x1, n1, x2, n2, factor, is_corrected).at(inner)
    low, high = (np.full_like(samples.x1, end) for end in (-_FAR, _FAR))
    if is_corrected and abs(z) < 1.0:
        whole = np.flatnonzero((samples.x1 == samples.n1) | (samples.x2 == samples.n2))
        for block in np.split(whole, range(_BLOCK, whole.size, _BLOCK)):
            low[block], high[block] = samples.at(block).outermost(z)
    place = place_of(
        lambda place, index: samples.at(index).statistic(place), z, low, high, samples.guess(z)
    )
    limit[inner] = samples.ratio(place)
    return limit


@dataclass(frozen=True)
class _Samples(Rows):
    """Two samples with the most likely proportions along the scale."""

    x1: Floats
    n1: Floats
    x2: Floats
    n2: Floats
    factor: Floats
    """What the variance is multiplied by."""
    is_corrected: bool

    @property
    def failures(self) -> tuple[Floats, Floats]:
        """The failures of both samples, or what stands for none."""
        return (
            np.maximum(self.n1 - self.x1, _NO_FAILURE),
            np.maximum(self.n2 - self.x2, _NO_FAILURE),
        )

    def parts(self, place: Floats) -> tuple[Floats, Floats]:
        """x₁ − κ and x₂ + κ."""
        total = self.x1 + self.x2
        return total * expit(-place), total * expit(place)

    def ratio(self, place: Floats) -> Floats:
        """p₁/p₂."""
        (first, second), (y1, y2) = self.parts(place), self.failures
        return first / (y1 + first) * ((y2 + second) / second)

    def statistic(self, place: Floats) -> Derived:
        """T, which rises with the place, or the corrected T, which does where both samples fail."""
        (first, second), (y1, y2) = self.parts(place), self.failures
        kappa = np.where(self.x1 < self.x2, self.x1 - first, second - self.x2)
        r1, r2 = y1 / (self.n1 * first), y2 / (self.n2 * second)
        rise, fall = r1 * expit(place), r2 * expit(-place)
        spread, spread_slope = self.factor * (r1 + r2), self.factor * (rise - fall)
        deviation = np.sqrt(spread)
        kappa_slope = first * expit(place)
        t = kappa * deviation / self.factor
        t_slope = (kappa_slope + 0.5 * kappa * (spread_slope / spread)) * deviation / self.factor
        if not self.is_corrected:
            return t, t_slope
        third = r1 * (r1 - 1.0 / self.n1) - r2 * (r2 - 1.0 / self.n2)
        third_slope = rise * (2.0 * r1 - 1.0 / self.n1) + fall * (2.0 * r2 - 1.0 / self.n2)
        skewness = skewness_term((third, third_slope), (spread, spread_slope))
        return corrected((t, t_slope), skewness)

    def guess(self, z: float) -> Floats:
        """A first place, from the normal distribution of the logarithm of p̂₁/p̂₂."""
        x1, x2, (y1, y2) = self.x1 + 0.5, self.x2 + 0.5, self.failures
        spread = self.factor * ((y1 + 0.5) / (x1 * self.n1) + (y2 + 0.5) / (x2 * self.n2))
        return np.log(x2 / x1) + z * np.sqrt(spread)

    def outermost(self, z: float) -> tuple[Floats, Floats]:
        """A bracket of the last of the places where the statistic is z, by a scan.

        Without failures in a sample the corrected statistic falls and rises again, between −1 and
        1.
        """
        count = self.x1.size
        scanned = self.at(np.repeat(np.arange(count), _SCAN.size))
        derived = scanned.statistic(np.tile(_SCAN, count))
        value, slope = (column.reshape(count, _SCAN.size) for column in derived)
        is_low = value <= z
        ends = np.concatenate(([-_FAR], _SCAN, [_FAR]))
        last = np.where(is_low.any(axis=1), _SCAN.size - np.argmax(is_low[:, ::-1], axis=1), 0)
        low, high = ends[last], ends[last + 1]
        # A minimum between two places of the scan may be low too.
        beyond = np.arange(_SCAN.size - 1) >= last[:, None]
        row, left = np.nonzero((slope[:, :-1] < 0) & (slope[:, 1:] > 0) & beyond)
        around, before, after = self.at(row), _SCAN[left], _SCAN[left + 1]
        for _ in range(_HALVINGS):
            middle = 0.5 * (before + after)
            falls = around.statistic(middle)[1] < 0
            before, after = np.where(falls, middle, before), np.where(falls, after, middle)
        place = 0.5 * (before + after)
        is_low = around.statistic(place)[0] <= z
        # In the order of the places: the last one counts.
        low[row[is_low]], high[row[is_low]] = place[is_low], _SCAN[left[is_low] + 1]
        return low, high
