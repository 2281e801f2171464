"""The sizes of families of lists: the samples of each stratum."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from harness.config.messages import expected
from harness.config.models.constraints import expecting
from harness.config.models.sizes import Count

MOST_STRATA = 1000


def _levels(given: list[Any]) -> tuple[tuple[int, ...], ...]:
    """A list of sizes over the strata for each scenario; a flat list is one scenario."""
    rows = given if isinstance(given[0], list) else [given]
    if any(not isinstance(row, list) or not row for row in rows):
        raise expected("a list of sizes over the strata, or a list of such lists")
    if max(map(len, rows)) > MOST_STRATA:
        raise expected(f"at most {MOST_STRATA} strata")
    return tuple(tuple(row) for row in rows)


def stratum_sizes_type() -> Any:
    """The type of the sizes of one sample over the strata, which yields a tuple of tuples."""
    what = "a list of sizes over the strata, or a list of such lists"
    return Annotated[
        Annotated[
            list[Count] | list[Annotated[list[Count], Field(min_length=1)]],
            Field(min_length=1),
            expecting(what),
        ],
        AfterValidator(_levels),
    ]
