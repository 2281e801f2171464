"""Where the true parameters of two samples come from, as pydantic models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from harness.config.constraints import expected, refused
from harness.config.form import Key, entry
from harness.config.rate_truth_entry import Gamma, RateTruth, required
from harness.config.truth_entry import (
    LONGEST_GRID,
    Beta,
    Grid,
    ProportionTruth,
    TruthEntry,
    Values,
    kind_of_truth,
)
from harness.families.family import SMALLEST_SHAPE_OF_TWO, Family
from harness.models import StrictModel

AnyTruth = TruthEntry | Gamma

LISTS = "lists (values, grid)"


class PairEntry(StrictModel):
    """Two truths, each by itself."""

    first: AnyTruth
    second: AnyTruth

    @model_validator(mode="after")
    def _alike(self) -> PairEntry:
        lists = [each for each in (self.first, self.second) if isinstance(each, Grid | Values)]
        if len(lists) == 1:
            raise refused(
                f"expected two {LISTS} or two distributions, "
                f"found {kind_of_truth(self.first)} and {kind_of_truth(self.second)}"
            )
        for name in ("first", "second"):
            _refuse_small_shapes(name, getattr(self, name))
        pairs = 1
        for each in lists:
            pairs *= each.grid.count if isinstance(each, Grid) else len(each.values)
        if pairs > LONGEST_GRID:
            raise refused(f"expected at most {LONGEST_GRID} pairs of true values, found {pairs}")
        return self


def _refuse_small_shapes(name: str, truth: AnyTruth) -> None:
    shapes = truth.beta if isinstance(truth, Beta) else []
    shapes = truth.gamma[:1] if isinstance(truth, Gamma) else shapes
    if shapes and min(shapes) < SMALLEST_SHAPE_OF_TWO:
        found = ", ".join(f"{value:g}" for value in shapes)
        least = f"shapes of at least {SMALLEST_SHAPE_OF_TWO} where there are two samples"
        raise refused(f"expected {least}, found {found}", at=name)


class PairOfProportions(PairEntry):
    """Two independent truths, both lists or both distributions."""

    first: ProportionTruth = Field(description="Of the first sample.")
    second: ProportionTruth = Field(description="Of the second sample.")


class PairOfRates(PairEntry):
    """Two independent truths, both lists or both distributions."""

    first: RateTruth = Field(description="Of the first sample.")
    second: RateTruth = Field(description="Of the second sample.")


def _for_both(value: Any) -> Any:
    """One sentence where neither is there, as for a truth of one sample."""
    if isinstance(value, PairEntry) or (
        isinstance(value, Mapping) and {"first", "second"} & {*value}
    ):
        return value
    raise expected("a mapping with the keys first and second, a truth for each sample")


def _distributions(pair: PairEntry) -> PairEntry:
    if isinstance(pair.first, Grid | Values):
        raise refused(
            "expected two distributions for a calibration, "
            f"found {kind_of_truth(pair.first)} and {kind_of_truth(pair.second)}"
        )
    return pair


def uniform_pair() -> PairOfProportions:
    """What holds where nothing is said of two proportions."""
    every = {"uniform": [0, 1]}
    return PairOfProportions.model_validate({"first": every, "second": every})


PAIRS: dict[str, Any] = {
    "proportion": Annotated[PairOfProportions, BeforeValidator(_for_both)],
    "rate": Annotated[
        PairOfRates,
        BeforeValidator(_for_both),
        required("{first: {uniform: [0, 10]}, second: {uniform: [0, 10]}}"),
    ],
}
"""By the model of the samples."""

DISTRIBUTIONS: dict[str, Any] = {
    name: Annotated[pair, AfterValidator(_distributions)] for name, pair in PAIRS.items()
}


def pair_key(family: Family, pairs: Mapping[str, Any]) -> Key:
    """The key ``truth`` of two samples."""
    about = "Where the true parameters come from: {first, second}."
    pair = pairs[family.model.NAME]
    if family.model.NAME == "rate":
        return entry(pair, about)
    return entry(pair, about, uniform_pair())
