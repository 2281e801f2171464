"""Families of one sample, or of two independent ones, and the population of a sample."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats
from harness.distributions.sampling.laws import OWN
from harness.distributions.truths import Prior
from harness.families.combination import ONE_SAMPLE, Combination
from harness.families.data import broadcast_columns, validate_values, whole_numbers
from harness.families.family import (
    ENUMERATION,
    MONTE_CARLO,
    POSTERIOR,
    Data,
    Family,
    validate_names,
)
from harness.families.model import Model

SINGLE_SAMPLE, TWO_SAMPLES = "one sample", "two samples"
"""The designs: one count, or two independent ones."""

POPULATION = "population"
LARGEST_POPULATION = 10**15
"""Whole numbers up to there are exact as doubles, and so are their sums."""


def family_of_one_sample(
    name: str,
    title: str,
    parameter: str,
    model: Model,
    *,
    design: str = SINGLE_SAMPLE,
    exact_engines: Sequence[str] | None = None,
) -> Family:
    """Return a family whose data are one count and its size.

    Args:
        name, title, parameter, model, design: as of ``Family``.
        exact_engines: the engines beside Monte Carlo; None for those that follow from the model.
    """
    if exact_engines is None:
        exact_engines = (POSTERIOR, *_enumeration(model))
    combine = (lambda posterior: posterior) if POSTERIOR in exact_engines else None
    family = _family(name, title, parameter, model, ONE_SAMPLE, combine, design, exact_engines)
    return replace(family, own_law=OWN.get(model.NAME))


def family_of_samples(
    name: str,
    title: str,
    parameter: str,
    sample: Family,
    combination: Combination,
    posterior_of: Callable[..., Any] | None = None,
    *,
    design: str = TWO_SAMPLES,
    same_cases: Family | None = None,
) -> Family:
    """Return a family whose data are the count and the size of each of several samples.

    Args:
        name, title, parameter, sample, combination, design, same_cases: as of ``Family``.
        posterior_of: the posterior of the parameter from the posteriors of all samples; None where
            there is none in closed form.
    """
    engines = [POSTERIOR] * (posterior_of is not None) + [*_enumeration(sample.model)]
    family = _family(
        name, title, parameter, sample.model, combination, posterior_of, design, engines
    )
    symbols = dict(zip(("first", "second"), family.symbols, strict=False))
    return replace(family, sample=sample, truth_parts=symbols, same_cases=same_cases)


def _enumeration(model: Model) -> tuple[str, ...]:
    return (ENUMERATION,) if hasattr(model.SAMPLING, "pmf") else ()


def _family(
    name: str,
    title: str,
    parameter: str,
    model: Model,
    combination: Combination,
    combine: Callable[..., Any] | None,
    design: str,
    exact_engines: Sequence[str],
) -> Family:
    """Return the family of one sample or of several; ``combine`` combines their posteriors."""
    samples = combination.samples
    suffixes = tuple(map(str, range(1, samples + 1))) if samples > 1 else ("",)

    def numbered(name: str) -> tuple[str, ...]:
        return tuple(name + suffix for suffix in suffixes)

    counts, sizes, symbols = map(numbered, (model.COUNT, model.SIZE, model.PARAMETER))
    pairs = tuple(zip(counts, sizes, strict=True))

    def estimate(data: Data) -> Floats:
        return combination.parameter_at([model.estimate(x, n) for x, n in by_sample(data)])

    def posterior(data: Data, prior: Prior) -> Any:
        assert combine is not None
        return combine(*(model.posterior(x, n, prior) for x, n in by_sample(data)))

    return Family(
        name,
        title,
        parameter,
        model,
        design,
        engines=(MONTE_CARLO, *exact_engines),
        data=tuple(column for pair in pairs for column in pair),
        sizes=sizes,
        truths=numbered("truth"),
        symbols=symbols,
        support=combination.support(model.SUPPORT),
        validate_data=partial(validated_samples, name, model, pairs),
        estimate=estimate,
        columns=columns_of_samples,
        counts=counts,
        directions=combination.directions,
        suffixes=suffixes,
        samples=samples,
        combination=combination,
        scale=combination.scale,
        parameter_at=combination.parameter_at,
        mirrored=combination.mirrored if model.HAS_MIRROR else None,
        closed_posterior=None if combine is None else posterior,
        combine_posteriors=combine,
        quantity=model.QUANTITY,
        size_in_words="number of trials" if model.SIZE_IS_COUNT else "its own unit",
    )


def validated_samples(
    family: str,
    model: Model,
    samples: Sequence[tuple[str, str]],
    given: Mapping[str, npt.ArrayLike],
) -> Data:
    """Return the count and the size of each sample in turn, arrays of one shape.

    Args:
        family: the name of the family.
        model: the model of each sample.
        samples: the names of the count and of the size of each.
        given: the data by their names.

    Raises:
        InputError: a column is missing or unknown, or a value is out of range.
    """
    names = tuple(column for pair in samples for column in pair)
    validate_names(family, names, given)
    columns: list[Floats] = []
    for count, size in samples:
        columns += model.validate_data(given[count], given[size], (count, size))
    return broadcast_columns(names, columns)


def columns_of_samples(counts: Sequence[Floats], sizes: Sequence[float]) -> Data:
    """Return the count and the size of each sample in turn, shape (m,) each."""
    columns: list[Floats] = []
    for count, size in zip(counts, sizes, strict=True):
        columns += [count, np.full(count.size, float(size))]
    return tuple(columns)


def among_images(data: Data, *, of_failures: bool) -> tuple[Data, Bools]:
    """Return one of each two samples and those whose difference is the same but for its sign.

    Both samples may change places, and with ``of_failures`` the successes of both with their
    failures.

    Args:
        data: the counts and the sizes of the first and of the second sample, shape (m,) each.
        of_failures: whether a method has the limits of the failures mirrored.

    Returns:
        The columns, and whether the difference has the other sign there, shape (m,).
    """
    x1, n1, x2, n2 = data
    negated = np.zeros(x1.size, np.bool_)
    if of_failures:
        negated = x1 + x2 > (n1 - x1) + (n2 - x2)
        x1, x2 = np.where(negated, n1 - x1, x1), np.where(negated, n2 - x2, x2)
    swapped = (n1 > n2) | ((n1 == n2) & (x1 > x2))
    pairs = ((x1, x2), (n1, n2), (x2, x1), (n2, n1))
    columns = tuple(np.where(swapped, there, here) for here, there in pairs)
    return columns, negated ^ swapped


def by_sample(data: Data) -> list[tuple[Floats, Floats]]:
    """Return the counts and the sizes of each sample."""
    return [(data[i], data[i + 1]) for i in range(0, len(data), 2)]


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
