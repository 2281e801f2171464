"""The posterior probability that the parameter of two samples is at least some value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import quoted
from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats
from harness.distributions.truths import Prior
from harness.families.catalogue import FAMILIES
from harness.families.data import broadcast_columns, numbers, validate_values
from harness.families.family import Family
from harness.names import TwoSampleFamily

# Closer to a boundary at 0 than this, no posterior has a mass that a double can hold.
_NEAREST = 1e-300
# No data make a rate as large as this likely.
_LARGEST = 1e200
# Keeps the temporary arrays of the quadrature small.
_ROWS_AT_ONCE = 1 << 13


def significance(
    family: TwoSampleFamily,
    *,
    delta: npt.ArrayLike | None = None,
    prior: Prior | None = None,
    **data: npt.ArrayLike,
) -> float | Floats:
    """Compute Pr(first − second ≥ delta | data), both samples independent and of the same prior.

    Ross (2003), section 6.1: ∫ f₁(t) F₂(t − delta) dt. For a balanced accuracy it is the
    probability that the mean of both proportions is at least ``delta``, and for a ratio the
    probability that the ratio is. The data and ``delta``
    broadcast against each other.

    Args:
        family: one of two samples with a posterior, as "proportion_difference" or "risk_ratio".
        delta: a finite number, in the unit of the parameter; default 0, and 1 for a ratio. At or
            beyond a boundary of its support the answer is exactly 1 or 0.
        prior: of each sample, (a, b) of a Beta prior for proportions or a Gamma prior for rates;
            default flat.
        **data: the data by name, numbers or arrays: x1, n1, x2, n2, or for rates x1, exposure1,
            x2, exposure2.

    Returns:
        The probability: a float if data and ``delta`` are scalars, else an array of the shape to
        which they broadcast.

    Raises:
        InputError: the family has not two samples, or data, delta or prior are out of range.

    Example:
        >>> import harness
        >>> pr = harness.significance("proportion_difference", x1=5, n1=12, x2=36, n2=112)
        >>> print(f"{pr:.4f}")
        0.7693
    """
    known = _two_sample_family(family)
    columns = known.validate_data(data)
    prior = known.validate_prior(prior) or known.model.FLAT_PRIOR
    least = known.equality if delta is None else delta
    columns = broadcast_columns((*known.data, "delta"), (*columns, _validate_delta(least)))
    *counts_and_sizes, deltas = (column.ravel() for column in columns)
    found = np.empty(deltas.size)
    for start in range(0, deltas.size, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        posterior = known.posterior(tuple(column[rows] for column in counts_and_sizes), prior)
        found[rows] = at_least(known, posterior, deltas[rows])
    return found.reshape(columns[0].shape) if columns[0].ndim else float(found[0])


def at_least(family: Family, posterior: Any, delta: Floats) -> Floats:
    """Pr(parameter ≥ delta) under the family's posterior, shape (m,).

    Raises:
        HarnessError: the quadrature finds none.
    """
    low, high = family.support
    first, last = max(low + _NEAREST, -_LARGEST), min(high, _LARGEST)
    tail = np.clip(posterior.sf(np.clip(delta, first, last)), 0.0, 1.0)
    found = np.where(delta <= first, 1.0, np.where(delta >= last, 0.0, tail))
    lost = np.isnan(found)
    if lost.any():
        raise HarnessError(
            f"{family.name}: no probability that {family.parameter} is at least "
            f"{delta[lost][0]:.15g}"
        )
    return found


def _two_sample_family(name: str) -> Family:
    possible = [family.name for family in FAMILIES.values() if family.samples == 2]
    if not isinstance(name, str) or name not in possible:
        raise InputError(
            f"significance compares two samples: family should be one of "
            f"{', '.join(possible)}, found {quoted(name)}"
        )
    return FAMILIES[name]


def _validate_delta(delta: npt.ArrayLike) -> Floats:
    values = numbers("delta", delta, "a number")
    validate_values(values, ~np.isfinite(values), "delta", "a finite number")
    return values
