"""Which outcomes the exact engines report, and how they stand in groups, as pydantic models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, Union

from pydantic import Discriminator, Field, Tag, model_validator

from harness.config.constraints import by_key, exactly_one, expected, expecting, not_here
from harness.config.size_entry import WHOLE, Count, LogSpan
from harness.families.data import LARGEST_COUNT
from harness.models import StrictModel

COUNT = "a whole number from 0 to 10^9"


class Fractions(StrictModel):
    """Outcomes at equally spaced fractions of n."""

    fractions: Annotated[
        int, Field(ge=2, le=10**6), expecting("a whole number of fractions from 2 to 10^6")
    ] = Field(description="How many fractions from 0 to 1; x is n times each, rounded half up.")


class ListedOutcomes(StrictModel):
    """Outcomes one by one."""

    values: Annotated[
        list[Annotated[int, Field(ge=0, le=LARGEST_COUNT), expecting(COUNT)]], Field(min_length=1)
    ] = Field(description="Distinct counts x.")


class OutcomeSpan(LogSpan):
    """Outcomes in equal ratios, both ends included."""

    start: Annotated[Count, expecting(WHOLE)] = Field(description="Smallest x, from 1.")
    stop: Annotated[Count, expecting(WHOLE)] = Field(description="Largest x.")


class OutcomeGrid(StrictModel):
    """Outcomes evenly spaced on a log scale, rounded half up."""

    log_grid: OutcomeSpan = Field(description="The first, the last and how many.")


TAGGED: dict[str, type[StrictModel]] = {
    "<fractions>": Fractions,
    "<outcomes>": ListedOutcomes,
    "<outcome log_grid>": OutcomeGrid,
}
_TAGS = {"fractions": "<fractions>", "values": "<outcomes>", "log_grid": "<outcome log_grid>"}


class Outcomes(NamedTuple):
    """What the key ``outcomes`` may be, as a type and in words."""

    kind: Any
    words: str


def _outcomes(*keys: str, **belongs_to: str) -> Outcomes:
    """all, or a mapping with one of the keys; ``belongs_to``: whose the other keys are."""
    tags = {key: _TAGS[key] for key in keys}
    models: Any = Union[tuple(Annotated[TAGGED[tag], Tag(tag)] for tag in tags.values())]  # noqa: UP007
    mapping: Any = Annotated[
        models,
        Discriminator(by_key(tags)),
        exactly_one(keys, not_here(keys, **belongs_to)),
        Tag("<mapping>"),
    ]
    words = f"all, {' or '.join(f'{{{key}: ...}}' for key in keys)}"
    kind = Annotated[
        Annotated[Literal["all"], expecting(words), Tag("<one>")] | mapping,
        Discriminator(lambda value: "<mapping>" if isinstance(value, Mapping) else "<one>"),
    ]
    return Outcomes(kind, words)


OUTCOMES = {
    "proportion": _outcomes("fractions", "values", log_grid="a rate"),
    "rate": _outcomes("values", "log_grid", fractions="a proportion"),
}
"""By family of one sample."""

OF_TWO_SAMPLES = Outcomes(
    Annotated[Literal["all"], expecting("all, as for every family of two samples")], "all"
)


class GroupEntry(StrictModel):
    """Neighbouring outcomes in one cell."""

    width: Annotated[Count, expecting(WHOLE)] = Field(
        description="How many outcomes stand together, from 0 on."
    )
    last: Annotated[Count, expecting(WHOLE)] | None = Field(
        None, description="Where the last group begins, which has no end: a multiple of width."
    )

    @model_validator(mode="after")
    def _fits(self) -> GroupEntry:
        if self.last is not None and self.last % self.width:
            raise expected("last to be a multiple of width")
        return self
