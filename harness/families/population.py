"""The size of a finite population, from which cases are drawn without replacement."""

from __future__ import annotations

import numpy.typing as npt

from harness.families.data import broadcast_columns, validate_values, whole_numbers
from harness.families.family import Data, Family

POPULATION = "population"
LARGEST_POPULATION = 10**15
"""Whole numbers up to there are exact as doubles, and so are their sums."""


def with_population(family: Family, data: Data, given: npt.ArrayLike) -> Data:
    """Return the columns with that of the population, all of one shape.

    Args:
        family: the family of the data.
        data: its columns.
        given: the number of cases in the population of each outcome.

    Raises:
        InputError: it is no whole number from n to 10^15, or its shape does not broadcast.
    """
    population = whole_numbers(POPULATION, given)
    names = (*family.data, POPULATION)
    *columns, population = broadcast_columns(names, (*data, population))
    expected = f"a whole number from {' and '.join(family.sizes)} to 10^15"
    size = columns[family.data.index(family.sizes[0])]
    outside = (population < size) | (population > LARGEST_POPULATION)
    validate_values(population, outside, POPULATION, expected)
    return (*columns, population)
