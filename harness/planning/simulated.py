"""The coverage of a method whose data are lists, by Monte Carlo at given sizes and true values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError, MethodError
from harness.base.numerics.arrays import Floats
from harness.base.text import enumerated
from harness.callers.source import Source
from harness.catalogue import design_for, scenario_for
from harness.designs.design import Design
from harness.designs.limits import Column
from harness.designs.monte_carlo import shards, standard_error
from harness.designs.results import mean_and_error
from harness.designs.stochastic import StochasticColumn, simulate_stochastic
from harness.families.data import broadcast_columns, numbers, validate_values, whole_numbers
from harness.families.family import Family
from harness.planning.lists import LARGEST, number_in_range, strata_in_range

TRIALS = 20_000
"""Data sets that are drawn at each true value by default."""


def simulate_lists(
    family: Family,
    source: Source,
    side: str,
    alpha: Floats,
    given: Mapping[str, npt.ArrayLike],
    trials: int,
    seed: int,
) -> Floats:
    """Return the misses below and above, the mean length, and two standard errors.

    The trials are those of a run with as many at one truth and with this seed.

    Args:
        family: of lists.
        source: the method.
        side: of the interval.
        alpha: any shape.
        given: the sizes and the numbers of the truth, by name.
        trials: drawn at each true value.
        seed: of the random numbers.

    Returns:
        The probabilities of a miss below and above, the mean length, the standard error of the
        coverage and that of the mean length, shape (5, ...) of all that broadcasts.

    Raises:
        InputError: a size or a number is missing, unknown or out of range.
        MethodError: the method has no limits in a trial.
    """
    shape, cells = _cells(family, alpha, given)
    found = np.empty((5, max(1, int(np.prod(shape)))))
    for place, (level, size, truth) in enumerate(cells):
        scenario = scenario_for(family, size, truth)
        column = StochasticColumn(Column(source.label, side, level), source)
        below, above, length, squares = 0, 0, 0.0, 0.0
        for shard in shards(scenario, trials, seed, trials):
            tally, failures = simulate_stochastic(shard, [column])
            for failed in failures.values():
                raise MethodError(f"{source.label}: {failed.first}")
            counts = tally.by_outcome
            assert counts.length is not None
            assert counts.squares is not None
            below, above = below + int(counts.below[0, 0]), above + int(counts.above[0, 0])
            length, squares = length + counts.length[0, 0], squares + counts.squares[0, 0]
        error = standard_error(np.array(below + above), np.array(trials))
        mean, mean_error = mean_and_error(length, squares, trials)
        found[:, place] = below / trials, above / trials, mean, error, mean_error
    return found.reshape(5, *shape)


def _cells(
    family: Family, alpha: Floats, given: Mapping[str, npt.ArrayLike]
) -> tuple[tuple[int, ...], Iterator[tuple[float, Any, Any]]]:
    """Return the shape of the answer, and alpha, size and truth of each of its numbers.

    Raises:
        InputError: a size or a number is missing, unknown or out of range.
    """
    design = design_for(family)
    lists = design.lists
    assert lists is not None
    if lists.truth_at is None:
        raise InputError(
            f"coverage has no words for the truths of {family.name}; run an experiment"
        )
    makes = lists.truth_at
    values: dict[str, Any] = {**lists.words, **given}
    values = {name: number for name, number in values.items() if number is not None}
    names = (*family.sizes, *lists.words)
    if set(values) != set(names):
        found = ", ".join(sorted(given)) or "nothing"
        raise InputError(f"{family.name} needs {enumerated(names)}, found {found}")
    if design.sizes_are_lists:
        listed = strata_in_range({name: values[name] for name in names})
        size = tuple(
            tuple(int(each) for each in _sizes(design, name, listed[name])) for name in family.sizes
        )
        truth = makes(*(listed[name] for name in lists.words))
        return alpha.shape, ((level, size, truth) for level in alpha.ravel().tolist())
    columns = [alpha, *(_sizes(design, name, values[name]) for name in family.sizes)]
    for name in lists.words:
        columns.append(numbers(name, values[name], "a number"))
        for each in columns[-1].ravel().tolist():
            number_in_range(name, each)
    columns = list(broadcast_columns(("alpha", *names), columns))
    last = 1 + len(family.sizes)

    def each_cell() -> Iterator[tuple[float, Any, Any]]:
        for level, *row in zip(*(column.ravel().tolist() for column in columns), strict=True):
            sizes = tuple(int(each) for each in row[: last - 1])
            yield level, sizes if len(sizes) > 1 else sizes[0], makes(*row[last - 1 :])

    return columns[0].shape, each_cell()


def _sizes(design: Design, name: str, given: npt.ArrayLike) -> Floats:
    values = whole_numbers(name, given)
    least = design.smallest_size
    outside = (values < least) | (values > LARGEST)
    validate_values(values, outside, name, f"a whole number from {least} to {LARGEST}")
    return values
