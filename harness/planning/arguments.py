"""The method, the sizes and the truths of the planning functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.errors import InputError, MethodError
from harness.base.numerics.arrays import Floats
from harness.callers.function import FunctionHere
from harness.callers.naming import method_for
from harness.callers.source import CatalogueSource, Observed, Source
from harness.catalogue import with_rates, with_settings
from harness.distributions.sampling.law import Law, population_and_title
from harness.distributions.truths import Prior
from harness.families.data import LARGEST_COUNT, numbers, validate_values
from harness.families.family import Family
from harness.families.judged import JUDGED_SHARE, SENSITIVITY, SPECIFICITY
from harness.methods.catalogue import find

AnyMethod = str | Callable[..., Any]
"""A name of the catalogue, or a function f(x, n, alpha) of the family's data."""

_OUTCOMES_AT_ONCE = 1 << 16
"""Keeps the temporary arrays of the methods small."""


COST = "label_cost"
"""The cost of a label over that of a case; 0 where labels are so many that rates are known."""


def planned_family(
    name: Any, given: MutableMapping[str, Any], alpha: object, *, is_size: bool = False
) -> Family:
    """Return the family of a size or a power, as ``with_settings`` does.

    Error rates of a judge are known where labels cost nothing, or no share is given.

    Raises:
        InputError: also of a power where the family has a law of its own.
    """
    if is_size and name == JUDGED_SHARE.name and given.get(COST) == 0:
        del given[COST]
        rates = {rate: given.pop(rate, None) for rate in (SENSITIVITY, SPECIFICITY)}
        return with_rates(JUDGED_SHARE, rates)
    family = with_settings(name, given, alpha)
    if family.law is not None and not is_size:
        raise InputError(
            f"the power of {family.public_name} is not computed; with known error rates it is "
            "that of a proportion, of the judge's share of yes"
        )
    return family


def source_of(
    family: Family,
    method: AnyMethod,
    side: str,
    prior: Prior | None,
    law: Law | None = None,
    may_draw: bool = False,
) -> Source:
    """Return the source of the limits under a law, by default the family's own.

    Args:
        may_draw: whether the limits may be random.

    Raises:
        InputError: there is no such method, it has no such side or takes no prior, is for another
            law, or its limits are drawn.
    """
    source: Source
    if callable(method):
        label = method_for(family, method).label
        source = FunctionHere(label, method)
        if side not in source.sides:
            raise InputError(f"{label} has the sides {', '.join(source.sides)}, found {side!r}")
        if prior is not None:
            raise InputError(f"{label} takes no prior, found {list(prior)}")
    else:
        chosen = find(family, method)
        prior = family.validate_prior(prior)
        chosen.check(side, prior)
        chosen.validate_sampling(*population_and_title(law))
        source = CatalogueSource(chosen.name, chosen, prior)
    if not (source.deterministic or may_draw):
        raise InputError(
            f"{source.label} draws random numbers, and an exact sum needs limits that are a "
            "function of the outcome"
        )
    return source


def limits_of(source: Source, observed: Observed, alpha: float, side: str) -> tuple[Floats, Floats]:
    """Return the lower and upper limits at m outcomes, shape (m,) each.

    Raises:
        MethodError: a user's function fails at an outcome, or its limits are no interval.
    """
    lower, upper = np.empty((2, observed.count))
    for start in range(0, observed.count, _OUTCOMES_AT_ONCE):
        part = slice(start, start + _OUTCOMES_AT_ONCE)
        outcomes = observed.part(part)
        limits = source.limits(outcomes, alpha, side)
        if not source.is_of_catalogue:
            limits = limits.snapped_to_boundary(outcomes)
        answers = limits.intervals(outcomes, alpha, side)
        for failure in answers.failures.values():
            raise MethodError(f"{source.label}: {failure}")
        lower[part], upper[part] = answers.lower, answers.upper
    return lower, upper


def size_columns(family: Family, given: Mapping[str, npt.ArrayLike]) -> list[Floats]:
    """Return the sizes of each sample as float arrays.

    Raises:
        InputError: a size is out of range.
    """
    validate = family.model.validate_data
    return [validate(0, given[size], (family.model.COUNT, size))[1] for size in family.sizes]


def truth_columns(family: Family, given: Mapping[str, npt.ArrayLike]) -> list[Floats]:
    """Return the true values of each sample as float arrays.

    Raises:
        InputError: a value is outside the range of the parameter, or infinite.
    """
    low, high = family.model.SUPPORT
    expected = f"a number from {low:g} to {high:g}" if high < np.inf else "a number from 0 on"
    columns = []
    for name in family.free_symbols:
        values = numbers(name, given[name], expected)
        inside = (values >= low) & (values <= high) & np.isfinite(values)
        validate_values(values, ~inside, name, expected)
        columns.append(values)
    return columns


def refuse_many_events(family: Family, sizes: Sequence[Floats], truths: Sequence[Floats]) -> None:
    """Refuse sizes and truths at which larger counts are expected than methods are made for.

    Args:
        family: the family.
        sizes, truths: an array for each sample, all of one shape.

    Raises:
        InputError: the expected count of a sample is above 10^9.
    """
    if family.model.SIZE_IS_COUNT:
        # No count is larger than the size.
        return
    names = zip(family.sizes, sizes, family.symbols, truths, strict=True)
    for size_name, size, symbol, truth in names:
        expected = np.asarray(truth * size)
        above = expected > LARGEST_COUNT
        if above.any():
            raise InputError(
                f"{symbol} = {truth[above][0]:.15g} at {size_name} = {size[above][0]:.15g} means "
                f"{expected[above][0]:.15g} expected {family.model.COUNTED}, which should be at "
                "most 10^9"
            )
