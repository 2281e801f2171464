"""The interval of a method for given data, and what its posterior says of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from harness.base.arguments import validate_choice, validate_whole
from harness.base.errors import InputError
from harness.base.numerics.arrays import Floats
from harness.catalogue import with_settings
from harness.distributions.truths import Prior
from harness.families.data import broadcast_columns, probabilities
from harness.families.family import POSTERIOR, Data, Family
from harness.families.population import POPULATION, with_population
from harness.methods.catalogue import default_method, find
from harness.methods.method import ALL_SIDES, TWO_SIDED, Method
from harness.one.result import Interval, Value


def compute(
    family: str,
    method: str | None = None,
    *,
    alpha: npt.ArrayLike = 0.05,
    side: str = TWO_SIDED,
    prior: Prior | None = None,
    seed: int | None = None,
    **data: npt.ArrayLike,
) -> Interval:
    """Compute the interval as ``interval`` does, of a family and a method named by any text."""
    given = dict(data)
    known = with_settings(family, data)
    if method is None:
        validate_choice("side", side, ALL_SIDES)
        method = default_method(known, side, has_prior=prior is not None).name
    options: dict[str, Any] = {"alpha": alpha, "side": side, "prior": prior, "seed": seed}
    return interval_of(known, method, data, given, **options)


def interval_of(
    family: Family,
    method: str,
    data: Mapping[str, npt.ArrayLike],
    given: Mapping[str, npt.ArrayLike] | None = None,
    *,
    alpha: npt.ArrayLike,
    side: str,
    prior: Prior | None,
    seed: int | None,
) -> Interval:
    """Compute the interval of a family by the method of that name.

    Args:
        family: what is estimated.
        method: a name or another name of a method of the family.
        data: of the family.
        given: the data as they were given, with settings of the family; None for the data.
        alpha, side, prior, seed: as of ``interval``.
    """
    chosen = find(family, method)
    columns, levels = _arguments(family, chosen, alpha, data)
    prior = family.validate_prior(prior)
    chosen.check(side, prior)
    of_family = columns[:-1] if chosen.needs_population else columns
    if levels.size and family.has_outcomes:
        named = dict(zip(family.data, of_family, strict=True))
        # The size of pairs is the sum of their counts, and no column.
        largest = {name: named[name] for name in family.sizes if name in named}
        chosen.validate_sizes({name: float(sizes.max()) for name, sizes in largest.items()})
    rng = None if chosen.deterministic else _generator(chosen, seed)
    lower, upper = np.empty(levels.shape), np.empty(levels.shape)
    for level in np.unique(levels):
        here = levels == level
        part = tuple(column[here] for column in columns)
        lower[here], upper[here] = chosen.limits(part, float(level), side, prior, rng)
    estimate = family.estimate(of_family)
    return Interval(
        _float_or_array(estimate),
        _float_or_array(lower),
        _float_or_array(upper),
        family=family.public_name,
        method=chosen.name,
        alpha=float(np.asarray(alpha)) if np.ndim(alpha) == 0 else levels,
        side=side,
        data=_given(family, data if given is None else given, levels.shape),
    )


def tails(
    family: str,
    method: str,
    limits: tuple[npt.ArrayLike, npt.ArrayLike],
    *,
    prior: Prior | None = None,
    **data: npt.ArrayLike,
) -> tuple[Value, Value]:
    """Compute the posterior mass below and above an interval.

    Args:
        family: as for ``interval``, like ``method``, ``prior`` and the data.
        limits: the lower and the upper one, which broadcast against the data.

    Returns:
        Both masses under the prior, by default that of the method, or else a flat one.

    Raises:
        InputError: as of ``interval``; or the method is for a finite population, or the family has
            no posterior.
    """
    known = with_settings(family, data)
    chosen = find(known, method)
    chosen.refuse_finite_population("a posterior")
    if POSTERIOR not in known.engines:
        raise InputError(f"the parameter of {family} has no closed posterior")
    prior = known.validate_prior(prior)
    columns, _ = _arguments(known, chosen, 0.5, data)
    *data_columns, lower, upper = np.broadcast_arrays(*columns, *limits)
    reference = prior or chosen.default_prior or known.model.FLAT_PRIOR
    posterior = known.posterior(tuple(column.ravel() for column in data_columns), reference)
    masses = posterior.cdf(lower.ravel()), posterior.sf(upper.ravel())
    below, above = (_float_or_array(each.reshape(lower.shape)) for each in masses)
    return below, above


def _given(
    family: Family, data: Mapping[str, npt.ArrayLike], shape: tuple[int, ...]
) -> dict[str, Any]:
    """The data as they were given, of the shape of the limits; a list has its own axis more."""
    found = {}
    for name, values in data.items():
        array = np.array(values)
        is_list = not family.has_outcomes and name in family.data
        inner = array.shape[-1:] if is_list else ()
        whole = np.broadcast_to(array, (*shape, *inner))
        found[name] = whole if whole.ndim else whole.item()
    return found


def _generator(method: Method, seed: int | None) -> np.random.Generator:
    """The random generator of a stochastic method."""
    if seed is None:
        raise InputError(f"{method.name} draws random numbers and needs a seed")
    validate_whole("seed", seed, 0)
    return np.random.default_rng(int(seed))


def _arguments(
    known: Family, method: Method, alpha: npt.ArrayLike, data: Mapping[str, npt.ArrayLike]
) -> tuple[Data, Floats]:
    """The method's data and alpha, all of one shape; lists have one axis more."""
    given = dict(data)
    population = given.pop(POPULATION, None)
    columns, levels = known.validate_data(given), probabilities("alpha", alpha)
    if not given.keys() <= set(known.data):
        method.refuse_summary()
    largest = None
    if population is not None:
        method.refuse_needless_population()
        columns = with_population(known, columns, population)
        largest = float(np.max(columns[-1], initial=0.0))
    method.validate_population(largest)
    shape = known.outcomes_shape(columns)
    _, levels = broadcast_columns(("data", "alpha"), (np.empty(shape), levels))
    # Beyond the shape of the outcomes, a column of lists has an axis of its own.
    inner = [column.shape[len(shape) :] for column in columns]
    broadcast = (
        np.broadcast_to(column, (*levels.shape, *rest))
        for column, rest in zip(columns, inner, strict=True)
    )
    return tuple(broadcast), levels


def _float_or_array(values: Floats) -> Value:
    return float(values) if values.ndim == 0 else values
