"""The sizes and alphas at which a check asks a method by default, and the validation of others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from harness.base.errors import InputError
from harness.catalogue import design_for
from harness.checks.restriction import Size
from harness.designs.check_sizes import CheckedAt
from harness.families.family import Family

LARGEST_OF_NUMBERS = 200
"""The largest size with exact numbers of a method that answers one outcome at a time: all outcomes
of a larger n would take it longer than the rest of the check."""


def checked_at(family: Family) -> CheckedAt:
    """The sizes and alphas at which methods of a family are checked by default."""
    return design_for(family).checked_at[family.is_bounded]


def sizes_of_numbers(sizes: Sequence[Size]) -> tuple[Size, ...]:
    """Those of the default sizes for a method that answers one outcome at a time."""
    return tuple(size for size in sizes if np.max(size) <= LARGEST_OF_NUMBERS)


def validate_sizes(family: Family, sizes: Sequence[Any]) -> tuple[Size, ...]:
    """Return the sizes as numbers, or as pairs of floats for two samples.

    Raises:
        InputError: there are no sizes, or one of them is no size of the family.
    """
    if np.ndim(sizes) == 0 or len(sizes) == 0:
        raise InputError(f"sizes of {family.name} should be a list of them, found {sizes!r}")
    is_pair = family.samples == 2
    for size in sizes:
        if np.shape(size) != ((2,) if is_pair else ()):
            wanted = "pairs of numbers" if is_pair else "numbers"
            raise InputError(f"sizes of {family.name} should be {wanted}, found {size!r}")
        is_count = family.model.SIZE_IS_COUNT
        if not all(_is_size(each, is_count) for each in np.ravel(size).tolist()):
            wanted = "whole numbers above 0" if is_count else "numbers above 0"
            raise InputError(f"sizes of {family.name} should be {wanted}, found {size!r}")
    if is_pair:
        return tuple((float(a), float(b)) for a, b in sizes)
    return tuple(np.asarray(size).item() for size in sizes)


def _is_size(size: Any, is_count: bool) -> bool:
    if not isinstance(size, int | float) or not 0 < size < np.inf:
        return False
    return float(size).is_integer() or not is_count


def validate_alphas(alphas: Sequence[Any]) -> tuple[float, ...]:
    """Return the alphas as floats.

    Raises:
        InputError: there are no alphas, or one of them is not between 0 and 1.
    """
    chosen = np.ravel(alphas).tolist()
    if not chosen or not all(isinstance(each, float) and 0 < each < 1 for each in chosen):
        raise InputError(f"alphas should lie between 0 and 1, found {chosen}")
    return tuple(chosen)
