"""Families of one sample, or of two independent ones."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.numerics.arrays import Bools, Floats
from harness.distributions.truths import Prior
from harness.families.combination import ONE_SAMPLE, Combination
from harness.families.data import broadcast_columns
from harness.families.family import (
    ENUMERATION,
    MONTE_CARLO,
    POSTERIOR,
    Data,
    Family,
    Model,
    validate_names,
)

SINGLE_SAMPLE, TWO_SAMPLES = "one sample", "two samples"
"""The designs: one count, or two independent ones."""


def family_of_samples(
    name: str,
    title: str,
    parameter: str,
    model: Model,
    combination: Combination = ONE_SAMPLE,
    posterior_of: Callable[..., Any] | None = None,
    *,
    design: str | None = None,
    exact_engines: Sequence[str] | None = None,
    same_cases: Family | None = None,
) -> Family:
    """Return a family whose data are the count and the size of each sample.

    Args:
        name, title, parameter, model, combination, same_cases: as of ``Family``.
        posterior_of: the posterior of the parameter of two samples, from the posteriors of both;
            None where there is none in closed form.
        design: how the data arise; None for one sample, or two independent ones.
        exact_engines: the engines beside Monte Carlo; None for those that follow from the model.
    """
    samples = combination.samples
    suffixes = tuple(map(str, range(1, samples + 1))) if samples > 1 else ("",)

    def numbered(name: str) -> tuple[str, ...]:
        return tuple(name + suffix for suffix in suffixes)

    counts, sizes, symbols = map(numbered, (model.COUNT, model.SIZE, model.PARAMETER))
    data = tuple(each for pair in zip(counts, sizes, strict=True) for each in pair)
    if exact_engines is None:
        has_posterior = samples == 1 or posterior_of is not None
        is_enumerable = hasattr(model.SAMPLING, "pmf")
        exact_engines = [POSTERIOR] * has_posterior + [ENUMERATION] * is_enumerable
    combine = (posterior_of or _of_one) if POSTERIOR in exact_engines else None

    def validate_data(given: Mapping[str, npt.ArrayLike]) -> Data:
        validate_names(name, data, given)
        columns: list[Floats] = []
        for count, size in zip(counts, sizes, strict=True):
            columns += model.validate_data(given[count], given[size], (count, size))
        return broadcast_columns(data, columns)

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
        design or (SINGLE_SAMPLE if samples == 1 else TWO_SAMPLES),
        engines=(MONTE_CARLO, *exact_engines),
        data=data,
        sizes=sizes,
        truths=numbered("truth"),
        symbols=symbols,
        support=combination.support(model.SUPPORT),
        validate_data=validate_data,
        estimate=estimate,
        columns=_columns,
        counts=counts,
        directions=combination.directions,
        suffixes=suffixes,
        samples=samples,
        combination=combination,
        is_ratio=combination.is_ratio,
        parameter_at=combination.parameter_at,
        mirrored=combination.mirrored if model.HAS_MIRROR else None,
        closed_posterior=None if combine is None else posterior,
        combine_posteriors=combine,
        truth_parts=dict(zip(("first", "second"), symbols, strict=False)) if samples > 1 else {},
        quantity=model.QUANTITY,
        size_in_words="number of trials" if model.SIZE_IS_COUNT else "its own unit",
        same_cases=same_cases,
    )


def _of_one(posterior: Any) -> Any:
    return posterior


def _columns(counts: Sequence[Floats], sizes: Sequence[float]) -> Data:
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
