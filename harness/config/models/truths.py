"""Where the true parameters come from: the key ``truth`` of a config, by the design of the family.

One sample has a list of values or a distribution, and two samples have two of these; the truths of
other designs are those of `case_truths`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Annotated, Any

import numpy as np
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Discriminator,
    Field,
    Tag,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    create_model,
)

from harness.base.models import (
    StrictModel,
    expected,
    not_here,
    one_of,
    refused,
    tag,
)
from harness.base.text import plain_number
from harness.catalogue import design_for
from harness.config.form import plain
from harness.config.models.case_truths import (
    ClusteredPairTruths,
    ClusteredScoreTruths,
    ClusterTruths,
    JudgedTruths,
    LabelledTruths,
    RunTruths,
    StratumTruths,
    TaskTruths,
    table_truth_type,
)
from harness.config.models.levels import (
    LARGEST_RATE,
    LONGEST_GRID,
    PROBABILITY_LISTS,
    RATE_LISTS,
    Probability,
    Rate,
    ascending_numbers,
    numbers_listed,
)
from harness.config.models.score_truths import PairedScoreTruths, ScoreTruths
from harness.distributions.list_truths import (
    ClusteredPairTruth,
    ClusteredScoreTruth,
    ClusterTruth,
    RunTruth,
    StratumTruth,
    TaskTruth,
)
from harness.distributions.paired_truths import PARTS as PARTS_OF_PAIRS
from harness.distributions.paired_truths import (
    ConfusionTruth,
    JudgedTruth,
    LabelledTruth,
    TableTruth,
)
from harness.distributions.score_truths import PairedScoreTruth, ScoreTruth
from harness.distributions.truths import (
    BetaTruth,
    DifferenceTruth,
    DiscreteTruth,
    GammaTruth,
    PairTruth,
    Truth,
    UniformTruth,
)
from harness.families.combination import Span
from harness.families.confusion import CELLS, RATES
from harness.families.family import POSTERIOR, SMALLEST_SHAPE_OF_TWO, Family
from harness.families.judged import TRUTHS as JUDGED

NARROWEST = 1e-12
"""A narrower uniform truth has too few numbers in it to draw from."""
SMALLEST_SCALE = 1e-100
"""Below it a product of two rates may fall out of the range of doubles."""
Exponent = Annotated[float, Field(ge=1e-3, le=1e6)]
"""Beyond these a Beta distribution is all but a point, or two."""
Scale = Annotated[float, Field(ge=SMALLEST_SCALE, le=LARGEST_RATE)]

_UNIT_SPAN = "[a, b] with 0 <= a < b <= 1 and b - a at least 1e-12"
_RATE_SPAN = "[a, b] with 0 <= a < b, b from 1e-100 to 1e100 and b - a at least 1e-12 b"
_SHAPES = "[s, t], each from 0.001 to 10^6"
_SHAPE_AND_RATE = "[shape, rate], from 0.001 to 10^6 and from 1e-100 to 1e100"


_two = partial(numbers_listed, 2)
_UnitSpan: Any = _two(
    Probability, f"two numbers {_UNIT_SPAN}", lambda ends: ends[1] - ends[0] >= NARROWEST
)
_RateSpan: Any = _two(
    Rate,
    f"two numbers {_RATE_SPAN}",
    lambda ends: ends[1] >= SMALLEST_SCALE and ends[1] - ends[0] >= NARROWEST * ends[1],
)
_Shapes: Any = _two(Exponent, f"two numbers {_SHAPES}")
_ShapeAndRate: Any = _two(
    Scale, f"two numbers {_SHAPE_AND_RATE}", lambda pair: 1e-3 <= pair[0] <= 1e6
)


class Uniform(StrictModel):
    """Uniform on [a, b]."""

    uniform: _UnitSpan = Field(description=f"{_UNIT_SPAN}.")


class RateUniform(StrictModel):
    """Uniform on [a, b]."""

    uniform: _RateSpan = Field(description=f"{_RATE_SPAN}.")


class Beta(StrictModel):
    """Beta(s, t) on [0, 1]."""

    beta: _Shapes = Field(description=f"{_SHAPES}.")


class Gamma(StrictModel):
    """Gamma with a shape s and a rate t."""

    gamma: _ShapeAndRate = Field(description=f"{_SHAPE_AND_RATE}.")


def _truth_of_one(model: Any) -> Truth:
    ((key, numbers),) = model
    if key in PROBABILITY_LISTS:
        return DiscreteTruth(ascending_numbers(model))
    makers: dict[str, Callable[[float, float], Truth]] = {
        "uniform": UniformTruth,
        "beta": BetaTruth,
        "gamma": GammaTruth,
    }
    return makers[key](*(number + 0.0 for number in numbers))


def _one_of(models: Mapping[str, Any], **elsewhere: str) -> Any:
    """The type of the truth of one sample; ``elsewhere``: whose the other keys are."""
    of_two = dict.fromkeys(("first", "second"), "two samples")
    kinds = one_of(models, not_here(models, **elsewhere, **of_two))
    return Annotated[kinds, AfterValidator(_truth_of_one)]


_TRUTHS: dict[str, Any] = {
    "Beta": _one_of(
        {
            "uniform": Uniform,
            "grid": PROBABILITY_LISTS["grid"],
            "values": PROBABILITY_LISTS["values"],
            "beta": Beta,
        },
        gamma="a rate",
    ),
    "Gamma": _one_of(
        {
            "uniform": RateUniform,
            "grid": RATE_LISTS["grid"],
            "values": RATE_LISTS["values"],
            "gamma": Gamma,
        },
        beta="a proportion",
    ),
}
"""The type of the truth of one sample, by the family of its parameter's priors."""


def _kinds(pair: Mapping[str, Mapping[str, Any]]) -> str:
    """The kinds of the truths of both samples: ``uniform and values``."""
    return " and ".join(next(iter(pair[sample])) for sample in ("first", "second"))


def _pair(written: Any, handler: ValidatorFunctionWrapHandler, support: Span) -> PairTruth:
    if not isinstance(written, Mapping) or not {"first", "second"} & {*written}:
        # One message where neither key is given.
        raise expected("a mapping with the keys first and second, a truth for each sample")
    pair = handler(written)
    if "difference" in written:
        truth: PairTruth = DifferenceTruth.of(pair.difference, pair.second)
        low, high = support
        outside = [value for value in truth.values[0].tolist() if not low <= value <= high]
        if outside:
            what = f"values of the first sample, second + difference, from {low:g} to {high:g}"
            raise refused(f"expected {what}, found {outside[0]:.6g}")
    else:
        truth = PairTruth(pair.first, pair.second)
    if truth.first.is_discrete != truth.second.is_discrete:
        raise refused(
            "expected two lists (values, grid) or two distributions, found " + _kinds(written)
        )
    for sample, of_sample in (("first", truth.first), ("second", truth.second)):
        shapes = () if of_sample.is_discrete else of_sample.shapes
        if shapes and min(shapes) < SMALLEST_SHAPE_OF_TWO:
            listed = ", ".join(f"{value:g}" for value in shapes)
            least = f"shapes of at least {SMALLEST_SHAPE_OF_TWO} where there are two samples"
            raise refused(f"expected {least}, found {listed}", at=sample)
    if truth.is_discrete and truth.count > LONGEST_GRID:
        most = f"at most {LONGEST_GRID} pairs of true values"
        raise refused(f"expected {most}, found {truth.count}")
    return truth


def _refuse_infinite(family: Family, truth: PairTruth) -> PairTruth:
    """Refuse listed truths at which a ratio is no number; other parameters are finite anywhere."""
    if not truth.is_discrete:
        return truth
    at = np.flatnonzero(~np.isfinite(family.parameter_at(truth.values)))
    if at.size:
        first, second = (values[at[0]] for values in truth.values)
        what = "0/0" if np.isnan(family.parameter_at(truth.values)[at[0]]) else "infinite"
        names = zip(family.symbols, (first, second), strict=True)
        where = " and ".join(f"{name} = {value:g}" for name, value in names)
        raise refused(f"expected truths with a finite {family.parameter}, found {where} ({what})")
    return truth


def _two_distributions(written: Any, handler: ValidatorFunctionWrapHandler) -> PairTruth:
    truth: PairTruth = handler(written)
    if truth.is_discrete:
        raise refused(f"expected two distributions for a calibration, found {_kinds(written)}")
    return truth


@cache
def _pair_type(model: str, prior: str, support: Span) -> Any:
    fields: Any = {
        sample: (_TRUTHS[prior], Field(description=f"Of the {sample} sample."))
        for sample in ("first", "second")
    }
    about = (
        "Two independent truths, both lists or both distributions. Two lists are crossed: each "
        "value of the first with each of the second, all pairs with equal weights."
    )
    name = f"PairOf{model.capitalize()}s"
    pair = create_model(name, __base__=StrictModel, __doc__=about, **fields)
    lists = {key: PROBABILITY_LISTS[key] if prior == "Beta" else RATE_LISTS[key]
             for key in ("grid", "values")}  # fmt: skip
    apart: Any = {
        "difference": (
            Annotated[float, Field(allow_inf_nan=False)],
            Field(description="First - second, the same in all pairs."),
        ),
        "second": (_one_of(lists), Field(description="Of the second sample.")),
    }
    about = "Pairs with one difference: each value of the second, and that plus the difference."
    of_difference = create_model(
        f"DifferenceOf{model.capitalize()}s", __base__=StrictModel, __doc__=about, **apart
    )
    kinds = Annotated[
        Annotated[pair, Tag(tag("crossed"))] | Annotated[of_difference, Tag(tag("difference"))],
        Discriminator(
            lambda value: tag(
                "difference" if isinstance(value, Mapping) and "difference" in value else "crossed"
            )
        ),
    ]
    return Annotated[kinds, WrapValidator(partial(_pair, support=support))]


def truth_type(family: Family) -> Any:
    """The type of the truth of a family, which yields a `Truth` or a `PairTruth`."""
    model, prior = family.model.NAME, family.model.PRIOR
    kind, example = _TRUTHS[prior], "{uniform: [0, 10]}"
    if family.samples == 2:
        example = f"{{first: {example}, second: {example}}}"
        refuse_infinite = AfterValidator(partial(_refuse_infinite, family))
        pairs = _pair_type(model, prior, tuple(family.model.SUPPORT))
        kind = Annotated[pairs, refuse_infinite]
    if math.isfinite(family.model.SUPPORT[1]):
        return kind

    def require(value: Any) -> Any:
        """Say, where there is no truth, why there is no default."""
        if value is None:
            raise refused(
                f"expected a truth, as in {example}, found nothing: a {model} has no largest "
                "value, so no truth is uniform over all of them"
            )
        return value

    return Annotated[kind, BeforeValidator(require)]


def distributions_type(family: Family) -> Any:
    """The type of the truth of a calibration: two distributions."""
    return Annotated[truth_type(family), WrapValidator(_two_distributions)]


@dataclass(frozen=True)
class TruthKey:
    """What the key ``truth`` of a family holds."""

    kind: Any
    """The type of its value, which yields the truth."""
    about: str
    parts: tuple[str, ...]
    """The keys below it that may hold a list of values."""
    default: Any = ...
    """The truth where a config gives none; ... where it has to."""


def truth_of(family: Family) -> TruthKey:
    """What the key ``truth`` of the family holds."""
    key = _BY_TRUTH[design_for(family).listed_truth]
    return key if isinstance(key, TruthKey) else key(family)


def _of_samples(about: str, family: Family) -> TruthKey:
    default: Any = ...
    if math.isfinite(family.model.SUPPORT[1]):
        # Uniform over all parameters.
        every = {"uniform": list(family.model.SUPPORT)}
        default = every if family.samples == 1 else {"first": every, "second": every}
    return TruthKey(truth_type(family), about, tuple(family.truth_parts), default)


_ABOUT_PAIRS = (
    "Where the true probabilities of a pair come from: the discordant ones {first_only, "
    "second_only}, or with the third {first_only, second_only, both}; the margins {first, "
    "second, correlation}; or {dirichlet}."
)
_ABOUT_CONFUSION = (
    "Where the true probabilities of the cells come from: {tp, fp, fn}; {prevalence, sensitivity, "
    "specificity}; or {dirichlet} of tp, fp, fn and tn."
)


def _of_tables(about: str, family: Family) -> TruthKey:
    # Exact values under a distribution are those of a posterior.
    has_posterior = POSTERIOR in family.engines
    shapes = [int(shape) for shape in family.model.FLAT_PRIOR]
    flat = {"dirichlet": shapes} if has_posterior else ...
    return TruthKey(table_truth_type(family), about, tuple(family.truth_parts), flat)


_BY_TRUTH: dict[type, TruthKey | Callable[[Family], TruthKey]] = {
    DiscreteTruth: partial(_of_samples, "Where the true parameter comes from."),
    PairTruth: partial(_of_samples, "Where the true parameters come from: {first, second}."),
    TableTruth: partial(_of_tables, _ABOUT_PAIRS),
    ConfusionTruth: partial(_of_tables, _ABOUT_CONFUSION),
    RunTruth: TruthKey(
        RunTruths, "The distribution of the value of a run, whose mean is estimated.", ()
    ),
    TaskTruth: TruthKey(
        TaskTruths,
        "The distribution over tasks of the probability that a sample is right: {beta: [s, t]}, "
        "{mixture: {never, always}} or {points: {values, weights}}.",
        (),
    ),
    ClusterTruth: TruthKey(
        ClusterTruths,
        "True proportions p and correlations rho within a cluster: {p, rho}.",
        ("p", "rho"),
    ),
    ClusteredScoreTruth: TruthKey(
        ClusteredScoreTruths,
        "The distribution of a score and correlations rho within a cluster: {scores, rho}, and "
        "largest_share where clusters differ in size.",
        ("rho",),
    ),
    ClusteredPairTruth: TruthKey(
        ClusteredPairTruths,
        "The distributions of the scores of two systems and correlations rho within a cluster: "
        "{first, second, rho}, and largest_share where clusters differ in size.",
        ("rho",),
    ),
    # Of strata only the differences are a list of values.
    StratumTruth: TruthKey(
        StratumTruths,
        "True probabilities over the strata: {second, difference} or {first, second}.",
        ("difference",),
    ),
    ScoreTruth: TruthKey(
        ScoreTruths,
        "True areas under the ROC curve of binormal scores: {auc, sd_ratio, levels}.",
        ("auc", "sd_ratio"),
    ),
    JudgedTruth: TruthKey(
        JudgedTruths,
        "True shares, and the error rates of the judge: {share, sensitivity, specificity}.",
        JUDGED,
    ),
    PairedScoreTruth: TruthKey(
        PairedScoreTruths,
        "True areas of two scores of the same cases: {auc1, auc2, correlation, levels}.",
        ("auc1", "auc2", "correlation"),
    ),
    LabelledTruth: TruthKey(
        LabelledTruths,
        "True shares of right cases, and how well the judge tells: {share, sensitivity, "
        "specificity}.",
        ("share", "sensitivity", "specificity"),
    ),
}
"""The keys by the class of the truths that a design lists; of some the family decides the type."""


def written_truth(content: Mapping[str, Any], written: Any = None) -> dict[str, Any]:
    """The content of a truth, with plain numbers and with the grids that the config writes."""
    if not isinstance(written, Mapping):
        written = {}
    if "tables" in content:
        return {key: plain(numbers) for key, numbers in written.items()}
    if "cells" in content:
        parts = {}
        for name in (*PARTS_OF_PAIRS, *CELLS, *RATES, *JUDGED[:1]):
            if name in written:
                # Its numbers ascend; a grid stays as it is written.
                part = written[name]
                values = part if isinstance(part, list) else part.get("values", ())
                ascending = sorted(value + 0.0 for value in values)
                parts[name] = written_truth({"values": ascending}, part)
        return parts
    if any(isinstance(part, Mapping) for part in content.values()):
        return {
            key: written_truth(part, written.get(key)) if isinstance(part, Mapping) else plain(part)
            for key, part in content.items()
        }
    if "grid" in written:
        span = written["grid"]
        ends = {key: plain_number(span[key] + 0.0) for key in ("start", "stop")}
        return {"grid": {**ends, "count": span["count"]}}
    return {key: plain(values) for key, values in content.items()}
