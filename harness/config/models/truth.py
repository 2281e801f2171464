"""Where the true parameters come from: lists of values and distributions, of one or two samples."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from functools import cache, partial
from typing import Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    Tag,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
    model_validator,
)

from harness.base.models import StrictModel
from harness.config.models.constraints import (
    by_key,
    exactly_one,
    expected,
    expecting,
    not_here,
    refused,
    validate_span,
)
from harness.distributions.truths import (
    BetaTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    Truth,
    UniformTruth,
)
from harness.families.family import SMALLEST_SHAPE_OF_TWO, Family

LONGEST_GRID = 100_000
NARROWEST = 1e-12
"""A narrower uniform truth has too few numbers in it to draw from."""
LARGEST_RATE = 1e100
SMALLEST_SCALE = 1e-100
"""Below it a product of two rates may fall out of the range of doubles."""

Probability = Annotated[float, Field(ge=0, le=1)]
Exponent = Annotated[float, Field(ge=1e-3, le=1e6)]
"""Beyond these a Beta distribution is all but a point, or two."""
Rate = Annotated[float, Field(ge=0, le=LARGEST_RATE)]
Scale = Annotated[float, Field(ge=SMALLEST_SCALE, le=LARGEST_RATE)]

_PROBABILITY = "a number from 0 to 1"
_UNIT_SPAN = "[a, b] with 0 <= a < b <= 1 and b - a at least 1e-12"
_RATE = "a number from 0 to 1e100"
_RATE_SPAN = "[a, b] with 0 <= a < b, b from 1e-100 to 1e100 and b - a at least 1e-12 b"
_SHAPES = "[s, t], each from 0.001 to 10^6"
_SHAPE_AND_RATE = "[shape, rate], from 0.001 to 10^6 and from 1e-100 to 1e100"


def grid(start: float, stop: float, count: int) -> tuple[float, ...]:
    """``count`` >= 2 values from start to stop, evenly spaced: each the nearest double.

    Start and stop mean the decimals they are written as, and everything up to the last division is
    done in integers. So 0.01 ... 0.99 in 99 steps gives the doubles 0.01, 0.02, ... themselves,
    where adding up or multiplying a step misses them by an ulp here and there, and where rounding
    to 15 digits would spoil grids of thirds.
    """
    first, last = Fraction(repr(start)), Fraction(repr(stop))
    scale = math.lcm(first.denominator, last.denominator)
    a, b = int(first * scale), int(last * scale)
    steps = count - 1
    # The quotient of two integers is rounded once, to the nearest double.
    return tuple((a * (steps - i) + b * i) / (scale * steps) for i in range(count))


class TruthModel(StrictModel):
    """A truth of one sample, under the one key that names its kind."""

    @abstractmethod
    def truth(self) -> Truth:
        """The truth; adding 0.0 to its numbers turns -0.0 into 0.0."""


def _unit_span(bounds: list[float]) -> list[float]:
    if not bounds[1] - bounds[0] >= NARROWEST:
        raise ValueError(bounds)
    return bounds


def _rate_span(bounds: list[float]) -> list[float]:
    a, b = bounds
    if not (b >= SMALLEST_SCALE and b - a >= NARROWEST * b):
        raise ValueError(bounds)
    return bounds


def _truth_of(model: TruthModel) -> Truth:
    return model.truth()


class Uniform(TruthModel):
    """Uniform on [a, b]."""

    uniform: Annotated[
        list[Probability],
        Field(min_length=2, max_length=2),
        AfterValidator(_unit_span),
        expecting(f"two numbers {_UNIT_SPAN}"),
    ] = Field(description=f"{_UNIT_SPAN}.")

    def truth(self) -> Truth:
        lower, upper = self.uniform
        return UniformTruth(lower + 0.0, upper + 0.0)


class RateUniform(Uniform):
    """Uniform on [a, b]."""

    uniform: Annotated[
        list[Rate],
        Field(min_length=2, max_length=2),
        AfterValidator(_rate_span),
        expecting(f"two numbers {_RATE_SPAN}"),
    ] = Field(description=f"{_RATE_SPAN}.")


class GridSpan(StrictModel):
    """Evenly spaced true values, both ends included."""

    start: Annotated[Probability, expecting(_PROBABILITY)] = Field(
        description="Smallest true value."
    )
    stop: Annotated[Probability, expecting(_PROBABILITY)] = Field(description="Largest true value.")
    count: Annotated[
        int, Field(ge=2, le=LONGEST_GRID), expecting(f"a whole number from 2 to {LONGEST_GRID}")
    ] = Field(description="How many.")

    @model_validator(mode="after")
    def _ascends(self) -> GridSpan:
        validate_span(self.start, self.stop, self.values(), self.count)
        return self

    def values(self) -> tuple[float, ...]:
        """The true values."""
        return grid(self.start, self.stop, self.count)


class RateSpan(GridSpan):
    """Evenly spaced true values, both ends included."""

    start: Annotated[Rate, expecting(_RATE)] = Field(description="Smallest true value.")
    stop: Annotated[Rate, expecting(_RATE)] = Field(description="Largest true value.")


class Grid(TruthModel):
    """A grid of true values with equal weights."""

    grid: GridSpan = Field(description="The first, the last and how many.")

    def truth(self) -> Truth:
        return DiscreteTruth(tuple(value + 0.0 for value in self.grid.values()))


class RateGrid(Grid):
    """A grid of true values with equal weights."""

    grid: RateSpan = Field(description="The first, the last and how many.")


class Values(TruthModel):
    """A list of true values with equal weights."""

    values: Annotated[
        list[Annotated[Probability, expecting(_PROBABILITY)]], Field(min_length=1)
    ] = Field(description="Distinct numbers from 0 to 1.")

    def truth(self) -> Truth:
        return DiscreteTruth(tuple(value + 0.0 for value in sorted(self.values)))


class RateValues(Values):
    """A list of true values with equal weights."""

    values: Annotated[list[Annotated[Rate, expecting(_RATE)]], Field(min_length=1)] = Field(
        description="Distinct numbers from 0 to 1e100."
    )


class Beta(TruthModel):
    """Beta(s, t) on [0, 1]."""

    beta: Annotated[
        list[Exponent],
        Field(min_length=2, max_length=2),
        expecting(f"two numbers {_SHAPES}"),
    ] = Field(description=f"{_SHAPES}.")

    def truth(self) -> Truth:
        return BetaTruth(*self.beta)


def _shape_and_rate(pair: list[float]) -> list[float]:
    if not 1e-3 <= pair[0] <= 1e6:
        raise ValueError(pair)
    return pair


class Gamma(TruthModel):
    """Gamma with a shape s and a rate t."""

    gamma: Annotated[
        list[Scale],
        Field(min_length=2, max_length=2),
        AfterValidator(_shape_and_rate),
        expecting(f"two numbers {_SHAPE_AND_RATE}"),
    ] = Field(description=f"{_SHAPE_AND_RATE}.")

    def truth(self) -> Truth:
        return GammaTruth(*self.gamma)


_PROPORTION_KEYS = ("uniform", "grid", "values", "beta")
_RATE_KEYS = ("uniform", "grid", "values", "gamma")
_OF_PAIRS = {"first": "two samples", "second": "two samples"}

ProportionTruth = Annotated[
    Annotated[Uniform, Tag("<uniform>")]
    | Annotated[Grid, Tag("<grid>")]
    | Annotated[Values, Tag("<values>")]
    | Annotated[Beta, Tag("<beta>")],
    by_key(_PROPORTION_KEYS),
    exactly_one(_PROPORTION_KEYS, not_here(_PROPORTION_KEYS, gamma="a rate", **_OF_PAIRS)),
    AfterValidator(_truth_of),
]
RateTruth = Annotated[
    Annotated[RateUniform, Tag("<uniform>")]
    | Annotated[RateGrid, Tag("<grid>")]
    | Annotated[RateValues, Tag("<values>")]
    | Annotated[Gamma, Tag("<gamma>")],
    by_key(_RATE_KEYS),
    exactly_one(_RATE_KEYS, not_here(_RATE_KEYS, beta="a proportion", **_OF_PAIRS)),
    AfterValidator(_truth_of),
]
_TRUTHS: dict[str, Any] = {"Beta": ProportionTruth, "Gamma": RateTruth}
"""The type of the truth of one sample, by the family of its parameter's priors."""


def _kinds(pair: Mapping[str, Mapping[str, Any]]) -> str:
    """The kinds of the truths of both samples: ``uniform and values``."""
    return " and ".join(next(iter(pair[sample])) for sample in ("first", "second"))


def _pair(written: Any, handler: ValidatorFunctionWrapHandler) -> PairTruth:
    if not isinstance(written, Mapping) or not {"first", "second"} & {*written}:
        # One message where neither key is given.
        raise expected("a mapping with the keys first and second, a truth for each sample")
    pair = handler(written)
    truth = PairTruth(pair.first, pair.second)
    if truth.first.is_discrete != truth.second.is_discrete:
        raise refused(
            "expected two lists (values, grid) or two distributions, found " + _kinds(written)
        )
    for sample, each in (("first", truth.first), ("second", truth.second)):
        _refuse_small_shapes(sample, each)
    if truth.is_discrete and truth.count > LONGEST_GRID:
        most = f"at most {LONGEST_GRID} pairs of true values"
        raise refused(f"expected {most}, found {truth.count}")
    return truth


def _refuse_small_shapes(sample: str, truth: Truth) -> None:
    shapes = () if truth.is_discrete else truth.shapes
    if shapes and min(shapes) < SMALLEST_SHAPE_OF_TWO:
        found = ", ".join(f"{value:g}" for value in shapes)
        least = f"shapes of at least {SMALLEST_SHAPE_OF_TWO} where there are two samples"
        raise refused(f"expected {least}, found {found}", at=sample)


def _refuse_infinite(family: Family, truth: PairTruth) -> PairTruth:
    """Refuse listed truths at which a ratio is no number; a distribution has none of them."""
    if not truth.is_discrete:
        return truth
    at = np.flatnonzero(~np.isfinite(family.parameter_at(truth.values)))
    if at.size:
        first, second = (values[at[0]] for values in truth.values)
        what = "0/0" if np.isnan(family.parameter_at(truth.values)[at[0]]) else "infinite"
        names = zip(family.symbols, (first, second), strict=True)
        where = " and ".join(f"{name} = {value:g}" for name, value in names)
        raise refused(f"expected truths with a finite {family.parameter}, found {where} ({what})")
    return truth


def _two_distributions(written: Any, handler: ValidatorFunctionWrapHandler) -> PairTruth:
    truth: PairTruth = handler(written)
    if truth.is_discrete:
        raise refused(f"expected two distributions for a calibration, found {_kinds(written)}")
    return truth


def _required(model: str, example: str) -> BeforeValidator:
    """Say, where there is no truth, why there is no default."""

    def check(value: Any) -> Any:
        if value is None:
            raise refused(
                f"expected a truth, as in {example}, found nothing: a {model} has no largest "
                "value, so no truth is uniform over all of them"
            )
        return value

    return BeforeValidator(check)


@cache
def _pair_type(model: str, prior: str) -> Any:
    fields: Any = {
        sample: (_TRUTHS[prior], Field(description=f"Of the {sample} sample."))
        for sample in ("first", "second")
    }
    about = (
        "Two independent truths, both lists or both distributions. Two lists are crossed: each "
        "value of the first with each of the second, all pairs with equal weights."
    )
    name = f"PairOf{model.capitalize()}s"
    pair = create_model(name, __base__=StrictModel, __doc__=about, **fields)
    return Annotated[pair, WrapValidator(_pair)]


def truth_type(family: Family) -> Any:
    """The type of the truth of a family, which yields a `Truth` or a `PairTruth`."""
    model, prior = family.model.NAME, family.model.PRIOR
    kind, example = _TRUTHS[prior], "{uniform: [0, 10]}"
    if family.samples == 2:
        kind, example = _pair_type(model, prior), f"{{first: {example}, second: {example}}}"
    if family.is_ratio:
        kind = Annotated[kind, AfterValidator(partial(_refuse_infinite, family))]
    return kind if family.is_bounded else Annotated[kind, _required(model, example)]


def distributions_type(family: Family) -> Any:
    """The type of the truth of a calibration: two distributions."""
    return Annotated[truth_type(family), WrapValidator(_two_distributions)]


def default_truth(family: Family) -> Any:
    """The uniform truth over all parameters, as a config writes it; ... where there is none."""
    if not family.is_bounded:
        return ...
    every = {"uniform": list(family.model.SUPPORT)}
    return every if family.samples == 1 else {"first": every, "second": every}
