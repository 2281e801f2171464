"""Where the true values of pairs, runs, clusters and strata come from.

A list of tables of pairs is given by cells, which are the probabilities that the first only, the
second only, or both are right; or by the margins, which are the probabilities that the first and
that the second is right, with the correlation of the two results. The values of each are crossed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import product
from math import prod
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, Tag, model_validator

from harness.base.errors import InputError
from harness.base.models import StrictModel
from harness.config.models.constraints import (
    expected,
    expecting,
    one_of,
    refused,
    tag,
)
from harness.config.models.levels import (
    LONGEST_GRID,
    Correlations,
    CorrelationsWithin,
    Differences,
    Probabilities,
    Probability,
)
from harness.distributions.list_truths import ClusterTruth, RunTruth, StratumTruth, runs_truth
from harness.distributions.paired_truths import (
    Cells,
    DirichletTruth,
    PairedTruth,
    TableTruth,
    table_of_cells,
    table_of_margins,
)
from harness.families.family import Family
from harness.families.paired import PAIR, validate_table

_LARGEST_SHAPE = 1e6

Strata = Annotated[
    list[Annotated[Probability, expecting("a number from 0 to 1")]], Field(min_length=1)
]


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


def _are_shapes(shapes: list[float]) -> bool:
    return PAIR.is_valid_prior(tuple(shapes)) and max(shapes) <= _LARGEST_SHAPE


class OfDirichlet(StrictModel):
    """Dirichlet(a11, a10, a01, a00) of both, first_only, second_only and neither."""

    dirichlet: Annotated[
        list[float],
        Field(min_length=4, max_length=4),
        expecting(f"{PAIR.PRIOR_RANGE} and at most 10^6", _are_shapes),
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


def _kinds(value: Mapping[str, Any]) -> list[str]:
    """The kinds of truth of which the mapping has a key."""
    return [kind for kind, keys in _KINDS.items() if any(key in keys for key in value)]


def _of_one_kind(value: Any) -> Any:
    """Say in one message what a truth may be where it is none of the kinds, or two of them."""
    if not isinstance(value, Mapping) or len(_kinds(value)) != 1:
        raise expected(_CHOICE)
    return value


def _paired_truth(family: Family, model: OfCells | OfMargins | OfDirichlet) -> PairedTruth:
    """The truth; tables that cannot be, or that have no parameter, are refused in a sentence."""
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
    count = prod(map(len, parts))
    if count > LONGEST_GRID:
        raise refused(f"expected at most {LONGEST_GRID} tables of probabilities, found {count}")
    tables = []
    try:
        for each in product(*parts):
            tables.append(make(*each))
            validate_table(family, tables[-1])
        return TableTruth.of(tables)
    except InputError as error:
        raise refused(str(error)) from None


def paired_truth_type(family: Family) -> Any:
    """The type of the truth of a family of pairs, which yields a `PairedTruth`."""
    assert family.of_pairs is not None
    cells: Any = OfAllCells if family.of_pairs.uses_both else OfCells
    return Annotated[
        Annotated[cells, Tag("<cells>")]
        | Annotated[OfMargins, Tag("<margins>")]
        | Annotated[OfDirichlet, Tag("<dirichlet>")],
        Discriminator(lambda value: tag(_kinds(value)[0])),
        AfterValidator(lambda model: _paired_truth(family, model)),
        BeforeValidator(_of_one_kind),
    ]


class OfClusters(StrictModel):
    """Proportions, and correlations within a cluster; the values of each are crossed."""

    p: Probabilities = Field(description="True proportions.")
    rho: CorrelationsWithin = Field(
        description="The correlation of two cases of a cluster: 0 where all are independent."
    )


def _cluster_truth(model: OfClusters) -> ClusterTruth:
    truth = ClusterTruth(model.p, model.rho)
    if truth.count > LONGEST_GRID:
        raise refused(f"expected at most {LONGEST_GRID} pairs of p and rho, found {truth.count}")
    return truth


class OfStrata(StrictModel):
    """Probabilities of the second sample over the strata, with those of the first or differences.

    With ``difference`` it is p1 − p2 in every stratum.
    """

    second: Strata = Field(description="p2 in each stratum.")
    first: Strata | None = Field(None, description="p1 in each stratum.")
    difference: Differences | None = Field(None, description="p1 - p2, the same in all strata.")

    @model_validator(mode="after")
    def _one_of_two(self) -> OfStrata:
        if (self.first is None) == (self.difference is None):
            raise refused("expected second with either first or difference")
        if self.first is not None and len(self.first) != len(self.second):
            raise refused(
                f"expected as many probabilities in first as in second ({len(self.second)}), "
                f"found {len(self.first)}"
            )
        return self


def _stratum_truth(model: OfStrata) -> StratumTruth:
    second = tuple(p + 0.0 for p in model.second)
    if model.first is not None:
        return StratumTruth(((tuple(p + 0.0 for p in model.first), second),))
    try:
        return StratumTruth.of_differences(second, model.difference or ())
    except InputError as error:
        raise refused(str(error)) from None


class _Normal(StrictModel):
    """A normal distribution."""

    mean: float = Field(description="Mean.")
    sd: float = Field(description="Standard deviation, above 0.")


class _Gamma(_Normal):
    """A shifted gamma distribution."""

    skewness: float = Field(description="Skewness, not 0; below 0 the long tail is the lower one.")


class _Failed(StrictModel):
    """Runs that fail."""

    share: float = Field(description="The probability that a run fails, above 0 and below 1.")
    mean: float = Field(description="Mean of failed runs.")
    sd: float = Field(description="Standard deviation of failed runs, from 0 on.")


class _Mixture(StrictModel):
    """Normal runs, some of which fail."""

    normal: _Normal = Field(description="The runs that do not fail.")
    failed: _Failed = Field(description="The runs that do.")


class OfNormal(StrictModel):
    """Normal values of runs."""

    normal: _Normal = Field(description="{mean, sd}.")


class OfGamma(StrictModel):
    """Skewed values of runs."""

    gamma: _Gamma = Field(description="{mean, sd, skewness}.")


class OfBeta(StrictModel):
    """Accuracies of runs."""

    beta: list[float] = Field(min_length=2, max_length=2, description="[s, t] of Beta(s, t).")


class OfMixture(StrictModel):
    """Values of runs that may fail."""

    mixture: _Mixture = Field(description="{normal, failed}.")


def _run_truth(model: OfNormal | OfGamma | OfBeta | OfMixture) -> RunTruth:
    ((name, settings),) = model.model_dump().items()
    try:
        return RunTruth(runs_truth(name, settings))
    except InputError as error:
        raise refused(str(error)) from None


RunTruths: Any = Annotated[
    one_of({"normal": OfNormal, "gamma": OfGamma, "beta": OfBeta, "mixture": OfMixture}),
    AfterValidator(_run_truth),
]
ClusterTruths: Any = Annotated[OfClusters, AfterValidator(_cluster_truth)]
StratumTruths: Any = Annotated[OfStrata, AfterValidator(_stratum_truth)]
