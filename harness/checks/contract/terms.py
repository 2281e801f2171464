"""What each contract allows of the actual alpha, and how much more is a remark.

| contract | mean actual alpha / alpha | worst actual alpha / alpha | at the truths |
|---|---|---|---|
| nominal | 0.7 … 1.3 | at most 4 | inside the range |
| approximate | 0.45 … 1.3 | at most 4.5 | inside the range |
| conservative | at most 1 | at most 1.5 | inside the range |
| at-least | | at most 1 | all |

The mean is that under a flat prior. The range is 0.1 … 0.9 of a proportion. All contracts but
at-least apply from n = 10 on and for alpha from 0.01 to 0.2; of a rate, where n has no counterpart,
nominal at every exposure, and the others where 20 events are expected on average.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import polars as pl

from harness.checks.behaviour import MEAN_POSTERIOR, WORST, WORST_INSIDE
from harness.checks.scenarios import RATES, Size
from harness.families.catalogue import family_of
from harness.methods.method import APPROXIMATE, AT_LEAST, CONSERVATIVE, NOMINAL, Contract

MARGIN = 0.3
"""How far from 0 the mean alpha error of a nominal method may be, as a multiple of alpha."""
MOST_INSIDE = 4.0
"""How often a nominal method may miss a truth inside the range, as a multiple of alpha.

A one-sided limit may miss twice as often: with another limit of the same alpha it makes an
interval of 2·alpha, and at one truth all misses of that interval may be its own.
"""
HAIR_OF_MEAN, HAIR_OF_WORST = 0.1 * MARGIN, 0.1
"""What is missed by a hair only, and so a remark and no failure.

Of a mean by a tenth of the usual margin, as a multiple of alpha; of a worst alpha inside the range
by a tenth of what is allowed. "at-least" has none of it: a probability is above alpha or is not.
"""
SMALLEST_N = 10
"""The contracts but at-least apply from this number of trials on: with fewer no method is near."""
FEWEST_EVENTS = 20.0
"""Of a rate they apply, "nominal" excepted, where so many events are expected at the mean of the
true rates of a check."""
ALPHAS = (0.01, 0.2)
"""The smallest and the largest alpha of these contracts: at smaller alphas discrete outcomes alone
decide how often a truth is missed."""
NO_LARGE_SIZE = (
    f"no size of {SMALLEST_N} or more with sound limits was checked at an alpha of "
    f"{ALPHAS[0]:g} to {ALPHAS[1]:g}"
)
ROUNDING = 1e-9
"""What rounding may add to a worst alpha."""

CONTRACT_CHECKS = MEAN_NAME, WORST_NAME = "mean alpha error", "worst alpha"


@dataclass(frozen=True)
class Terms:
    """What a contract allows, as multiples of alpha."""

    mean: tuple[float, float] | None
    """The smallest and the largest mean actual alpha; None where any is allowed."""
    worst: float
    """The largest actual alpha."""
    everywhere: bool = False
    """Whether that is at all truths, sizes and alphas; else at the truths inside the range."""


TERMS: Mapping[Contract, Terms] = {
    NOMINAL: Terms((1.0 - MARGIN, 1.0 + MARGIN), MOST_INSIDE),
    AT_LEAST: Terms(None, 1.0, everywhere=True),
    CONSERVATIVE: Terms((0.0, 1.0), 1.5),
    APPROXIMATE: Terms((0.45, 1.0 + MARGIN), 4.5),
}
"""The terms of every contract but none."""

CHAINS = ((NOMINAL, APPROXIMATE), (AT_LEAST, CONSERVATIVE))
"""Contracts each of which implies the next one."""


@dataclass(frozen=True)
class Bounds:
    """What a contract allows of one number of the exact behaviour."""

    name: str
    """Of the check."""
    column: str
    allowed: Callable[[float], tuple[float, float]]
    """The smallest and the largest number at an alpha."""
    hair: Callable[[float], float]
    """How much less or more is a remark at an alpha."""


def bounds_of(
    contract: Contract, margin: float | None = None, one_sided: bool = False
) -> tuple[Bounds, ...]:
    """What a contract allows of each number.

    Args:
        contract: any but none.
        margin: of the mean alpha error of a nominal method, instead of 0.3·alpha; it is meant as
            it is given, and so has no hair.
        one_sided: whether the method has limits of one side only.
    """
    terms = TERMS[contract]
    if terms.everywhere:
        worst = Bounds(
            WORST_NAME, WORST, lambda alpha: (-math.inf, alpha + ROUNDING), lambda alpha: 0.0
        )
        return (worst,)
    most = most_inside(contract, one_sided)
    inside = Bounds(
        WORST_NAME,
        WORST_INSIDE,
        lambda alpha: (-math.inf, most * alpha + ROUNDING),
        lambda alpha: HAIR_OF_WORST * most * alpha,
    )
    return (_mean_bounds(contract, margin), inside)


def _mean_bounds(contract: Contract, margin: float | None) -> Bounds:
    """What is allowed of the mean alpha error."""
    if margin is not None and contract == NOMINAL:
        chosen = margin
        return Bounds(MEAN_NAME, MEAN_POSTERIOR, lambda alpha: (-chosen, chosen), lambda alpha: 0.0)
    least, most = mean_alphas(contract)
    return Bounds(
        MEAN_NAME,
        MEAN_POSTERIOR,
        lambda alpha: ((1.0 - most) * alpha, (1.0 - least) * alpha),
        lambda alpha: HAIR_OF_MEAN * alpha,
    )


def mean_alphas(contract: Contract) -> tuple[float, float]:
    """The smallest and the largest mean actual alpha of a contract, as multiples of alpha."""
    return TERMS[contract].mean or (0.0, math.inf)


def most_inside(contract: Contract, one_sided: bool) -> float:
    """How often a method may miss a truth, as a multiple of alpha."""
    terms = TERMS[contract]
    return 2.0 * terms.worst if one_sided and not terms.everywhere else terms.worst


def applying_rows(contract: Contract, behaviour: pl.DataFrame, family: str) -> pl.DataFrame:
    """The rows of exact numbers that a contract applies to."""
    known = behaviour.filter(pl.col(WORST).is_not_null())
    if TERMS[contract].everywhere:
        return known
    smallest, largest = ALPHAS
    room = 1e-9  # of the decimals of an alpha
    known = known.filter(pl.col("alpha").is_between(smallest * (1 - room), largest * (1 + room)))
    known_family = family_of(family)
    if not known_family.model.SIZE_IS_COUNT:
        if contract == NOMINAL or not known_family.has_single_count:
            return known
        mean_rate = 0.5 * sum(RATES)
        return known.filter(pl.col(known_family.sizes[0]) * mean_rate >= FEWEST_EVENTS)
    large = [pl.col(name) >= SMALLEST_N for name in known_family.sizes]
    return known.filter(pl.all_horizontal(large))


def is_large(family: str, size: Size) -> bool:
    """Whether every contract applies at this size; they do at every exposure."""
    if not family_of(family).model.SIZE_IS_COUNT:
        return True
    return all(n >= SMALLEST_N for n in (size if isinstance(size, tuple) else (size,)))


def is_usual(alpha: float) -> bool:
    """Whether every contract applies at this alpha."""
    return ALPHAS[0] <= alpha <= ALPHAS[1]
