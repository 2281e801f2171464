"""What the figures of a simulation study share: its scenarios, methods and replicates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from harness.base.errors import InputError, NothingToDrawError
from harness.base.models import StrictModel
from harness.base.numerics.arrays import Floats
from harness.figures import options
from harness.figures.kind import FigureKind, file_stem
from harness.figures.look import labels, style
from harness.figures.selection import levels_of
from harness.tables.estimands import estimands_of

if TYPE_CHECKING:
    import polars as pl

    from harness.tables.results import Results

NORMAL_975 = 1.959963984540054
"""The 0.975 quantile of the standard normal distribution."""
JOINT_COVERAGE = "joint_coverage"
"""The measure that is of all estimands together."""
OUTLYING = 3.0
"""A range that is longer than this many times the range of the middle 98 % is cut to the latter."""
ESTIMAND: Any = Field(None, description="Name of one of several estimands; left out, the first.")

study_kind = partial(FigureKind, needs=(), drawn_for=lambda _: False, experiment="simulation")
"""The declaration of a kind of figure of simulation studies."""


class OfScenario(StrictModel):
    """The options of kinds that draw trials of one scenario."""

    scenario: int = Field(1, ge=1, description="Number of the scenario to draw, from 1 on.")
    methods: options.Labels | None = options.METHODS
    estimand: str | None = ESTIMAND


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
        config: Mapping[str, Any] = self.results.manifest["experiment"]
        return config

    @property
    def alpha(self) -> float:
        """The nominal alpha."""
        return float(self.experiment["alpha"])

    @property
    def methods(self) -> list[str]:
        """The labels asked for, in that order, or all of them."""
        return levels_of(self.kind, "method", self.asked.methods, self._all_methods)

    @property
    def _all_methods(self) -> list[str]:
        """The labels of all methods, in the order of the config."""
        return [str(method["label"]) for method in self.experiment["methods"]]

    def look(self, method: str) -> style.Look:
        """The look that a method has in all figures of the study, by its place in the config."""
        place = self._all_methods.index(method)
        colour = style.CURVE_COLOURS[place % len(style.CURVE_COLOURS)]
        mark = style.MARKS[place % len(style.MARKS)]
        dashes = style.CURVE_DASHES[place % len(style.CURVE_DASHES)]
        return style.Look(colour, mark, dashes, 0.0)

    @cached_property
    def chosen(self) -> str:
        """The name of the estimand that is drawn, of several; "" of the only one."""
        names = list(estimands_of(self.experiment))
        asked = getattr(self.asked, "estimand", None)
        return str(levels_of(self.kind, "estimand", None if asked is None else [asked], names)[0])

    @property
    def estimand(self) -> str:
        """The name of what is estimated: an estimand, a factor, or a function."""
        source = estimands_of(self.experiment)[self.chosen]
        name = source.get("function") if isinstance(source, Mapping) else source
        return self.chosen or (name if isinstance(name, str) else "the estimand")

    def stem(self, *parts: str) -> str:
        """The name of a file of the figure, which has the estimand that is asked for."""
        asked = getattr(self.asked, "estimand", None)
        return file_stem(self.kind, *parts, *([] if asked is None else [asked]))

    def axis_text(self, measure: str, words: str) -> str:
        """What an axis of a measure is called, with the estimand of several."""
        return f"{self.chosen}: {words}" if self.chosen and measure != JOINT_COVERAGE else words

    @property
    def scenario_text(self) -> str:
        """The scenario asked for, with its factors."""
        levels = self.experiment["factors"][self.asked.scenario - 1]
        held = ", ".join(f"{name} = {level_text(level)}" for name, level in levels.items())
        return f"scenario {self.asked.scenario}" + (f": {held}" if held else "")

    def _of_estimand(self, rows: pl.DataFrame) -> pl.DataFrame:
        return rows.filter(estimand=self.chosen) if self.chosen else rows

    @property
    def is_drawn(self) -> bool:
        """Whether the model draws the truth."""
        source = estimands_of(self.experiment)[self.chosen]
        return isinstance(source, str) and source not in self.experiment["factors"][0]

    @property
    def less_truth(self) -> str:
        """What an axis of estimates is called like at the end, where they are errors."""
        return f" {labels.MINUS} truth" if self.is_drawn else ""

    def truth_text(self, truth: float) -> str:
        """The true value in a legend."""
        return "truth" if self.is_drawn else f"truth {truth:.6g}"

    def errors(self) -> dict[str, pl.DataFrame]:
        """The trials of each method in the scenario asked for; less their truth if it is drawn."""
        by_method = self.replicates()
        if not self.is_drawn:
            return by_method
        if all(rows["truth"].is_null().any() for rows in by_method.values()):
            raise NothingToDrawError(f"{self.kind}: the truths are texts")
        import polars as pl

        names = ("estimate", "lower", "upper", "truth")
        return {
            method: rows.with_columns(pl.col(*names) - pl.col("truth"))
            for method, rows in by_method.items()
        }

    def replicates(self) -> dict[str, pl.DataFrame]:
        """The trials of each method in the scenario asked for."""
        cells, number = self.results.cells, self.asked.scenario
        if cells.is_empty():
            raise InputError(f"{self.kind} needs `keep: replicates` in the config of the study")
        scenarios = range(1, len(self.experiment["factors"]) + 1)
        levels_of(self.kind, "scenario", [number], scenarios)
        rows = self._of_estimand(cells.filter(scenario=number))
        return {method: rows.filter(method=method).sort("trial") for method in self.methods}

    def measured(self, measure: str) -> pl.DataFrame:
        """The known values of a measure, with Monte Carlo intervals in ``low`` and ``high``."""
        import polars as pl

        summary = self.results.summary
        present = summary["measure"].unique(maintain_order=True).to_list()
        levels_of(self.kind, "measure", [measure], present)
        rows = summary.filter(pl.col("method").is_in(self.methods), measure=measure)
        if measure != JOINT_COVERAGE:
            rows = self._of_estimand(rows)
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


def range_of(values: Floats) -> tuple[float, float]:
    """The ends of an axis for these values, without outlying ones."""
    low, inner, outer, high = np.quantile(values[np.isfinite(values)], (0, 0.01, 0.99, 1))
    if high - low > OUTLYING * (outer - inner) > 0:
        low, high = inner - 0.1 * (outer - inner), outer + 0.1 * (outer - inner)
    room = 0.03 * (high - low) or 1.0
    return float(low - room), float(high + room)
