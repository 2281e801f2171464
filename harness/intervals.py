"""The interval of a method for given data, and what its posterior says of it."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
import numpy.typing as npt

from harness.arguments import validate_choice
from harness.errors import InputError
from harness.families.catalogue import family_of
from harness.families.data import broadcast_columns, numbers, validate_values
from harness.families.family import POSTERIOR, Data
from harness.families.population import POPULATION, with_population
from harness.methods import catalogue
from harness.methods.catalogue import CATALOGUE, find
from harness.methods.method import TWO_SIDED, Method
from harness.numerics.arrays import Floats
from harness.truths import Prior

Value = float | Floats


@dataclass(frozen=True)
class Interval:
    """An estimate with its limits: floats for scalar data, else arrays of the broadcast shape.

    All are in the unit of the parameter: a probability for proportions, their differences and
    balanced accuracies; events per unit of exposure for rates and their differences; of a mean that
    of the values.
    """

    estimate: Value
    """The parameter at the observed proportions or rates; not a number where a ratio is 0/0."""
    lower: Value
    """The lower limit; the lower boundary of the support if only an upper limit is asked for."""
    upper: Value
    """The upper limit; the upper boundary of the support if only a lower limit is asked for."""


@dataclass(frozen=True)
class Tails:
    """The mass of a posterior outside the limits of an interval."""

    lower_tail: Value
    upper_tail: Value


def interval(
    family: str,
    method: str,
    *,
    alpha: npt.ArrayLike = 0.05,
    side: str = TWO_SIDED,
    prior: Prior | None = None,
    seed: int | None = None,
    **data: npt.ArrayLike,
) -> Interval:
    """Compute the interval of a method for data.

    The data and ``alpha`` broadcast against each other. Of the families whose data are lists, the
    last axis of an array is that of the lists: there is an interval for each row, and ``alpha``
    broadcasts against the rows.

    The cases of a proportion, and of what is made of two proportions, count as independent of each
    other. Where several of them come from one document, subject or batch, "clustered_proportion"
    has intervals that allow for that; "mean" is for a score that each of several runs yields.

    Args:
        family: what is estimated, which decides the data: "proportion" (x, n), "rate" (x,
            exposure), "proportion_difference" and "balanced_accuracy" (x1, n1, x2, n2),
            "risk_ratio" and "odds_ratio" likewise, "rate_difference" and "rate_ratio" (x1,
            exposure1, x2, exposure2), "paired_difference" and "paired_ratio" (both, first_only,
            second_only, neither: how many pairs are right in both, in the first only, in the
            second only, in neither), "mean" (values: a list with the value of each run; or mean, sd
            and k, where only a summary of the k runs is known, with the divisor k − 1 in sd),
            "clustered_proportion" (x, n: lists with a count and a size for each cluster),
            "stratified_difference" (x1, n1, x2, n2: lists with a number for each stratum).
        method: a name of the catalogue, or an alias.
        alpha: the probability outside the interval, in both tails together, or in the one tail
            if ``side`` is not "two-sided"; in (0, 1).
        side: "two-sided", "lower" (a lower limit only) or "upper".
        prior: (a, b) of a Beta prior for proportions, both above 0, or of a Gamma prior for
            rates, a > 0 and b ≥ 0; of two samples each has it. (a11, a10, a01, a00) of a Dirichlet
            prior for pairs, in the order of the data. For methods that take a prior; default flat.
        seed: the seed of a stochastic method, a whole number from 0 on; a deterministic method
            ignores it.
        **data: the data by name, numbers or arrays: counts are whole numbers from 0 to n or to
            10^9, n from 1 to 10^9, exposures above 0. ``population``, a whole number from n to
            10^15, is the number of cases from which the n were drawn without replacement, for
            "hypergeometric_exact" and "hypergeometric_wang" of a proportion, and for no other. In
            an array of several rows of lists, a cluster or stratum of size 0 is not there.

    Returns:
        The estimate and both limits: floats if data and ``alpha`` are scalars, else arrays of
        the shape to which they broadcast.

    Raises:
        InputError: the family or the method is unknown; data, alpha, side or prior are out of
            range; the method does not take so large sizes, or needs a population that is not
            given, or takes none, or needs the values and is given a summary; or a stochastic
            method has no seed.
        IntervalNotFoundError: the method finds no interval.

    Example:
        >>> import harness
        >>> found = harness.interval("proportion", "wilson", x=90, n=100)
        >>> print(f"{found.estimate:.4f} [{found.lower:.4f}, {found.upper:.4f}]")
        0.9000 [0.8256, 0.9448]
        >>> harness.interval("rate", "garwood", x=[0, 3], exposure=2.0).upper.round(4)
        array([1.8444, 4.3836])
        >>> harness.interval("proportion", "hypergeometric_exact", x=3, n=20, population=100).upper
        0.35
        >>> found = harness.interval("mean", "student_t", values=[75, 72, 78, 73, 77])
        >>> print(f"{found.estimate:.2f} [{found.lower:.2f}, {found.upper:.2f}]")
        75.00 [71.83, 78.17]
        >>> clusters = {"x": [[3, 5, 2], [9, 8, 0]], "n": [[10, 10, 10], [10, 10, 0]]}
        >>> harness.interval("clustered_proportion", "saha_wilson", **clusters).upper.round(4)
        array([0.5135, 0.9226])
    """
    chosen = method_of(family, method)
    known = family_of(family)
    columns, levels = _arguments(family, chosen, alpha, data)
    prior = known.validate_prior(prior)
    chosen.check(side, prior)
    of_family = columns[:-1] if chosen.needs_population else columns
    if levels.size and known.has_outcomes:
        named = dict(zip(known.data, of_family, strict=True))
        # The size of pairs is the sum of their counts, and no column.
        largest = {name: named[name] for name in known.sizes if name in named}
        chosen.validate_sizes({name: float(sizes.max()) for name, sizes in largest.items()})
    rng = None if chosen.deterministic else _generator(chosen, seed)
    lower, upper = np.empty(levels.shape), np.empty(levels.shape)
    for level in np.unique(levels):
        here = levels == level
        part = tuple(column[here] for column in columns)
        lower[here], upper[here] = chosen.limits(part, float(level), side, prior, rng)
    estimate = known.estimate(of_family)
    return Interval(_float_or_array(estimate), _float_or_array(lower), _float_or_array(upper))


def tails(
    family: str,
    method: str,
    found: Interval,
    *,
    prior: Prior | None = None,
    **data: npt.ArrayLike,
) -> Tails:
    """Compute the posterior mass below and above an interval.

    Args:
        family: as for ``interval``, like ``method``, ``prior`` and the data.
        found: the interval, whose limits broadcast against the data.

    Returns:
        Both masses under the prior, by default that of the method, or else a flat one.

    Raises:
        InputError: as of ``interval``; or the method is for a finite population, or the family has
            no posterior.
    """
    chosen, known = method_of(family, method), family_of(family)
    chosen.refuse_finite_population("a posterior")
    if POSTERIOR not in known.engines:
        raise InputError(f"the parameter of {family} has no closed posterior")
    prior = known.validate_prior(prior)
    columns, _ = _arguments(family, chosen, 0.5, data)
    *data_columns, lower, upper = np.broadcast_arrays(*columns, found.lower, found.upper)
    reference = prior or chosen.default_prior or known.model.FLAT_PRIOR
    posterior = known.posterior(tuple(column.ravel() for column in data_columns), reference)
    return Tails(
        _float_or_array(posterior.cdf(lower.ravel()).reshape(lower.shape)),
        _float_or_array(posterior.sf(upper.ravel()).reshape(upper.shape)),
    )


def method_of(family: str, method: str) -> Method:
    """Return the method of a family by its name.

    Raises:
        InputError: there is no such family or method.
    """
    return find(validate_choice("family", family, CATALOGUE), method)


def default_method(family: str, side: str) -> str:
    """Return the name of the method that is used where none is named.

    Raises:
        InputError: there is no such family.
    """
    return catalogue.default_method(validate_choice("family", family, CATALOGUE), side).name


def _generator(method: Method, seed: int | None) -> np.random.Generator:
    """The random generator of a stochastic method."""
    if seed is None:
        raise InputError(f"{method.name} draws random numbers and needs a seed")
    if not isinstance(seed, Integral) or isinstance(seed, bool) or seed < 0:
        raise InputError(f"seed should be a whole number from 0 on, found {seed!r}")
    return np.random.default_rng(int(seed))


def _arguments(
    family: str, method: Method, alpha: npt.ArrayLike, data: dict[str, npt.ArrayLike]
) -> tuple[Data, Floats]:
    """The method's data and alpha, all of one shape; lists have one axis more."""
    given, known = dict(data), family_of(family)
    population = given.pop(POPULATION, None)
    columns, levels = known.validate_data(given), _validate_alpha(alpha)
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


def _validate_alpha(alpha: npt.ArrayLike) -> Floats:
    levels = numbers("alpha", alpha, "a number between 0 and 1")
    validate_values(levels, ~((levels > 0) & (levels < 1)), "alpha", "a number between 0 and 1")
    return levels


def _float_or_array(values: Floats) -> Value:
    return float(values) if values.ndim == 0 else values
