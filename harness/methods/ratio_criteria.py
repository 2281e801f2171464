"""Bayesian methods of ratios: a criterion over the posterior of the logarithm.

A ratio has a rule at the boundary that a proportion and a difference do not have. Where a count
makes the estimate 0 or infinite, a finite limit on that side would come from the prior alone. The
limit there is the end of the range, and the other limit leaves the whole of alpha outside. The rule
is about the counts, so that one-sided limits follow it too.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from harness.base.numerics.arrays import Bools, Floats
from harness.distributions import criteria
from harness.distributions.truths import Prior
from harness.families.catalogue import family_of
from harness.methods.method import (
    LOWER,
    ONE_SIDED,
    TWO_SIDED,
    TWO_SIDED_ONLY,
    UPPER,
    Formula,
    LimitPair,
    Method,
)

# data -> whether the lower limit is 0, and whether the upper one is infinite
Ends = Callable[[tuple[Floats, ...]], tuple[Bools, Bools]]

_ON_THE_LOGARITHM = """

Density and length are those of the logarithm of the ratio. Beside a limit that is 0 or infinite by
rule the other one leaves the whole of alpha outside. """


def ends_of_ratio(data: tuple[Floats, ...]) -> tuple[Bools, Bools]:
    """The lower limit is 0 at x₁ = 0, the upper one infinite at x₂ = 0 (risk and rate ratios)."""
    x1, _, x2, _ = data
    return x1 == 0, x2 == 0


def ends_of_odds_ratio(data: tuple[Floats, ...]) -> tuple[Bools, Bools]:
    """The lower limit is 0 at x₁ = 0 or x₂ = n₂, the upper one infinite at x₁ = n₁ or x₂ = 0."""
    x1, n1, x2, n2 = data
    return (x1 == 0) | (x2 == n2), (x1 == n1) | (x2 == 0)


def over_ratio(
    criterion: criteria.Criterion[Any],
    family: str,
    ends: Ends,
) -> Formula:
    """The formula of a criterion over the posterior of a ratio, with the rule at the boundary.

    Args:
        criterion: the criterion for outcomes that no rule applies to.
        family: the name of the family.
        ends: where the lower limit is 0, and where the upper one is infinite.
    """
    form = partial(_over_ratio, criterion, family, ends)
    rule = inspect.getdoc(criterion) or ""
    form.__doc__ = rule.partition("\n\nArgs:\n")[0] + _ON_THE_LOGARITHM + (ends.__doc__ or "")
    return form


def _over_ratio(
    criterion: criteria.Criterion[Any],
    family: str,
    ends: Ends,
    data: tuple[Floats, ...],
    alpha: float,
    side: str,
    prior: Prior,
) -> LimitPair:
    zero, infinite = ends(data)
    zero, infinite = zero | (side == UPPER), infinite | (side == LOWER)
    lower, upper = np.zeros(zero.shape), np.full(zero.shape, np.inf)
    # A trial point may leave the range; the caller refuses limits that are no numbers in the end.
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        posterior = family_of(family).posterior(data, prior)
        both, below, above = ~zero & ~infinite, ~zero & infinite, zero & ~infinite
        if both.any():
            found = criterion(posterior.at(both), alpha, TWO_SIDED)
            lower[both], upper[both] = found[0].value, found[1].value
        if below.any():
            lower[below] = criteria.one_sided(posterior.at(below), alpha, LOWER)[0].value
        if above.any():
            upper[above] = criteria.one_sided(posterior.at(above), alpha, UPPER)[1].value
    return lower, upper


_MODE = "at a large alpha it lies about the mode, which is not the estimate"
_MEDIAN = "it lies about the median, which is not the estimate"
_ROSS = "Ross (2003), Comput. Biol. Med. 33, 509–531, "


def ratio_criteria(family: str, ends: Ends) -> dict[str, Method]:
    """The methods of a ratio by name: one-sided, minimal length and balanced tails.

    The criteria act on the logarithm of the ratio, so that intervals invert where the samples swap.
    The default prior of each sample is flat. Where both limits are an end of the range no mass is
    outside, and so the mean coverage is above nominal. There is no balanced width, since an
    estimate of 0 or infinity has no logarithm to be centred on.

    Args:
        family: the name of the family.
        ends: where the lower limit is 0, and where the upper one is infinite.
    """
    over = partial(over_ratio, family=family, ends=ends)
    flat = family_of(family).model.FLAT_PRIOR
    bayes = partial(Method, category="Bayes", default_prior=flat)
    return {
        "one_sided": bayes(
            "Bayesian one-sided limit",
            _ROSS + "method 1",
            over(criteria.one_sided),
            ONE_SIDED,
        ),
        "minimal_length": bayes(
            "Bayesian minimal length on the logarithm",
            _ROSS + "method 2",
            over(criteria.minimal_length),
            TWO_SIDED_ONLY,
            exceptions={"holds the estimate": _MODE},
        ),
        "balanced_tail": bayes(
            "Bayesian balanced tails",
            _ROSS + "method 4",
            over(criteria.balanced_tail),
            exceptions={"holds the estimate": _MEDIAN},
        ),
    }
