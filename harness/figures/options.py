"""The options of each kind of figure.

Options called ``n``, ``alpha``, ``method``, ``methods`` and ``reference`` name levels of the
experiment: a size, a nominal alpha and labels of methods. For rates ``n`` is an exposure, for two
samples a pair.
"""

from __future__ import annotations

from typing import Literal, Self

from pydantic import Field, model_validator

from harness.figures.option_types import (
    Alpha,
    Fractions,
    Label,
    Labels,
    Outcomes,
    Probabilities,
    Size,
    Truth,
)
from harness.models import StrictModel

_SIZE = "Size to draw; may be left out when the experiment has only one."
_METHODS = "Labels of the methods to draw, in this order; left out, all of them."
_ALPHA = "Nominal alpha to draw; left out, one drawing per alpha."
_SETS = "Nominal alpha to draw; left out, one set of drawings per alpha."
_SECOND = (
    "Of two samples: the true value of the second to hold; "
    "may be left out when the experiment has only one."
)


class FigureOptions(StrictModel):
    """The base class of the options of figures."""


class AlphaByOutcome(FigureOptions):
    """Options of `alpha_by_outcome`."""

    n: Size | None = Field(None, description=_SIZE)
    method: Label | None = Field(
        None, description="Label of the method to draw; left out, one drawing per method."
    )
    alpha: Alpha | None = Field(None, description=_ALPHA)
    highest: float | None = Field(
        None, gt=0, le=1, description="Upper end of the axis of alpha; left out, all is shown."
    )


class AlphaSurface(FigureOptions):
    """Options of `alpha_surface`."""

    method: Label | None = Field(
        None, description="Label of the method to draw; left out, one set of drawings per method."
    )
    alpha: Alpha | None = Field(None, description=_SETS)
    engine: Literal["posterior", "enumeration", "monte_carlo"] = Field(
        "posterior", description="Engine whose alpha error is drawn."
    )
    fractions: Fractions = Field(
        21, description="Number of equally spaced x/n from 0 to 1; x is n times it, half up."
    )
    scale: float = Field(
        0.05,
        gt=0,
        le=1,
        description="The common z axis runs from -scale to scale; values beyond are cut to it.",
    )


class LengthSurface(FigureOptions):
    """Options of `length_surface`."""

    method: Label | None = Field(
        None,
        description="Label of the method to draw; left out, one set of drawings per method of "
        "the reference's side, the reference itself left out.",
    )
    alpha: Alpha | None = Field(None, description=_SETS)
    reference: Label = Field(
        "minimal_length", description="Label of the method whose length counts as 100 per cent."
    )
    fractions: Fractions = Field(
        21, description="Number of equally spaced x/n from 0 to 1; x is n times it, half up."
    )


class CoverageCurve(FigureOptions):
    """Options of `coverage_curve`."""

    n: Size | None = Field(None, description=_SIZE)
    methods: Labels | None = Field(None, description=_METHODS)
    alpha: Alpha | None = Field(None, description=_ALPHA)
    second: Truth | None = Field(None, description=_SECOND)
    lowest: float | None = Field(
        None,
        ge=0,
        lt=1,
        description="Lower end of the coverage axis; left out, 1 - 4 alpha, "
        "or higher where no coverage is that low.",
    )
    points: int = Field(
        100,
        ge=1,
        description="About how many Monte Carlo points to draw of each method, evenly spread; "
        "the exact line always goes through every truth.",
    )


class LengthCurve(FigureOptions):
    """Options of `length_curve`."""

    n: Size | None = Field(None, description=_SIZE)
    methods: Labels | None = Field(None, description=_METHODS)
    alpha: Alpha | None = Field(None, description=_ALPHA)
    second: Truth | None = Field(None, description=_SECOND)


class AlphaOverOutcome(FigureOptions):
    """Options of `alpha_over_outcome`."""

    n: Size | None = Field(None, description=_SIZE)
    methods: Labels | None = Field(None, description=_METHODS)
    alpha: Alpha | None = Field(
        None,
        description="Nominal alpha to draw; left out, one drawing per alpha, and where there are "
        "several one more in which they are compared as per cent of alpha.",
    )
    lowest: float = Field(
        -200.0,
        lt=0,
        description="Lower end of the axis of per cent of alpha; what lies below is told.",
    )


class LengthOverOutcome(FigureOptions):
    """Options of `length_over_outcome`."""

    n: Size | None = Field(None, description=_SIZE)
    methods: Labels | None = Field(
        None,
        description="Labels of the methods to draw, in this order; left out, all of the "
        "reference's side, the reference itself left out.",
    )
    alpha: Alpha | None = Field(None, description=_ALPHA)
    reference: Label = Field(
        "minimal_length", description="Label of the method whose length counts as 100 per cent."
    )


class Bounds(FigureOptions):
    """Options of `bounds`."""

    n: Size | None = Field(None, description=_SIZE)
    x: Outcomes | None = Field(
        None,
        description="Outcomes to draw, each one number or two for two samples; left out, the "
        "middle one of the results.",
    )
    methods: Labels | None = Field(None, description=_METHODS)
    alpha: Alpha | None = Field(None, description=_ALPHA)


class OutcomeTails(FigureOptions):
    """Options of `outcome_tails`; they name no levels of the experiment."""

    n: int = Field(100, ge=1, le=10**9, description="Number of trials of the binomial.")
    x: int = Field(80, ge=0, description="Outcome up to which the probability is shaded.")
    truths: Probabilities = Field(
        (0.8, 0.83, 0.863),
        description="True proportions in increasing order, each a column of panels; at most five.",
    )

    @model_validator(mode="after")
    def _fitting(self) -> Self:
        if self.x > self.n:
            raise ValueError(f"expected an x of at most n = {self.n}")
        return self


class Calibration(FigureOptions):
    """Options of `calibration`: there are none."""
