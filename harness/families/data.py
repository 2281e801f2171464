"""Validation of user data: numbers, whole numbers and arrays of one shape."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import quoted
from harness.base.errors import InputError
from harness.base.numerics.arrays import Bools, Floats
from harness.base.text import enumerated

SMALLEST_ALPHA = 1e-284
"""Limits of a smaller alpha lose their digits: alpha/2 is too near to the least double."""
AT_LEAST_SMALLEST = "a number from 1e-284 on, as limits of a smaller one have no exact digits"
LARGEST_COUNT = 10**9
"""The largest count, and the largest number of trials."""


def whole_numbers(name: str, given: npt.ArrayLike) -> Floats:
    """Return the given whole numbers as floats.

    Raises:
        InputError: a value is no whole number.
    """
    values = numbers(name, given, "a whole number")
    with np.errstate(invalid="ignore"):
        validate_values(values, ~(np.floor(values) == values), name, "a whole number")
        validate_values(values, ~np.isfinite(values), name, "a whole number")
    return values


def probabilities(name: str, given: npt.ArrayLike) -> Floats:
    """Return numbers between 0 and 1 as a float array.

    Raises:
        InputError: a value is none.
    """
    expected = "a number between 0 and 1"
    values = numbers(name, given, expected)
    validate_values(values, ~((values > 0) & (values < 1)), name, expected)
    return values


def levels_of(alpha: npt.ArrayLike) -> Floats:
    """Return alphas as a float array.

    Raises:
        InputError: one is not between 0 and 1, or below ``SMALLEST_ALPHA``.
    """
    levels = probabilities("alpha", alpha)
    validate_values(levels, levels < SMALLEST_ALPHA, "alpha", AT_LEAST_SMALLEST)
    return levels


def alpha_given(alpha: npt.ArrayLike, confidence: npt.ArrayLike | None) -> Any:
    """Return alpha, or 1 − confidence as it is written: 0.05 of 0.95, not 0.05 + 4e-17.

    Raises:
        InputError: a confidence is not between 0 and 1, or alpha is given too.
    """
    if confidence is None:
        return alpha
    if not np.array_equal(alpha, 0.05):
        raise InputError("expected one of alpha and confidence, which is 1 - alpha, found both")
    levels = probabilities("confidence", confidence)
    alphas = [float(1 - Decimal(repr(level))) for level in levels.ravel().tolist()]
    return np.reshape(alphas, levels.shape) if levels.ndim else alphas[0]


def numbers(name: str, given: npt.ArrayLike, expected: str) -> Floats:
    """Return the given numbers as floats.

    Args:
        name: the name of the data in the message.
        given: a number, or a regular array of numbers.
        expected: what a value should be, in the message.

    Raises:
        InputError: a value is no number, or the array is ragged or masked.
    """
    if is_masked(given):
        raise InputError(f"{name} should be numbers without a mask, found a masked array")
    try:
        raw = np.asarray(given)
    except ValueError:
        raise InputError(
            f"{name} should be a number or a regular array, found a ragged one"
        ) from None
    if raw.dtype.kind not in "iuf":
        raise InputError(f"{name} should be {expected} or an array of them, found {quoted(given)}")
    return raw.astype(np.float64)


def is_masked(given: object) -> bool:
    """Whether there is a masked array, whose mask NumPy ignores in most computations."""
    if isinstance(given, list | tuple):
        return any(map(is_masked, given))
    return isinstance(given, np.ma.MaskedArray)


def broadcast_columns(names: Sequence[str], columns: Sequence[Floats]) -> tuple[Floats, ...]:
    """Return all columns, broadcast to one shape.

    Raises:
        InputError: the shapes do not broadcast.
    """
    try:
        return tuple(np.broadcast_arrays(*columns))
    except ValueError:
        shapes = [
            f"{name} of shape {column.shape}" for name, column in zip(names, columns, strict=True)
        ]
        raise InputError(f"{enumerated(shapes)} do not fit together") from None


def validate_values(values: Floats, invalid: Bools, name: str, expected: str) -> None:
    """Raise an error that shows the first invalid value.

    Args:
        values: the values of the data.
        invalid: which values are invalid, of the same shape.
        name: the name of the data in the message.
        expected: what a value should be, in the message.

    Raises:
        InputError: a value is invalid.
    """
    if invalid.any():
        raise InputError(f"{name} should be {expected}, found {values[invalid][0]:.15g}")


def validate_counts(counts: Floats, name: str) -> None:
    """Refuse whole numbers that are no counts.

    Raises:
        InputError: a value is outside 0 … 10^9.
    """
    outside = (counts < 0) | (counts > LARGEST_COUNT)
    validate_values(counts, outside, name, "a whole number from 0 to 10^9")
