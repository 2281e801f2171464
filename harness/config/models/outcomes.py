"""The outcomes that the exact engines report, and the groups that they are put into."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Union

from pydantic import AfterValidator, Field, Tag, model_validator

from harness.base.models import StrictModel
from harness.config.messages import expected, tag
from harness.config.models.constraints import by_key, by_shape, exactly_one, expecting, not_here
from harness.config.models.sizes import WHOLE, Count, LogSpan
from harness.designs.pooling import Group
from harness.families.data import LARGEST_COUNT
from harness.families.family import Family

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


_MODELS: dict[str, type[StrictModel]] = {
    "fractions": Fractions,
    "values": ListedOutcomes,
    "log_grid": OutcomeGrid,
}


def _outcomes(
    written: str | Fractions | ListedOutcomes | OutcomeGrid,
) -> int | tuple[int, ...] | None:
    """None for all, the number of fractions, or the outcomes in their written order."""
    if isinstance(written, Fractions):
        return written.fractions
    if isinstance(written, ListedOutcomes):
        return tuple(written.values)
    return written.log_grid.values() if isinstance(written, OutcomeGrid) else None


def _choice(*keys: str, **belongs_to: str) -> Any:
    """The word all, or a mapping with one of the keys; ``belongs_to``: whose the others are."""
    models: Any = Union[tuple(Annotated[_MODELS[key], Tag(tag(key))] for key in keys)]  # noqa: UP007
    mapping: Any = Annotated[
        models,
        by_key(keys),
        exactly_one(keys, not_here(keys, **belongs_to)),
        Tag("<mapping>"),
    ]
    words = f"all, {' or '.join(f'{{{key}: ...}}' for key in keys)}"
    return Annotated[
        Annotated[Literal["all"], expecting(words), Tag("<one>")] | mapping,
        by_shape(listed="one"),
        AfterValidator(_outcomes),
    ]


_BOUNDED = _choice("fractions", "values", log_grid="a rate")
_UNBOUNDED = _choice("values", "log_grid", fractions="a proportion")
_OF_SEVERAL_COUNTS = Annotated[
    Literal["all"],
    expecting("all, as for every family with several counts"),
    AfterValidator(_outcomes),
]


def outcomes_type(family: Family) -> tuple[Any, str]:
    """The type of the reported outcomes of a family, and what a config may write, in words."""
    if not family.has_single_count:
        return _OF_SEVERAL_COUNTS, "all"
    if family.is_bounded:
        return _BOUNDED, "all, {fractions: ...} or {values: ...}"
    return _UNBOUNDED, "all, {values: ...} or {log_grid: ...}"


class GroupEntry(StrictModel):
    """Neighbouring outcomes in one cell."""

    width: Annotated[Count, expecting(WHOLE)] = Field(
        description="How many outcomes are put together, from 0 on."
    )
    last: Annotated[Count, expecting(WHOLE)] | None = Field(
        None, description="Where the last group begins, which is open: a multiple of width."
    )

    @model_validator(mode="after")
    def _is_multiple(self) -> GroupEntry:
        if self.last is not None and self.last % self.width:
            raise expected("last to be a multiple of width")
        return self


OutcomeGroup = Annotated[GroupEntry, AfterValidator(lambda group: Group(group.width, group.last))]
"""The type of the key ``group``, which yields a `Group`."""
