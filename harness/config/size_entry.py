"""Sizes as pydantic models: n, or an exposure, one or several."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag, model_validator

from harness.config.constraints import expected, expecting
from harness.config.grids import log_grid, real_log_grid
from harness.families.proportion import LARGEST_SIZE
from harness.families.rate import EXPOSURES
from harness.models import StrictModel

WHOLE = "a whole number from 1 to 10^9"
REAL = "a number from 1e-100 to 1e100"

Count = Annotated[int, Field(ge=1, le=LARGEST_SIZE)]
Exposure = Annotated[float, Field(ge=EXPOSURES[0], le=EXPOSURES[1])]
GridCount = Annotated[int, Field(ge=2, le=10_000), expecting("a whole number from 2 to 10000")]


class LogSpan(StrictModel):
    """Whole numbers in equal ratios, both ends included."""

    start: Annotated[Count, expecting(WHOLE)] = Field(description="Smallest n.")
    stop: Annotated[Count, expecting(WHOLE)] = Field(description="Largest n.")
    count: GridCount = Field(
        description="How many; those that round to the same whole number are merged."
    )

    @model_validator(mode="after")
    def _ascends(self) -> LogSpan:
        if not self.start < self.stop:
            raise expected("start below stop")
        return self

    def values(self) -> tuple[int, ...]:
        """The sizes."""
        return log_grid(self.start, self.stop, self.count)


class LogGrid(StrictModel):
    """Sizes evenly spaced on a log scale, rounded half up."""

    log_grid: LogSpan = Field(description="The first, the last and how many.")


class ExposureSpan(StrictModel):
    """Exposures in equal ratios, both ends included."""

    start: Annotated[Exposure, expecting(REAL)] = Field(description="Smallest exposure.")
    stop: Annotated[Exposure, expecting(REAL)] = Field(description="Largest exposure.")
    count: GridCount = Field(description="How many.")

    @model_validator(mode="after")
    def _ascends(self) -> ExposureSpan:
        if not self.start < self.stop:
            raise expected("start below stop")
        if len(set(self.values())) < self.count:
            raise expected("values far enough apart to differ")
        return self

    def values(self) -> tuple[float, ...]:
        """The exposures."""
        return real_log_grid(self.start, self.stop, self.count)


class ExposureGrid(StrictModel):
    """Exposures evenly spaced on a log scale."""

    log_grid: ExposureSpan = Field(description="The first, the last and how many.")


def _listed(value: Any) -> str:
    if isinstance(value, Mapping):
        return "<log_grid>"
    return "<list>" if isinstance(value, list) else "<one>"


Counts = Annotated[
    Annotated[Count, expecting(f"{WHOLE}, a list of them, or {{log_grid: ...}}"), Tag("<one>")]
    | Annotated[list[Annotated[Count, expecting(WHOLE)]], Field(min_length=1), Tag("<list>")]
    | Annotated[LogGrid, Tag("<log_grid>")],
    Discriminator(_listed),
]
Exposures = Annotated[
    Annotated[Exposure, expecting(f"{REAL}, a list of them, or {{log_grid: ...}}"), Tag("<one>")]
    | Annotated[list[Annotated[Exposure, expecting(REAL)]], Field(min_length=1), Tag("<list>")]
    | Annotated[ExposureGrid, Tag("<log_grid>")],
    Discriminator(_listed),
]
SIZES: dict[str, Any] = {"n": Counts, "exposure": Exposures}
"""By the name that the model of a sample gives its size."""

SizesEntry = float | list[int] | list[float] | LogGrid | ExposureGrid

TAGGED: dict[str, type[StrictModel]] = {"<log_grid>": LogGrid}
"""An ExposureGrid has the same keys."""
