"""Where the true probabilities of a pair come from: lists of tables, or a Dirichlet distribution.

A list of tables is given by cells, which are the probabilities that the first only, the second
only, or both are right; or by the margins, which are the probabilities that the first and that the
second is right, with the correlation of the two results. The values of each are crossed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag, WrapValidator
from pydantic import ValidatorFunctionWrapHandler as Handler

from harness.base.errors import InputError
from harness.base.models import StrictModel
from harness.config.models.constraints import by_key, exactly_one, expected, expecting, refused, tag
from harness.config.models.truth import LONGEST_GRID, Grid, GridSpan, Values
from harness.distributions.paired_truths import (
    Cells,
    DirichletTruth,
    PairedTruth,
    TableTruth,
    table_of_cells,
    table_of_margins,
)
from harness.families.family import Family
from harness.families.paired import PairedFamily
from harness.families.pairs import PRIOR_RANGE, is_valid_prior

_LARGEST_SHAPE = 1e6
_CORRELATION = "a number from -1 to 1"


class _CorrelationValues(StrictModel):
    """A list of correlations."""

    values: Annotated[
        list[Annotated[float, Field(ge=-1, le=1), expecting(_CORRELATION)]], Field(min_length=1)
    ] = Field(description="Distinct numbers from -1 to 1.")


class _CorrelationSpan(GridSpan):
    """Evenly spaced correlations, both ends included."""

    start: Annotated[float, Field(ge=-1, le=1), expecting(_CORRELATION)] = Field(
        description="Smallest correlation."
    )
    stop: Annotated[float, Field(ge=-1, le=1), expecting(_CORRELATION)] = Field(
        description="Largest correlation."
    )


class _CorrelationGrid(StrictModel):
    """A grid of correlations."""

    grid: _CorrelationSpan = Field(description="The first, the last and how many.")


_KEYS = ("values", "grid")


def _levels(model: Any) -> tuple[float, ...]:
    """The values of a list or a grid, ascending."""
    found = model.grid.values() if hasattr(model, "grid") else sorted(model.values)
    return tuple(value + 0.0 for value in found)


def list_of(values: Any, grid: Any) -> Any:
    """The type of a list or a grid, which yields the values ascending."""
    return Annotated[
        Annotated[values, Tag("<values>")] | Annotated[grid, Tag("<grid>")],
        by_key(_KEYS),
        exactly_one(_KEYS),
        AfterValidator(_levels),
    ]


Probabilities: Any = list_of(Values, Grid)
"""A list of probabilities, which yields them ascending."""
Correlations: Any = list_of(_CorrelationValues, _CorrelationGrid)


class OfCells(StrictModel):
    """Tables by the probabilities of their cells; both is half of what the others leave."""

    first_only: Probabilities = Field(description="That the first only is right.")
    second_only: Probabilities = Field(description="That the second only is right.")
    both: Probabilities | None = Field(
        None, description="That both are right; left out, half of what the discordant cells leave."
    )


class OfAllCells(OfCells):
    """Tables by the probabilities of three cells."""

    both: Probabilities = Field(description="That both are right.")


class OfMargins(StrictModel):
    """Tables by the probabilities that each is right, and the correlation of the results."""

    first: Probabilities = Field(description="That the first is right.")
    second: Probabilities = Field(description="That the second is right.")
    correlation: Correlations = Field(
        description="The phi coefficient: 0 where the results of a case are independent."
    )


def _shapes(shapes: list[float]) -> list[float]:
    if not is_valid_prior(tuple(shapes)) or max(shapes) > _LARGEST_SHAPE:
        raise ValueError(shapes)
    return shapes


class OfDirichlet(StrictModel):
    """Dirichlet(a11, a10, a01, a00) of both, first_only, second_only and neither."""

    dirichlet: Annotated[
        list[float],
        Field(min_length=4, max_length=4),
        AfterValidator(_shapes),
        expecting(f"{PRIOR_RANGE} and at most 10^6"),
    ] = Field(description="Four shapes [a11, a10, a01, a00], of both ... neither.")


_KINDS: dict[str, tuple[str, ...]] = {
    "cells": ("first_only", "second_only", "both"),
    "margins": ("first", "second", "correlation"),
    "dirichlet": ("dirichlet",),
}
_CHOICE = (
    "a mapping with first_only and second_only, with first, second and correlation, or with "
    "dirichlet"
)


def _kind(value: Any) -> str:
    """The kind of truth that has the first known key."""
    found = (kind for key in value for kind, keys in _KINDS.items() if key in keys)
    return tag(next(found, "cells"))


def _checked(value: Any, handler: Handler) -> Any:
    """Say in one message what a truth may be where it is none of the kinds, or two of them."""
    if not isinstance(value, Mapping):
        raise expected(_CHOICE)
    kinds = [kind for kind, keys in _KINDS.items() if any(key in keys for key in value)]
    if len(kinds) != 1:
        raise expected(_CHOICE)
    return handler(value)


def _truth(family: Family, model: OfCells | OfMargins | OfDirichlet) -> PairedTruth:
    """The truth; tables that cannot be are refused in a sentence."""
    if isinstance(model, OfDirichlet):
        both, first_only, second_only, neither = (float(shape) for shape in model.dirichlet)
        return DirichletTruth((both, first_only, second_only, neither))
    if isinstance(model, OfMargins):
        parts = [model.first, model.second, model.correlation]
        make: Callable[..., Cells] = table_of_margins
    else:
        parts = [model.first_only, model.second_only]
        parts += [model.both] if model.both is not None else []
        make = table_of_cells
    count = 1
    for part in parts:
        count *= len(part)
    if count > LONGEST_GRID:
        raise refused(f"expected at most {LONGEST_GRID} tables of probabilities, found {count}")
    try:
        return TableTruth.of(_known(family, make(*each)) for each in product(*parts))
    except InputError as error:
        raise refused(str(error)) from None


def _known(family: Family, table: Cells) -> Cells:
    """The table, at which the parameter is a number."""
    assert isinstance(family, PairedFamily)
    family.validate_truth(table)
    return table


def paired_truth_type(family: Family) -> Any:
    """The type of the truth of a family of pairs, which yields a `PairedTruth`."""
    assert isinstance(family, PairedFamily)
    cells: Any = OfAllCells if family.uses_both else OfCells
    return Annotated[
        Annotated[cells, Tag("<cells>")]
        | Annotated[OfMargins, Tag("<margins>")]
        | Annotated[OfDirichlet, Tag("<dirichlet>")],
        Discriminator(_kind),
        AfterValidator(lambda model: _truth(family, model)),
        WrapValidator(_checked),
    ]
