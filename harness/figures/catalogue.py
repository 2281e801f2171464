"""The kinds of figure. This file IS the list.

Importing it draws nothing and loads neither matplotlib nor polars, so that a config is checked
without them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from harness.figures.options import (
    AlphaByOutcome,
    AlphaOverOutcome,
    AlphaSurface,
    Bounds,
    Calibration,
    CoverageCurve,
    FigureOptions,
    LengthCurve,
    LengthOverOutcome,
    LengthSurface,
    OutcomeTails,
)

__all__ = [
    "FIGURES",
    "AlphaByOutcome",
    "AlphaSurface",
    "FigureKind",
    "FigureOptions",
    "LengthSurface",
]

ONE_SAMPLE = ("proportion", "rate")
TWO_SAMPLES = ("proportion_difference", "rate_difference", "balanced_accuracy")
EVERY_ENGINE = ("posterior", "enumeration", "monte_carlo")


@dataclass(frozen=True)
class FigureKind:
    """One kind of figure: what it shows, what it may be told, and what it is drawn from."""

    name: str
    title: str
    options: type[FigureOptions]
    over: Literal["outcome", "truth", "bin", "nothing"]
    """Which cells it reads. ``truth`` asks for an experiment with a grid or a list of truths;
    with ``nothing`` the options are all it is drawn from, and they name no levels."""
    needs: tuple[str, ...]
    """The run must use at least one of these engines; asks for none where it is empty."""
    families: tuple[str, ...]
    """Names of the families it can be drawn for."""
    draw: str
    """``module:function`` taking the results and the options, imported when it is drawn."""
    experiment: Literal["coverage", "calibration"] = "coverage"
    """The kind of experiment whose results it reads."""

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
            families=ONE_SAMPLE,
            draw="harness.figures.alpha_by_outcome:draw",
        ),
        FigureKind(
            name="alpha_over_outcome",
            title="Alpha error over the outcome on a log axis, a line per method",
            options=AlphaOverOutcome,
            over="outcome",
            needs=("posterior",),
            families=ONE_SAMPLE,
            draw="harness.figures.alpha_over_outcome:draw",
        ),
        FigureKind(
            name="length_over_outcome",
            title="Per cent longer than a reference method over the outcome on a log axis",
            options=LengthOverOutcome,
            over="outcome",
            needs=EVERY_ENGINE,
            families=ONE_SAMPLE,
            draw="harness.figures.length_over_outcome:draw",
        ),
        FigureKind(
            name="alpha_surface",
            title="Alpha error over n and x/n: two wireframes and a heat map with values",
            options=AlphaSurface,
            over="outcome",
            needs=EVERY_ENGINE,
            families=("proportion",),
            draw="harness.figures.alpha_surface:draw",
        ),
        FigureKind(
            name="length_surface",
            title="Per cent longer than a reference method over n and x/n",
            options=LengthSurface,
            over="outcome",
            needs=EVERY_ENGINE,
            families=("proportion",),
            draw="harness.figures.length_surface:draw",
        ),
        FigureKind(
            name="coverage_curve",
            title="Coverage over the true value, exact and by Monte Carlo",
            options=CoverageCurve,
            over="truth",
            needs=("enumeration", "monte_carlo"),
            families=ONE_SAMPLE + TWO_SAMPLES,
            draw="harness.figures.coverage_curve:draw",
        ),
        FigureKind(
            name="length_curve",
            title="Expected interval length over the true value",
            options=LengthCurve,
            over="truth",
            needs=("enumeration",),
            families=ONE_SAMPLE + TWO_SAMPLES,
            draw="harness.figures.length_curve:draw",
        ),
        FigureKind(
            name="bounds",
            title="Limits of several methods at chosen outcomes, as bars",
            options=Bounds,
            over="outcome",
            needs=EVERY_ENGINE,
            families=ONE_SAMPLE + TWO_SAMPLES,
            draw="harness.figures.bounds:draw",
        ),
        FigureKind(
            name="outcome_tails",
            title="Probabilities of a binomial and how much of it lies at or below an outcome",
            options=OutcomeTails,
            over="nothing",
            needs=(),
            families=("proportion", "proportion_difference", "balanced_accuracy"),
            draw="harness.figures.outcome_tails:draw",
        ),
        FigureKind(
            name="calibration",
            title="How often the event holds against its computed probability, bin by bin",
            options=Calibration,
            over="bin",
            needs=(),
            families=TWO_SAMPLES,
            draw="harness.figures.calibration:draw",
            experiment="calibration",
        ),
    )
}
