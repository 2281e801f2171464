"""What a calibration draws for each trial, as pydantic models: one number, or a uniform range."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag, create_model

from harness.config.constraints import expecting
from harness.config.form import model_name
from harness.config.size_entry import REAL, WHOLE, Count, Exposure
from harness.families.family import Family
from harness.models import StrictModel

LARGEST_DELTA = 1e100


class Range(StrictModel):
    """Drawn uniformly from [a, b]."""

    uniform: list[float]


def _ascending(bounds: list[float]) -> list[float]:
    if not bounds[0] < bounds[1]:
        raise ValueError(bounds)
    return bounds


def _number_or_range(name: str, number: Any, what: str, each: str) -> Any:
    """``what`` the number should be, and ``each`` of two of them."""
    uniform: Any = (
        Annotated[
            list[number],
            Field(min_length=2, max_length=2),
            AfterValidator(_ascending),
            expecting(f"two {each} with a < b"),
        ],
        Field(description="[a, b] with a < b, both ends included."),
    )
    drawn = create_model(name, __base__=Range, __doc__=Range.__doc__, uniform=uniform)
    return Annotated[
        Annotated[number, expecting(f"{what}, or {{uniform: [a, b]}}"), Tag("<one>")]
        | Annotated[drawn, Tag("<range>")],
        Discriminator(lambda value: "<range>" if isinstance(value, Mapping) else "<one>"),
    ]


SIZE_RANGES: dict[str, Any] = {
    "n": _number_or_range("SizeRange", Count, WHOLE, "whole numbers [a, b] from 1 to 10^9"),
    "exposure": _number_or_range(
        "ExposureRange", Exposure, REAL, "numbers [a, b] from 1e-100 to 1e100"
    ),
}
"""By the name that the model of a sample gives its size."""


def delta_entry(family: Family) -> Any:
    """A value of the family's parameter, or a range of them."""
    low, high = (min(max(end, -LARGEST_DELTA), LARGEST_DELTA) for end in family.support)
    span = f"from {low:g} to {high:g}"
    number = Annotated[float, Field(ge=low, le=high)]
    name = model_name(family, "delta")
    return _number_or_range(name, number, f"a number {span}", f"numbers [a, b] {span}")


TAGGED: dict[str, type[StrictModel]] = {"<range>": Range}
