"""How outcomes arise, which of them the exact engines report, and the groups they are put into."""

from __future__ import annotations

from functools import cache
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, create_model, model_validator

from harness.base.models import (
    StrictModel,
    by_shape,
    expected,
    expecting,
    not_here,
    one_of,
)
from harness.base.text import plain_number
from harness.config.models.sizes import WHOLE, Count, LogSpan
from harness.designs.results import Group
from harness.distributions.sampling.law import Law, Setting
from harness.distributions.sampling.laws import (
    LAWS,
    sampling_law,
)
from harness.distributions.sampling.laws.clusters import SizeSetting
from harness.families.data import LARGEST_COUNT
from harness.families.family import Family


def sampling_type(family: Family) -> Any:
    """The type of the sampling of a family, which yields a law, or None for the family's own."""
    assert family.own_law is not None
    return _type_of(family.own_law, family.model.NAME)


def sampling_words(family: Family) -> str:
    """What a config may write, in words."""
    laws = [law for law in LAWS.values() if law.model == family.model.NAME]
    *others, last = (f"{{{law.name}: {{{_settings(law)}}}}}" for law in laws)
    return f"{', '.join([str(family.own_law), *others])} or {last}"


def _settings(law: type[Law]) -> str:
    return ", ".join(setting.name for setting in law.settings)


@cache
def _type_of(own: str, model: str) -> Any:
    kinds = {name: kind for name, kind in LAWS.items() if kind.model == model}
    elsewhere = {name: f"a {kind.model}" for name, kind in LAWS.items() if kind.model != model}
    laws = one_of(
        {name: _entry(kind) for name, kind in kinds.items()}, not_here(kinds, **elsewhere)
    )
    words = f"{own}, or a mapping with one of the keys {', '.join(kinds)}"

    def law(written: Any) -> Law | None:
        if written == own:
            return None
        ((name, settings),) = written
        plain = {
            key: value.model_dump() if isinstance(value, StrictModel) else value
            for key, value in settings
        }
        return sampling_law(model, {name: plain})

    return Annotated[
        by_shape(Annotated[Literal[own], expecting(words)], mapping=laws),
        AfterValidator(law),
    ]


def _entry(law: type[Law]) -> type[BaseModel]:
    """The model of a mapping with the name of the law, and its settings below."""
    name = "".join(word.capitalize() for word in law.name.split("_"))
    fields: Any = {
        setting.name: (_number(setting), Field(description=f"{setting.meaning.capitalize()}."))
        for setting in law.settings
    }
    summary = f"{law.summary[:1].upper()}{law.summary[1:]}."
    settings = create_model(name, __base__=StrictModel, __doc__=summary, **fields)
    entry: Any = {law.name: (settings, Field(description=f"Its settings: {_settings(law)}."))}
    about = f"The law {law.name}."
    made: type[BaseModel] = create_model(f"{name}Law", __base__=StrictModel, __doc__=about, **entry)
    return made


class _NegativeBinomial(StrictModel):
    """A size of 1 plus a negative binomial count."""

    mean: Annotated[float, Field(ge=1, le=1e6), expecting(SizeSetting.MEAN.range)] = Field(
        description="Of the size."
    )
    shape: Annotated[float, Field(ge=1e-3, le=1e6), expecting(SizeSetting.SHAPE.range)] = Field(
        description="Of the count."
    )


class _OfPoisson(StrictModel):
    """Sizes of 1 plus a Poisson count."""

    poisson: Annotated[float, Field(ge=1, le=1e6), expecting(SizeSetting.MEAN.range)] = Field(
        description="The mean size."
    )


class _OfNegativeBinomial(StrictModel):
    """Sizes of 1 plus a negative binomial count."""

    negative_binomial: _NegativeBinomial = Field(description="{mean, shape}.")


_SIZE_LAWS = one_of({"poisson": _OfPoisson, "negative_binomial": _OfNegativeBinomial})


def _number(setting: Setting) -> Any:
    """The type of a setting."""
    if setting.is_whole:
        bounds = Field(ge=int(setting.least), le=int(setting.most))
        whole = Annotated[int, bounds, expecting(setting.range)]
        if not isinstance(setting, SizeSetting):
            return whole
        return by_shape(
            whole, listed=Annotated[list[whole], Field(min_length=1)], mapping=_SIZE_LAWS
        )
    bounds = Field(ge=setting.least, le=setting.most)
    if setting.is_open:
        bounds = Field(ge=setting.least, lt=setting.most)
    return Annotated[float, bounds, expecting(setting.range)]


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
    """The number of fractions, or the outcomes in their written order; None for all."""
    if isinstance(written, Fractions):
        return written.fractions
    if isinstance(written, ListedOutcomes):
        return tuple(written.values)
    return written.log_grid.values() if isinstance(written, OutcomeGrid) else None


def _choice(*keys: str, **belongs_to: str) -> Any:
    """The word all, or a mapping with one of the keys; ``belongs_to``: whose the others are."""
    mapping = one_of({key: _MODELS[key] for key in keys}, not_here(keys, **belongs_to))
    words = f"all, {' or '.join(f'{{{key}: ...}}' for key in keys)}"
    return Annotated[
        by_shape(Annotated[Literal["all"], expecting(words)], mapping=mapping),
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
    if family.has_fractions:
        return _BOUNDED, "all, {fractions: ...} or {values: ...}"
    if family.has_single_count:
        return _UNBOUNDED, "all, {values: ...} or {log_grid: ...}"
    return _OF_SEVERAL_COUNTS, "all"


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


def write_sampling(law: Law | None) -> dict[str, Any] | None:
    """The law with its settings, as a config has them; None for the family's own."""
    if law is None:
        return None
    return {
        name: {
            key: setting if isinstance(setting, list | dict) else plain_number(setting)
            for key, setting in settings.items()
        }
        for name, settings in law.content().items()
    }


def write_outcomes(outcomes: int | tuple[int, ...] | None) -> Any:
    """The reported outcomes as a config has them."""
    if outcomes is None:
        return "all"
    return {"values": list(outcomes)} if isinstance(outcomes, tuple) else {"fractions": outcomes}


def write_group(group: Group | None) -> dict[str, int] | None:
    """The groups of outcomes as a config has them."""
    if group is None:
        return None
    last = {} if group.last is None else {"last": group.last}
    return {"width": group.width, **last}
