"""Where the true values of pairs, confusion tables, runs, clusters and strata come from.

A list of tables of pairs is given by cells, which are the probabilities that the first only, the
second only, or both are right; or by the margins, which are the probabilities that the first and
that the second is right, with the correlation of the two results. The values of each are crossed.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod
from typing import Annotated, Any, ClassVar, Literal, Union

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidationInfo,
    model_validator,
)

from harness.base.models import (
    StrictModel,
    by_shape,
    expected,
    expecting,
    one_of,
    refused,
    refusing,
    tag,
)
from harness.config.models.levels import (
    LONGEST_GRID,
    Correlations,
    CorrelationsWithin,
    Differences,
    Probabilities,
    Probability,
    numbers_listed,
)
from harness.distributions.list_laws import LAWS_OF_TASKS, RunsTruth, runs_truth
from harness.distributions.list_truths import (
    MEAN,
    MEDIAN,
    QUANTILE,
    ClusteredPairTruth,
    ClusteredScoreTruth,
    ClusterTruth,
    RunTruth,
    StratumTruth,
    TaskTruth,
)
from harness.distributions.paired_truths import (
    Cells,
    ConfusionTruth,
    DirichletTruth,
    JudgedTruth,
    LabelledTruth,
    PairedTruth,
    TableTruth,
    table_of_cells,
    table_of_margins,
)
from harness.families.confusion import CASE, RATES, cells_of_rates
from harness.families.confusion import CELLS as CONFUSED_CELLS
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


_PairShapes: Any = numbers_listed(4, float, f"{PAIR.PRIOR_RANGE} and at most 10^6", _are_shapes)
_CaseShapes: Any = numbers_listed(4, float, f"{CASE.PRIOR_RANGE} and at most 10^6", _are_shapes)


class OfDirichlet(StrictModel):
    """Dirichlet(a11, a10, a01, a00) of both, first_only, second_only and neither."""

    dirichlet: _PairShapes = Field(
        description="Four shapes [a11, a10, a01, a00], of both ... neither."
    )


_Levels = Annotated[
    Probabilities,
    BeforeValidator(
        lambda given: {"values": given} if isinstance(given, list) else given,
        json_schema_input_type=list[Probability] | Probabilities,
    ),
]
"""Probabilities as a list alone too."""


class OfConfusedCells(StrictModel):
    """Confusion tables by the probabilities of three cells; the values of each are crossed."""

    tp: _Levels = Field(description="Of a case that is a true positive.")
    fp: _Levels = Field(description="Of a false positive.")
    fn: _Levels = Field(description="Of a false negative.")


class OfRates(StrictModel):
    """Confusion tables by the classes and how well each is predicted; the values are crossed."""

    prevalence: _Levels = Field(description="The probability of a positive.")
    sensitivity: _Levels = Field(description="That a positive is predicted as such.")
    specificity: _Levels = Field(description="That a negative is predicted as such.")


class CrossedLists(StrictModel):
    """True values by one list for each of several parameters; the values of each are crossed."""

    plural: ClassVar[str] = "true values"
    """What too many of them are called."""

    @abstractmethod
    def truth(self) -> Any:
        """The truth."""


def crossed_truth(model: CrossedLists) -> Any:
    """The truth of a model, whose lists do not cross to more values than a run may have."""
    count = prod(len(values) for _, values in model if isinstance(values, tuple))
    if count > LONGEST_GRID:
        raise refused(f"expected at most {LONGEST_GRID} {model.plural}, found {count}")
    return model.truth()


class OfJudge(CrossedLists):
    """Shares and how often the judge is right of each kind; the values are crossed."""

    plural: ClassVar[str] = "rows of true values"

    share: _Levels = Field(description="True shares of positives.")
    sensitivity: _Levels = Field(description="That the judge says yes to a positive.")
    specificity: _Levels = Field(description="That the judge says no to a negative.")

    def truth(self) -> JudgedTruth:
        rows = product(self.share, self.sensitivity, self.specificity)
        return JudgedTruth.of((p + 0.0, se + 0.0, sp + 0.0) for p, se, sp in rows)


class OfConfusedDirichlet(OfDirichlet):
    """Dirichlet(a, b, c, d) of tp, fp, fn and tn."""

    dirichlet: _CaseShapes = Field(description="Four shapes, of tp, fp, fn and tn.")


def _cells_of(family: Family, made: Sequence[float]) -> Cells:
    """The probabilities of tp, fp, fn and tn, from three or four of them."""
    left = [np.asarray(share) for share in made[:3]]
    tp, fp, fn, tn = (float(cell) + 0.0 for cell in family.all_truths(left))
    return tp, fp, fn, tn


@dataclass(frozen=True)
class _Kind:
    """A kind of truth of a table."""

    keys: tuple[str, ...]
    model: Any
    make: Callable[..., Any]
    """Makes a table of a value of each key, after the family."""


_DIRICHLET = ("dirichlet",)
_OF_PAIRS = {
    "cells": _Kind(
        ("first_only", "second_only", "both"), OfCells, lambda _, *parts: table_of_cells(*parts)
    ),
    "margins": _Kind(
        ("first", "second", "correlation"), OfMargins, lambda _, *parts: table_of_margins(*parts)
    ),
    "dirichlet": _Kind(_DIRICHLET, OfDirichlet, lambda _, shapes: shapes),
}
_OF_CONFUSION = {
    "cells": _Kind(
        CONFUSED_CELLS[:3], OfConfusedCells, lambda family, *cells: _cells_of(family, cells)
    ),
    "rates": _Kind(
        RATES, OfRates, lambda family, *rates: _cells_of(family, cells_of_rates(*rates))
    ),
    "dirichlet": _Kind(_DIRICHLET, OfConfusedDirichlet, lambda _, shapes: shapes),
}
_CHOICES = (
    "a mapping with first_only and second_only, with first, second and correlation, or with "
    "dirichlet",
    "a mapping with tp, fp and fn, with prevalence, sensitivity and specificity, or with dirichlet",
)


def _kinds(kinds: Mapping[str, _Kind], value: Mapping[str, Any]) -> list[str]:
    """The kinds of truth of which the mapping has a key."""
    return [name for name, kind in kinds.items() if any(key in kind.keys for key in value)]


def table_truth_type(family: Family) -> Any:
    """The type of the truth of a family of tables, which yields a `PairedTruth`."""
    kinds, choice = dict(_OF_PAIRS), _CHOICES[0]
    if family.of_pairs is None:
        kinds, choice = _OF_CONFUSION, _CHOICES[1]
    elif family.of_pairs.uses_both:
        kinds["cells"] = replace(kinds["cells"], model=OfAllCells)

    def of_one_kind(value: Any) -> Any:
        """Say in one message what a truth may be where it is none of the kinds, or two of them."""
        if not isinstance(value, Mapping) or len(_kinds(kinds, value)) != 1:
            raise expected(choice)
        return value

    def truth(model: Any) -> PairedTruth:
        """The truth; a table that cannot be, or has no parameter, is refused in a sentence."""
        if isinstance(model, OfDirichlet):
            a, b, c, d = (float(shape) for shape in model.dirichlet)
            return DirichletTruth((a, b, c, d))
        kind = next(kind for kind in kinds.values() if isinstance(model, kind.model))
        parts = [getattr(model, key) for key in kind.keys]
        parts = [numbers for numbers in parts if numbers is not None]
        count = prod(map(len, parts))
        if count > LONGEST_GRID:
            raise refused(f"expected at most {LONGEST_GRID} tables of probabilities, found {count}")
        tables = []
        with refusing():
            for numbers in product(*parts):
                tables.append(kind.make(family, *numbers))
                validate_table(family, tables[-1])
            return (TableTruth if family.as_pairs is None else ConfusionTruth).of(tables)

    tagged = tuple(Annotated[kind.model, Tag(tag(name))] for name, kind in kinds.items())
    models: Any = Union[tagged]  # noqa: UP007
    return Annotated[
        models,
        Discriminator(lambda value: tag(_kinds(kinds, value)[0])),
        AfterValidator(truth),
        BeforeValidator(of_one_kind),
    ]


class OfClusters(CrossedLists):
    """Proportions, and correlations within a cluster; the values of each are crossed."""

    plural: ClassVar[str] = "pairs of p and rho"

    p: Probabilities = Field(description="True proportions.")
    rho: CorrelationsWithin = Field(
        description="The correlation of two cases of a cluster: 0 where all are independent."
    )

    def truth(self) -> ClusterTruth:
        return ClusterTruth(self.p, self.rho)


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

    def truth(self) -> StratumTruth:
        second = tuple(p + 0.0 for p in self.second)
        if self.first is not None:
            return StratumTruth(((tuple(p + 0.0 for p in self.first), second),))
        with refusing():
            return StratumTruth.of_differences(second, self.difference or ())


class OfLabelled(CrossedLists):
    """Shares, and how well a judge tells right from wrong; the values of each are crossed."""

    share: _Levels = Field(description="The probability of a case that is right.")
    sensitivity: _Levels = Field(description="That the judge says yes to a case that is right.")
    specificity: _Levels = Field(description="That it says no to a case that is wrong.")

    def truth(self) -> LabelledTruth:
        return LabelledTruth(self.share, self.sensitivity, self.specificity)


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


class _Points(StrictModel):
    """Values and how often each occurs."""

    values: list[float] = Field(min_length=2, description="Distinct values.")
    weights: list[float] = Field(description="The probability of each.")


class OfPoints(StrictModel):
    """Listed values of runs."""

    points: _Points = Field(description="{values, weights}.")


class OfQuantile(StrictModel):
    """A quantile of the law of a run."""

    quantile: Annotated[
        float, Field(gt=0, lt=1), expecting("a probability above 0 and below 1")
    ] = Field(description="Its probability: 0.5 is the median.")


def _quantile(written: str | OfQuantile) -> float | None:
    """The probability of the quantile that is estimated; None for the mean."""
    if isinstance(written, OfQuantile):
        return written.quantile
    return 0.5 if written == MEDIAN else None


Estimand: Any = Annotated[
    by_shape(
        Annotated[
            Literal[MEAN, MEDIAN], expecting(f"{MEAN}, {MEDIAN} or {{{QUANTILE}: probability}}")
        ],
        mapping=one_of({QUANTILE: OfQuantile}),
    ),
    AfterValidator(_quantile),
]
"""The type of the key ``estimand``, which yields the probability of a quantile, or None."""


def _by_name(make: Callable[[str, Any], Any]) -> AfterValidator:
    """Yield what is made of the one key of a model and the value of that key."""

    def made(model: StrictModel) -> Any:
        ((name, settings),) = model.model_dump().items()
        with refusing():
            return make(name, settings)

    return AfterValidator(made)


_Law: Any = Annotated[
    one_of(
        {
            "normal": OfNormal,
            "gamma": OfGamma,
            "beta": OfBeta,
            "mixture": OfMixture,
            "points": OfPoints,
        }
    ),
    _by_name(runs_truth),
]


def _run_truth(law: RunsTruth, info: ValidationInfo) -> RunTruth:
    context = info.context or {}
    with refusing():
        truth = RunTruth(law, context.get("estimand"))
    family, (low, high) = context["family"], law.span
    if low < family.support[0] or high > family.support[1]:
        raise refused(
            f"expected values from {family.support[0]:g} to {family.support[1]:g}, found "
            f"{law.title}, with values from {low:g} to {high:g}"
        )
    # SciPy has no quantiles of some beta distributions with a parameter above 10^15.
    if not np.isfinite(truth.values[0]).all():
        raise expected("a distribution whose quantiles are known")
    return truth


RunTruths: Any = Annotated[_Law, AfterValidator(_run_truth)]


class _InClusters(StrictModel):
    """What laws of scores in clusters have in common."""

    rho: CorrelationsWithin = Field(
        description="The correlation of two scores of a cluster: 0 where all are independent."
    )
    largest_share: (
        Annotated[float, Field(gt=0, lt=1), expecting("a number above 0 and below 1")] | None
    ) = Field(
        None,
        description="The share of the cases in the largest cluster; left out, all have one size.",
    )


class OfClusteredScores(_InClusters):
    """A law of scores, and correlations within a cluster."""

    scores: _Law = Field(description="The distribution of a score.")


class OfClusteredPairs(_InClusters):
    """Laws of the scores of two systems, and correlations within a cluster."""

    first: _Law = Field(description="The distribution of a score of the first system.")
    second: _Law = Field(description="The distribution of a score of the second system.")


ClusteredScoreTruths: Any = Annotated[
    OfClusteredScores,
    AfterValidator(lambda m: ClusteredScoreTruth(m.scores, tuple(m.rho), m.largest_share)),
]
ClusteredPairTruths: Any = Annotated[
    OfClusteredPairs,
    AfterValidator(
        lambda m: ClusteredPairTruth(m.first, tuple(m.rho), m.largest_share, m.second),
    ),
]


class _MixtureOfTasks(StrictModel):
    """Tasks of three kinds."""

    never: float = Field(description="The share of tasks that are never solved.")
    always: float = Field(description="That of tasks that always are; others are uniform.")


class OfMixtureOfTasks(StrictModel):
    """Probabilities of tasks of three kinds."""

    mixture: _MixtureOfTasks = Field(description="{never, always}.")


TaskTruths: Any = Annotated[
    one_of({"beta": OfBeta, "mixture": OfMixtureOfTasks, "points": OfPoints}),
    _by_name(lambda name, settings: TaskTruth(LAWS_OF_TASKS[name](settings))),
]
ClusterTruths: Any = Annotated[OfClusters, AfterValidator(crossed_truth)]
StratumTruths: Any = Annotated[OfStrata, AfterValidator(OfStrata.truth)]
LabelledTruths: Any = Annotated[OfLabelled, AfterValidator(crossed_truth)]
JudgedTruths: Any = Annotated[OfJudge, AfterValidator(crossed_truth)]
