"""Validation of lists of counts with their sizes, of clusters and of strata."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.families.data import LARGEST_COUNT, broadcast_columns, validate_values
from harness.families.lists import list_of_numbers


def counts_of_lists(
    names: Sequence[str], given: Mapping[str, npt.ArrayLike], each: str
) -> tuple[Floats, ...]:
    """Return lists of counts and of sizes, as arrays of one shape.

    Args:
        names: of counts and sizes in turn: x, n.
        given: the lists by name.
        each: what a list has a number for: cluster, stratum.

    Raises:
        InputError: a value is no whole number, a size is outside 0 … 10^9, a count outside
            0 … its size, or the lists differ in length.
    """
    lists = []
    for name in names:
        values = list_of_numbers(name, given[name], each)
        outside = (np.floor(values) != values) | (values < 0) | (values > LARGEST_COUNT)
        validate_values(values, outside, name, "whole numbers from 0 to 10^9")
        lists.append(values)
    lengths = [values.shape[-1] for values in lists]
    if len(set(lengths)) > 1:
        found = ", ".join(f"{name} has {k}" for name, k in zip(names, lengths, strict=True))
        raise InputError(f"expected a number for each {each} in every list, found that {found}")
    columns = broadcast_columns(names, lists)
    for place in range(0, len(columns), 2):
        count, size = columns[place], columns[place + 1]
        above = count > size
        if above.any():
            where = int(np.argwhere(above)[0][-1]) + 1
            raise InputError(
                f"{names[place]} = {count[above][0]:.0f} of {each} {where} is larger than "
                f"{names[place + 1]} = {size[above][0]:.0f}"
            )
    return columns


def refuse_empty(name: str, sizes: Floats, each: str) -> None:
    """Refuse data without any case, and a single data set with an empty cluster or stratum.

    In an array of several data sets a size of 0 stands for one that a data set does not have.

    Raises:
        InputError: there is such a data set.
    """
    if sizes.ndim == 1 and not sizes.all():
        where = int(np.flatnonzero(sizes == 0)[0]) + 1
        raise InputError(f"{name} should be at least 1 in every {each}, found 0 in {each} {where}")
    if not sizes.any(axis=-1).all():
        raise InputError(f"{name} should be above 0 in some {each}, found 0 in all of them")
