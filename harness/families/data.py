"""Data as a user gives them, checked and brought to one shape."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from harness.errors import InputError
from harness.numerics.arrays import Bools, Floats

MOST = 10**9
"""The largest count, and the largest number of trials."""


def whole_numbers(name: str, given: npt.ArrayLike) -> Floats:
    """Whole numbers as floats.

    Raises:
        InputError: a value is no whole number.
    """
    values = numbers(name, given, "a whole number")
    with np.errstate(invalid="ignore"):
        refuse(values, ~(np.floor(values) == values), name, "a whole number")
        refuse(values, ~np.isfinite(values), name, "a whole number")
    return values


def positive_numbers(name: str, given: npt.ArrayLike) -> Floats:
    """Finite numbers above 0.

    Raises:
        InputError: a value is no such number.
    """
    values = numbers(name, given, "a number")
    refuse(values, ~((values > 0) & np.isfinite(values)), name, "a number above 0")
    return values


def numbers(name: str, given: npt.ArrayLike, what: str) -> Floats:
    """Whatever numbers they are, as floats.

    Args:
        name: for the message, as is ``what`` one of them should be.

    Raises:
        InputError: they are no numbers, or no regular array of them.
    """
    try:
        raw = np.asarray(given)
    except ValueError:
        raise InputError(
            f"{name} should be a number or a regular array, found a ragged one"
        ) from None
    if raw.dtype.kind not in "iuf":
        raise InputError(f"{name} should be {what} or an array of them, found {given!r}")
    return raw.astype(np.float64)


def one_shape(names: Sequence[str], columns: Sequence[Floats]) -> tuple[Floats, ...]:
    """All columns, broadcast.

    Raises:
        InputError: the shapes do not broadcast.
    """
    try:
        return tuple(np.broadcast_arrays(*columns))
    except ValueError:
        shapes = [
            f"{name} of shape {column.shape}" for name, column in zip(names, columns, strict=True)
        ]
        raise InputError(f"{', '.join(shapes[:-1])} and {shapes[-1]} do not fit together") from None


def refuse(values: Floats, bad: Bools, name: str, expected: str) -> None:
    """Say what is wrong with the first bad value.

    Raises:
        InputError: there is one.
    """
    if bad.any():
        raise InputError(f"{name} should be {expected}, found {values[bad][0]:.15g}")
