"""The posterior probability that the parameter of two samples is at least some value."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import quoted
from harness.base.errors import HarnessError, InputError
from harness.base.numerics.arrays import Floats
from harness.distributions.truths import Prior
from harness.families.catalogue import COMPARED
from harness.families.data import broadcast_columns, numbers, validate_values
from harness.families.family import Family
from harness.names import ComparedFamily

# Closer to a boundary at 0 than this, no posterior has a mass that a double can hold.
_NEAREST = 1e-300
# No data make a rate as large as this likely.
_LARGEST = 1e200
# Keeps the temporary arrays of the quadrature small.
_ROWS_AT_ONCE = 1 << 13


def significance(
    family: ComparedFamily,
    *,
    delta: npt.ArrayLike | None = None,
    prior: Prior | None = None,
    **data: npt.ArrayLike,
) -> float | Floats:
    """Compute Pr(first − second ≥ delta | data), a posterior probability and no p-value.

    Of independent samples of the same prior, Ross (2003), section 6.1: ∫ f₁(t) F₂(t − delta) dt.
    For a balanced accuracy it is the probability that the mean of both proportions is at least
    ``delta``, and for a ratio the probability that the ratio is. The data and ``delta`` broadcast
    against each other.

    Args:
        family: one of two samples, as "proportion_difference" or "risk_ratio", or
            "paired_difference".
        delta: a finite number, in the unit of the parameter; default 0, and 1 for a ratio. At or
            beyond a boundary of its support the answer is exactly 1 or 0.
        prior: of each sample, (a, b) of a Beta prior for proportions or a Gamma prior for rates; of
            pairs (a11, a10, a01, a00) of a Dirichlet prior; default flat.
        **data: the data by name, numbers or arrays: x1, n1, x2, n2; for rates x1, exposure1, x2,
            exposure2; for pairs both, first_only, second_only, neither.

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
    possible = {candidate.name: candidate for candidate in COMPARED}
    if not isinstance(family, str) or family not in possible:
        raise InputError(
            f"significance compares two samples: family should be one of "
            f"{', '.join(possible)}, found {quoted(family)}"
        )
    compared = possible[family]
    columns = compared.validate_data(data)
    prior = compared.validate_prior(prior) or compared.model.FLAT_PRIOR
    least = numbers("delta", compared.scale.equality if delta is None else delta, "a number")
    validate_values(least, ~np.isfinite(least), "delta", "a finite number")
    columns = broadcast_columns((*compared.data, "delta"), (*columns, least))
    *counts_and_sizes, deltas = (column.ravel() for column in columns)
    probability = np.empty(deltas.size)
    for start in range(0, deltas.size, _ROWS_AT_ONCE):
        rows = slice(start, start + _ROWS_AT_ONCE)
        posterior = compared.posterior(tuple(column[rows] for column in counts_and_sizes), prior)
        probability[rows] = at_least(compared, posterior, deltas[rows])
    return probability.reshape(columns[0].shape) if columns[0].ndim else float(probability[0])


def at_least(family: Family, posterior: Any, delta: Floats) -> Floats:
    """Pr(parameter ≥ delta) under the family's posterior, shape (m,).

    Raises:
        HarnessError: the quadrature finds none.
    """
    low, high = family.support
    first, last = max(low + _NEAREST, -_LARGEST), min(high, _LARGEST)
    tail = np.clip(posterior.sf(np.clip(delta, first, last)), 0.0, 1.0)
    probability = np.where(delta <= first, 1.0, np.where(delta >= last, 0.0, tail))
    lost = np.isnan(probability)
    if lost.any():
        raise HarnessError(
            f"{family.name}: no probability that {family.parameter} is at least "
            f"{delta[lost][0]:.15g}"
        )
    return probability
