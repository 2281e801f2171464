"""What the figures of a simulation study share: its scenarios, methods, measures and replicates."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import numpy as np
from pydantic import AfterValidator, Field, WithJsonSchema

from harness.base.errors import InputError, NothingToDrawError
from harness.base.numerics.arrays import Floats
from harness.figures.kind import FigureKind
from harness.figures.look import labels, style
from harness.figures.look.axes import COVERAGE
from harness.figures.selection import levels_of

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results

NORMAL_975 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution."""
OUTLYING = 3.0
"""A range that is longer than this many times the range of the middle 98 % is cut to the latter."""


class Measure(NamedTuple):
    """How a measure of performance is drawn."""

    words: str
    """The name of its axis."""
    reference: Callable[[float], float] | None = None
    """The value with which it is compared, given the nominal alpha, if there is one."""

    @property
    def in_percent(self) -> bool:
        return self.words.endswith("%")

    def text(self, value: float) -> str:
        """A value with its unit."""
        return f"{100 * value:.3g} %" if self.in_percent else labels.number_text(value)


MEASURES = {
    "bias": Measure("bias", lambda alpha: 0),
    "relative_bias": Measure("relative bias, %", lambda alpha: 0),
    "empirical_se": Measure("empirical standard error"),
    "mse": Measure("mean squared error"),
    "rmse": Measure("root mean squared error"),
    "model_se": Measure("average model standard error"),
    "relative_error_model_se": Measure("relative error of the model SE, %", lambda alpha: 0),
    "coverage": Measure(COVERAGE, lambda alpha: 1 - alpha),
    "coverage_answered": Measure("coverage in answered trials, %", lambda alpha: 1 - alpha),
    "bias_eliminated_coverage": Measure("bias-eliminated coverage, %", lambda alpha: 1 - alpha),
    "miss_below": Measure("truth below the interval, %", lambda alpha: alpha / 2),
    "miss_above": Measure("truth above the interval, %", lambda alpha: alpha / 2),
    "mean_length": Measure("mean interval length"),
    "interval_score": Measure("mean interval score"),
    "rejection_rate": Measure("rejection rate, %", lambda alpha: alpha),
    "relative_precision": Measure("precision gained over the reference, %", lambda alpha: 0),
    "failures": Measure("trials without an answer, %", lambda alpha: 0),
}
"""The measures by the names that tables have for them."""


def _known(name: str) -> str:
    if name not in MEASURES:
        raise ValueError(f"expected one of the measures {', '.join(MEASURES)}")
    return name


MeasureName = Annotated[
    str, AfterValidator(_known), WithJsonSchema({"type": "string", "enum": list(MEASURES)})
]
MEASURE: Any = Field("coverage", description="Measure of performance to draw.")
SCENARIO: Any = Field(1, ge=1, description="Number of the scenario to draw, from 1 on.")


study_kind = partial(FigureKind, needs=(), drawn_for=lambda _: False, experiment="simulation")
"""The declaration of a kind of figure of simulation studies."""


@dataclass(frozen=True)
class Study:
    """The part of a simulation study that a figure shows.

    What its options name and the study lacks raises InputError, which names what there is.
    """

    kind: str
    results: Results
    asked: Any
    """The options of the figure."""

    @property
    def experiment(self) -> Mapping[str, Any]:
        """The resolved config."""
        found: Mapping[str, Any] = self.results.manifest["experiment"]
        return found

    @property
    def alpha(self) -> float:
        return float(self.experiment["alpha"])

    @property
    def methods(self) -> list[str]:
        """The labels asked for, in that order, or all of them."""
        return levels_of(self.kind, "method", self.asked.methods, self._every_method)

    @property
    def _every_method(self) -> list[str]:
        return [str(each["label"]) for each in self.experiment["methods"]]

    def look(self, method: str) -> style.Look:
        """The look that a method has in all figures of the study, by its place in the config."""
        place = self._every_method.index(method)
        looks: list[Any] = [style.CURVE_COLOURS, style.MARKS, style.CURVE_DASHES]
        colour, mark, dashes = (each[place % len(each)] for each in looks)
        return style.Look(colour, mark, dashes, 0.0)

    @property
    def estimand(self) -> str:
        """The name of what is estimated: a factor, or a function."""
        found = self.experiment["estimand"]
        named = found.get("function") if isinstance(found, Mapping) else found
        return named if isinstance(named, str) else "the estimand"

    @property
    def scenario_text(self) -> str:
        """The scenario asked for, with its factors."""
        levels = self.experiment["factors"][self.asked.scenario - 1]
        held = ", ".join(f"{name} = {level_text(level)}" for name, level in levels.items())
        return f"scenario {self.asked.scenario}" + (f": {held}" if held else "")

    def replicates(self) -> dict[str, pl.DataFrame]:
        """The trials of each method in the scenario asked for."""
        cells, number = self.results.cells, self.asked.scenario
        if cells.is_empty():
            raise InputError(f"{self.kind} needs `keep: replicates` in the config of the study")
        scenarios = range(1, len(self.experiment["factors"]) + 1)
        levels_of(self.kind, "scenario", [number], scenarios)
        rows = cells.filter(scenario=number)
        return {method: rows.filter(method=method).sort("trial") for method in self.methods}

    def measured(self, measure: str) -> pl.DataFrame:
        """The known values of a measure, with Monte Carlo intervals in ``low`` and ``high``."""
        import polars as pl

        summary = self.results.summary
        present = summary["measure"].unique(maintain_order=True).to_list()
        levels_of(self.kind, "measure", [measure], present)
        rows = summary.filter(pl.col("method").is_in(self.methods), measure=measure)
        rows = rows.filter(pl.col("estimate").is_not_null())
        if not rows["estimate"].is_finite().any():
            raise NothingToDrawError(f"{self.kind}: {measure} is not known of any method")
        margin = NORMAL_975 * pl.col("mcse")
        return rows.with_columns(
            low=pl.coalesce("ci_lower", pl.col("estimate") - margin, "estimate"),
            high=pl.coalesce("ci_upper", pl.col("estimate") + margin, "estimate"),
        )


def level_text(level: object) -> str:
    """The level of a factor."""
    if isinstance(level, bool | str):
        return style.shorten(str(level), 18)
    return f"{level:.6g}".replace("-", labels.MINUS)


def level_texts(scenarios: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """The levels of all scenarios by factor, without factors that are the same in all of them.

    The one scenario of a study without factors has its number in their place.
    """
    texts = {name: [level_text(row[name]) for row in scenarios] for name in scenarios[0]}
    varied = {name: found for name, found in texts.items() if len(set(found)) > 1}
    return varied or texts or {"scenario": ["1"]}


def range_of(values: Floats) -> tuple[float, float]:
    """The ends of an axis for these values, without outlying ones."""
    low, inner, outer, high = np.quantile(values[np.isfinite(values)], (0, 0.01, 0.99, 1))
    if high - low > OUTLYING * (outer - inner) > 0:
        low, high = inner - 0.1 * (outer - inner), outer + 0.1 * (outer - inner)
    room = 0.03 * (high - low) or 1.0
    return float(low - room), float(high + room)
