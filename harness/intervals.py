"""One interval now: any method of the catalogue on any data."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from harness.errors import InputError
from harness.families import proportion
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
        family: "proportion", with the data ``x`` and ``n``, whole numbers, 0 ≤ x ≤ n ≤ 10^9.
        method: a name of the catalogue, or an alias.
        alpha: in (0, 1): the probability left outside, in both tails together or in the one.
        side: "two-sided", "lower" or "upper".
        prior: a, b > 0 of a Beta prior, for the methods that take one; default flat.
        seed: of a stochastic method; a deterministic one draws nothing.
        **data: the family's columns, by name.

    Raises:
        InputError: unknown family or method, or data, alpha, side or prior out of range.
        IntervalNotFoundError: the method finds no interval.
    """
    chosen = method_of(family, method)
    x, n, levels = _arguments(family, alpha, data)
    prior = _checked_prior(prior)
    chosen.check(side, prior)
    lower, upper = np.empty(x.shape), np.empty(x.shape)
    for level in np.unique(levels):
        here = levels == level
        lower[here], upper[here] = chosen.limits((x[here], n[here]), float(level), side, prior)
    return Interval(_plain(x / n), _plain(lower), _plain(upper))


def tails(
    family: str,
    method: str,
    found: Interval,
    *,
    prior: tuple[float, float] | None = None,
    **data: npt.ArrayLike,
) -> Tails:
    """Posterior mass below and above an interval, under the method's prior or else a flat one."""
    chosen = method_of(family, method)
    prior = _checked_prior(prior)
    x, n, _ = _arguments(family, 0.5, data)
    x, n, lower, upper = np.broadcast_arrays(x, n, found.lower, found.upper)
    reference = prior or chosen.default_prior or proportion.FLAT_PRIOR
    posterior = proportion.posterior(x, n, reference)
    return Tails(_plain(posterior.cdf(lower)), _plain(posterior.sf(upper)))


def method_of(family: str, method: str) -> Method:
    """A method by family and name.

    Raises:
        InputError: there is no such family or method.
    """
    if family not in CATALOGUE:
        raise InputError(f"family should be one of {', '.join(CATALOGUE)}, found {family!r}")
    return find(family, method)


def _arguments(
    family: str, alpha: npt.ArrayLike, data: dict[str, npt.ArrayLike]
) -> tuple[Floats, Floats, Floats]:
    wanted = set(proportion.DATA)
    if set(data) != wanted:
        found = ", ".join(sorted(data)) or "nothing"
        raise InputError(f"{family} needs the data {' and '.join(proportion.DATA)}, found {found}")
    x, n = proportion.checked(data["x"], data["n"])
    levels = _checked_alpha(alpha)
    try:
        x, n, levels = np.broadcast_arrays(x, n, levels)
    except ValueError:
        raise InputError(
            f"data of shape {x.shape} and alpha of shape {levels.shape} do not fit together"
        ) from None
    return x, n, levels


def _checked_alpha(alpha: npt.ArrayLike) -> Floats:
    try:
        given = np.asarray(alpha)
    except ValueError:
        raise InputError(
            "alpha should be a number or a regular array, found a ragged one"
        ) from None
    if given.dtype.kind not in "iuf":
        raise InputError(f"alpha should be a number between 0 and 1, found {alpha!r}")
    levels = given.astype(np.float64)
    bad = ~((levels > 0) & (levels < 1))
    if bad.any():
        raise InputError(f"alpha should lie between 0 and 1, found {levels[bad][0]:.15g}")
    return levels


def _checked_prior(prior: tuple[float, float] | None) -> tuple[float, float] | None:
    if prior is None:
        return None
    try:
        a, b = (float(value) for value in prior)
        if isinstance(prior, str):
            raise TypeError
    except (TypeError, ValueError):
        raise InputError(f"prior should be two numbers above 0, found {prior!r}") from None
    if not all(math.isfinite(value) and value > 0 for value in (a, b)):
        raise InputError(f"prior should be two numbers above 0, found {a:g} and {b:g}")
    return a, b


def _plain(values: Floats) -> Value:
    return float(values) if values.ndim == 0 else values
