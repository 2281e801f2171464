"""Sizes, alphas and outcomes, as pydantic models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Discriminator, Field, Tag, model_validator

from harness.config.constraints import expected, expecting
from harness.config.grids import log_grid
from harness.config.strict import Strict
from harness.families.proportion import LARGEST_SIZE

_SIZE = "a whole number from 1 to 10^9"
_ALPHA = "a number above 0 and below 1"

Size = Annotated[int, Field(ge=1, le=LARGEST_SIZE)]
Alpha = Annotated[float, Field(gt=0, lt=1)]


class LogSpan(Strict):
    """Whole numbers in equal ratios, both ends included."""

    start: Annotated[Size, expecting(_SIZE)] = Field(description="Smallest n.")
    stop: Annotated[Size, expecting(_SIZE)] = Field(description="Largest n.")
    count: Annotated[int, Field(ge=2, le=10_000), expecting("a whole number from 2 to 10000")] = (
        Field(description="How many; those that round to the same whole number are merged.")
    )

    @model_validator(mode="after")
    def _ascends(self) -> LogSpan:
        if not self.start < self.stop:
            raise expected("start below stop")
        return self

    def values(self) -> tuple[int, ...]:
        """The sizes."""
        return log_grid(self.start, self.stop, self.count)


class LogGrid(Strict):
    """Sizes evenly spaced on a log scale, rounded half up."""

    log_grid: LogSpan = Field(description="The first, the last and how many.")


class Fractions(Strict):
    """Outcomes at equally spaced fractions of n."""

    fractions: Annotated[
        int, Field(ge=2, le=10**6), expecting("a whole number of fractions from 2 to 10^6")
    ] = Field(description="How many fractions from 0 to 1; x is n times each, rounded half up.")


def _listed(value: Any) -> str:
    if isinstance(value, Mapping):
        return "<log_grid>"
    return "<list>" if isinstance(value, list) else "<one>"


Sizes = Annotated[
    Annotated[Size, expecting(f"{_SIZE}, a list of them, or {{log_grid: ...}}"), Tag("<one>")]
    | Annotated[list[Annotated[Size, expecting(_SIZE)]], Field(min_length=1), Tag("<list>")]
    | Annotated[LogGrid, Tag("<log_grid>")],
    Discriminator(_listed),
]
Alphas = Annotated[
    Annotated[Alpha, expecting(f"{_ALPHA}, or a list of them"), Tag("<one>")]
    | Annotated[list[Annotated[Alpha, expecting(_ALPHA)]], Field(min_length=1), Tag("<list>")],
    Discriminator(lambda value: "<list>" if isinstance(value, list) else "<one>"),
]
Outcomes = Annotated[
    Annotated[Literal["all"], expecting("all, or {fractions: ...}"), Tag("<one>")]
    | Annotated[Fractions, Tag("<fractions>")],
    Discriminator(lambda value: "<fractions>" if isinstance(value, Mapping) else "<one>"),
]
TAGGED: dict[str, type[Strict]] = {"<log_grid>": LogGrid, "<fractions>": Fractions}
