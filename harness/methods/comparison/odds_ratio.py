"""Intervals for an odds ratio: of its logarithm or the odds, by score, and given the sum x₁ + x₂.

Exchange of the samples inverts each of them. Tables with a margin of 0 say nothing about the odds
ratio, and most methods have (0, inf) for them.

Given the sum of the successes, x₁ follows Fisher's noncentral hypergeometric distribution, whose
one parameter is the odds ratio θ.

By score: with p₁q₂/(p₂q₁) = θ, q = 1 − p, the most likely proportions have n₁p₁ + n₂p₂ = x₁ + x₂:
the table that is expected is a shift of the observed one, and θ rises with the shift. The statistic
is a sum over its four cells. Exchange of the samples inverts the intervals, and so does exchange of
successes and failures.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import expit, ndtri

from harness.base.numerics.arrays import Floats, Positions
from harness.distributions.posteriors.beta import Beta
from harness.families.family import Data
from harness.methods import inversion
from harness.methods.comparison.fourfold import Tables, both_sides, shifted_by_statistic
from harness.methods.comparison.mover import JEFFREYS, Term, ratio, terms
from harness.methods.comparison.skewness import Derived, corrected, place_of, skewness_term
from harness.methods.inversion import MINIMUM_LIKELIHOOD
from harness.methods.inversion.hypergeometric import (
    HalfTails,
    HypergeometricTails,
    TablePoints,
    among_most_probable,
    corrected_score_limit,
    extent,
)
from harness.methods.method import LimitPair
from harness.methods.proportion.score import wilson

_GART = 0.5


def woolf(data: Data, tail: float) -> LimitPair:
    """θ̂ exp(∓ z √(1/a + 1/b + 1/c + 1/d)), θ̂ = ad/(bc), for a, b = x₁, n₁ − x₁, c, d = x₂, n₂ − x₂.

    z is the upper ``tail`` point of the standard normal. (0, inf) where a cell is 0, so that
    infinite intervals are frequent in small samples.

    Woolf (1955), Ann. Hum. Genet. 19, 251–253.
    """
    return _about_logarithm(Tables.of(data), tail)


def gart(data: Data, tail: float) -> LimitPair:
    """As ``woolf``, with ½ added to each of the four cells: finite at every outcome.

    At a zero cell it need not hold the estimate, and it misses odds ratios next to 0 and very large
    ones with certainty.

    Gart (1966), J. R. Stat. Soc. B 28, 164–179.
    """
    return _about_logarithm(Tables.of(data).plus(_GART), tail)


def agresti_smoothed(data: Data, tail: float) -> LimitPair:
    """As ``woolf``, with 2 nᵢ mⱼ/N² added to the cell of row i and column j.

    m₁ = x₁ + x₂ and m₂ = N − m₁ are the sums of the columns, N = n₁ + n₂: what is added comes to
    two observations that are independent in rows and columns. (0, inf) where no or every trial
    of both samples is a success.

    Agresti (1999), Biometrics 55, 597–602.
    """
    x1, n1, x2, n2 = data
    total = n1 + n2
    successes, failures = (x1 + x2) / total, ((n1 - x1) + (n2 - x2)) / total
    first, second = 2.0 * (n1 / total), 2.0 * (n2 / total)
    smoothed = Tables(
        x1 + first * successes,
        (n1 - x1) + first * failures,
        x2 + second * successes,
        (n2 - x2) + second * failures,
    )
    return _about_logarithm(smoothed.ordered(), tail)


def mover_wilson(data: Data, tail: float) -> LimitPair:
    """MOVER of the ratio of the odds p/(1 − p), with those of Wilson's limits, about x/(n − x).

    Where an x is n its odds are infinite; the limits are then those of the equivalent table with
    n₂ − x₂ of n₂ for the first sample and n₁ − x₁ of n₁ for the second. The mean coverage is near
    nominal.

    Fagerland and Newcombe (2013), Stat. Med. 32, 2823–2836; Donner and Zou (2012), Stat. Methods
    Med. Res. 21, 347–359.
    """

    def odds(sample: Data, tail: float) -> Term:
        """The odds x/(n − x), and those of Wilson's limits; a small p or 1 − p keeps its digits."""
        x, n = sample
        lower, upper = wilson((x, n), tail)
        rest_lower, rest_upper = wilson((n - x, n), tail)
        with np.errstate(divide="ignore"):
            return x / (n - x), lower / rest_upper, upper / rest_lower

    return ratio(*terms(data, tail, odds))


def mover_jeffreys(data: Data, tail: float) -> LimitPair:
    """MOVER of the ratio of the odds, with those of quantiles of Beta(x + ½, n − x + ½).

    The centres are the odds of the medians, so that limits are above 0 and finite at every outcome:
    odds ratios next to 0 and very large ones are missed with certainty where an x is 0 or n.

    Laud (2017), Pharm. Stat. 16, 334–348; Fagerland and Newcombe (2013), Stat. Med. 32, 2823–2836.
    """

    def odds(sample: Data, tail: float) -> Term:
        x, n = sample
        posterior = Beta.given(x, n, JEFFREYS)
        points = posterior.ppf(0.5), posterior.ppf(tail), posterior.isf(tail)
        median, lower, upper = (quantile.p / quantile.q for quantile in points)
        return median, lower, upper

    return ratio(*terms(data, tail, odds))


def _about_logarithm(tables: Tables, tail: float) -> LimitPair:
    empty = (tables.room == 0) | (tables.room_below == 0)
    a, b, c, d = (np.where(empty, 1.0, cell) for cell in tables.cells)
    spread = -float(ndtri(tail)) * np.sqrt((1.0 / a + 1.0 / d) + (1.0 / b + 1.0 / c))
    odds_ratio, inverse = (a * d) / (b * c), (b * c) / (a * d)
    with np.errstate(over="ignore", divide="ignore"):
        lower, upper = 1.0 / (inverse * np.exp(spread)), odds_ratio * np.exp(spread)
    return np.where(empty, 0.0, lower), np.where(empty, np.inf, upper)


def score(data: Data, tail: float) -> LimitPair:
    """All θ with |(p̂₁ − p₁)/(p₁q₁) − (p̂₂ − p₂)/(p₂q₂)| ≤ z √(1/(n₁p₁q₁) + 1/(n₂p₂q₂)).

    p₁ and p₂ are the most likely proportions with p₁q₂/(p₂q₁) = θ, q = 1 − p; z is the upper
    ``tail`` point of the standard normal. They have n₁p₁ + n₂p₂ = x₁ + x₂, so that with the shift
    s = n₁(p₁ − p̂₁) the condition is s² Σ 1/cell ≤ z² over the four expected cells: Cornfield's
    χ² without correction. The limit is 0 at x₁ = 0 or x₂ = n₂, and inf at x₂ = 0 or x₁ = n₁.
    The mean coverage is near nominal.

    Cornfield (1956), Proc. Third Berkeley Symp. 4, 135–148; Miettinen and Nurminen (1985),
    Stat. Med. 4, 213–226.
    """
    return by_upper_limit(Tables.of(data), tail, _score_limit)


def miettinen_nurminen(data: Data, tail: float) -> LimitPair:
    """As ``score``, with the variance multiplied by N/(N − 1), N = n₁ + n₂.

    Slightly wider than ``score``, which matters in small samples only.

    Miettinen and Nurminen (1985), Stat. Med. 4, 213–226.
    """

    return by_upper_limit(
        Tables.of(data), tail, lambda tables, z: _score_limit(tables, z, variance_factor(tables))
    )


def _score_limit(tables: Tables, z: float, factor: Floats | float = 1.0) -> Floats:
    """The θ where the statistic is z; its variance is multiplied by the factor."""
    if z == 0:
        return tables.odds_ratio
    return shifted_by_statistic(tables, np.full(tables.size, factor * z * z)).odds_ratio


def variance_factor(tables: Tables) -> Floats:
    """N/(N − 1)."""
    return tables.total / (tables.total - 1.0)


def by_upper_limit(
    tables: Tables, tail: float, upper: Callable[[Tables, float], Floats]
) -> LimitPair:
    """Both limits: the upper one of each table, and the inverse one of the mirrored table.

    ``upper`` is asked for tables that have room, and for z ≥ 0: with a tail above one half each
    limit is the other one for 1 − ``tail``.
    """
    z = -float(ndtri(tail))
    distinct, back = both_sides(tables)
    upper_limits = np.full(distinct.size, np.inf)
    inner = np.flatnonzero(distinct.room > 0)
    upper_limits[inner] = upper(distinct.at(inner), abs(z))
    with np.errstate(divide="ignore"):
        limits = 1.0 / upper_limits[back[: tables.size]], upper_limits[back[tables.size :]]
    lower, upper_ = limits if z >= 0 else limits[::-1]
    return np.where(tables.fixed, 0.0, lower), np.where(tables.fixed, np.inf, upper_)


# The logits between which the share of the range that a root takes lies.
_FARTHEST_LOGIT = 200.0


def scas(data: Data, tail: float) -> LimitPair:
    """T − (z² − 1) μ₃/(6 V^1.5) = ±z with T the score of ``score`` corrected for bias, over √V.

    V = N/(N − 1) (1/v₁ + 1/v₂), vᵢ = nᵢpᵢqᵢ; the score is (p̂₁ − p₁)/(p₁q₁) − (p̂₂ − p₂)/(p₂q₂) −
    (p₁ − p₂)/(v₁ + v₂), and μ₃ = (1 − 2p₁)/v₁² − (1 − 2p₂)/v₂². z is the upper ``tail`` point of
    the standard normal. The limit is 0 at x₁ = 0 or x₂ = n₂ and inf at x₂ = 0 or x₁ = n₁, and also
    where the corrected score does not reach z, as with a count of 1 for a z² well above 7. Both
    tails are near nominal on average; there are truths that are missed too often.

    Laud (2017), Pharm. Stat. 16, 334–348; Laud (2018), Pharm. Stat. 17, 290–293; Gart and Thomas
    (1982), Commun. Stat. A 11, 1369–1378, for the bias.
    """
    return by_upper_limit(Tables.of(data), tail, _corrected_limit)


def _corrected_limit(tables: Tables, z: float) -> Floats:
    """Where the corrected score is z; as b is emptied, it tends to √(1 + 6bN/(N − 1)) and no more.

    Next to that end the corrected score is flat, and T − (z² − 1)k, which is z there too, is steep:
    a step of Newton's method towards its root restores the digits.
    """

    def statistic(logit: Floats, index: Positions) -> Derived:
        return corrected(*_score_with_skewness(tables.at(index), logit))

    far = np.full(tables.size, _FARTHEST_LOGIT)
    # The start is the share of the range at the limit of the score test.
    moved = tables
    if z > 0:
        moved = shifted_by_statistic(tables, variance_factor(tables) * z * z)
    with np.errstate(divide="ignore"):
        start = np.log(moved.room_below) - np.log(moved.room)
    logit = place_of(statistic, z, -far, far, start)
    inner = np.flatnonzero(logit < far)
    (t, t_slope), (k, k_slope) = _score_with_skewness(tables.at(inner), logit[inner])
    logit[inner] -= (t - (z * z - 1.0) * k - z) / (t_slope - (z * z - 1.0) * k_slope)
    return np.where(logit < far, _at(tables, logit).odds_ratio, np.inf)


def _at(tables: Tables, logit: Floats) -> Tables:
    """The tables shifted to a share of their range, from an empty a or d to an empty b or c."""
    width = tables.room_below + tables.room
    up, down = width * expit(logit), width * expit(-logit)
    return Tables(
        (tables.a - tables.room_below) + up,
        (tables.b - tables.room) + down,
        (tables.c - tables.room) + down,
        (tables.d - tables.room_below) + up,
    )


def _score_with_skewness(tables: Tables, logit: Floats) -> tuple[Derived, Derived]:
    """T and k of the score with its sign changed, so that it rises with θ.

    In the shift s and the cells there, V = N/(N − 1) W with W = Σ 1/cell, the score is −sW − B/W
    with B = 1/(bc) − 1/(ad), and μ₃ = 1/a² − 1/b² − 1/c² + 1/d², which is −dW/ds.
    """
    moved = _at(tables, logit)
    a, b, c, d = (1.0 / cell for cell in moved.cells)
    total, third = (a + d) + (b + c), (a * a + d * d) - (b * b + c * c)
    third_slope = -2.0 * ((a**3 + d**3) + (b**3 + c**3))
    bias, bias_slope = b * c - a * d, b * c * (b + c) + a * d * (a + d)
    shift = np.where(tables.a <= tables.b, moved.a - tables.a, tables.b - moved.b)
    score = shift * total + bias / total
    score_slope = total - shift * third + bias_slope / total + bias * (third / total) / total
    factor = variance_factor(tables)
    root = np.sqrt(factor * total)
    value = score / root
    slope = score_slope / root + 0.5 * value * third / total
    k, k_slope = skewness_term((-third, -third_slope), (factor * total, -factor * third))
    step = (moved.a - (tables.a - tables.room_below)) * expit(-logit)
    return (value, slope * step), (k, k_slope * step)


# The most probabilities that are held at once, unless a single table has more.
_BLOCK = 2**19
# Sums of probabilities that differ from alpha by less are alpha but for rounding.
_ROUNDING = 1e-13
# A limit whose logarithm is smaller is 1: many ties are, and it is the truth most asked for.
_NEXT_TO_ONE = 1e-14

UpperLimit = Callable[[HypergeometricTails, float], TablePoints]


def cornfield(data: Data, tail: float) -> LimitPair:
    """Pr(X₁ ≥ x₁ | l) = ``tail`` and Pr(X₁ ≤ x₁ | u) = ``tail``, given X₁ + X₂ = x₁ + x₂.

    l = 0 where x₁ is the smallest count with this sum, and u = inf where it is the largest. Never
    misses more often than nominal, whatever the sum and so without the condition too; mostly far
    less often. These are the exact limits of R's fisher.test.

    Cornfield (1956), Proc. Third Berkeley Symp. 4, 135–148.
    """
    return _for_odds_ratio(inversion.exact_tail, data, tail, tail)


def mid_p(data: Data, tail: float) -> LimitPair:
    """As ``cornfield``, with half of the probability of x₁ left out of each tail.

    Its mean coverage is nearer to nominal; at some truths it misses more often than nominal. A
    one-sided limit on the side of x₁ where no count is possible, with a tail of one half or more,
    is the end of the range on the other side.

    Lancaster (1961), J. Am. Stat. Assoc. 56, 223–234; Cornfield (1956), Proc. Third Berkeley Symp.
    4, 135–148.
    """
    return _for_odds_ratio(inversion.mid_p, data, tail, tail)


def baptista_pike(data: Data, alpha: float) -> LimitPair:
    """The hull of {θ: Σ Pr(y; θ) > alpha}, over all y with Pr(y; θ) ≤ Pr(x₁; θ).

    y are the counts with the same sum, and probabilities are given that sum. Never misses more
    often than nominal, and shorter than ``cornfield`` for most outcomes. Where two counts are
    equally probable the sum jumps; a limit is a root, or such a tie, which is known in closed form.
    The hull fills gaps that the test leaves.

    Baptista and Pike (1977), Appl. Stat. 26, 214–220.
    """
    # A sum that is alpha at a tie falls to it, with a slope of 0 for symmetric margins: the limit
    # is the tie, and next to it no root of the rounded sum is to be looked for.
    level = alpha * (1.0 - _ROUNDING)
    return _for_odds_ratio(MINIMUM_LIKELIHOOD.limit, data, level, alpha / 2)


def baptista_pike_mid_p(data: Data, alpha: float) -> LimitPair:
    """As ``baptista_pike``, with half of Pr(x₁; θ) left out of the sum.

    Its mean coverage is nearer to nominal; at some truths it misses more often than nominal. For an
    alpha above one half no θ may have a sum above it: both limits are then the θ with the largest.

    Fagerland, Lydersen and Laake (2015), Stat. Methods Med. Res. 24, 224–254; Baptista and Pike
    (1977), Appl. Stat. 26, 214–220.
    """

    def limit(tails: HypergeometricTails, alpha: float) -> TablePoints:
        # A sum that is alpha at a tie rises to it for symmetric margins, and is not above alpha
        # there.
        half = HalfTails(tails.tables, tails.window)
        outer: TablePoints = MINIMUM_LIKELIHOOD.limit(half, alpha * (1.0 + _ROUNDING))
        return outer if alpha <= 0.5 else among_most_probable(tails, alpha, outer)

    return _for_odds_ratio(limit, data, alpha, alpha / 2)


def _for_odds_ratio(limit: UpperLimit, data: Data, level: float, tail: float) -> LimitPair:
    """Both limits: the upper one of each table, and the inverse one of the mirrored table.

    Args:
        limit: the upper limit of tables that are not fixed by their margins.
        data: the family's columns.
        level: what the limit is given.
        tail: the tail of the score limit about which probabilities are summed.
    """
    tables = Tables.of(data)
    distinct, back = both_sides(tables)
    log_limit = np.full(distinct.size, np.inf)
    open_ = np.flatnonzero(~distinct.fixed)
    inner = distinct.at(open_)
    start = corrected_score_limit(inner, -float(ndtri(tail)))
    # Tables whose windows are about as wide make blocks that are few enough to be held at once.
    first, last = extent(inner, start)
    width = last - first + 1.0
    order = np.argsort(width, kind="stable")
    while order.size:
        # The last table of a block is the widest.
        held = width[order] * np.arange(1.0, order.size + 1.0)
        count = max(1, int(np.searchsorted(held, _BLOCK, side="right")))
        block, order = order[:count], order[count:]
        tails = HypergeometricTails.about(inner.at(block), start.at(block))
        log_limit[open_[block]] = limit(tails, level).log_ratio
    log_limit[np.abs(log_limit) < _NEXT_TO_ONE] = 0.0
    lower, upper = -log_limit[back[: tables.size]], log_limit[back[tables.size :]]
    return np.exp(lower), np.exp(upper)
