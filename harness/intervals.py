"""One interval now: any method of the catalogue on any data."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.families.data import broadcast_columns, numbers, validate_values
from harness.families.family import Data
from harness.methods.catalogue import CATALOGUE, find
from harness.methods.method import TWO_SIDED, Method
from harness.numerics.arrays import Floats

Value = float | Floats


@dataclass(frozen=True)
class Interval:
    """An estimate with its limits: floats for scalar data, arrays for arrays."""

    estimate: Value
    lower: Value
    upper: Value


@dataclass(frozen=True)
class Tails:
    """What a posterior says of an interval: its mass below and above the limits."""

    lower_tail: Value
    upper_tail: Value


def interval(
    family: str,
    method: str,
    *,
    alpha: npt.ArrayLike = 0.05,
    side: str = TWO_SIDED,
    prior: tuple[float, float] | None = None,
    seed: int | None = None,
    **data: npt.ArrayLike,
) -> Interval:
    """The interval of a method for the data; data and ``alpha`` broadcast against each other.

    Args:
        family: what is estimated, which decides the data: "proportion" (x, n), "rate" (x,
            exposure), "proportion_difference" and "balanced_accuracy" (x1, n1, x2, n2),
            "rate_difference" (x1, exposure1, x2, exposure2). Counts are whole numbers from 0 to
            n or to 10^9, n from 1 to 10^9, exposures above 0.
        method: a name of the catalogue, or an alias.
        alpha: in (0, 1): the probability left outside, in both tails together or in the one.
        side: "two-sided", "lower" or "upper".
        prior: for the methods that take one, a, b of a Beta prior, both above 0, or of a Gamma
            prior, a > 0 and b ≥ 0, the same for both samples; default flat.
        seed: of a stochastic method, a whole number from 0 on; a deterministic one draws nothing.
        **data: the family's columns, by name.

    Raises:
        InputError: unknown family or method, data, alpha, side or prior out of range, or no seed
            for a stochastic method.
        IntervalNotFoundError: the method finds no interval.
    """
    chosen = method_of(family, method)
    columns, levels = _arguments(family, alpha, data)
    prior = family_of(family).validate_prior(prior)
    chosen.check(side, prior)
    rng = None if chosen.deterministic else _generator(chosen, seed)
    lower, upper = np.empty(levels.shape), np.empty(levels.shape)
    for level in np.unique(levels):
        here = levels == level
        part = tuple(column[here] for column in columns)
        lower[here], upper[here] = chosen.limits(part, float(level), side, prior, rng)
    estimate = family_of(family).estimate(columns)
    return Interval(_plain(estimate), _plain(lower), _plain(upper))


def tails(
    family: str,
    method: str,
    found: Interval,
    *,
    prior: tuple[float, float] | None = None,
    **data: npt.ArrayLike,
) -> Tails:
    """Posterior mass below and above an interval, under the method's prior or else a flat one."""
    chosen, known = method_of(family, method), family_of(family)
    prior = known.validate_prior(prior)
    columns, _ = _arguments(family, 0.5, data)
    *data_columns, lower, upper = np.broadcast_arrays(*columns, found.lower, found.upper)
    reference = prior or chosen.default_prior or known.model.FLAT_PRIOR
    posterior = known.posterior(tuple(column.ravel() for column in data_columns), reference)
    return Tails(
        _plain(posterior.cdf(lower.ravel()).reshape(lower.shape)),
        _plain(posterior.sf(upper.ravel()).reshape(upper.shape)),
    )


def method_of(family: str, method: str) -> Method:
    """A method by family and name.

    Raises:
        InputError: there is no such family or method.
    """
    if family not in CATALOGUE:
        raise InputError(f"family should be one of {', '.join(CATALOGUE)}, found {family!r}")
    return find(family, method)


def _generator(method: Method, seed: int | None) -> np.random.Generator:
    """The stream that a stochastic method draws from."""
    if seed is None:
        raise InputError(f"{method.name} draws random numbers, and needs a seed for them")
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"seed should be a whole number from 0 on, found {seed!r}")
    return np.random.default_rng(int(seed))


def _arguments(
    family: str, alpha: npt.ArrayLike, data: dict[str, npt.ArrayLike]
) -> tuple[Data, Floats]:
    """The columns and alpha, all of one shape."""
    columns, levels = family_of(family).validate_data(data), _checked_alpha(alpha)
    broadcast_columns(("data", "alpha"), (columns[0], levels))
    *broadcast, levels = np.broadcast_arrays(*columns, levels)
    return tuple(broadcast), levels


def _checked_alpha(alpha: npt.ArrayLike) -> Floats:
    levels = numbers("alpha", alpha, "a number between 0 and 1")
    validate_values(levels, ~((levels > 0) & (levels < 1)), "alpha", "a number between 0 and 1")
    return levels


def _plain(values: Floats) -> Value:
    return float(values) if values.ndim == 0 else values


def interval_record(
    family: str,
    method: str,
    *,
    alpha: float,
    side: str,
    prior: tuple[float, float] | None,
    seed: int | None = None,
    verbose: bool,
    data: Mapping[str, float],
) -> dict[str, Any]:
    """Estimate, limits, alpha, method and side; ``verbose`` adds the rest of Ross's thirteen.

    Ross (2003), section 4: the tails are the posterior's mass outside the limits, under the
    method's prior or else a flat one, and the run time is that of the interval alone.
    """
    start = time.perf_counter()
    found = interval(family, method, alpha=alpha, side=side, prior=prior, seed=seed, **data)
    seconds = time.perf_counter() - start
    record: dict[str, Any] = {
        "estimate": found.estimate,
        "lower": found.lower,
        "upper": found.upper,
        "alpha": alpha,
        "method": method_of(family, method).name,
        "side": side,
    }
    if not verbose:
        return record
    outside = tails(family, method, found, prior=prior, **data)
    actual = outside.lower_tail + outside.upper_tail
    return {
        **record,
        **data,
        "length": found.upper - found.lower,
        "lower_tail": outside.lower_tail,
        "upper_tail": outside.upper_tail,
        "actual_alpha": actual,
        "alpha_error": alpha - actual,
        "seconds": seconds,
    }
