"""The ways to say where a true proportion comes from, as pydantic models."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Discriminator, Field, Tag, model_validator

from harness.config.constraints import by_key, exactly_one, expected, expecting, not_here
from harness.config.grids import grid
from harness.config.strict import Probability
from harness.models import StrictModel

LONGEST_GRID = 100_000
NARROWEST = 1e-12
"""A narrower uniform truth has too few numbers in it to draw from."""

Exponent = Annotated[float, Field(ge=1e-3, le=1e6)]
"""Beyond these a Beta distribution is all but a point, or two."""


def _apart(bounds: list[float]) -> list[float]:
    if not bounds[1] - bounds[0] >= NARROWEST:
        raise ValueError(bounds)
    return bounds


class Uniform(StrictModel):
    """Uniform on [a, b]."""

    uniform: Annotated[
        list[Probability],
        Field(min_length=2, max_length=2),
        AfterValidator(_apart),
        expecting("two numbers [a, b] with 0 <= a < b <= 1 and b - a at least 1e-12"),
    ] = Field(description="[a, b] with 0 <= a < b <= 1 and b - a at least 1e-12.")


class GridSpan(StrictModel):
    """Evenly spaced true values, both ends included."""

    start: Annotated[Probability, expecting("a number from 0 to 1")] = Field(
        description="Smallest true value."
    )
    stop: Annotated[Probability, expecting("a number from 0 to 1")] = Field(
        description="Largest true value."
    )
    count: Annotated[
        int, Field(ge=2, le=LONGEST_GRID), expecting(f"a whole number from 2 to {LONGEST_GRID}")
    ] = Field(description="How many.")

    @model_validator(mode="after")
    def _ascends(self) -> GridSpan:
        if not self.start < self.stop:
            raise expected("start below stop")
        if len(set(self.values())) < self.count:
            raise expected("values far enough apart to differ")
        return self

    def values(self) -> tuple[float, ...]:
        """The true values."""
        return grid(self.start, self.stop, self.count)


class Grid(StrictModel):
    """A grid of true values of equal weight."""

    grid: GridSpan = Field(description="The first, the last and how many.")


class Values(StrictModel):
    """A list of true values of equal weight."""

    values: Annotated[
        list[Annotated[Probability, expecting("a number from 0 to 1")]], Field(min_length=1)
    ] = Field(description="Distinct numbers from 0 to 1.")


class Beta(StrictModel):
    """Beta(s, t) on [0, 1]."""

    beta: Annotated[
        list[Exponent],
        Field(min_length=2, max_length=2),
        expecting("two numbers [s, t], each from 0.001 to 10^6"),
    ] = Field(description="[s, t], each from 0.001 to 10^6.")


TruthEntry = Uniform | Grid | Values | Beta

TAGGED: dict[str, type[StrictModel]] = {
    "<uniform>": Uniform,
    "<grid>": Grid,
    "<values>": Values,
    "<beta>": Beta,
}
_TAGS = {"uniform": "<uniform>", "grid": "<grid>", "values": "<values>", "beta": "<beta>"}
ProportionTruth = Annotated[
    Annotated[Uniform, Tag("<uniform>")]
    | Annotated[Grid, Tag("<grid>")]
    | Annotated[Values, Tag("<values>")]
    | Annotated[Beta, Tag("<beta>")],
    Discriminator(by_key(_TAGS)),
    exactly_one(
        tuple(_TAGS), not_here(_TAGS, gamma="a rate", first="two samples", second="two samples")
    ),
]


def kind_of_truth(entry: StrictModel) -> str:
    """``uniform``, ``grid`` and so on: the only key of the entry."""
    (kind,) = type(entry).model_fields
    return kind
