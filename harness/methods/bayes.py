"""Bayesian methods: one of the four criteria over the family's posterior.

A ratio has a rule at the boundary that a proportion and a difference do not have. Where a count
makes the estimate 0 or infinite, a finite limit on that side would come from the prior alone. The
limit there is the end of the range, and the other limit leaves the whole of alpha outside. The rule
is about the counts, so that one-sided limits follow it too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Bools, distinct_columns
from harness.base.numerics.points import UnitPoints
from harness.distributions import criteria
from harness.distributions.truths import Prior
from harness.families import proportion
from harness.families.catalogue import PROPORTION, RATE
from harness.families.family import Data, Family
from harness.families.samples import among_images
from harness.methods.method import (
    LOWER,
    NOMINAL,
    NONE,
    ONE_SIDED,
    TWO_SIDED,
    TWO_SIDED_ONLY,
    UPPER,
    Decision,
    Formula,
    LimitPair,
    Method,
)
from harness.methods.proportion import exact_at_boundary

_JEFFREYS = (0.5, 0.5)
_JEFFREYS_RATE = (0.5, 0.0)


def over_beta(
    criterion: criteria.Criterion[UnitPoints], data: Data, alpha: float, side: str, prior: Prior
) -> LimitPair:
    """The limits of a criterion over Beta(x + a, n − x + b), for a proportion."""
    x, n = data
    if side != TWO_SIDED or prior[0] != prior[1]:
        lower, upper = criterion(proportion.posterior(x, n, prior), alpha, side)
        return lower.value, upper.value
    # x and n − x are one problem under a symmetric prior: solve it once and mirror.
    few = np.minimum(x, n - x)
    pairs, back = distinct_columns(few, n)
    lower, upper = criterion(proportion.posterior(pairs[0], pairs[1], prior), alpha, side)
    lower, upper = lower.at(back), upper.at(back)
    many = x > few
    return np.where(many, upper.q, lower.p), np.where(many, lower.q, upper.p)


def jeffreys(data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of Beta(x + ½, n − x + ½), but l = 0 at x = 0 and u = 1 at x = n.

    Its mean coverage is near nominal; at any n there are truths that it misses twice as often as
    nominal and more (0.102 to 0.147 at alpha = 0.05). A one-sided lower limit is 0 at x = 0, and a
    one-sided upper limit is 1 at x = n. "jeffreys" of Astropy, of DescTools and of ratesci is the
    same. R's binom has it as "bayes" of type "central", but takes alpha whole for the one limit
    inside the range at x = 0 and x = n. ``jeffreys_equal_tailed`` keeps the quantiles there;
    ``jeffreys_modified`` moves more limits.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 3, p. 108.
    """
    x, n = data
    lower, upper = over_beta(criteria.balanced_tail, data, alpha, side, _JEFFREYS)
    return np.where(x == 0, 0.0, lower), np.where(x == n, 1.0, upper)


def jeffreys_equal_tailed(data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of Beta(x + ½, n − x + ½), at x = 0 and x = n too.

    Its mean coverage under the Beta(½, ½) prior is nominal. At x = 0 and x = n the interval does
    not hold x/n, and truths next to 0 and 1 are missed with certainty. "jeffreys" of statsmodels
    and of HypothesisTests.jl is the same; ``jeffreys`` moves those limits to the end.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 3, before they change the limits
    at x = 0 and x = n.
    """
    return over_beta(criteria.balanced_tail, data, alpha, side, _JEFFREYS)


def jeffreys_modified(data: Data, tail: float) -> LimitPair:
    """As ``jeffreys``, but (1 − u)ⁿ = ``tail`` at x = 0 and l = 0 at x = 1 too; mirrored.

    A third Jeffreys interval: ``jeffreys_equal_tailed`` moves no limit, ``jeffreys`` only l to 0 at
    x = 0 and u to 1 at x = n. This one lifts the two dips of the coverage next to 0 and next to 1.
    At n = 1 the limits are those of x = 0 and x = n. DescTools has the same as "modified jeffreys".

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 4.
    """
    x, n = data
    posterior = proportion.posterior(x, n, _JEFFREYS)
    lower = np.where(x <= 1, 0.0, posterior.ppf(tail).value)
    upper = np.where(n - x <= 1, 1.0, posterior.isf(tail).value)
    return exact_at_boundary(data, tail, lower, upper)


def jeffreys_minimal_length(data: Data, alpha: float) -> LimitPair:
    """The shortest interval of mass 1 − alpha of Beta(x + ½, n − x + ½).

    Its mean coverage under the Beta(½, ½) prior is nominal. At x = 0 it starts at 0 and at x = n
    it ends at 1, where the posterior density is infinite. Called "bayes" in R's binom, and HPD
    elsewhere.

    Brown, Cai and DasGupta (2001), Stat. Sci. 16, 101–133, section 4; Ross (2003), method 2, for
    the criterion.
    """
    return over_beta(criteria.minimal_length, data, alpha, TWO_SIDED, _JEFFREYS)


def over_posterior(
    family: Family,
    criterion: criteria.Criterion[Any],
    data: Data,
    alpha: float,
    side: str,
    prior: Prior,
) -> LimitPair:
    """The limits of a criterion over the posterior of a family."""
    negated = back = None
    if side == TWO_SIDED and family.has_opposite_samples:
        # Samples in each other's place are one problem, and successes in that of failures, too.
        mirrors = family.mirrored is not None and prior[0] == prior[1]
        images, negated = among_images(data, of_failures=mirrors)
        distinct, back = distinct_columns(*images)
        data = tuple(distinct)
    # A trial point may leave the range; the caller refuses limits that are no numbers in the end.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        lower, upper = criterion(family.posterior(data, prior), alpha, side)
    if negated is None:
        return lower.value, upper.value
    low, high = lower.value[back], upper.value[back]
    return np.where(negated, 0.0 - high, low), np.where(negated, 0.0 - low, high)


def decided_by_posterior(
    posterior_of: Callable[[Data, Prior], Any],
    data: Data,
    value: float,
    alpha: float,
    side: str,
    prior: Prior,
) -> Bools:
    """Whether a limit of one side is beyond a value: the posterior has less than alpha there.

    The lower limit, the quantile of alpha, is above v where Pr(θ < v | x) < alpha; the upper one is
    below v where Pr(θ > v | x) < alpha.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        posterior = posterior_of(data, prior)
        tail = posterior.cdf(value) if side == LOWER else posterior.sf(value)
    return np.asarray(tail < alpha)


def jeffreys_rate(data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of Gamma(x + ½, exposure), but l = 0 at x = 0.

    Its mean coverage is near nominal; where few events are expected there are truths that it misses
    twice as often as nominal. A one-sided lower limit is 0 at x = 0. "jeffreys" of ratesci is the
    same; ``jeffreys_equal_tailed`` keeps the quantile there.

    Brown, Cai and DasGupta (2003), Stat. Sinica 13, 19–49, the Jeffreys interval.
    """
    x, _ = data
    lower, upper = over_posterior(RATE, criteria.balanced_tail, data, alpha, side, _JEFFREYS_RATE)
    return np.where(x == 0, 0.0, lower), upper


def jeffreys_equal_tailed_rate(data: Data, alpha: float, side: str) -> LimitPair:
    """Equal tails of Gamma(x + ½, exposure), at x = 0 too.

    Its mean coverage is near nominal. At x = 0 the interval does not hold x/exposure, and a rate
    below the limit there is missed with certainty. "jeffreys" of statsmodels is the same;
    ``jeffreys`` moves that limit to 0.

    Brown, Cai and DasGupta (2003), Stat. Sinica 13, 19–49, the Jeffreys interval.
    """
    return over_posterior(RATE, criteria.balanced_tail, data, alpha, side, _JEFFREYS_RATE)


_HOLDS = "holds the estimate"
_PAPER = "Ross (2003), Comput. Biol. Med. 33, 509–531, "
_MODE = "at a large alpha it lies about the mode, which is not the difference or mean of two modes"
_WIDENS = "at a small alpha another event may widen it on both sides by more than it moves it"


def four_criteria(family: Family) -> dict[str, Method]:
    """The methods of a family by name: one-sided, minimal length, balanced width, balanced tails.

    Their default prior is flat. Ross (2003) leaves the minimal length of differences to future
    work.
    """
    over = over_beta if family is PROPORTION else partial(over_posterior, family)
    # A quantile of one sample is a function of SciPy, and as cheap as a tail.
    decides = partial(decided_by_posterior, family.posterior) if family.samples == 2 else None
    return methods_of_criteria(
        over, family.model.FLAT_PRIOR, compares=family.samples == 2, decides=decides
    )


def methods_of_criteria(
    over: Callable[..., LimitPair],
    flat: Prior,
    *,
    compares: bool,
    note: str = "",
    decides: Decision | None = None,
) -> dict[str, Method]:
    """The methods of the four criteria by name.

    Args:
        over: the limits of a criterion, as ``over_beta``.
        flat: the default prior.
        compares: whether the parameter is of two proportions or rates.
        note: what is said of each beside the rule of its criterion.
        decides: whether a limit of one side is beyond a value.
    """

    def of(criterion: criteria.Criterion[Any]) -> Formula:
        form = partial(over, criterion)
        form.__doc__ = (inspect.getdoc(criterion) or "").partition("\n\nArgs:\n")[0] + note
        return form

    shortest = "section 7" if compares else "method 2"
    # A mean alpha error of zero under the flat prior is one under a uniform truth.
    bayes = partial(Method, category="Bayes", promise="mean", keeps=NOMINAL, default_prior=flat)
    return {
        "one_sided": bayes(
            "Bayesian one-sided limit",
            _PAPER + "method 1",
            of(criteria.one_sided),
            ONE_SIDED,
            decides=decides,
        ),
        "minimal_length": bayes(
            "Bayesian minimal length",
            _PAPER + shortest,
            of(criteria.minimal_length),
            TWO_SIDED_ONLY,
            exceptions={_HOLDS: _MODE} if compares else {},
        ),
        "balanced_width": bayes(
            "Bayesian balanced width",
            _PAPER + "method 3",
            of(criteria.balanced_width),
            TWO_SIDED_ONLY,
            exceptions={"is monotone": _WIDENS} if compares else {},
            uneven_tails=True,
        ),
        "balanced_tail": bayes(
            "Bayesian balanced tails",
            _PAPER + "method 4",
            of(criteria.balanced_tail),
            exceptions={_HOLDS: "next to an end of the range both limits may lie on one side"},
            decides=decides,
        ),
    }


# data -> whether the lower limit is 0, and whether the upper one is infinite
Ends = Callable[[Data], tuple[Bools, Bools]]

_ON_THE_LOGARITHM = """

Density and length are those of the logarithm of the ratio. Beside a limit that is 0 or infinite by
rule the other one leaves the whole of alpha outside. """


def ends_of_ratio(data: Data) -> tuple[Bools, Bools]:
    """The lower limit is 0 at x₁ = 0, the upper one infinite at x₂ = 0 (risk and rate ratios)."""
    x1, _, x2, _ = data
    return x1 == 0, x2 == 0


def ends_of_odds_ratio(data: Data) -> tuple[Bools, Bools]:
    """The lower limit is 0 at x₁ = 0 or x₂ = n₂, the upper one infinite at x₁ = n₁ or x₂ = 0."""
    x1, n1, x2, n2 = data
    return (x1 == 0) | (x2 == n2), (x1 == n1) | (x2 == 0)


def over_ratio(
    criterion: criteria.Criterion[Any],
    data: Data,
    alpha: float,
    side: str,
    prior: Prior,
    *,
    family: Family,
    ends: Ends,
) -> LimitPair:
    """The limits of a criterion over the posterior of a ratio, with the rule at the boundary.

    ``ends`` says where the lower limit is 0, and where the upper one is infinite; the criterion is
    for outcomes that no rule applies to.
    """
    zero, infinite = ends(data)
    zero, infinite = zero | (side == UPPER), infinite | (side == LOWER)
    lower, upper = np.zeros(zero.shape), np.full(zero.shape, np.inf)
    # A trial point may leave the range; the caller refuses limits that are no numbers in the end.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        posterior = family.posterior(data, prior)
        both, below, above = ~zero & ~infinite, ~zero & infinite, zero & ~infinite
        if both.any():
            limits = criterion(posterior.at(both), alpha, TWO_SIDED)
            lower[both], upper[both] = limits[0].value, limits[1].value
        if below.any():
            lower[below] = criteria.one_sided(posterior.at(below), alpha, LOWER)[0].value
        if above.any():
            upper[above] = criteria.one_sided(posterior.at(above), alpha, UPPER)[1].value
    return lower, upper


def ratio_is_decided(
    data: Data, value: float, alpha: float, side: str, prior: Prior, *, family: Family, ends: Ends
) -> Bools:
    """``decided_by_posterior``, with the rule at the boundary."""
    zero, infinite = ends(data)
    beyond = decided_by_posterior(family.posterior, data, value, alpha, side, prior)
    return np.asarray(beyond & ~(zero if side == LOWER else infinite))


_MODE_OF_RATIO = "at a large alpha it lies about the mode, which is not the estimate"
_MEDIAN = "it lies about the median, which is not the estimate"


def ratio_criteria(family: Family, ends: Ends) -> dict[str, Method]:
    """The methods of a ratio by name: one-sided, minimal length and balanced tails.

    The criteria act on the logarithm of the ratio, so that intervals invert where the samples swap.
    The default prior of each sample is flat. Where both limits are an end of the range no mass is
    outside, and so the mean coverage is above nominal. There is no balanced width, since an
    estimate of 0 or infinity has no logarithm to be centred on.

    Args:
        family: of the ratio.
        ends: where the lower limit is 0, and where the upper one is infinite.
    """
    methods = methods_of_criteria(
        partial(over_ratio, family=family, ends=ends),
        family.model.FLAT_PRIOR,
        compares=False,
        note=_ON_THE_LOGARITHM + (ends.__doc__ or ""),
        decides=partial(ratio_is_decided, family=family, ends=ends),
    )
    shortest = "Bayesian minimal length on the logarithm"
    differs: dict[str, dict[str, Any]] = {
        "one_sided": {},
        "minimal_length": {"title": shortest, "exceptions": {_HOLDS: _MODE_OF_RATIO}},
        "balanced_tail": {"exceptions": {_HOLDS: _MEDIAN}},
    }
    return {
        name: replace(methods[name], promise="none", keeps=NONE, **traits)
        for name, traits in differs.items()
    }
