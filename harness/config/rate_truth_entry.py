"""The ways to say where a true rate comes from, as pydantic models."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag

from harness.config.constraints import by_key, exactly_one, expecting, not_here, refused
from harness.config.truth_entry import (
    NARROWEST,
    Grid,
    GridSpan,
    Uniform,
    Values,
)
from harness.models import StrictModel

LARGEST_RATE = 1e100
SMALLEST_SCALE = 1e-100
"""Below it a product of two rates may fall out of the range of doubles."""

Rate = Annotated[float, Field(ge=0, le=LARGEST_RATE)]
Scale = Annotated[float, Field(ge=SMALLEST_SCALE, le=LARGEST_RATE)]

_RATE = "a number from 0 to 1e100"
_SPAN = "[a, b] with 0 <= a < b, b from 1e-100 to 1e100 and b - a at least 1e-12 b"


def _apart(bounds: list[float]) -> list[float]:
    a, b = bounds
    if not (b >= SMALLEST_SCALE and b - a >= NARROWEST * b):
        raise ValueError(bounds)
    return bounds


class RateUniform(Uniform):
    """Uniform on [a, b]."""

    uniform: Annotated[
        list[Rate],
        Field(min_length=2, max_length=2),
        AfterValidator(_apart),
        expecting(f"two numbers {_SPAN}"),
    ] = Field(description=f"{_SPAN}.")


class RateSpan(GridSpan):
    """Evenly spaced true values, both ends included."""

    start: Annotated[Rate, expecting(_RATE)] = Field(description="Smallest true value.")
    stop: Annotated[Rate, expecting(_RATE)] = Field(description="Largest true value.")


class RateGrid(Grid):
    """A grid of true values of equal weight."""

    grid: RateSpan = Field(description="The first, the last and how many.")


class RateValues(Values):
    """A list of true values of equal weight."""

    values: Annotated[list[Annotated[Rate, expecting(_RATE)]], Field(min_length=1)] = Field(
        description="Distinct numbers from 0 to 1e100."
    )


def _shape_and_rate(pair: list[float]) -> list[float]:
    if not 1e-3 <= pair[0] <= 1e6:
        raise ValueError(pair)
    return pair


class Gamma(StrictModel):
    """Gamma with a shape s and a rate t."""

    gamma: Annotated[
        list[Scale],
        Field(min_length=2, max_length=2),
        AfterValidator(_shape_and_rate),
        expecting("two numbers [shape, rate], from 0.001 to 10^6 and from 1e-100 to 1e100"),
    ] = Field(description="[shape, rate], from 0.001 to 10^6 and from 1e-100 to 1e100.")


TAGGED: dict[str, type[StrictModel]] = {"<gamma>": Gamma}
"""The others have the keys of those for proportions."""

_TAGS = {"uniform": "<uniform>", "grid": "<grid>", "values": "<values>", "gamma": "<gamma>"}
RateTruth = Annotated[
    Annotated[RateUniform, Tag("<uniform>")]
    | Annotated[RateGrid, Tag("<grid>")]
    | Annotated[RateValues, Tag("<values>")]
    | Annotated[Gamma, Tag("<gamma>")],
    Discriminator(by_key(_TAGS)),
    exactly_one(
        tuple(_TAGS),
        not_here(_TAGS, beta="a proportion", first="two samples", second="two samples"),
    ),
]


def required(example: str) -> BeforeValidator:
    """Left out, a truth of rates says why there is no default."""

    def check(value: Any) -> Any:
        if value is None:
            raise refused(
                f"expected a truth, as in {example}, found nothing: a rate has no largest value, "
                "so no truth is uniform over all of them"
            )
        return value

    return BeforeValidator(check)
