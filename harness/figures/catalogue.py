"""The kinds of figure and their options. This file IS the list.

Options called ``n``, ``alpha``, ``method``, ``methods`` and ``reference`` name levels of the
experiment: a size, a nominal alpha and labels of methods. Importing this file draws nothing and
loads neither matplotlib nor polars, so that a config is checked without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _distinct(labels: tuple[str, ...]) -> tuple[str, ...]:
    if len(set(labels)) != len(labels):
        raise ValueError("each label may be named once")
    return labels


Label = Annotated[str, Field(min_length=1)]
Labels = Annotated[tuple[Label, ...], Field(strict=False, min_length=1), AfterValidator(_distinct)]
Size = Annotated[int, Field(ge=1)]
Alpha = Annotated[float, Field(gt=0, lt=1)]
Fractions = Annotated[int, Field(ge=2, le=1001)]


class FigureOptions(BaseModel):
    """What every kind of figure holds to: no unknown option, no silent conversion."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AlphaByOutcome(FigureOptions):
    """Options of `alpha_by_outcome`."""

    n: Size | None = Field(
        None, description="Size to draw; may be left out when the experiment has only one."
    )
    method: Label | None = Field(
        None, description="Label of the method to draw; left out, one drawing per method."
    )
    alpha: Alpha | None = Field(
        None, description="Nominal alpha to draw; left out, one drawing per alpha."
    )


class AlphaSurface(FigureOptions):
    """Options of `alpha_surface`."""

    method: Label | None = Field(
        None, description="Label of the method to draw; left out, one set of drawings per method."
    )
    alpha: Alpha | None = Field(
        None, description="Nominal alpha to draw; left out, one set of drawings per alpha."
    )
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
    alpha: Alpha | None = Field(
        None, description="Nominal alpha to draw; left out, one set of drawings per alpha."
    )
    reference: Label = Field(
        "minimal_length", description="Label of the method whose length counts as 100 per cent."
    )
    fractions: Fractions = Field(
        21, description="Number of equally spaced x/n from 0 to 1; x is n times it, half up."
    )


class CoverageCurve(FigureOptions):
    """Options of `coverage_curve`."""

    n: Size | None = Field(
        None, description="Size to draw; may be left out when the experiment has only one."
    )
    methods: Labels | None = Field(
        None, description="Labels of the methods to draw, in this order; left out, all of them."
    )
    alpha: Alpha | None = Field(
        None, description="Nominal alpha to draw; left out, one drawing per alpha."
    )
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

    n: Size | None = Field(
        None, description="Size to draw; may be left out when the experiment has only one."
    )
    methods: Labels | None = Field(
        None, description="Labels of the methods to draw, in this order; left out, all of them."
    )
    alpha: Alpha | None = Field(
        None, description="Nominal alpha to draw; left out, one drawing per alpha."
    )


@dataclass(frozen=True)
class FigureKind:
    """One kind of figure: what it shows, what it may be told, and what it is drawn from."""

    name: str
    title: str
    options: type[FigureOptions]
    over: Literal["outcome", "truth"]
    """Which cells it reads. ``truth`` asks for an experiment with a grid or a list of truths."""
    needs: tuple[str, ...]
    """The run must use at least one of these engines."""
    draw: str
    """``module:function`` taking the results and the options, imported when it is drawn."""

    def engines(self, options: FigureOptions) -> tuple[str, ...]:
        """The engines of which the run must use at least one, given these options."""
        named: str | None = getattr(options, "engine", None)
        return self.needs if named is None else (named,)


FIGURES: dict[str, FigureKind] = {
    kind.name: kind
    for kind in (
        FigureKind(
            name="alpha_by_outcome",
            title="Monte Carlo alpha of each outcome, with its interval, against the exact value",
            options=AlphaByOutcome,
            over="outcome",
            needs=("monte_carlo",),
            draw="harness.figures.alpha_by_outcome:draw",
        ),
        FigureKind(
            name="alpha_surface",
            title="Alpha error over n and x/n: two wireframes and a heat map with values",
            options=AlphaSurface,
            over="outcome",
            needs=("posterior", "enumeration", "monte_carlo"),
            draw="harness.figures.alpha_surface:draw",
        ),
        FigureKind(
            name="length_surface",
            title="Per cent longer than a reference method over n and x/n",
            options=LengthSurface,
            over="outcome",
            needs=("posterior", "enumeration", "monte_carlo"),
            draw="harness.figures.length_surface:draw",
        ),
        FigureKind(
            name="coverage_curve",
            title="Coverage over the true proportion, exact and by Monte Carlo",
            options=CoverageCurve,
            over="truth",
            needs=("enumeration", "monte_carlo"),
            draw="harness.figures.coverage_curve:draw",
        ),
        FigureKind(
            name="length_curve",
            title="Expected interval length over the true proportion",
            options=LengthCurve,
            over="truth",
            needs=("enumeration",),
            draw="harness.figures.length_curve:draw",
        ),
    )
}
