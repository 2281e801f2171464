"""Intervals for one rate."""

from __future__ import annotations

import numpy as np
from scipy.special import ndtri

from harness.base.numerics.arrays import Floats
from harness.distributions.posteriors.gamma import Gamma
from harness.families.family import Data
from harness.methods import inversion
from harness.methods.inversion import for_rate
from harness.methods.inversion.tails import poisson_score_limit
from harness.methods.method import LimitPair


def garwood(data: Data, tail: float) -> LimitPair:
    """Pr(X ≥ x | l) = ``tail`` and Pr(X ≤ x | u) = ``tail``; l = 0 at x = 0.

    The limits are quantiles of Gamma(x, E) and Gamma(x + 1, E), for every x. But for rounding,
    never misses more often than nominal, and mostly far less often.

    Garwood (1936), Biometrika 28, 437–442; Ross (2003), method 5 for rates.
    """
    x, exposure = data
    none = x == 0
    lower = Gamma(np.where(none, 1.0, x), exposure).ppf(tail).value
    return np.where(none, 0.0, lower), Gamma(x + 1.0, exposure).isf(tail).value


def blaker(data: Data, alpha: float) -> LimitPair:
    """The hull of {r: Σ Pr(y; r) > alpha}, over all y with c(y) ≤ c(x).

    c(y) is the smaller of Pr(Y ≤ y; r) and Pr(Y ≥ y; r). But for rounding never misses more often
    than nominal, and lies inside Garwood's interval. The hull fills gaps that the test leaves.

    Blaker (2000), Can. J. Stat. 28, 783–798.
    """
    return for_rate(inversion.SMALLER_TAIL.limit, data, alpha)


def sterne(data: Data, alpha: float) -> LimitPair:
    """The hull of {r: Σ Pr(y; r) > alpha}, over all y with Pr(y; r) ≤ Pr(x; r).

    Minimum likelihood. But for rounding never misses more often than nominal. The hull fills gaps
    that the test leaves. Crow and Gardner avoid them by their choice among the sets of the fewest
    counts that hold 1 − alpha, so that their limits may differ.

    Crow and Gardner (1959), Biometrika 46, 441–453, for a Poisson mean; Sterne (1954), Biometrika
    41, 275–278, for the test.
    """
    return for_rate(inversion.MINIMUM_LIKELIHOOD.limit, data, alpha)


def feldman_cousins(data: Data, alpha: float) -> LimitPair:
    """The hull of {r: Σ Pr(y; r) > alpha}, over all y with R(y) ≤ R(x).

    R(y) is Pr(y; r) over its largest value, that at r = y/exposure. But for rounding never misses
    more often than nominal. The hull fills gaps that the test leaves.

    Feldman and Cousins (1998), Phys. Rev. D 57, 3873–3889, without background.
    """
    return for_rate(inversion.LIKELIHOOD_RATIO.limit, data, alpha)


def mid_p(data: Data, tail: float) -> LimitPair:
    """Pr(X > x | l) + Pr(X = x | l)/2 = ``tail`` and Pr(X < x | u) + Pr(X = x | u)/2 = ``tail``.

    l = 0 at x = 0. A one-sided upper limit at x = 0 with a tail of one half or more is 0. Its mean
    coverage is near nominal, mostly a little above; at some truths it misses more often than
    nominal.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234, for the test; Cohen and Yang (1994), Stat.
    Med. 13, 2189–2203, for a Poisson mean.
    """
    return for_rate(inversion.mid_p, data, tail)


def likelihood_ratio(data: Data, tail: float) -> LimitPair:
    """All r with −z ≤ sign(r − x/E) √(2 log L(x/E) − 2 log L(r)) ≤ z.

    E is the exposure, and z the upper ``tail`` point of the standard normal, below 0 where a
    one-sided tail is above one half. l = 0 at x = 0. Its mean coverage is near nominal; where few
    events are expected there are truths at which it misses too often.

    Wilks (1938), Ann. Math. Stat. 9, 60–62; Brown, Cai and DasGupta (2003), Stat. Sinica 13, 19–49.
    """
    return for_rate(inversion.likelihood_ratio, data, tail)


def wald(data: Data, tail: float) -> LimitPair:
    """x/E ± z √x/E, clipped at 0.

    z is the upper ``tail`` point of the standard normal. Of no width at x = 0, where it misses
    with certainty, and too short for small x.

    Ross (2003), method 6 for rates.
    """
    x, exposure = data
    delta = -float(ndtri(tail)) * np.sqrt(x)
    return np.maximum(x - delta, 0.0) / exposure, np.maximum(x + delta, 0.0) / exposure


def square_root(data: Data, tail: float) -> LimitPair:
    """[max(√(x + ⅜) ± z/2, 0)² − ⅜] / E, clipped at 0: √(X + ⅜) is nearly normal, variance ¼.

    z is the upper ``tail`` point of the standard normal. Its mean coverage is near nominal; where
    few events are expected it misses too often.

    Anscombe (1948), Biometrika 35, 246–254.
    """
    x, exposure = data
    half = -0.5 * float(ndtri(tail))
    root = np.sqrt(x + 0.375)

    def limit(shift: float) -> Floats:
        # The square less ⅜, written out so that x keeps its digits.
        count = np.where(root + shift > 0, x + shift * (2.0 * root + shift), 0.0)
        return np.maximum(count, 0.0) / exposure

    return limit(-half), limit(half)


def byar(data: Data, tail: float) -> LimitPair:
    """x (1 − 1/(9x) − z/(3√x))³ / E below; above the same with + z and x + 1; 0 below at x = 0.

    z is the upper ``tail`` point of the standard normal. The cube root of a Gamma variable is
    nearly normal (Wilson and Hilferty), so that this is close to the exact interval, and within
    a per cent of it from x = 10 at a usual alpha. A negative base of the cube is taken as 0. The
    form with x + ½ in both limits, also called Byar's, is another method: it approximates mid-P.

    Breslow and Day (1987), Statistical Methods in Cancer Research, vol. II, section 2.3.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    none = x == 0
    lower = np.where(none, 0.0, _cubed(np.where(none, 1.0, x), -z))
    return lower / exposure, _cubed(x + 1.0, z) / exposure


def _cubed(x: Floats, z: float) -> Floats:
    """x (1 − 1/(9x) + z/(3√x))³, clipped at 0."""
    base = 1.0 - 1.0 / (9.0 * x) + z / (3.0 * np.sqrt(x))
    return np.asarray(x * np.maximum(base, 0.0) ** 3)


def score(data: Data, tail: float) -> LimitPair:
    """All r with |x/E − r| ≤ z √(r/E): (x + z²/2 ± z √(x + z²/4)) / E.

    z is the upper ``tail`` point of the standard normal. Its mean coverage is near nominal;
    where few events are expected there are truths at which it misses too often.

    Brown, Cai and DasGupta (2003), Stat. Sinica 13, 19–49, the score interval.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    return poisson_score_limit(x, -z) / exposure, poisson_score_limit(x, z) / exposure


def score_cc(data: Data, tail: float) -> LimitPair:
    """All r with |x − rE| − ½ ≤ z √(rE): the score limits of x − ½ below and of x + ½ above.

    z is the upper ``tail`` point of the standard normal. Conservative, but for a little where next
    to no events are expected. At x = 0 no r is too small, and the lower limit is 0.

    The test is that of Breslow and Day (1987), Statistical Methods in Cancer Research, vol. II,
    equation 2.10.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    none = x == 0
    lower = np.where(none, 0.0, poisson_score_limit(np.where(none, 0.5, x - 0.5), -z))
    return lower / exposure, poisson_score_limit(x + 0.5, z) / exposure


def scas(data: Data, tail: float) -> LimitPair:
    """(x − m)/√m − (z² − 1)/(6√m) = ±z with the mean m = r·exposure: the corrected score.

    z is the upper ``tail`` point of the standard normal. A quadratic equation in √m. The lower
    limit is 0 where the corrected score does not reach z, and always at x = 0. Both tails are
    near nominal on average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348, appendix A.4.
    """
    x, exposure = data
    z = -float(ndtri(tail))
    lower = np.where(x == 0, 0.0, _skewness_root(x, -z))
    return lower / exposure, _skewness_root(x, z) / exposure


def _skewness_root(x: Floats, z: float) -> Floats:
    """(z/2 + √(z²/4 + x − c))² with c = (z² − 1)/6; 0 for z < 0 where x ≤ c."""
    shifted = x - (z * z - 1.0) / 6.0
    spread = np.sqrt(z * z / 4 + shifted)
    if z > 0:
        return np.asarray((z / 2 + spread) ** 2)
    return np.where(shifted > 0, (shifted / (spread - z / 2)) ** 2, 0.0)
